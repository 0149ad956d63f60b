"""Which values are whole numbers? Of a program's lines, those that are at every point where the run may exist.

Whole numbers below 2^53 are exact in a float, so sums, products and roundings of them need no care. A quotient is whole
where a constraint says that its divisor divides: world/(TP*PP) is, because TP*PP*CP divides world.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symroof.passes.straighten import Assign, Each, Loop, Program, Statement
from symroof.term import Add, Call, Div, Logic, Mul, Neg, Num, Pow, Ref, Rel, Term, Where

if TYPE_CHECKING:
    from symroof.book import Book

# A product of powers: its number, and the exponent of each factor.
Monomial: TypeAlias = tuple[Fraction, dict[Term, int]]


@dataclass(frozen=True, slots=True)
class Definitions:
    """What the lines of a program stand for, by name, and the indices of its sums."""

    lines: dict[str, Term]
    sums: dict[str, Term]
    indices: frozenset[str]

    @classmethod
    def of(cls, program: Program) -> Definitions:
        """The definitions of all lines, those inside loops included."""
        statements = list(_flat(program.statements))
        loops = [s for s in statements if isinstance(s, Loop)]
        return cls(
            {s.target: s.term for s in statements if isinstance(s, Assign)},
            {s.target: s.summand for s in loops},
            frozenset((*(s.index for s in loops), *(s.entry for s in statements if isinstance(s, Each)))),
        )


def _flat(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        if isinstance(statement, Loop | Each):
            yield from _flat(statement.body)


class Wholes:
    """Tells which terms of a program are whole, given conditions that hold at every point that is asked for."""

    def __init__(self, book: Book, definitions: Definitions, conditions: Iterable[Term]) -> None:
        self._book, self._definitions = book, definitions
        self._known: dict[str, bool] = {}
        conditions = [part for condition in conditions for part in _parts(condition)]
        self._fixed = {
            c.left: c.right.value for c in conditions if isinstance(c, Rel) and c.op == "==" and isinstance(c.right, Num)
        }
        self._divided = [m for c in conditions if (m := self._quotient_of(c)) is not None]
        self._one_way_or_other = [m for c in conditions if (m := self._either_of(c)) is not None]

    def __call__(self, term: Term) -> bool:
        """True where the term, and every part of it, is a whole number at every admissible point."""
        match term:
            case Num(value):
                return value.denominator == 1
            case Ref(name):
                return self._name(name)
            case Add(parts) | Mul(parts) | Call("Max" | "Min" | "binomial", parts):
                return all(map(self, parts)) or (isinstance(term, Call) and self._at_least_one(term))
            case Neg(inner):
                return self(inner)
            case Pow(base, Num(exponent)):
                return exponent.denominator == 1 and exponent >= 0 and self(base)
            case Where(_, a, b):
                return self(a) and self(b)
            case Div(a, b):
                return self(a) and self(b) and self._is_divided(term)
            case Call(function, _):
                return function in ("floor", "ceiling")
        return False

    def _name(self, name: str) -> bool:
        if name not in self._known:
            self._known[name] = self._find(name)
        return self._known[name]

    def _find(self, name: str) -> bool:
        if name in self._definitions.lines:
            return self(self._definitions.lines[name])
        if name in self._definitions.sums:
            return self(self._definitions.sums[name])
        if name in self._definitions.indices or name in self._book.conventions:
            return True
        return name in self._book.symbols and self._book.symbols[name].domain.whole

    def _at_least_one(self, term: Call) -> bool:
        """True for the Max of 1 and what is whole or at most 1: a domain's ranks over a group's, where one divides the other."""
        return (
            term.function == "Max"
            and all(self._whole_or_small(p) for p in term.args)
            and any(isinstance(p, Num) and p.value == 1 for p in term.args)
        )

    def _whole_or_small(self, term: Term) -> bool:
        match term:
            case Call("Min", parts):
                return all(map(self._whole_or_small, parts))
            case Div(a, b) if self(a) and self(b):
                found = self._monomial(term)
                return self(term) or any(found in (m, _power(m, -1)) for m in self._one_way_or_other if found is not None)
        return self(term)

    def _either_of(self, condition: Term) -> Monomial | None:
        """The quotient of two numbers of which one divides the other."""
        match condition:
            case Logic("or", (Rel("divides", a, b), Rel("divides", c, d))) if a == d and b == c:
                return self._monomial(Div(a, b))
        return None

    def _quotient_of(self, condition: Term) -> Monomial | None:
        """What a condition says to be whole: the number over the divisor."""
        match condition:
            case Rel("divides", divisor, number):
                return self._monomial(Div(number, divisor))
        return None

    def _is_divided(self, term: Term) -> bool:
        found = self._monomial(term)
        return found is not None and any(self._whole_multiple(found, fact) for fact in ((Fraction(1), {}), *self._divided))

    def _whole_multiple(self, term: Monomial, fact: Monomial) -> bool:
        number, factors = _product(term, _power(fact, -1))
        return number.denominator == 1 and all(e >= 0 and self(atom) for atom, e in factors.items())

    def _monomial(self, term: Term) -> Monomial | None:
        """A term as a product of powers of inputs and of what is no product; None for zero."""
        match term:
            case Num(value):
                return (value, {}) if value else None
            case Ref() if term in self._fixed:
                return self._monomial(Num(self._fixed[term]))
            case Ref(name) if isinstance(self._definitions.lines.get(name), Mul | Div | Ref | Num):
                return self._monomial(self._definitions.lines[name])
            case Mul(parts):
                return self._monomials(list(parts))
            case Div(a, b):
                below = self._monomial(b)
                above = self._monomial(a)
                return None if above is None or below is None else _product(above, _power(below, -1))
            case Pow(base, Num(exponent)) if exponent.denominator == 1:
                inner = self._monomial(base)
                return None if inner is None else _power(inner, int(exponent))
        return Fraction(1), {term: 1}

    def _monomials(self, terms: list[Term]) -> Monomial | None:
        found: Monomial = (Fraction(1), {})
        for term in terms:
            inner = self._monomial(term)
            if inner is None:
                return None
            found = _product(found, inner)
        return found


def _parts(condition: Term) -> Iterator[Term]:
    """The conditions that all hold where one does."""
    if isinstance(condition, Logic) and condition.op == "and":
        for part in condition.args:
            yield from _parts(part)
    else:
        yield condition


def _product(a: Monomial, b: Monomial) -> Monomial:
    exponents = dict(a[1])
    for atom, exponent in b[1].items():
        exponents[atom] = exponents.get(atom, 0) + exponent
    return a[0] * b[0], {atom: e for atom, e in exponents.items() if e}


def _power(a: Monomial, exponent: int) -> Monomial:
    return a[0] ** exponent, {atom: e * exponent for atom, e in a[1].items()}
