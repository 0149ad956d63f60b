"""What shape does it have? Its limit as a symbol grows without bound, whether it is monotone, and where it peaks.

A limit is formal: it lets the symbol grow alone, past every value at which the run could exist; the constraint that stops it
first is named. Trends come from the exact pieces of the formula, jumps of roundings included; where it has none, the values of
a whole symbol are compared.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import PresetError, UnsolvableError
from symroof.passes.admit import broken_constraints
from symroof.passes.candidates import FAR
from symroof.passes.depend import dependencies
from symroof.passes.expand import expand, symbols_of
from symroof.passes.pieces import pieces, sign_between, turns
from symroof.passes.search import SECONDS, Search, fraction, search
from symroof.passes.timelimit import time_limit

if TYPE_CHECKING:
    from symroof.point import Point

# The most values of a whole symbol that are compared one by one, where its formula has no closed pieces.
_MOST_VALUES = 2048


@dataclass(frozen=True, slots=True)
class Limit:
    """A formal limit: its exact value (or infinity), and the constraint that stops the symbol before it, if one does."""

    value: Any
    stopped_by: str
    largest: int | None


@dataclass(frozen=True, slots=True)
class Shape:
    """How a quantity moves along a symbol.

    Attributes:
        trend: "constant", "rising", "falling", or "neither".
        turns: where it stops rising or falling, exact.
        peak: the value of the symbol at which the quantity is largest, None where it has no largest value.
        complete: False where only the first values of a whole symbol could be compared.
    """

    trend: str
    turns: tuple[Any, ...]
    peak: Any
    complete: bool


def limit(point: Point, name: str, over: str) -> Limit:
    """Where a quantity goes as a symbol alone grows without bound.

    Raises:
        PresetError: the quantity does not depend on the symbol, or the symbol is no number.
        UnsolvableError: the formula has no closed limit, such as a rounding that never ends.
    """
    field = _field(point, name, over)
    with time_limit(SECONDS):
        here = point.evaluator.number(over)
        low = sp.Rational(here.numerator, here.denominator)
        last = pieces(_form(point, name, field), field.unknown, low, sp.oo)[-1]
        value = _at_infinity(last.form, field.unknown)
    largest = field.candidates[-1] if field.whole and field.candidates[-1] < FAR else None
    return Limit(value, "" if largest is None else _stopper(point, over, largest), largest)


def shape(point: Point, name: str, over: str) -> Shape:
    """How a quantity moves along all that a symbol may be.

    Raises:
        PresetError: the quantity does not depend on the symbol, or the symbol is no number.
        UnsolvableError: a real symbol, whose formula has no closed pieces, or a sum that takes too long at many values.
    """
    field = _field(point, name, over)
    try:
        with time_limit(SECONDS):
            signs = _directions(_form(point, name, field), field)
    except UnsolvableError:
        if not field.whole:
            raise
        return _compared(point, name, field)
    return _whole(point, name, field, signs) if field.whole else _real(point, name, field, signs)


def _field(point: Point, name: str, over: str) -> Search:
    if over not in dependencies(point, point.book.known(name)):
        raise PresetError(f"{name} does not depend on {point.book.known(over)} here")
    return search(point, over)


def _form(point: Point, name: str, field: Search) -> Any:
    return expand(point, name, {field.name}).xreplace({symbols_of(point.book)[field.name]: field.unknown})


def _at_infinity(form: Any, unknown: Any) -> Any:
    """The limit of a quotient of polynomials: by its degrees and leading coefficients."""
    above, below = (sp.Poly(p, unknown) for p in sp.fraction(sp.cancel(sp.together(form))))
    if above.is_zero or above.degree() < below.degree():
        return sp.S.Zero
    lead = above.LC() / below.LC()
    return lead if above.degree() == below.degree() else sp.oo * sp.sign(lead)


def _stopper(point: Point, over: str, largest: int) -> str:
    """The constraint that the next doubling of a whole symbol breaks first."""
    broken = next(broken_constraints(point.trial(**{over: 2 * largest})), None)
    return "" if broken is None else broken.name


def _directions(form: Any, field: Search) -> list[tuple[Any, int]]:
    """Where each stretch begins, and whether the quantity rises (1), falls (-1) or stays on it; a jump is a stretch by itself."""
    low, high = field.low, field.high
    if field.whole:
        low, high = sp.Integer(field.candidates[0]), sp.oo if field.candidates[-1] >= FAR else sp.Integer(field.candidates[-1])
    found = pieces(form, field.unknown, low, high) if low < high else []
    signs: list[tuple[Any, int]] = []
    for index, piece in enumerate(found):
        if index:
            before, after = (p.form.subs(field.unknown, piece.low) for p in (found[index - 1], piece))
            signs.append((piece.low, int(sp.sign(after - before))))
        slope = sp.diff(piece.form, field.unknown)
        for low, high in itertools.pairwise([piece.low, *turns(slope, field.unknown, piece.low, piece.high), piece.high]):
            signs.append((low, sign_between(slope, field.unknown, low, high)))
    return signs


def _real(point: Point, name: str, field: Search, signs: list[tuple[Any, int]]) -> Shape:
    turned = _turned(signs)
    return Shape(_trend({s for _, s in signs}), tuple(turned), _best(point, name, field.name, _heights(signs)), complete=True)


def _whole(point: Point, name: str, field: Search, signs: list[tuple[Any, int]]) -> Shape:
    """What holds on the reals holds at whole numbers, except beside a turn: there its neighbours are compared."""
    trend, turned = _trend({s for _, s in signs}), tuple(_turned(signs))
    bounded = field.candidates[-1] < FAR
    if trend == "constant" or (not bounded and signs[-1][1] > 0):
        return Shape(trend, turned, None, complete=True)
    # Where it is level to the end, the last level begins at a place of its own.
    beside = [v for at in (*turned, signs[-1][0]) for v in _beside(field, at)]
    places = sorted({field.candidates[0], *beside, *(field.candidates[-1:] if bounded else ())})
    return Shape(trend, turned, _best(point, name, field.name, [sp.Integer(v) for v in places]), complete=True)


def _beside(field: Search, at: Any) -> tuple[int, ...]:
    """The admissible values on both sides of a place."""
    position = bisect_left(field.candidates, int(sp.floor(at)) + 1)
    return field.candidates[max(0, position - 1) : position + 1]


def _heights(signs: list[tuple[Any, int]]) -> list[Any]:
    """Where a rise ends; nothing where the quantity rises to the end or falls from the beginning."""
    moving = [(at, s) for at, s in signs if s]
    if not moving or moving[0][1] < 0 or moving[-1][1] > 0:
        return []
    return [at for (_, one), (at, other) in itertools.pairwise(moving) if one > 0 > other]


def _best(point: Point, name: str, over: str, places: list[Any]) -> Any:
    """The place at which the quantity is largest; None where there is no place."""
    return max(places, key=lambda p: point.trial(**{over: fraction(p)}).evaluator.number(name), default=None)


def _compared(point: Point, name: str, field: Search) -> Shape:
    """The shape by exact comparison of neighbouring values, the first thousands of them."""
    tried = field.candidates[:_MOST_VALUES]
    with time_limit(SECONDS):
        values = [point.trial(**{field.name: v}).evaluator.number(name) for v in tried]
    steps = [(b > a) - (b < a) for a, b in itertools.pairwise(values)]
    turned = _turned(list(zip(tried, steps, strict=False)))
    top = max(range(len(values)), key=values.__getitem__)
    complete = len(tried) == len(field.candidates) and field.candidates[-1] < FAR
    peak = None if top == len(values) - 1 and not complete else sp.Integer(tried[top])
    return Shape(_trend(set(steps)), tuple(sp.Integer(v) for v in turned), peak, complete)


def _turned(signs: list[tuple[Any, int]]) -> list[Any]:
    """Where the direction changes from rising to falling or back; level stretches change nothing."""
    moving = [(at, s) for at, s in signs if s]
    return [at for (_, one), (at, other) in itertools.pairwise(moving) if one != other]


def _trend(signs: set[int]) -> str:
    return {(): "constant", (1,): "rising", (-1,): "falling"}.get(tuple(signs - {0}), "neither")
