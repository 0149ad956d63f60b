"""Which branch binds over two symbols? Names over a grid, and the curves between them as equations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError, PresetError, UnsolvableError
from symroof.passes.branch import smooth_term
from symroof.passes.candidates import admissible_integers
from symroof.passes.meet import Contest, binding_at, contested
from symroof.passes.recover import from_sympy
from symroof.passes.search import SECONDS
from symroof.passes.timelimit import time_limit
from symroof.sheet import Shown
from symroof.term import Rel

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.sheet import Sheet

# The most cells of a map, and how many values a symbol without values of its own is looked at.
_MOST_CELLS, _ACROSS = 4096, 25


@dataclass(frozen=True, slots=True)
class Curve:
    """Where two branches have one value, in names of the book, on the branches in force where they touch on the map."""

    one: str
    other: str
    equation: Rel


@dataclass(frozen=True)
class RegimeMap(Shown):
    """Which branch binds over two symbols. Shows itself in a notebook.

    Attributes:
        of: the quantity whose Max or Min it is that turns.
        over: the symbol that goes across, and the one that goes up.
        values: the values of both.
        binding: for each value of the second symbol a row of names, None where the run may not exist.
        curves: an equation for each pair of branches that touch.
    """

    point: Point
    name: str
    of: str
    over: tuple[str, str]
    values: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
    binding: tuple[tuple[str | None, ...], ...]
    curves: tuple[Curve, ...]

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.regimes import map_sheet

        return map_sheet(self)


def regime_map(point: Point, name: str, over: Mapping[str, Sequence[Fraction] | None]) -> RegimeMap:
    """Which branch binds over a grid of two symbols, by exact evaluation; without values a symbol gets some around its own.

    Raises:
        PresetError: the quantity has no Max or Min that moves with either symbol, or the grid is too large.
        EvaluationError: no cell is an admissible run.
    """
    across, up = over
    found = contested(point, name, {across, up})
    values = tuple(tuple(_spread(point, n) if v is None else v) for n, v in over.items())
    wide, high = len(values[0]), len(values[1])
    if wide * high > _MOST_CELLS:
        raise PresetError(f"a map of {wide:,} by {high:,} cells is too large: at most {_MOST_CELLS:,} are drawn")
    binding = tuple(tuple(_cell(point, found, {across: x, up: y}) for x in values[0]) for y in values[1])
    if not any(cell for row in binding for cell in row):
        raise EvaluationError(f"none of the values of {across} and {up} makes an admissible run")
    curves = _curves(point, found, (across, up), values, binding)
    return RegimeMap(point, name, found.of, (across, up), (values[0], values[1]), binding, curves)


def _spread(point: Point, name: str) -> Sequence[Fraction]:
    """Values to look at where none are given: the admissible ones of a whole symbol, thinned out; a decade around a real one."""
    symbol = point.book.symbols.get(point.book.known(name))
    if symbol is None or symbol.is_list:
        raise PresetError(f"{name} is no symbol with a number: choose one of the book's symbols")
    if symbol.domain.whole:
        candidates = admissible_integers(point, name)
        powers = [v for v in candidates if v & (v - 1) == 0]
        return [Fraction(v) for v in (candidates if len(candidates) <= _ACROSS else powers)]
    here = point.evaluator.number(name)
    half = (_ACROSS - 1) // 2
    return [here * Fraction(10 ** (i / half)).limit_denominator(1000) for i in range(-half, half + 1)]


def _cell(point: Point, found: Contest, at: Mapping[str, Fraction]) -> str | None:
    there = point.trial(**at)
    try:
        return binding_at(there, found) if there.admissible else None
    except EvaluationError:
        return None


def _curves(
    point: Point,
    found: Contest,
    over: tuple[str, str],
    values: Sequence[Sequence[Fraction]],
    binding: Sequence[Sequence[str | None]],
) -> tuple[Curve, ...]:
    """For each pair of branches that touch on the map, the equation on which they meet."""
    touching: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}
    for y, row in enumerate(binding):
        for x, here in enumerate(row):
            beside = [row[x + 1] if x + 1 < len(row) else None, binding[y + 1][x] if y + 1 < len(binding) else None]
            for there in beside:
                if here and there and here != there and here in found.branches and there in found.branches:
                    touching.setdefault((min(here, there), max(here, there)), (values[0][x], values[1][y]))
    curves = [_curve(point.trial(**dict(zip(over, at, strict=True))), found, over, pair) for pair, at in touching.items()]
    return tuple(c for c in curves if c is not None)


def _curve(point: Point, found: Contest, over: tuple[str, str], pair: tuple[str, str]) -> Curve | None:
    try:
        with time_limit(SECONDS):
            sides = [from_sympy(smooth_term(point, found.branches[n], set(over))) for n in pair]
    except (UnsolvableError, EvaluationError):
        return None
    return Curve(*pair, Rel("==", sides[0], sides[1]))
