"""Which configurations are there, and what are they like? A grid of symbols and conventions, streamed in blocks.

Each quantity is computed over the axes on which it depends and no others. A block's arrays fit the processor's cache, so that
a grid of any size takes the memory of one block. Points that may not exist are counted under the first constraint, in reading
order, that they break.

A condition has no value at a point where a part of it is no finite number: a side of a comparison, or a quantity, quotient,
power or binomial in one. Such a part divides by zero, has a root of a negative number, or is too large for a float. The point is
left out and counted, also where the rest of the condition would decide without that part.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from symroof.errors import EvaluationError
from symroof.passes.compile import Compiled, compile_quantities, exact_function
from symroof.passes.grid import Given, Grid, Place
from symroof.rowfile import Cell
from symroof.sheet import Shown
from symroof.term import Call, Div, Largest, Num, Pow, Ref, Rel, Term, references, walk

if TYPE_CHECKING:
    from symroof.passes.evaluate import Scalar
    from symroof.point import Point
    from symroof.sheet import Sheet

# Points of a block: its arrays, one for each step of the computation, stay in the processor's cache.
BLOCK = 65_536
_WHERE = "--where"
_WHOLE = 2**53


@dataclass
class Tally:
    """How many points a sweep has seen: those it evaluated, those that may not exist by constraint, those left out.

    Points where the condition has no value (`undecided`) are among those that are left out, which are among the evaluated.
    """

    evaluated: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    left_out: int = 0
    undecided: int = 0

    @property
    def seen(self) -> int:
        """All points so far."""
        return self.evaluated + sum(self.rejected.values())


@dataclass(frozen=True)
class Batch:
    """The points of a block that exist and meet the condition: their positions in the grid, and a column for each name."""

    start: int
    shape: tuple[int, ...]
    mask: np.ndarray | None
    arrays: Mapping[str, Any]
    place: Place
    grid: Grid

    def __len__(self) -> int:
        return math.prod(self.shape) if self.mask is None else int(np.count_nonzero(self.mask))

    @cached_property
    def _chosen(self) -> np.ndarray:
        return np.arange(math.prod(self.shape)) if self.mask is None else np.flatnonzero(self.mask)

    @cached_property
    def positions(self) -> np.ndarray:
        """Positions in the grid."""
        return self._chosen + self.start

    def column(self, name: str) -> np.ndarray:
        """The values of a quantity, at these points; nan where it has none."""
        spread = np.broadcast_to(self.arrays[name], self.shape)
        return spread.reshape(-1) if self.mask is None else spread[self.mask]

    def places(self, number: int) -> np.ndarray:
        """Where on an axis these points are."""
        return np.unravel_index(self._chosen, self.shape)[number] + self.place[number].start


class Sweep(Shown):
    """A grid around a point, and the quantities that are asked for over it. Shows its first rows in a notebook.

    Attributes:
        point: the point around which the grid lies.
        base: the point with the first value of every axis of numbers; what is pinned there is pinned all over the grid.
        grid: the axes.
        of: the quantities, in order.
        where: the condition, if any.
    """

    def __init__(
        self, point: Point, over: Mapping[str, Given], of: Iterable[str], where: Term | None = None, block: int = BLOCK
    ) -> None:
        """A sweep; nothing is computed before it is asked for.

        Args:
            over: the values of each axis, in order; the last one varies fastest.
            of: the quantities, in order.
            where: a condition in names of the book; points that do not meet it, or where it has no value, are left out.
            block: the most points that are computed at once.

        Raises:
            RequestError, UnknownNameError, PresetError, UnitError, ConstraintError: as `axis`.
            MissingValueError, EvaluationError: a quantity has no value, whatever the axes.
        """
        self.point, self.grid, self.where, self._block = point, Grid.over(point.book, over), where, block
        self.of = tuple(dict.fromkeys(of))
        for name in self.of:
            point.book.known(name)
        self._parts = {} if where is None else _parts(where, point)
        self._axes = {a.name: i for i, a in enumerate(self.grid.axes)}
        numeric = {a.name: a.value(0) for a in self.grid.axes if a.values is not None}
        self._free = tuple(numeric)
        # Values in the place of what the axes replace; which values they are makes no difference to the program.
        self.base = point.trial(**numeric)
        self._exactly: dict[tuple[str, ...], Callable[..., dict[str, Any]]] = {}
        self._compiled = {c: self._compile(c) for c in product(*self._choices)}

    def sheet(self) -> Sheet:
        """What it shows: its first rows, and what became of the others."""
        from symroof.answers.sweep import sheet

        return sheet(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the axes, then those of the quantities that are no axis."""
        return (*self._axes, *(n for n in self.of if n not in self._axes))

    @property
    def whole(self) -> frozenset[str]:
        """Columns that hold whole numbers alone."""
        results = frozenset.intersection(*(c.whole for c in self._compiled.values()))
        return results | {a.name for a in self.grid.axes if a.whole}

    @property
    def texts(self) -> frozenset[str]:
        """Columns that hold names: of choices, and of what a quantity names."""
        formulas = self.point.book.formulas
        named = {n for n in self.of if n not in self._axes and isinstance(formulas.get(n), Largest)}
        return frozenset(named - self.point.given.keys()) | {a.name for a in self.grid.axes if a.values is None}

    def batches(self, tally: Tally | None = None, seen: Callable[[int], object] = lambda points: None) -> Iterator[Batch]:
        """The points that exist and meet the condition, block by block, in the order of the grid.

        Args:
            tally: where points are counted.
            seen: called after each block with how many points have been seen.
        """
        tally = Tally() if tally is None else tally
        for start, place in self.grid.blocks(self._block):
            shape = tuple(map(len, place))
            arrays = self._arrays(place, shape)
            mask = self._admit(arrays, shape, tally)
            yield Batch(start, shape, mask, arrays, place, self.grid)
            seen(tally.seen)

    def exact(self, position: int) -> dict[str, Scalar | None]:
        """The exact value of every column at a position of the grid; None where it has none."""
        there = self.grid.at(position)
        choices = tuple(str(there[a.name]) for a in self.grid.axes if a.values is None)
        if choices not in self._exactly:
            wanted = tuple(n for n in self.of if n not in self._axes)
            self._exactly[choices] = exact_function(self._at(choices), wanted, self._free)
        try:
            found = self._exactly[choices](**{n: there[n] for n in self._free})
        except ZeroDivisionError:
            return self._one_by_one(position)
        return {**there, **{n: v if isinstance(v, str) else Fraction(v) for n, v in found.items()}}

    def _one_by_one(self, position: int) -> dict[str, Scalar | None]:
        """Values at a position where one of them divides by zero."""
        there = self.grid.at(position)
        point = self.point.trial(**there)
        found: dict[str, Scalar | None] = dict(there)
        for name in self.columns:
            if name not in there:
                try:
                    found[name] = point.evaluator.value(name)
                except EvaluationError:
                    found[name] = None
        return found

    def arrays(self) -> dict[str, np.ndarray]:
        """Every column over all points that exist and meet the condition, in memory; conventions as text."""
        batches = list(self.batches())
        return {
            name: np.concatenate([self.column(batch, name) for batch in batches]) if batches else np.empty(0)
            for name in self.columns
        }

    def column(self, batch: Batch, name: str) -> np.ndarray:
        """A column of a batch: numbers, or texts for a convention and for a quantity that names something."""
        number = self._axes.get(name)
        if number is None or self.grid.axes[number].values is not None:
            return batch.column(name)
        found: np.ndarray = np.array(self.grid.axes[number].choices, dtype=object)[batch.places(number)]
        return found

    @property
    def _choices(self) -> list[tuple[str, ...]]:
        return [a.choices for a in self.grid.axes if a.values is None]

    def _at(self, choices: tuple[str, ...]) -> Point:
        """The point with some choices in force."""
        conventions = [a.name for a in self.grid.axes if a.values is None]
        return self.base.trial(**dict(zip(conventions, choices, strict=True))) if conventions else self.base

    def _compile(self, choices: tuple[str, ...]) -> Compiled:
        point = self._at(choices)
        conditions = dict(point.book.conditions)
        if self.where is not None:
            self._refuse_names(self.where)
            conditions |= self._parts | {_WHERE: self.where}
        wanted = [n for n in self.of if n not in self._axes]
        found = compile_quantities(point, wanted, self._free, conditions)
        if self.where is not None and _WHERE not in found.names:
            point.evaluator.holds(self.where)  # says which value is missing
        return found

    def _refuse_names(self, where: Term) -> None:
        symbols = self.point.book.symbols
        for name in references(where):
            if name in symbols and symbols[name].is_list:
                raise EvaluationError(f"{name} is a list, not a number: a condition compares numbers")
            if isinstance(self.point.book.formulas.get(name), Largest):
                raise EvaluationError(f"{name} is a name, not a number: a condition compares numbers")

    def _arrays(self, place: Place, shape: tuple[int, ...]) -> dict[str, Any]:
        """Every result over a block; one for each combination of its choices, put together where conventions vary in it."""
        axes = self.grid.axes
        dimensions = len(axes)
        inputs = {
            a.name: a.floats(part).reshape([-1 if i == j else 1 for j in range(dimensions)])
            for i, (a, part) in enumerate(zip(axes, place, strict=True))
            if a.values is not None
        }
        named = [(i, part) for i, (a, part) in enumerate(zip(axes, place, strict=True)) if a.values is None]
        combinations = list(product(*(part for _, part in named)))
        results = [self._compiled[self._names(named, c)](**inputs) for c in combinations]
        if len(results) == 1:
            return inputs | results[0]
        names = dict.fromkeys(n for r in results for n in r)
        return inputs | {n: _together(shape, named, combinations, [r.get(n, True) for r in results]) for n in names}

    def _names(self, named: list[tuple[int, range]], combination: tuple[int, ...]) -> tuple[str, ...]:
        return tuple(self.grid.axes[i].choices[c] for (i, _), c in zip(named, combination, strict=True))

    def _admit(self, arrays: Mapping[str, Any], shape: tuple[int, ...], tally: Tally) -> np.ndarray | None:
        """Which points exist and meet the condition, None for all; the others are counted."""
        size = math.prod(shape)
        alive, left = np.asarray(True), size
        for name in (*self.point.book.conditions, _WHERE):
            if name not in arrays:
                continue
            if name == _WHERE:
                alive, left = self._decided(arrays, alive, size, left, tally)
            alive = alive & arrays[name]
            here = _count(alive, size)
            if name == _WHERE:
                tally.left_out += left - here
                tally.evaluated += left - here
            elif here < left:
                tally.rejected[name] = tally.rejected.get(name, 0) + left - here
            left = here
        tally.evaluated += left
        return None if left == size else np.broadcast_to(alive, shape)

    def _decided(
        self, arrays: Mapping[str, Any], alive: np.ndarray, size: int, left: int, tally: Tally
    ) -> tuple[np.ndarray, int]:
        """Which of the points, and how many, are those where the condition has a value; the others are counted."""
        for name in self._parts:
            alive = alive & np.isfinite(arrays[name])
        here = _count(alive, size)
        tally.undecided += left - here
        tally.left_out += left - here
        tally.evaluated += left - here
        return alive, here


def _count(alive: np.ndarray, size: int) -> int:
    """How many points of a block are meant by an array that has only the axes that decide: every other one repeats it."""
    return int(np.count_nonzero(alive)) * (size // alive.size)


def _parts(where: Term, point: Point) -> dict[str, Term]:
    """The parts of a condition that may have no value, each once, by a name that no quantity has."""
    sides = [side for node in walk(where) if isinstance(node, Rel) for side in (node.left, node.right)]
    found = dict.fromkeys([*sides, *(node for node in walk(where) if _may_fail(node))])
    sure = {part for part in found if isinstance(part, Num) or (isinstance(part, Ref) and part.name in point.book.symbols)}
    return {f"{_WHERE} {i}": part for i, part in enumerate(found) if part not in sure}


def _may_fail(node: Term) -> bool:
    return isinstance(node, Div | Pow | Ref) or (isinstance(node, Call) and node.function == "binomial")


def _together(
    shape: tuple[int, ...], named: list[tuple[int, range]], combinations: list[tuple[int, ...]], found: list[Any]
) -> np.ndarray:
    """One array over a block out of one for each combination of choices."""
    first = np.asarray(found[0])
    whole = np.empty(shape, dtype=first.dtype if first.dtype in (bool, object) else float)
    for combination, part in zip(combinations, found, strict=True):
        place: list[Any] = [slice(None)] * len(shape)
        for (axis, covered), position in zip(named, combination, strict=True):
            place[axis] = slice(position - covered.start, position - covered.start + 1)
        whole[tuple(place)] = part
    return whole


def cells(column: np.ndarray) -> list[Cell]:
    """The values of a column as Python has them: whole numbers as integers, floats as they are, None for nan."""
    if column.dtype == object:
        return list(column)
    column = np.asarray(column, dtype=float)
    if np.all((column == np.rint(column)) & (np.abs(column) < _WHOLE)):
        return list(column.astype(np.int64).tolist())
    return [cell(v) for v in column.tolist()]


def cell(value: float) -> Cell:
    """One value: an integer where it is a whole number that a float has exactly, None for nan."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value
