"""Which branch is in force? A closed form with every Max, Min and case replaced by what holds at a point, and their names.

What comes out is smooth near the point: a quotient of polynomials with roundings (floor, ceiling) that stand still. That is
what can be differentiated and solved; a tie is reported, because there the two sides have different derivatives.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.passes.expand import Expander
from symroof.report.text import formula_text
from symroof.term import Call, Ref, Term, Where

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Branch:
    """One choice: the quantity whose Max or Min it is, which argument is in force, and those that tie with it."""

    quantity: str
    function: str
    binding: str
    ties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Smooth:
    """A closed form without branches, true near the point, and the choices that led to it."""

    expression: sp.Expr
    branches: tuple[Branch, ...]


def smooth(point: Point, name: str, moving: Collection[str]) -> Smooth:
    """The formula of a quantity on the branch that is in force at a point, opened as far as some symbols move it.

    Names that none of the moving symbols reaches stay as they are: they are constants here, and known by their names.

    Raises:
        MissingValueError, EvaluationError: a value that decides a branch does not exist.
    """
    expander = _Branching(point, frozenset(moving))
    return Smooth(expander.name(name), tuple(dict.fromkeys(expander.branches)))


def smooth_term(point: Point, term: Term, moving: Collection[str]) -> Any:
    """A formula in names of the book on the branch that is in force at a point, as `smooth` gives that of a quantity."""
    return _Branching(point, frozenset(moving)).term(term)


class _Branching(Expander):
    """Expands what moves, and at every branch takes the one whose value at the point is in force."""

    def __init__(self, point: Point, moving: frozenset[str], bound: Mapping[str, Any] | None = None) -> None:
        super().__init__(point, moving, bound)
        self.branches: list[Branch] = []
        self._moving = moving
        self._open: list[str] = []

    def _expand(self, name: str) -> Any:
        formula = self._point.book.formulas.get(name)
        moves = self._point.book.inputs_of(name) & (self._moving | self._bound.keys())
        if formula is None or name in self._point.given or not moves:
            return self._table[name]
        self._open.append(name)
        try:
            return self.term(formula)
        finally:
            self._open.pop()

    def inner(self, bound: Mapping[str, Any]) -> Expander:
        found = _Branching(self._point, self._moving, {**self._bound, **bound})
        found.branches, found._open = self.branches, self._open
        return found

    def term(self, term: Term) -> Any:
        match term:
            case Call("Max" | "Min" as function, parts):
                return self._extreme(function, parts)
            case Where(condition, a, b):
                holds = self.number_of(self._condition(condition))
                return self.term(a if holds == sp.true else b)
        return super().term(term)

    def range_sum(self, variable: str, start: Any, stop: Any, body: Term) -> Any:
        first, last = self.number_of(start), self.number_of(stop)
        return sp.Add(*(self.inner({variable: sp.Integer(i)}).term(body) for i in range(int(first), int(last) + 1)))

    def number_of(self, expression: Any) -> Any:
        """The exact value of an expression at the point."""
        return exact_value(self._point, expression)

    def _extreme(self, function: str, parts: tuple[Term, ...]) -> Any:
        forms = [self.term(p) for p in parts]
        values = [self.number_of(f) for f in forms]
        best = (max if function == "Max" else min)(values)
        winners = [i for i, v in enumerate(values) if v == best]
        names = [_label(parts[i]) for i in winners]
        different = [n for i, n in zip(winners[1:], names[1:], strict=True) if forms[i] != forms[winners[0]]]
        self.branches.append(Branch(self._open[-1] if self._open else "", function, names[0], tuple(different)))
        return forms[winners[0]]


def _label(term: Term) -> str:
    return term.name if isinstance(term, Ref) else formula_text(term)


def exact_value(point: Point, expression: Any) -> Any:
    """The exact value, as SymPy has it, of an expression in names of the book.

    Raises:
        MissingValueError: a name in it has no value at the point.
    """
    values = {s: point.evaluator.number(s.name) for s in expression.free_symbols}
    found = expression.xreplace({s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()})
    return found.doit() if hasattr(found, "doit") else found
