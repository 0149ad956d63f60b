"""What shape does it have? Its limit as a symbol grows without bound, whether it is monotone, and where it peaks.

A limit is formal: it lets the symbol grow alone, past every value at which the run could exist; the constraint that stops it
first is named. What is said of a whole symbol is said of its admissible values, by exact comparison of all of them.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import PresetError
from symroof.passes.admit import broken_constraints
from symroof.passes.candidates import FAR
from symroof.passes.depend import dependencies
from symroof.passes.expand import expand, symbols_of
from symroof.passes.pieces import pieces, sign_between, turns
from symroof.passes.search import SECONDS, Search, fraction, search
from symroof.passes.timelimit import time_limit

if TYPE_CHECKING:
    from symroof.point import Point

_MOST_VALUES = 4096


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
        turns: where it stops rising or falling, exact for a real symbol and admissible values of a whole one.
        peak: the value of the symbol at which the quantity is largest, None where it has no largest value.
        complete: False where only the first values of a whole symbol were compared.
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
        last = pieces(_form(point, name, field), field.unknown, sp.S.Zero, sp.oo)[-1]
        value = _at_infinity(last.form, field.unknown)
    largest = field.candidates[-1] if field.whole and field.candidates[-1] < FAR else None
    return Limit(value, "" if largest is None else _stopper(point, over, largest), largest)


def shape(point: Point, name: str, over: str) -> Shape:
    """How a quantity moves along all that a symbol may be.

    Raises:
        PresetError: the quantity does not depend on the symbol, or the symbol is no number.
        UnsolvableError: a real symbol, whose formula has no closed pieces.
    """
    field = _field(point, name, over)
    return _along_integers(point, name, field) if field.whole else _along_reals(point, name, field)


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


def _along_integers(point: Point, name: str, field: Search) -> Shape:
    tried = field.candidates[:_MOST_VALUES]
    values = [point.trial(**{field.name: v}).evaluator.number(name) for v in tried]
    steps = [(b > a) - (b < a) for a, b in itertools.pairwise(values)]
    turned = _turned([(v, s) for v, s in zip(tried, steps, strict=False)])
    top = max(range(len(values)), key=values.__getitem__)
    complete = len(tried) == len(field.candidates) and field.candidates[-1] < FAR
    peak = None if top == len(values) - 1 and not complete else sp.Integer(tried[top])
    return Shape(_trend(set(steps)), tuple(sp.Integer(v) for v in turned), peak, complete)


def _along_reals(point: Point, name: str, field: Search) -> Shape:
    with time_limit(SECONDS):
        found = pieces(_form(point, name, field), field.unknown, field.low, field.high)
        signs: list[tuple[Any, int]] = []
        for piece in found:
            slope = sp.diff(piece.form, field.unknown)
            for low, high in itertools.pairwise([piece.low, *turns(slope, field.unknown, piece.low, piece.high), piece.high]):
                signs.append((low, sign_between(slope, field.unknown, low, high)))
    turned = _turned(signs)
    peaks = [low for (_, one), (low, other) in itertools.pairwise(signs) if one > 0 >= other]
    best = max(peaks, key=lambda p: point.trial(**{field.name: fraction(p)}).evaluator.number(name), default=None)
    return Shape(_trend({s for _, s in signs}), tuple(turned), best if signs[-1][1] <= 0 and signs[0][1] >= 0 else None, True)


def _turned(signs: list[tuple[Any, int]]) -> list[Any]:
    """Where the direction changes from rising to falling or back; level stretches change nothing."""
    moving = [(at, s) for at, s in signs if s]
    return [at for (_, one), (at, other) in itertools.pairwise(moving) if one != other]


def _trend(signs: set[int]) -> str:
    return {(): "constant", (1,): "rising", (-1,): "falling"}.get(tuple(signs - {0}), "neither")
