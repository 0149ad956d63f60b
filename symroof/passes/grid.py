"""Which points does a sweep visit? Every combination of some axes, in order, the last axis fastest, in blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from symroof.errors import ConstraintError, RequestError
from symroof.passes.admit import stray
from symroof.preset import exact, read_choice
from symroof.ranges import Powers, Steps, Values

if TYPE_CHECKING:
    from symroof.book import Book

# Values of a symbol, or choices of a convention.
Given: TypeAlias = Sequence[Any]
# The part of every axis that a block covers.
Place: TypeAlias = tuple[range, ...]

_EXACT = 2**53
# An axis of at most so many values is held in memory.
_KEPT = 2**20


@dataclass(frozen=True)
class Axis:
    """A symbol (or a quantity that is pinned) with its values, or a convention with its choices."""

    name: str
    values: Values | None
    choices: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.choices) if self.values is None else len(self.values)

    def value(self, position: int) -> Fraction | str:
        """The exact value, or the choice, at a position."""
        return self.choices[position] if self.values is None else self.values[position]

    @property
    def whole(self) -> bool:
        """True where every value is a whole number: the first two of a stretch decide."""
        stretches = () if self.values is None else self.values.stretches
        return bool(stretches) and all(s.at(i).denominator == 1 for s in stretches for i in {0, min(1, s.count - 1)})

    def floats(self, part: range) -> np.ndarray:
        """The values of a part, each the nearest float."""
        return self._kept[part.start : part.stop] if len(self) <= _KEPT else self._floats(part)

    @cached_property
    def _kept(self) -> np.ndarray:
        return self._floats(range(len(self)))

    def _floats(self, part: range) -> np.ndarray:
        assert self.values is not None
        ends = np.cumsum([0, *(s.count for s in self.values.stretches)]).tolist()
        pieces = [
            _stretch(stretch, max(part.start, start) - start, min(part.stop, stop) - start)
            for stretch, start, stop in zip(self.values.stretches, ends, ends[1:], strict=False)
            if start < part.stop and stop > part.start
        ]
        return np.concatenate(pieces)


def _stretch(stretch: Steps | Powers, first: int, stop: int) -> np.ndarray:
    """Values of a stretch. Steps over one denominator are whole numbers over a whole number, so they are rounded once."""
    if isinstance(stretch, Steps):
        below = math.lcm(stretch.start.denominator, stretch.step.denominator)
        start, step = int(stretch.start * below), int(stretch.step * below)
        if max(abs(start) + abs(step) * stop, below) < _EXACT:
            return (start + step * np.arange(first, stop, dtype=np.int64)) / below
    return np.array([float(stretch.at(i)) for i in range(first, stop)])


def axis(book: Book, name: str, given: Given) -> Axis:
    """An axis over values as `Point.set` takes them, or over the choices of a convention.

    Raises:
        RequestError: there are no values, or a list is to be varied.
        UnknownNameError, PresetError, UnitError: as `Point.set`.
        ConstraintError: a value outside the symbol's domain.
    """
    if name in book.conventions:
        found = Axis(name, None, tuple(read_choice(book, name, str(c)) for c in given))
    else:
        if book.known(name) in book.symbols and book.symbols[name].is_list:
            raise RequestError(f"{name} is a list: a sweep varies numbers and conventions")
        found = Axis(name, given if isinstance(given, Values) else _values(book, name, given))
        _refuse_strays(book, found)
    if not len(found):
        raise RequestError(f"no values for {name}")
    return found


def _values(book: Book, name: str, given: Given) -> Values:
    numbers = [exact(book, name, v.item() if isinstance(v, np.generic) else v) for v in given]
    return Values([Steps(n, Fraction(1), 1) for n in numbers if isinstance(n, Fraction)])


def _refuse_strays(book: Book, found: Axis) -> None:
    """Refuse values outside the domain. Domains are intervals of numbers or of whole numbers: ends and a step decide."""
    assert found.values is not None
    for stretch in found.values.stretches:
        for position in sorted({0, min(1, stretch.count - 1), stretch.count - 1}):
            if says := stray(book, found.name, stretch.at(position)):
                raise ConstraintError(says)


@dataclass(frozen=True)
class Grid:
    """Every combination of the values of some axes; positions count them, the last axis fastest."""

    axes: tuple[Axis, ...]

    @classmethod
    def over(cls, book: Book, given: Mapping[str, Given]) -> Grid:
        """The grid over some names.

        Raises:
            RequestError, UnknownNameError, PresetError, UnitError, ConstraintError: as `axis`.
        """
        return cls(tuple(axis(book, name, values) for name, values in given.items()))

    @property
    def shape(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(a) for a in self.axes)

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return math.prod(self.shape)

    def at(self, position: int) -> dict[str, Fraction | str]:
        """The combination at a position."""
        found: dict[str, Fraction | str] = {}
        for a in reversed(self.axes):
            position, place = divmod(position, len(a))
            found[a.name] = a.value(place)
        return dict(reversed(found.items()))

    def blocks(self, most: int) -> Iterator[tuple[int, Place]]:
        """The grid in pieces of at most so many points, in order: where each begins, and its part of every axis."""
        whole = len(self.shape)
        while whole and math.prod(self.shape[whole - 1 :]) <= most:
            whole -= 1
        inner = tuple(range(n) for n in self.shape[whole:])
        if not whole:
            yield 0, inner
            return
        length, below = self.shape[whole - 1], math.prod(self.shape[whole:])
        step, position = max(1, most // below), 0
        for outer in product(*map(range, self.shape[: whole - 1])):
            for start in range(0, length, step):
                part = range(start, min(length, start + step))
                yield position, (*(range(i, i + 1) for i in outer), part, *inner)
                position += len(part) * below
