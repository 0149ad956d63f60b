"""Conditions and formulas that people type: `bubble_overhead <= 5% and EP divides experts`, `step_time <= 10 s`.

A tokenizer and a precedence parser of our own: nothing typed is ever run, a unit may follow a number, and a mistake is
answered with a caret under the token. The result is an ordinary tree in the book's names.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NoReturn

from symroof import term as t
from symroof.caret import pointed
from symroof.errors import ExpressionError, SymroofError, UnitError, UnknownNameError
from symroof.literal import read_value
from symroof.passes.dimensions import dimension_of
from symroof.passes.evaluate import Arithmetic
from symroof.term import Term
from symroof.units import Dimension, parse_unit

if TYPE_CHECKING:
    from symroof.book import Book

_TOKENS = re.compile(
    r"\s*(?:(?P<number>(?:\d[\d_]*)?\.?\d+(?:[eE][+-]?\d{1,3})?|\d[\d_]*\.?)|(?P<name>[A-Za-zµ][A-Za-z0-9_]*)"
    r"|(?P<op><=|>=|==|!=|\*\*|[-+*/()<>=,%^]))"
)
_KEYWORDS = ("and", "or", "divides")
_RELATIONS = {"<=": "<=", ">=": ">=", "<": "<", ">": ">", "=": "==", "==": "==", "!=": "!=", "divides": "divides"}
_FUNCTIONS: dict[str, tuple[Callable[..., Term], range]] = {
    "Max": (t.Max, range(2, 20)),
    "Min": (t.Min, range(2, 20)),
    "ceiling": (t.ceiling, range(1, 2)),
    "floor": (t.floor, range(1, 2)),
    "binomial": (t.binomial, range(2, 3)),
}
_LONGEST, _DEEPEST = 2000, 50
# The most digits of a power; what a name stands for is taken to have so many.
_MOST_DIGITS, _NAME_DIGITS = 1000, 9


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    at: int


def parse_condition(book: Book, text: str) -> Term:
    """A condition in the names of a book; both sides of every relation have one dimension.

    Raises:
        ExpressionError: no condition; the message shows the text with a caret under the token that does not fit.
        UnitError: the sides of a relation have different dimensions.
    """
    parser = _Parser(book, text)
    found = parser.whole()
    if not isinstance(found, t.Rel | t.Logic):
        parser.fail("this is a value: a condition compares two, as in A <= B", len(text))
    return found


def parse_formula(book: Book, text: str) -> Term:
    """A formula in the names of a book, such as `2*EP` or `step_time/M`.

    Raises:
        ExpressionError: no formula; the message shows the text with a caret under the token that does not fit.
        UnitError: parts that cannot be added or compared.
    """
    parser = _Parser(book, text)
    found = parser.whole()
    if isinstance(found, t.Rel | t.Logic):
        parser.fail("this is a condition: a value is needed here", 0)
    return found


class _Parser:
    """One text; methods by precedence, loosest first."""

    def __init__(self, book: Book, text: str) -> None:
        self._book, self._text, self._position, self._depth = book, text, 0, 0
        if len(text) > _LONGEST:
            raise ExpressionError(f"a condition has at most {_LONGEST} characters, not {len(text)}")
        self._tokens = self._tokenize()

    def fail(self, says: str, at: int) -> NoReturn:
        """Raise, with a caret under a place of the text."""
        raise ExpressionError(pointed(says, self._text, at))

    def whole(self) -> Term:
        """The whole text as one tree, its dimensions checked."""
        found = self._or()
        if self._peek().kind != "end":
            self._unexpected("an operator or the end")
        self._check(found)
        return _bare(found)

    def _tokenize(self) -> list[_Token]:
        tokens, position = [], 0
        while position < len(self._text.rstrip()):
            match = _TOKENS.match(self._text, position)
            if match is None:
                at = position + len(self._text[position:]) - len(self._text[position:].lstrip())
                self.fail(f"{self._text[at]!r} is no part of a condition", at)
            kind = str(match.lastgroup)
            tokens.append(_Token(kind, match[kind], match.start(kind)))
            position = match.end()
        return [*tokens, _Token("end", "", len(self._text.rstrip()))]

    def _peek(self) -> _Token:
        return self._tokens[self._position]

    def _take(self, *texts: str) -> str | None:
        token = self._peek()
        if token.kind != "number" and token.text in texts:
            self._position += 1
            return token.text
        return None

    def _unexpected(self, wanted: str) -> NoReturn:
        token = self._peek()
        self.fail(
            f"{wanted} belongs here, not {token.text!r}" if token.text else f"the text ends where {wanted} belongs", token.at
        )

    def _or(self) -> Term:
        return self._joined("or", self._and)

    def _and(self) -> Term:
        return self._joined("and", self._relation)

    def _joined(self, word: str, parse: Callable[[], Term]) -> Term:
        """Conditions with a word between them; one part by itself is whatever it is."""
        starts, parts = [self._peek().at], [parse()]
        while self._take(word):
            starts.append(self._peek().at)
            parts.append(parse())
        if len(parts) == 1:
            return parts[0]
        for part, start in zip(parts, starts, strict=True):
            if not isinstance(part, t.Rel | t.Logic):
                self.fail(f"a condition belongs on both sides of {word!r}", start)
        return t.Logic(word, tuple(parts))

    def _relation(self) -> Term:
        sides, relations = [self._sum()], []
        while (token := self._peek()).text in _RELATIONS and self._take(token.text):
            sides.append(self._sum())
            relations.append(self._related(token, sides[-2], sides[-1]))
        if not relations:
            return sides[0]
        return relations[0] if len(relations) == 1 else t.Logic("and", tuple(relations))

    def _related(self, token: _Token, left: Term, right: Term) -> t.Rel:
        """One relation, of two values with one dimension."""
        for side in (left, right):
            if isinstance(side, t.Rel | t.Logic):
                self.fail("a condition is compared with nothing", token.at)
        found = t.Rel(_RELATIONS[token.text], left, right)
        try:
            self._check_sides(found)
        except UnitError as error:
            raise type(error)(pointed(str(error), self._text, token.at)) from None
        return found

    def _sum(self) -> Term:
        found = self._product()
        while (token := self._peek()).text in ("+", "-") and self._take(token.text):
            left, right = self._values(token, found, self._product())
            found = left + right if token.text == "+" else left - right
        return found

    def _product(self) -> Term:
        found = self._power()
        while (token := self._peek()).text in ("*", "/") and self._take(token.text):
            left, right = self._values(token, found, self._power())
            if token.text == "/" and self._constant(token, right) == 0:
                self.fail("this divides by zero", token.at)
            found = left * right if token.text == "*" else left / right
        return found

    def _values(self, token: _Token, *parts: Term) -> tuple[Term, ...]:
        """Parts that an operator joins: values, never conditions."""
        if any(isinstance(p, t.Rel | t.Logic) for p in parts):
            self.fail(f"{token.text!r} joins values, not conditions", token.at)
        return parts

    def _power(self) -> Term:
        token = self._peek()
        if self._take("-"):
            (inner,) = self._values(token, self._deeper(self._power))
            return t.Neg(inner)
        base = self._atom()
        token = self._peek()
        if not self._take("**", "^"):
            return base
        left, right = self._values(token, base, self._deeper(self._power))
        self._check_size(token, left, right)
        return left**right

    def _check_size(self, token: _Token, base: Term, exponent: Term) -> None:
        """Refuse a power before it is computed, where its number would have too many digits."""
        number, power = self._constant(token, base), self._constant(token, exponent)
        if power is None:
            return
        if number == 0 and power < 0:
            self.fail("this divides by zero", token.at)
        # A name may be any number: its power counts as that of one with a few digits.
        digits = _NAME_DIGITS if number is None else max(len(str(abs(number.numerator))), len(str(number.denominator))) - 1
        few = number is not None and abs(number.numerator) == number.denominator
        if not few and abs(power) * (digits + 1) > _MOST_DIGITS:
            self.fail(f"a power has at most {_MOST_DIGITS:,} digits", token.at)

    def _constant(self, token: _Token, term: Term) -> Fraction | None:
        """The number of a formula without names; None where it has names."""
        if t.references(term):
            return None
        try:
            return Arithmetic().term(term)
        except ZeroDivisionError:
            self.fail("this divides by zero", token.at)
        except SymroofError:
            return None

    def _atom(self) -> Term:
        token = self._peek()
        if token.kind == "number":
            return self._number(token)
        if token.kind == "name" and token.text not in _KEYWORDS:
            self._position += 1
            return self._call(token) if self._peek().text == "(" else self._name(token)
        if not self._take("("):
            self._unexpected("a name or a number")
        inner = self._deeper(self._or)
        if not self._take(")"):
            self._unexpected("')'")
        return inner

    def _deeper(self, parse: Callable[[], Term]) -> Term:
        self._depth += 1
        if self._depth > _DEEPEST:
            self.fail(f"more than {_DEEPEST} levels deep", self._peek().at)
        found = parse()
        self._depth -= 1
        return found

    def _number(self, token: _Token) -> Term:
        self._position += 1
        try:
            value = read_value("value", token.text, "1")
        except SymroofError:
            self.fail(f"{token.text!r} is no number", token.at)
        if self._take("%"):
            return t.Num(value / 100)
        unit = self._unit()
        return t.Num(value) if unit is None else _measured(value, unit)

    def _unit(self) -> str | None:
        """The unit behind a number: names and slashes, as far as they are units."""
        token = self._peek()
        if token.kind != "name" or token.text in _KEYWORDS:
            return None
        try:
            parse_unit(token.text)
        except UnitError as error:
            names = (*self._book.symbols, *self._book.quantities)
            self.fail(f"{token.text} is no unit: write * before it" if token.text in names else str(error), token.at)
        self._position += 1
        unit = token.text
        while (
            self._peek().text == "/" and (below := self._tokens[self._position + 1]).kind == "name" and self._is_unit(below.text)
        ):
            unit += f"/{below.text}"
            self._position += 2
        return unit

    def _is_unit(self, name: str) -> bool:
        try:
            parse_unit(name)
        except UnitError:
            return False
        return name not in self._book.symbols and name not in self._book.quantities

    def _name(self, token: _Token) -> Term:
        try:
            return t.Ref(self._book.known(token.text))
        except UnknownNameError as error:
            self.fail(str(error), token.at)

    def _call(self, token: _Token) -> Term:
        if token.text not in _FUNCTIONS:
            self.fail(f"no function {token.text!r}; functions are {', '.join(_FUNCTIONS)}", token.at)
        function, arity = _FUNCTIONS[token.text]
        self._take("(")
        arguments = [self._deeper(self._sum)]
        while self._take(","):
            arguments.append(self._deeper(self._sum))
        if not self._take(")"):
            self._unexpected("')' or ','")
        if len(arguments) not in arity:
            self.fail(
                f"{token.text} takes {arity.start}{' or more' if len(arity) > 1 else ''} arguments, not {len(arguments)}",
                token.at,
            )
        return function(*arguments)

    def _check(self, found: Term) -> None:
        """A value's parts fit together; the sides of relations have been looked at as they were met."""
        if isinstance(found, t.Rel | t.Logic):
            return
        try:
            dimension_of(found, self._book.dimension)
        except UnitError as error:
            raise type(error)(pointed(str(error), self._text, 0)) from None

    def _check_sides(self, relation: t.Rel) -> None:
        """A bare number is in the other side's base unit; a measured one needs no carrier."""
        left, right = (dimension_of(side, self._book.dimension) for side in (relation.left, relation.right))
        if left is None or right is None or left == right:
            return
        for side, here, other in ((relation.left, left, right), (relation.right, right, left)):
            if not t.references(side) and here in (Dimension(), other.uncarried):
                return
        raise UnitError(f"compares {left} and {right}")


def _measured(value: Fraction, unit: str) -> Term:
    """A literal with its unit: the number in base units times the reserved unit symbols of its dimension."""
    scale = parse_unit(unit)
    found: Term = t.Num(value * scale.factor)
    for name, exponent in zip(t.RESERVED, _exponents(scale.dimension), strict=True):
        if exponent:
            found = found * (t.Unit(name) if exponent == 1 else t.Unit(name) ** exponent)
    return found


def _bare(term: Term) -> Term:
    """The tree with its literals as plain numbers: the units have been checked and are equal to one."""
    if isinstance(term, t.Mul) and isinstance(term.factors[0], t.Num) and not any(t.references(f) for f in term.factors):
        units = term.factors[1:]
        if all(isinstance(u, t.Unit) or (isinstance(u, t.Pow) and isinstance(u.base, t.Unit)) for u in units):
            return term.factors[0]
    return t.rebuild(term, _bare)


def _exponents(d: Dimension) -> tuple[int, ...]:
    return (d.byte, d.flop, d.second, d.hbm, d.nvlink, d.scaleout)
