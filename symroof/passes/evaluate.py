"""What is the number? A walk of the named DAG in exact rationals; each quantity is computed once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symroof.errors import DomainError, EvaluationError, MissingValueError
from symroof.limits import LONGEST_SUM, MOST_DRAWS
from symroof.term import (
    Add,
    At,
    Call,
    Choose,
    Div,
    Largest,
    Logic,
    Mul,
    Neg,
    Num,
    Pow,
    RangeSum,
    Ref,
    Rel,
    Term,
    Total,
    Unit,
    Where,
)

if TYPE_CHECKING:
    from symroof.point import Point

Scalar: TypeAlias = Fraction | str

# The most digits, roughly, that a power may have.
LARGEST_POWER_BITS = 100_000


# With more inputs than this, a chain of quantities could be deeper than Python recurses.
MANY = 60


class Arithmetic:
    """The value of a formula whose names are numbers already; `Evaluator` adds what a book means by a name."""

    def number(self, name: str) -> Fraction:
        """The value of a name."""
        raise EvaluationError(f"{name} is no number here")

    def term(self, term: Term) -> Fraction:
        """The value of a formula that is a number."""
        match term:
            case Num(value):
                return value
            case Ref(name):
                return self.number(name)
            case Unit():
                return Fraction(1)
            case Mul(parts):
                return math.prod((self.term(p) for p in parts), start=Fraction(1))
            case Add(parts):
                return sum((self.term(p) for p in parts), start=Fraction(0))
            case Neg(inner):
                return -self.term(inner)
            case Div(a, b):
                return self.term(a) / self.term(b)
            case Pow(base, exponent):
                return power(self.term(base), self.term(exponent))
            case Call(function, parts):
                return call(function, [self.term(p) for p in parts])
            case Where(condition, a, b):
                return self.term(a if self.holds(condition) else b)
        raise EvaluationError(f"{type(term).__name__} is no number")

    def holds(self, condition: Term) -> bool:
        """The truth of a condition."""
        match condition:
            case Logic(op, parts):
                return (all if op == "and" else any)(self.holds(p) for p in parts)
            case Rel(op, a, b):
                return compare(op, self.term(a), self.term(b))
        raise EvaluationError(f"{type(condition).__name__} is no condition")


class Evaluator(Arithmetic):
    """The values of one point. `bound` holds arguments that an `At` node gave; the rest is shared with the point."""

    def __init__(
        self,
        point: Point,
        bound: Mapping[str, Fraction] | None = None,
        outer: Evaluator | None = None,
        known: Mapping[str, Scalar] | None = None,
    ) -> None:
        self._point, self._bound, self._outer = point, dict(bound or {}), outer
        self._memo: dict[str, Scalar] = dict(known or {})
        self._stack: list[str] = []

    @property
    def known(self) -> Mapping[str, Scalar]:
        """The values that have been computed so far."""
        return self._memo

    def value(self, name: str) -> Scalar:
        """The exact value of a symbol or a quantity; a text where the quantity names something or the symbol is a list.

        Raises:
            MissingValueError: a symbol on the way has no value.
            EvaluationError: the formula has no value here.
        """
        if name in self._bound:
            return self._bound[name]
        if self._outer is not None and not self._bound.keys() & self._point.book.inputs_of(name):
            return self._outer.value(name)
        if name not in self._memo:
            if self._outer is None and not self._stack and len(self._point.book.inputs_of(name)) > MANY:
                self._prepare(name)
            self._memo[name] = self._compute(name)
        return self._memo[name]

    def _prepare(self, name: str) -> None:
        """Compute what a name rests on from the bottom up, so that a long chain of quantities needs no deep recursion."""
        for used in self._point.book.inputs_in_order(name)[:-1]:
            if used not in self._memo:
                # A value that does not exist may stand in a branch that is not taken; where it is needed, it is asked again.
                with suppress(MissingValueError, EvaluationError):
                    self._memo[used] = self._compute(used)

    def number(self, name: str) -> Fraction:
        """The value of a name that must be a number."""
        found = self.value(name)
        if isinstance(found, str):
            kind = "list" if name in self._point.book.symbols else "name"
            raise EvaluationError(f"{name} is a {kind} ({found}), not a number")
        return found

    def arguments(self, name: str) -> dict[str, Fraction]:
        """The arguments in force here on which a name depends."""
        outer = self._outer.arguments(name) if self._outer is not None else {}
        inputs = self._point.book.inputs_of(name)
        return outer | {k: v for k, v in self._bound.items() if k in inputs}

    def _compute(self, name: str) -> Scalar:
        given = self._point.given.get(name)
        if given is not None:
            return given.value if isinstance(given.value, Fraction) else ", ".join(map(str, given.value))
        term = self._point.book.formulas.get(name)
        if term is None:
            raise MissingValueError(self._missing(name))
        self._stack.append(name)
        try:
            return self._largest(term.names) if isinstance(term, Largest) else self._within(name, self.term(term))
        except ZeroDivisionError:
            raise EvaluationError(f"{name} has no value at {self._point.label}: it divides by zero") from None
        finally:
            self._stack.pop()

    def _within(self, name: str, value: Fraction) -> Fraction:
        """A derived value, where its declaration admits it: closed forms rest on what is declared.

        At arguments of its own a quantity is never a symbol of a closed form, and nothing rests on what it is there; and what is
        no run, such as the real numbers between two counts that a search tries, promises nothing.
        """
        domain = self._point.book.quantities[name].domain
        if self._outer is None and self._point.is_run and not domain.admits(value):
            raise DomainError(
                name,
                f"{name} is {float(value):.6g} at {self._point.label}, but it is declared to be {domain.says}: "
                "declare what it may be with domain=...",
            )
        return value

    def _missing(self, name: str) -> str:
        book = self._point.book
        asked = self
        while asked._outer is not None and not asked._stack:
            asked = asked._outer
        user = asked._stack[0] if asked._stack else name
        needs = f"; {user} needs it" if user != name else ""
        if (replaced := self._point.set_aside.get(name)) is not None:
            return f"{name} has no value: {replaced} is given instead{needs}"
        return f"{name} ({book.symbols[name].says}) has no value in {self._point.label}{needs}: give it with --set {name}=..."

    def term(self, term: Term) -> Fraction:
        """The value of a formula that is a number."""
        match term:
            case Choose():
                return self.term(term.option(self._point.choices))
            case At(name, pairs):
                return Evaluator(self._point, {k: self.term(t) for k, t in pairs}, self).number(name)
            case Total(over, variable, body):
                return self._total(over, variable, body)
            case RangeSum(variable, start, stop, body):
                return self._range(variable, self.term(start), self.term(stop), body)
        return super().term(term)

    def entries(self, over: str) -> tuple[tuple[Fraction, Fraction], ...]:
        """A list of the run as pairs (entry, how many of them)."""
        given = self._point.given.get(over)
        if given is not None and isinstance(given.value, tuple):
            return tuple((v, Fraction(1)) for v in given.value)
        instead = self._point.book.stand_ins.get(over)
        if instead is None:
            raise MissingValueError(self._missing(over))
        return ((self.term(instead[0]), self.term(instead[1])),)

    def _total(self, over: str, variable: str, body: Term) -> Fraction:
        return sum(
            (count * Evaluator(self._point, {variable: entry}, self).term(body) for entry, count in self.entries(over)),
            start=Fraction(0),
        )

    def _range(self, variable: str, start: Fraction, stop: Fraction, body: Term) -> Fraction:
        if start.denominator != 1 or stop.denominator != 1 or stop - start > LONGEST_SUM:
            raise EvaluationError(f"a sum runs over at most {LONGEST_SUM:,} whole numbers, not from {start} to {stop}")
        indices = range(int(start), int(stop) + 1)
        return sum((Evaluator(self._point, {variable: Fraction(i)}, self).term(body) for i in indices), start=Fraction(0))

    def _largest(self, names: tuple[str, ...]) -> str:
        top = max(self.number(n) for n in names)
        return ", ".join(n for n in names if self.number(n) == top)


def compare(op: str, left: Fraction, right: Fraction) -> bool:
    """The truth of one relation between numbers."""
    match op:
        case "divides":
            return left != 0 and (right / left).denominator == 1
        case "<=":
            return left <= right
        case "<":
            return left < right
        case ">=":
            return left >= right
        case ">":
            return left > right
        case "!=":
            return left != right
    return left == right


def call(function: str, args: list[Fraction]) -> Fraction:
    """The value of one of the engine's functions at numbers."""
    match function:
        case "Max":
            return max(args)
        case "Min":
            return min(args)
        case "ceiling":
            return Fraction(math.ceil(args[0]))
        case "floor":
            return Fraction(math.floor(args[0]))
        case "binomial":
            return choose(*args)
    raise EvaluationError(f"no function {function}")


def choose(n: Fraction, k: Fraction) -> Fraction:
    """The binomial coefficient in product form: exact for a whole k, whatever n is.

    Raises:
        EvaluationError: k is no integer from 0 to 20,000.
    """
    if k.denominator != 1 or not 0 <= k <= MOST_DRAWS:
        raise EvaluationError(f"a binomial needs a whole k from 0 to {MOST_DRAWS:,}, not {k}")
    if n.denominator == 1 and n >= 0:
        return Fraction(math.comb(int(n), int(k)))
    return math.prod(((n - j) / (j + 1) for j in range(int(k))), start=Fraction(1))


def power(base: Fraction, exponent: Fraction) -> Fraction:
    """A power whose exponent is an integer, the only exact ones.

    Raises:
        EvaluationError: the exponent is no integer, or the result has too many digits.
    """
    if exponent.denominator != 1:
        raise EvaluationError(f"{base} to the power {exponent} is not rational")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if bits * abs(exponent) > LARGEST_POWER_BITS and abs(base) != 1:
        raise EvaluationError(f"{base} to the power {exponent} has too many digits")
    return Fraction(base ** int(exponent))
