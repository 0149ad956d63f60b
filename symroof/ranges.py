"""Ranges that people write: `8,16,32`, `8:128`, `8:128:8`, `2^3:2^7`, `10:50:10 GB/s`. Read exactly, kept as rules.

A range takes no memory however long it is: its values are computed when they are asked for.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import TYPE_CHECKING, NoReturn, TypeAlias, overload

from symroof.caret import pointed
from symroof.errors import ExpressionError, PresetError, UnitError
from symroof.literal import read_value, scale

if TYPE_CHECKING:
    from symroof.book import Book

_LONGEST = 2000
# The most values of a range: positions must stay machine integers.
_MOST = 2**62
_POWER = re.compile(r"\s*(\d{1,9})\s*\^\s*(\d+)\s*", re.ASCII)
# The most digits of a power, as of every value that is read.
_MOST_DIGITS = 100
# A number as far as its unit.
_NUMERAL = re.compile(r"\s*[+-]?[\d._]+(?:[eE][+-]?\d+)?(?:\s*/\s*\d+)?\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class Steps:
    """Evenly spaced values: `8:128:8`."""

    start: Fraction
    step: Fraction
    count: int

    def at(self, position: int) -> Fraction:
        """The value at a position."""
        return self.start + self.step * position


@dataclass(frozen=True, slots=True)
class Powers:
    """Successive powers of one base: `2^3:2^7`."""

    base: int
    first: int
    count: int

    def at(self, position: int) -> Fraction:
        """The value at a position."""
        return Fraction(self.base) ** (self.first + position)


Stretch: TypeAlias = Steps | Powers


class Values(Sequence[Fraction]):
    """A sequence of exact values made of stretches; slices of it are lists."""

    def __init__(self, stretches: Sequence[Stretch]) -> None:
        self.stretches = tuple(stretches)
        self._ends = list(accumulate(s.count for s in self.stretches))

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    @overload
    def __getitem__(self, position: int) -> Fraction: ...
    @overload
    def __getitem__(self, position: slice) -> list[Fraction]: ...
    def __getitem__(self, position: int | slice) -> Fraction | list[Fraction]:
        """A value by its position, or a list of them by a slice.

        Raises:
            IndexError: there is none.
        """
        if isinstance(position, slice):
            return [self[i] for i in range(*position.indices(len(self)))]
        place = position + len(self) if position < 0 else position
        if not 0 <= place < len(self):
            raise IndexError(position)
        which = bisect_right(self._ends, place)
        return self.stretches[which].at(place - (self._ends[which - 1] if which else 0))

    def __iter__(self) -> Iterator[Fraction]:
        return (s.at(i) for s in self.stretches for i in range(s.count))

    def __repr__(self) -> str:
        shown = [str(v) for v in (self if len(self) <= 6 else [*self[:3], "...", self[-1]])]
        return f"Values({', '.join(shown)})"


def read_values(book: Book, name: str, text: str) -> Values:
    """The values of a text such as `8,16,32`, `8:128:8`, `2^3:2^7` or `10:50:10 GB/s`, exact and in base units.

    A range counts from its start by its step (1 for a whole symbol) and has no value beyond its end. A unit behind the last
    number of a range or of a list alone is the unit of all of them.

    Raises:
        UnknownNameError: the book has no such name.
        ExpressionError: no range of values; the message shows the text with a caret under the part that does not fit.
    """
    declaration = book.declaration(book.known(name))
    if name in book.symbols and book.symbols[name].is_list:
        raise ExpressionError(f"{name} is a list: it has no range of values")
    reader = _Reader(name, declaration.unit, declaration.domain.whole, text)
    found = Values(reader.stretches())
    if sum(s.count for s in found.stretches) > _MOST:
        reader.fail("more values than can be counted", 0)
    return found


class _Reader:
    """One text; every part knows where it begins, so that a mistake can be pointed at."""

    def __init__(self, name: str, unit: str, whole: bool, text: str) -> None:
        self._name, self._unit, self._whole, self._text = name, unit, whole, text
        if len(text) > _LONGEST:
            raise ExpressionError(f"the values of {name} take at most {_LONGEST} characters, not {len(text)}")

    def fail(self, says: str, at: int) -> NoReturn:
        """Raise, with a caret under a place of the text."""
        raise ExpressionError(pointed(says, self._text, at))

    def stretches(self) -> list[Stretch]:
        """The stretches between commas."""
        found, at = [], 0
        parts = self._text.split(",")
        for part, united in zip(parts, self._united(parts), strict=True):
            found.append(self._stretch(united, at))
            at += len(part) + 1
        return found

    def _united(self, parts: list[str]) -> list[str]:
        """The parts of a list, each with its unit: behind every one of them, or once behind the last for all."""
        units = [_unit(part.split(":")[-1]) for part in parts]
        if all(units) or not units[-1]:
            return parts
        if any(units[:-1]):
            bare = units.index("")
            begin = sum(len(p) + 1 for p in parts[:bare])
            self.fail("a unit belongs behind every value of a list, or once behind the last", self._begin(parts[bare], begin))
        return [*(f"{part.rstrip()} {units[-1]}" for part in parts[:-1]), parts[-1]]

    def _stretch(self, part: str, at: int) -> Stretch:
        pieces = part.split(":")
        starts = [at + sum(len(p) + 1 for p in pieces[:i]) for i in range(len(pieces))]
        if len(pieces) > 3:
            self.fail("a range has a start, an end and perhaps a step", starts[3] - 1)
        if any(not p.strip() for p in pieces):
            empty = next(i for i, p in enumerate(pieces) if not p.strip())
            self.fail(f"a value of {self._name} belongs here", starts[empty])
        if len(pieces) > 1 and _POWER.fullmatch(pieces[0]) and _POWER.fullmatch(pieces[1]):
            return self._powers(pieces, starts)
        numbers = self._numbers(pieces, starts)
        if len(numbers) == 1:
            return Steps(numbers[0], Fraction(1), 1)
        return self._steps(numbers, pieces, starts)

    def _numbers(self, pieces: list[str], starts: list[int]) -> list[Fraction]:
        """The values of the parts of a range, all with a unit or none, or with one that stands behind the last alone."""
        numbers = [self._value(p, s) for p, s in zip(pieces, starts, strict=True)]
        units = [_unit(p) for p in pieces]
        if all(units) or not any(units):
            return numbers
        if any(units[:-1]):
            bare = units.index("")
            says = "a unit belongs behind every number of a range, or once behind the last"
            self.fail(says, self._begin(pieces[bare], starts[bare]))
        factor = scale(self._name, pieces[-1], units[-1], self._unit)
        return [*(n * factor for n in numbers[:-1]), numbers[-1]]

    def _steps(self, numbers: list[Fraction], pieces: list[str], starts: list[int]) -> Stretch:
        if len(numbers) == 2 and not self._whole:
            example = ":".join(p.strip() for p in pieces)
            self.fail(f"{self._name} is no whole number: its range needs a step, such as {example}:STEP", starts[1])
        start, stop, step = (*numbers, Fraction(1))[:3]
        if stop < start:
            self.fail("the end of a range is not below its start", self._begin(pieces[1], starts[1]))
        if step <= 0:
            self.fail("a step is above zero", self._begin(pieces[2], starts[2]))
        return Steps(start, step, int((stop - start) // step) + 1)

    def _powers(self, pieces: list[str], starts: list[int]) -> Stretch:
        if len(pieces) > 2:
            self.fail("a range of powers takes no step: it has every power between its ends", self._begin(pieces[2], starts[2]))
        for piece, start in zip(pieces, starts, strict=True):
            self._value(piece, start)  # says which power is too large
        (base, first), (other, last) = (map(int, (m[1], m[2])) for m in map(_POWER.fullmatch, pieces) if m)
        if base != other or base < 2:
            self.fail("both ends of a range of powers have one base, at least 2", self._begin(pieces[1], starts[1]))
        if last < first:
            self.fail("the end of a range is not below its start", self._begin(pieces[1], starts[1]))
        return Powers(base, first, last - first + 1)

    def _value(self, piece: str, at: int) -> Fraction:
        power = _POWER.fullmatch(piece)
        if power:
            return self._power(int(power[1]), int(power[2]), self._begin(piece, at))
        try:
            return read_value(self._name, piece.strip(), self._unit)
        except (PresetError, UnitError) as error:
            self.fail(str(error), self._begin(piece, at))

    def _power(self, base: int, exponent: int, at: int) -> Fraction:
        # Every base from 2 on is past the limit at this exponent: nothing huge is computed.
        if (base > 1 and exponent > 4 * _MOST_DIGITS) or base**exponent >= 10**_MOST_DIGITS:
            self.fail(f"{base}^{exponent} is too large: a value has at most {_MOST_DIGITS} digits", at)
        return Fraction(base**exponent)

    def _begin(self, piece: str, at: int) -> int:
        return at + len(piece) - len(piece.lstrip())


def _unit(piece: str) -> str:
    """What stands behind the number of a value; nothing behind a bare number or a power."""
    numeral = None if _POWER.fullmatch(piece) else _NUMERAL.match(piece)
    return "" if numeral is None else piece[numeral.end() :].strip()
