"""Which conventions give a number that somebody printed? Every combination of choices, the plainest that gives it first.

All combinations are computed in floats, each quantity over the conventions on which it depends and no others, in blocks of
bounded size. What comes near the number is computed again in exact arithmetic, which decides. A combination is told by its
departures from the choices in force, where a named set of choices counts as one. Of combinations that give one value only those
with the fewest departures are told, and those that differ in nothing that matters here as one. A plain factor by which people
misprint numbers may stand beside the conventions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from symroof.claim import Printed
from symroof.errors import EvaluationError, RequestError
from symroof.factor import Factor, factors_of
from symroof.passes.compile import compile_quantities, exact_function
from symroof.passes.depend import conventions_of
from symroof.passes.sets import governed_by, sets_of
from symroof.passes.straighten import straighten

if TYPE_CHECKING:
    from symroof.point import Point

# Combinations that are computed at once, and the most that are computed at all.
BLOCK = 2**18
MOST = 2**25
# Floats that are nearer to each other than this share of them may be one exact value.
_SAME = 2.0**-42
# How many explanations of each kind are told, and how many combinations of a block are computed exactly: of those that match, and
# of each value that is nearest.
_TOLD, _LOOKED_AT, _MEMBERS = 20, 160, 16
# Mistakes break ties between departures: none is best; where there is one, something was wrong, and known mistakes are the
# likelier the less is left to other departures.
_TIES = 64

_Array: TypeAlias = Any
_Choices: TypeAlias = Mapping[str, str]


@dataclass(frozen=True)
class Way:
    """A combination of choices, told from the choices in force.

    Attributes:
        choices: all departures from the choices in force; with these set, the combination is made again.
        named: the named set that it is told from, set -> choice; empty where it is told from the choices in force.
        beside: what departs from that set, or from the choices in force.
        mistakes: those conventions whose choice is a known mistake.
    """

    choices: _Choices
    named: _Choices
    beside: _Choices
    mistakes: tuple[str, ...]

    @property
    def departures(self) -> int:
        """How many departures it is told by, a named set being one."""
        return len(self.named) + len(self.beside)


@dataclass(frozen=True)
class Found:
    """An explanation: a combination and perhaps a factor, and the value that they give.

    Attributes:
        way: the combination.
        same: others with as few departures that differ from it in nothing that matters here.
        counted: its value; what was printed is that value times `by`, by the factor.
        value: what would be printed by it.
        error: how far that is from the figure, as a share of the figure.
    """

    way: Way
    same: tuple[Way, ...]
    counted: Fraction
    factor: Factor | None
    by: Fraction
    value: Fraction
    error: Fraction

    @property
    def departures(self) -> int:
        """How many departures explain it, a factor being one."""
        return self.way.departures + (self.factor is not None)


@dataclass(frozen=True)
class Explained:
    """What a figure may be: what gives it, what gives something near it, and over how many combinations that was looked for.

    Attributes:
        how: `exact`, `rounded` or `cut`, as the figure comes from the best match; empty where nothing matches.
        matches: what gives the figure or rounds to it, exact values first; where nothing does, what it was cut off from.
        nearest: what gives no match: for each number of departures the nearest, if none with fewer is nearer; nearest first.
    """

    point: Point
    name: str
    figure: Printed
    varied: tuple[str, ...]
    combinations: int
    how: str
    matches: tuple[Found, ...]
    nearest: tuple[Found, ...]


def explain(point: Point, name: str, figure: Printed) -> Explained:
    """The combinations of conventions that give a printed figure of a quantity; those that a reader set stay as they are.

    Raises:
        EvaluationError: the quantity has no value, or is no number.
        RequestError: there are too many combinations.
    """
    space = _Space.of(point, name)
    factors: list[tuple[Factor | None, Fraction]] = [(None, Fraction(1)), *factors_of(point, name)]
    seen = _Seen(space, figure, factors)
    for block in space.blocks():
        seen.add(block)
    return Explained(point, name, figure, tuple(space.varied), math.prod(map(len, space.varied.values())), *seen.told())


@dataclass(frozen=True)
class _Block:
    """Some combinations: the number of the first, and of each its value and how far it is told from what is in force."""

    start: int
    values: _Array
    keys: _Array

    def near(self, target: float, within: float) -> Iterator[int]:
        """The combinations that are within so much of a target, plainest first, then those nearer to it than all plainer ones."""
        size = abs(target) * _SAME
        errors = np.abs(self.values - target)
        inside = np.flatnonzero(errors <= within + size)
        yield from inside[np.lexsort((errors[inside], self.keys[inside]))][:_LOOKED_AT].tolist()
        outside = np.where(errors > max(within - size, 0.0), errors, np.inf)
        nearest = np.full(int(self.keys.max(initial=0)) + 1, np.inf)
        np.minimum.at(nearest, self.keys, outside)
        for key in np.flatnonzero(nearest < np.concatenate(([np.inf], np.minimum.accumulate(nearest)[:-1]))):
            here = np.flatnonzero((outside <= nearest[key] + size) & (self.keys // _TIES == key // _TIES))
            yield from here[:_MEMBERS].tolist()


@dataclass(frozen=True)
class _Space:
    """All combinations: the conventions that are free, those of them (`axes`) that matter at the point, and short names."""

    point: Point
    name: str
    varied: Mapping[str, tuple[str, ...]]
    axes: Mapping[str, tuple[str, ...]]
    # What departures are told from: the choices in force, for nothing, and the named sets that are possible, for one.
    bases: tuple[tuple[_Choices, _Choices], ...]
    exactly: Callable[..., dict[str, Any]]

    @classmethod
    def of(cls, point: Point, name: str) -> _Space:
        book = point.book
        fixed = {c for n in point.overrides for c in governed_by(book, n)}
        varied = {c: tuple(book.conventions[c].choices) for c in conventions_of(point, name) if c not in fixed}
        axes = {c: varied[c] for c in straighten(point, (name,), varied).used}
        size = math.prod(map(len, axes.values()))
        if size > MOST:
            first = next(iter(axes))
            raise RequestError(f"{name} has {size:,} combinations of {len(axes)} conventions: set some, as in --set {first}=...")
        bases: list[tuple[_Choices, _Choices]] = [({}, point.choices)]
        for title in book.named_sets:
            for choice, chosen in sets_of(point, title).items():
                moved = {c for c in chosen if chosen[c] != point.choices[c]}
                if moved & axes.keys() and not moved & fixed:
                    bases.append(({title: choice}, chosen))
        return cls(point, name, varied, axes, tuple(bases), exact_function(point, (name,), tuple(axes)))

    def blocks(self) -> Iterator[_Block]:
        """All combinations, in the order of their numbers."""
        sizes = [len(choices) for choices in self.axes.values()]
        inner = len(sizes)
        while inner and math.prod(sizes[inner - 1 :]) <= BLOCK:
            inner -= 1
        compute = compile_quantities(self.point, (self.name,), tuple(self.axes))
        shape = tuple(sizes[inner:])
        whole = [np.arange(n).reshape([-1 if i == at else 1 for i in range(len(shape))]) for at, n in enumerate(shape)]
        for number, outer in enumerate(product(*(range(n) for n in sizes[:inner]))):
            indices = dict(zip(self.axes, [*map(np.array, outer), *whole], strict=True))
            values = np.broadcast_to(compute(**indices)[self.name], shape).ravel()
            yield _Block(number * values.size, values, np.broadcast_to(self._keys(indices), shape).ravel())

    def _keys(self, indices: Mapping[str, _Array]) -> _Array:
        """How far each combination is told from what is in force: its departures, then the mistakes in it."""
        told = [self._departures(indices, chosen, len(named)) for named, chosen in self.bases]
        mistakes: _Array = np.zeros((), dtype=np.int16)
        for convention, index in indices.items():
            known = self.point.book.conventions[convention].mistaken
            wrong = [self.axes[convention].index(c) for c in known]
            mistakes = mistakes + np.isin(index, wrong).astype(np.int16)
        least = told[0]
        for other in told[1:]:
            least = np.minimum(least, other)
        return least * np.int16(_TIES) + _tie(mistakes)

    def _departures(self, indices: Mapping[str, _Array], chosen: _Choices, cost: int) -> _Array:
        departures: _Array = np.int16(cost)
        for convention, index in indices.items():
            departures = departures + (index != self.axes[convention].index(chosen[convention])).astype(np.int16)
        return departures

    def choices(self, number: int) -> dict[str, str]:
        """The combination that has a number."""
        found: dict[str, str] = {}
        for convention, choices in reversed(list(self.axes.items())):
            number, index = divmod(number, len(choices))
            found[convention] = choices[index]
        return found

    def value(self, chosen: _Choices) -> Fraction | None:
        """The exact value of a combination; None where it has none."""
        numbers = {c: self.axes[c].index(choice) for c, choice in chosen.items()}
        try:
            found = self.exactly(**numbers)[self.name]
        except (ZeroDivisionError, EvaluationError):
            return None
        return Fraction(found)

    def core(self, way: Way, value: Fraction) -> frozenset[str]:
        """The conventions of a combination whose departure matters: without it the value is another."""
        kept = dict(way.choices)
        here = {c: self.point.choices[c] for c in self.axes}
        for convention in way.choices:
            without = {c: v for c, v in kept.items() if c != convention}
            if self.value({**here, **without}) == value:
                kept = without
        return frozenset(kept)

    def way(self, chosen: _Choices) -> Way:
        """How a combination is told: from the base that it departs from least, a named set before what is in force."""
        told = [(named, {c: v for c, v in chosen.items() if v != base[c]}) for named, base in self.bases]
        named, beside = min(told, key=lambda t: (len(t[0]) + len(t[1]), not t[0]))
        choices = {c: v for c, v in chosen.items() if v != self.point.choices[c]}
        mistakes = tuple(c for c, v in chosen.items() if v in self.point.book.conventions[c].mistaken)
        return Way(choices, named, beside, mistakes)


def _tie(mistakes: _Array) -> _Array:
    """How far a number of mistakes, or an array of them, puts a combination behind others with as many departures."""
    return (mistakes > 0) * (_TIES - 1 - mistakes)


class _Seen:
    """The combinations seen so far that may be told."""

    def __init__(self, space: _Space, figure: Printed, factors: Iterable[tuple[Factor | None, Fraction]]) -> None:
        self._space, self._figure, self._factors = space, figure, tuple(factors)
        # For each factor, exact value -> the least key there, and the combinations with as few departures.
        self._values: list[dict[Fraction, tuple[int, list[int]]]] = [{} for _ in self._factors]

    def add(self, block: _Block) -> None:
        """Take in what a block has that matches the figure, or is nearer than all that is told as shortly."""
        for (_, by), values in zip(self._factors, self._values, strict=True):
            # Twice as far as what rounds to the figure: its last digit may be cut off.
            for number in block.near(float(self._figure.value / by), float(abs(2 * self._figure.half / by))):
                self._look(values, int(block.keys[number]), number + block.start)

    def _look(self, values: dict[Fraction, tuple[int, list[int]]], key: int, number: int) -> None:
        """Take in a combination, where no other of its exact value has fewer departures."""
        found = self._space.value(self._space.choices(number))
        if found is None:
            return
        least, numbers = values.get(found, (key, []))
        if key // _TIES < least // _TIES:
            numbers = []
        if key // _TIES <= least // _TIES and number not in numbers:
            numbers.append(number)
        values[found] = (min(key, least), numbers)

    def told(self) -> tuple[str, tuple[Found, ...], tuple[Found, ...]]:
        """How the figure comes from what matches it, what matches, and what is nearest."""
        figure, every = self._figure, list(self._candidates())
        matches = [c for c in every if figure.met(c.value)]
        how = "exact" if any(not c.error for c in matches) else "rounded" if matches else ""
        if not matches and (matches := [c for c in every if figure.value <= c.value < figure.value + 2 * figure.half]):
            how = "cut"
        matches.sort(key=lambda c: (c.error != 0, *c.plainness, c.error))
        # What a convention says as plainly needs no factor.
        plain = [c for c in matches if c.factor is None or matches[0].factor or c.plainness[1] < matches[0].plainness[1]]
        matching = {id(c) for c in matches}
        rest = sorted((c for c in every if id(c) not in matching), key=lambda c: (c.error, *c.plainness))
        nearest: list[_Candidate] = []
        for candidate in rest:
            if not nearest or candidate.plainness < nearest[-1].plainness:
                nearest.append(candidate)
        explained = (found for candidate in plain for found in self._explained(candidate))
        return how, tuple(islice(explained, _TOLD)), tuple(self._explained(c)[0] for c in nearest)

    def _candidates(self) -> Iterator[_Candidate]:
        figure = self._figure.value
        for (factor, by), values in zip(self._factors, self._values, strict=True):
            for counted, (key, numbers) in values.items():
                value = counted * by
                error = abs((value - figure) / figure) if figure else Fraction(value != 0)
                yield _Candidate(factor, by, counted, value, error, key + (factor is not None) * _TIES, tuple(numbers))

    def _explained(self, candidate: _Candidate) -> list[Found]:
        """The explanations of a value, the plainest first."""
        c = candidate
        apart = self._apart(c.counted, c.numbers)
        return [Found(way, tuple(same), c.counted, c.factor, c.by, c.value, c.error) for way, *same in apart]

    def _apart(self, value: Fraction, numbers: Iterable[int]) -> Iterable[list[Way]]:
        """The combinations of a value: those together that depart, as far as it matters, in the same conventions."""
        order = list(self._space.point.book.conventions)
        ways = [self._space.way(self._space.choices(n)) for n in numbers]
        ways.sort(key=lambda w: (_tie(len(w.mistakes)), not w.named, len(w.beside), sorted(map(order.index, w.beside))))
        together: dict[frozenset[str], list[Way]] = {}
        for way in ways:
            together.setdefault(self._space.core(way, value), []).append(way)
        return together.values()


@dataclass(frozen=True)
class _Candidate:
    """A value that may be told, the combinations that have it, and how far the plainest of them departs."""

    factor: Factor | None
    by: Fraction
    counted: Fraction
    value: Fraction
    error: Fraction
    key: int
    numbers: tuple[int, ...]

    @property
    def plainness(self) -> tuple[bool, int]:
        """Less is plainer: no factor, few departures, and no mistakes."""
        return self.factor is not None, self.key
