"""`regimes`: which branch binds where?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypedDict

from symroof.answers.answer import Answer, point_of
from symroof.answers.questions import cell, number_text, text_of, unit_of
from symroof.answers.shapes import MapAnswer, Number, RegimesAnswer, number
from symroof.errors import RequestError
from symroof.humane import humane
from symroof.passes.meet import Regimes, regimes
from symroof.passes.regime_map import RegimeMap, regime_map
from symroof.passes.search import fraction
from symroof.ranges import read_values
from symroof.sheet import LONGEST_ALONE, Block, Row, Sheet
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.point import Point

# What a cell of the map is drawn with, by the order in which branches are met; a dot is no run.
_MARKS, _NO_RUN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "."

# So many values that were left out are named, with the reasons.
_LEFT_OUT = 6


class _Left(TypedDict):
    """A value that was given but makes no valid run."""

    value: Number
    says: str


class _Full(RegimesAnswer):
    """Also the values that were left out."""

    left_out: list[_Left]


def answer(options: Namespace) -> Answer:
    """The regimes along one symbol, or a map over two."""
    point = point_of(options)
    over = _over(point, options.over)
    if len(over) == 1:
        ((name, values),) = over.items()
        found = regimes(point, options.name, name, values)
        return Answer(dict(_data(found)), lambda: sheet(found).text())
    drawn = regime_map(point, options.name, over)
    return Answer(dict(_map_data(drawn)), lambda: map_text(drawn))


def _over(point: Point, texts: Sequence[str]) -> dict[str, Sequence[Fraction] | None]:
    """The symbols of a request, each with the values that it gives.

    Raises:
        RequestError: not one symbol or two, or one of them twice.
    """
    if len(texts) > 2:
        raise RequestError(f"regimes: --over is given {len(texts)} times: one symbol, or two for a map")
    found: dict[str, Sequence[Fraction] | None] = {}
    for text in texts:
        name, equals, values = (part.strip() for part in text.partition("="))
        if name in found:
            raise RequestError(f"regimes: --over {name} is given twice")
        if name in point.choices:
            says = f"compare its choices with whatif {name}=CHOICE"
            raise RequestError(f"regimes: {name} is a convention, not a symbol with a number: {says}")
        point.book.known(name)
        found[name] = read_values(point.book, name, values) if equals else None
    return found


def _data(found: Regimes) -> _Full:
    return {
        "over": found.over,
        "of": found.of,
        "pieces": [
            {
                "from": _number(r.low),
                "to": _number(r.high),
                "binding": r.binding,
                "boundary": None if r.boundary is None else str(r.boundary),
                "closed_form": text_of(r.closed),
            }
            for r in found.pieces
        ],
        "method": found.method,
        "left_out": [{"value": number(value), "says": says} for value, says in found.left_out],
    }


def _number(value: Any) -> Number | None:
    return None if value is None else number(fraction(value))


def sheet(found: Regimes) -> Sheet:
    """A row for each regime, with the boundary at which it takes over."""
    unit = unit_of(found.point.book, found.over)
    rows: list[Row] = []
    for regime in found.pieces:
        low, high = (None if v is None else number_text(v, unit) for v in (regime.low, regime.high))
        at = "" if regime.boundary is None else f"{found.over} = {number_text(regime.boundary, unit)}"
        rows.append((_range(found.over, low, high), regime.binding, at, cell(regime.closed)))
    whose = found.name if found.of == found.name else f"{found.name}, by {found.of}"
    head = f"{found.point.label}; what binds in {whose} over {found.over}"
    notes = (() if found.method == "exact" else (found.method,)) + _left_out(found)
    columns = (found.over, "binds", "takes over at", "closed form")
    return Sheet(found.point.book, head, columns, (Block("", tuple(rows)),), notes, longest=LONGEST_ALONE)


def _left_out(found: Regimes) -> tuple[str, ...]:
    """The values that were given but are not in the table, with the reasons."""
    unit = unit_of(found.point.book, found.over)
    shown = [f"left out: {found.over} = {humane(value, unit)}: {says}" for value, says in found.left_out[:_LEFT_OUT]]
    more = len(found.left_out) - len(shown)
    return (*shown, *([f"left out: {more} more"] if more else []))


def _range(name: str, low: str | None, high: str | None) -> str:
    if low is None:
        return f"up to {high}" if high else f"every {name}"
    if high is None:
        return f"from {low}"
    return low if low == high else f"{low} to {high}"


def _map_data(found: RegimeMap) -> MapAnswer:
    return {
        "over": list(found.over),
        "of": found.of,
        "values": {n: [number(v) for v in vs] for n, vs in zip(found.over, found.values, strict=True)},
        "binding": [list(row) for row in found.binding],
        "curves": [{"between": [c.one, c.other], "equation": formula_text(c.equation)} for c in found.curves],
    }


def map_text(found: RegimeMap) -> str:
    """The map in characters: the second symbol upwards, the first across, then what the characters stand for."""
    from symroof.terminal import dim

    marks = _marks(found)
    across, up = found.over
    shown = [humane(v, unit_of(found.point.book, up)) for v in found.values[1]]
    wide = max(map(len, shown))
    lines = [dim(_map_head(found)), "", f"{up:>{wide}}"]
    for label, row in reversed(list(zip(shown, found.binding, strict=True))):
        lines.append(f"{label:>{wide}}  {''.join(_NO_RUN if c is None else marks[c] for c in row)}")
    ends = [humane(v, unit_of(found.point.book, across)) for v in (found.values[0][0], found.values[0][-1])]
    lines.append(f"{'':>{wide}}  {across}: {ends[0]} to {ends[1]}, {len(found.values[0])} values")
    lines += ["", *(f"{mark}  {name}" for name, mark in marks.items())]
    if any(n is None for row in found.binding for n in row):
        lines.append(f"{_NO_RUN}  no run: a constraint is broken")
    lines += ["", *(f"{c.one} = {c.other}: {formula_text(c.equation)}" for c in found.curves)] if found.curves else []
    return "\n".join(lines)


def map_sheet(found: RegimeMap) -> Sheet:
    """The map as a table: a row for each value of the second symbol, a column for each of the first."""
    book = found.point.book
    across, up = (unit_of(book, n) for n in found.over)
    columns = (" / ".join(reversed(found.over)), *(humane(v, across) for v in found.values[0]))
    rows = [(humane(v, up), *(n or "no run" for n in row)) for v, row in zip(found.values[1], found.binding, strict=True)]
    curves = tuple(f"{c.one} = {c.other}: {formula_text(c.equation)}" for c in found.curves)
    return Sheet(book, _map_head(found), columns, (Block("", tuple(reversed(rows))),), curves)


def _map_head(found: RegimeMap) -> str:
    whose = found.name if found.of == found.name else f"{found.name}, by {found.of}"
    return f"{found.point.label}; what binds in {whose} over {found.over[0]} and {found.over[1]}"


def _marks(found: RegimeMap) -> dict[str, str]:
    """A character for each branch: the first letter of its name where that is free, else the next of the alphabet."""
    marks: dict[str, str] = {}
    for name in dict.fromkeys(n for row in found.binding for n in row if n is not None):
        letter = name[0].upper()
        free = [m for m in (letter, *_MARKS) if m.isalpha() and m not in marks.values()]
        marks[name] = free[0] if free else "?"
    return marks
