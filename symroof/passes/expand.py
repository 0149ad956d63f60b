"""What is the closed form? A quantity with every derived name replaced by its formula, as a SymPy expression.

Only the names that stay free remain symbols; with `free` given, every part that depends on none of them is a number.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.evaluate import MANY
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
    from symroof.book import Book
    from symroof.point import Point


def expand(point: Point, name: str, free: Collection[str] | None = None) -> sp.Expr:
    """The closed form of a quantity: in all its symbols, or with only some left free and numbers for the rest.

    A pinned quantity stays a symbol of its own (or its number, unless it is free): its definition is not in force.

    Raises:
        MissingValueError, EvaluationError: a number is needed that the point does not have.
    """
    expander = Expander(point, free)
    inputs = point.book.inputs_in_order(name)
    # A long chain of quantities is expanded from the bottom up, so that it needs no deep recursion.
    for used in inputs[:-1] if len(inputs) > MANY else ():
        with suppress(MissingValueError, EvaluationError):
            expander.name(used)
    return expander.name(name)


def expand_term(point: Point, term: Term, free: Collection[str] | None = None) -> Any:
    """The closed form of a formula in names of the book, as `expand` gives that of a quantity."""
    return Expander(point, free).term(term)


def to_sympy(term: Term) -> Any:
    """A formula as a SymPy expression in the names it uses, one level deep, units one; nothing is assumed of their signs."""
    return _Plain().term(term)


def renamed(form: Any, old: sp.Symbol, new: sp.Symbol) -> Any:
    """A closed form with one symbol in the place of another; a Max or Min stays as it is written, as `expand` leaves it."""
    if form == old:
        return new
    if not form.has(old):
        return form
    parts = [renamed(part, old, new) for part in form.args]
    return form.func(*parts, evaluate=False) if isinstance(form, (sp.Max, sp.Min)) else form.func(*parts)


@lru_cache(maxsize=16)
def symbols_of(book: Book) -> dict[str, sp.Symbol]:
    """The one SymPy symbol of each name of the book, with the assumptions of its domain."""
    return {n: sp.Symbol(n, **book.domain(n).assumptions) for n in (*book.symbols, *book.quantities)}


class _Plain:
    """From a tree to SymPy, node by node; subclasses say what a name stands for."""

    def name(self, name: str) -> Any:
        return sp.Symbol(name, real=True)

    def choose(self, convention: str, options: Mapping[str, Term]) -> Any:
        raise EvaluationError(f"convention {convention} has no choice here")

    def at(self, name: str, bindings: Mapping[str, Term]) -> Any:
        raise EvaluationError(f"{name} at other arguments has no expression outside a book")

    def total(self, over: str, variable: str, body: Term) -> Any:
        raise EvaluationError(f"a sum over {over} has no expression outside a book")

    def range_sum(self, variable: str, start: Any, stop: Any, body: Term) -> Any:
        raise EvaluationError("a sum over a range has no expression outside a book")

    def term(self, term: Term) -> Any:
        match term:
            case Num(value):
                return sp.Rational(value.numerator, value.denominator)
            case Unit():
                return sp.S.One
            case Ref(name):
                return self.name(name)
            case Neg(inner):
                return -self.term(inner)
            case Add(parts):
                return sp.Add(*(self.term(p) for p in parts))
            case Mul(parts):
                return sp.Mul(*(self.term(p) for p in parts))
            case Div(a, b):
                return self.term(a) / self.term(b)
            case Pow(base, exponent):
                return self.term(base) ** self.term(exponent)
            case Call(function, parts):
                return self._call(function, [self.term(p) for p in parts])
            case Where(condition, a, b):
                return self._where(self._condition(condition), a, b)
            case Choose(convention, pairs):
                return self.choose(convention, dict(pairs))
            case At(name, pairs):
                return self.at(name, dict(pairs))
            case Total(over, variable, body):
                return self.total(over, variable, body)
            case RangeSum(variable, start, stop, body):
                return self.range_sum(variable, self.term(start), self.term(stop), body)
            case Largest(names):
                return sp.Function("ArgMax")(*(sp.Symbol(n) for n in names))
        raise EvaluationError(f"{type(term).__name__} has no expression")

    def _call(self, function: str, args: list[Any]) -> Any:
        if function in ("Max", "Min"):
            return _extreme(getattr(sp, function), args)
        return getattr(sp, function)(*args)

    def _where(self, condition: Any, then: Term, otherwise: Term) -> Any:
        """A branch that a known condition rules out is not looked at: it may have no value."""
        if condition in (True, False):
            return self.term(then if condition else otherwise)
        return sp.Piecewise((self.term(then), condition), (self.term(otherwise), True))

    def _condition(self, condition: Term) -> Any:
        match condition:
            case Logic(op, parts):
                return (sp.And if op == "and" else sp.Or)(*(self._condition(p) for p in parts))
            case Rel("divides", a, b):
                return sp.Eq(sp.Mod(self.term(b), self.term(a)), 0)
            case Rel(op, a, b):
                return sp.Rel(self.term(a), self.term(b), op)
        raise EvaluationError(f"{type(condition).__name__} is no condition")


class Expander(_Plain):
    """From the name of a quantity to its closed form at a point; each name is expanded once."""

    def __init__(self, point: Point, free: Collection[str] | None, bound: Mapping[str, Any] | None = None) -> None:
        self._point, self._bound = point, dict(bound or {})
        self._free = None if free is None else frozenset(free)
        self._table = symbols_of(point.book)
        self._memo: dict[str, Any] = {}

    def inner(self, bound: Mapping[str, Any]) -> Expander:
        """The same expansion with more names bound."""
        return Expander(self._point, self._free, {**self._bound, **bound})

    def name(self, name: str) -> Any:
        """What a name stands for: what it is bound to, itself where it is free, else its formula or its number."""
        if name in self._bound:
            return self._bound[name]
        if name not in self._memo:
            self._memo[name] = self._expand(name)
        return self._memo[name]

    def _expand(self, name: str) -> Any:
        free, book = self._free, self._point.book
        if free is not None and not book.inputs_of(name) & (free | self._bound.keys()):
            return _number(self._point.evaluator.value(name))
        stays = free is None or name in free
        formula = book.formulas.get(name)
        if formula is None or name in self._point.given:
            return self._table[name] if stays else _number(self._point.evaluator.value(name))
        return self._table[name] if free is not None and stays else self.term(formula)

    def choose(self, convention: str, options: Mapping[str, Term]) -> Any:
        """The formula under the choice in force."""
        return self.term(options[self._point.choices[convention]])

    def at(self, name: str, bindings: Mapping[str, Term]) -> Any:
        """A quantity at arguments of its own."""
        return self.inner({k: self.term(t) for k, t in bindings.items()}).name(name)

    def total(self, over: str, variable: str, body: Term) -> Any:
        """A sum over a list, entry by entry, or over what stands in for it."""
        given = self._point.given.get(over)
        if given is not None and isinstance(given.value, tuple):
            pairs = [(_number(v), sp.S.One) for v in given.value]
        else:
            if over not in self._point.book.stand_ins:
                raise MissingValueError(f"{over} has no value in {self._point.label}: give it with --set {over}=...")
            entry, count = self._point.book.stand_ins[over]
            pairs = [(self.term(entry), self.term(count))]
        return sp.Add(*(n * self.inner({variable: e}).term(body) for e, n in pairs))

    def range_sum(self, variable: str, start: Any, stop: Any, body: Term) -> Any:
        """A sum over whole numbers, written out where its bounds are numbers."""
        sign = "positive" if start.is_positive else "nonnegative" if start.is_nonnegative else None
        index = sp.Symbol(variable, integer=True, **({} if sign is None else {sign: True}))
        summand = self.inner({variable: index}).term(body)
        whole = sp.Sum(summand, (index, start, stop))
        if not (start.is_number and stop.is_number):
            return whole
        # SymPy sums backwards where the last index lies below the first; such a sum of ours is empty.
        return whole.doit() if start <= stop else sp.S.Zero


def _extreme(kind: Any, args: list[Any]) -> Any:
    """Max or Min, left as it is written unless all of it is numbers: SymPy's own evaluation compares every pair."""
    distinct = list(dict.fromkeys(args))
    if len(distinct) == 1:
        return distinct[0]
    return kind(*distinct, evaluate=all(a.is_number for a in distinct))


def _number(value: Fraction | str) -> Any:
    return sp.Symbol(value) if isinstance(value, str) else sp.Rational(value.numerator, value.denominator)
