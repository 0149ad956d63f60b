"""How sensitive is it? Exact derivatives on the branch in force, elasticities, and what a whole step or a doubling does.

Rounded parts (floor, ceiling) stand still under a derivative; for symbols that are whole numbers the finite difference and
the doubling ratio say what really happens. A derivative along a held quantity is the total one: the symbol that gives way
moves so that the held quantity keeps its value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import ConstraintError, EvaluationError, PresetError
from symroof.passes.branch import Branch, Smooth, exact_value, smooth
from symroof.passes.expand import symbols_of
from symroof.passes.hold import Hold, held_point
from symroof.passes.simplify import simplify

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one symbol does to a quantity at a point.

    Attributes:
        derivative: the partial (or, along a held quantity, total) derivative as a closed form; None where the symbol is whole
            and enters a binomial's lower index, which has only differences.
        value: its exact value, in units of the quantity per unit of the symbol.
        elasticity_form, elasticity: derivative times symbol over quantity, as a form and as a number.
        step: the quantity at symbol + 1 less the quantity here; None where the symbol is not whole or that is no valid run.
        doubling: the quantity at twice the symbol over the quantity here; None where that is no valid run.
        branches: the branches in force on which the derivative was taken.
    """

    of: str
    to: str
    derivative: sp.Expr | None
    value: Fraction | None
    elasticity_form: sp.Expr | None
    elasticity: Fraction | None
    step: Fraction | None
    doubling: Fraction | None
    branches: tuple[Branch, ...]


def sensitivity(point: Point, of: str, to: Iterable[str] | None = None, hold: Hold | None = None) -> tuple[Sensitivity, ...]:
    """The sensitivity of a quantity to some symbols; without names, to every one it depends on, ranked by elasticity.

    Raises:
        UnknownNameError: a name that the book does not have.
        PresetError: a name that is no symbol with a value, or a hold by a symbol that its quantity does not depend on.
    """
    if hold:
        hold.check(point)
    names = list(to) if to is not None else _dependencies(point, of, hold)
    found = [_one(point, of, name, hold) for name in names]
    return tuple(found) if to is not None else tuple(sorted(found, key=lambda s: -abs(s.elasticity or Fraction(0))))


def derivative(expression: Any, symbol: Any) -> Any:
    """The derivative of a smooth form: roundings are constants, a binomial's upper index is differentiated as its product.

    Raises:
        EvaluationError: the symbol enters a binomial's lower index.
    """
    fixed: dict[Any, Any] = {}

    def freeze(node: Any) -> Any:
        if isinstance(node, (sp.floor, sp.ceiling)):
            return fixed.setdefault(node, sp.Dummy(positive=True))
        if isinstance(node, sp.binomial):
            return _Choose(*(freeze(a) for a in node.args))
        return node.func(*(freeze(a) for a in node.args)) if node.args else node

    found = sp.diff(freeze(expression), symbol)
    return _thaw(found).xreplace({dummy: node for node, dummy in fixed.items()})


class _Choose(sp.Function):  # type: ignore[misc]
    """A binomial while it is differentiated: for a whole lower index, the product over (n - j)/(j + 1)."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> Any:
        n, k = self.args
        if argindex == 2:
            raise EvaluationError("a binomial's lower index is whole: it has differences, not a derivative")
        j = sp.Symbol("j", integer=True, nonnegative=True)
        return self * sp.Sum(1 / (n - j), (j, 0, k - 1))


def _thaw(expression: Any) -> Any:
    return expression.replace(_Choose, sp.binomial)


def _dependencies(point: Point, of: str, hold: Hold | None) -> list[str]:
    book = point.book
    names = book.inputs_of(of) | (book.inputs_of(hold.quantity) if hold else frozenset())
    kept = [n for n in book.symbols if n in names and n in point.given and not _is_list(point, n)]
    return [n for n in kept if hold is None or n != hold.by]


def _is_list(point: Point, name: str) -> bool:
    return point.book.symbols[name].is_list


def _one(point: Point, of: str, to: str, hold: Hold | None) -> Sensitivity:
    at = _value_of(point, to)
    moving = {to, hold.by} if hold else {to}
    form, symbol = smooth(point, of, moving), symbols_of(point.book)[to]
    slope = _slope(point, form, symbol, hold)
    value = None if slope is None else _fraction(exact_value(point, slope))
    here = point.evaluator.number(of)
    elastic = None if slope is None or here == 0 else simplify(slope * symbol / form.expression).expression
    return Sensitivity(
        of=of,
        to=to,
        derivative=slope,
        value=value,
        elasticity_form=elastic,
        elasticity=None if value is None or here == 0 else value * at / here,
        step=_difference(point, of, to, at + 1, hold, here) if _whole(point, to) else None,
        doubling=_ratio(point, of, to, 2 * at, hold, here),
        branches=form.branches,
    )


def _value_of(point: Point, to: str) -> Fraction:
    given = point.given.get(point.book.known(to))
    if given is None:
        kind = "derived" if to in point.book.quantities else f"without a value in {point.label}"
        raise PresetError(f"{to} is {kind}: a sensitivity is to a symbol that has one")
    if not isinstance(given.value, Fraction):
        raise PresetError(f"{to} is a list: a sensitivity is to a number")
    return given.value


def _slope(point: Point, form: Smooth, symbol: Any, hold: Hold | None) -> Any:
    try:
        partial = derivative(form.expression, symbol)
        if hold is not None:
            by = symbols_of(point.book)[hold.by]
            partial += derivative(form.expression, by) * _give_way_rate(point, symbol, by, hold)
    except EvaluationError:
        return None
    return simplify(partial).expression


def _give_way_rate(point: Point, symbol: Any, by: Any, hold: Hold) -> Any:
    """How fast the symbol that gives way must move: the implicit function along the held quantity."""
    form = smooth(point, hold.quantity, {symbol.name, hold.by}).expression
    slope = derivative(form, by)
    if slope == 0:
        raise PresetError(f"{hold.quantity} does not move with {hold.by} here, so {hold.by} cannot keep it")
    return -derivative(form, symbol) / slope


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _whole(point: Point, name: str) -> bool:
    symbol = point.book.symbols.get(name)
    return symbol is not None and symbol.domain.whole


def _difference(point: Point, of: str, to: str, value: Fraction, hold: Hold | None, here: Fraction) -> Fraction | None:
    there = _elsewhere(point, of, to, value, hold)
    return None if there is None else there - here


def _ratio(point: Point, of: str, to: str, value: Fraction, hold: Hold | None, here: Fraction) -> Fraction | None:
    there = _elsewhere(point, of, to, value, hold)
    return None if there is None or here == 0 else there / here


def _elsewhere(point: Point, of: str, to: str, value: Fraction, hold: Hold | None) -> Fraction | None:
    """The quantity at another value of a symbol, the held quantity kept; None where that is no valid run."""
    try:
        there = point.trial(**{to: value}) if hold is None else held_point(point, {to: value}, hold)
        return there.evaluator.number(of) if there.admissible else None
    except (ConstraintError, EvaluationError):
        return None
