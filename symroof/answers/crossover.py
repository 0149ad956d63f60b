"""`crossover`: where do two quantities meet?"""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from typing import Any, TypedDict

from sympy import Integer

from symroof.answers.answer import Answer, point_of
from symroof.answers.questions import cell, number_text, text_of, unit_of
from symroof.answers.shapes import CrossoverAnswer, Number, number
from symroof.passes.meet import Crossover, crossover
from symroof.passes.search import fraction
from symroof.sheet import LONGEST_ALONE, Block, Row, Sheet
from symroof.text import formula_text

# So many values of a run are listed; of a longer one the ends are.
_LISTED = 12


class _Range(TypedDict):
    """The ends of a range: null where it has none, equal where it is one value."""

    low: Number | None
    high: Number | None


class _Full(CrossoverAnswer):
    """Also where the two are equal over a range, and where they change places without being equal."""

    equal: list[_Range]
    jumps: list[_Range]


def answer(options: Namespace) -> Answer:
    """Where two quantities meet along a symbol."""
    found = crossover(point_of(options), options.one, options.other, options.over)
    data: _Full = {
        "over": found.over,
        "equation": formula_text(found.equation),
        "points": [{"exact": str(m.at), "value": number(fraction(m.at)), "closed_form": text_of(m.closed)} for m in found.points],
        "equal": [_ends(low, high) for low, high in found.equal],
        "jumps": [_ends(low, high) for low, high in found.jumps],
        "below": found.below,
        "above": found.above,
        "formal": found.formal,
        "method": found.method,
    }
    return Answer(dict(data), lambda: sheet(found).text())


def sheet(found: Crossover) -> Sheet:
    """The meetings with their closed forms, and which of the two is larger on both sides."""
    unit = unit_of(found.point.book, found.over)
    rows: list[Row] = [("equal for", _range(found, low, high, unit)) for low, high in found.equal]
    for meeting in found.points:
        # What a range says is not said again for its values.
        rows += [("meet at", _at(found, meeting.at, unit))] if not _in_range(found, meeting.at) else []
        rows += [("closed form", cell(meeting.closed))] if meeting.closed is not None else []
    rows += [("jump", _jump(found, low, high, unit)) for low, high in found.jumps]
    if found.points or found.equal or found.jumps:
        rows += [("below", _larger(found, found.below)), ("above", _larger(found, found.above))]
    else:
        rows += [("meet at", f"no {found.over}"), ("everywhere", _larger(found, found.below))]
    rows.append(("equation", found.equation))
    head = f"{found.point.label}; {found.one} and {found.other} over {found.over}"
    return Sheet(found.point.book, head, ("", ""), (Block("", tuple(rows)),), tuple(_notes(found)), longest=LONGEST_ALONE)


def _ends(low: Any, high: Any) -> _Range:
    ends = [None if e is None else number(fraction(e)) for e in (low, high)]
    return {"low": ends[0], "high": ends[1]}


def _larger(found: Crossover, side: str) -> str:
    return f"{side} is larger" if side in (found.one, found.other) else "both are equal"


def _in_range(found: Crossover, at: Any) -> bool:
    return any((low is None or low <= at) and (high is None or at <= high) for low, high in found.equal)


def _range(found: Crossover, low: Any, high: Any, unit: str) -> str:
    """A range of equality: its few admissible values, or its ends."""
    values = [v for v in found.admissible if low is not None and high is not None and low <= v <= high]
    if found.admissible and 0 < len(values) <= _LISTED:
        return f"{found.over} = {', '.join(number_text(Integer(v), unit) for v in values)}"
    ends = [None if e is None else number_text(e, unit) for e in (low, high)]
    if ends[0] is None:
        return f"every {found.over}" if ends[1] is None else f"{found.over} up to {ends[1]}"
    return f"{found.over} from {ends[0]}{' on' if ends[1] is None else f' to {ends[1]}'}"


def _jump(found: Crossover, low: Any, high: Any, unit: str) -> str:
    """Where the larger of the two changes without a meeting."""
    ends = [number_text(e, unit) for e in (low, high)]
    if low == high:
        return f"at {found.over} = {ends[0]} the two change places without being equal"
    return f"between {found.over} = {ends[0]} and {ends[1]} the two change places without being equal"


def _at(found: Crossover, at: object, unit: str) -> str:
    shown, exact = number_text(at, unit), str(at)
    where = _between(found, fraction(at)) if found.admissible else ""
    return f"{found.over} = {shown}{f', exactly {exact}' if exact != shown and len(exact) <= 40 else ''}{where}"


def _between(found: Crossover, at: Fraction) -> str:
    """The admissible values on both sides of a meeting of a whole symbol."""
    below = [v for v in found.admissible if v <= at]
    above = [v for v in found.admissible if v >= at]
    if below and above and below[-1] == above[0]:
        return ""
    near = [str(v) for v in (*below[-1:], *above[:1])]
    return f"; nearest admissible: {' and '.join(near)}" if near else ""


def _notes(found: Crossover) -> list[str]:
    notes = [] if found.method == "exact" else [found.method]
    if found.formal:
        notes.append(f"formal: at the admissible values of {found.over} alone, {_alone(found)} is always the larger")
    return notes


def _alone(found: Crossover) -> str:
    point = found.point
    one, other = (point.evaluator.number(n) for n in (found.one, found.other))
    return found.one if one >= other else found.other
