"""`solve`: how much of a symbol does a condition need?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.answers.answer import Answer, point_of
from symroof.answers.questions import cell, condition_text, number_text, text_of, unit_of
from symroof.answers.shapes import CheckedSides, SolveAnswer, Value, number, scalar
from symroof.errors import SymroofError
from symroof.expression import parse_condition
from symroof.humane import humane
from symroof.passes.search import fraction
from symroof.passes.solve import Interval, Solution, solve, value_at
from symroof.sheet import LONGEST_ALONE, Block, Row, Sheet
from symroof.term import Ref
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.passes.evaluate import Scalar

# So many admissible values are listed; more are counted.
_LISTED = 12


def answer(options: Namespace) -> Answer:
    """Where a condition holds along a symbol, and the check on both sides of the boundary."""
    point = point_of(options)
    found = solve(point, parse_condition(point.book, options.condition), options.symbol)
    data: SolveAnswer = {
        "for": found.symbol,
        "condition": formula_text(found.condition),
        "solutions": [str(text_of(s)) for s in found.solutions],
        "boundary": None if found.boundary is None else number(fraction(found.boundary)),
        "boundaries": [number(fraction(b)) for b in found.boundaries],
        "exact": [str(b) for b in found.boundaries],
        "first_integer": found.first,
        "holds_for": holds_for(found),
        "checked": _checked(found),
        "formal": found.formal,
        "method": found.method,
    }
    return Answer(dict(data), lambda: sheet(found).text())


def holds_for(found: Solution) -> str:
    """Where the condition holds, in words: `M >= 140`."""
    if not found.holds:
        return f"no admissible {found.symbol}" if found.whole else f"no {found.symbol}"
    return " or ".join(_interval(found, i) for i in found.holds)


def _interval(found: Solution, interval: Interval) -> str:
    name, unit = found.symbol, "1" if found.whole else unit_of(found.point.book, found.symbol)
    less = "<=" if interval.closed else "<"
    low = None if interval.low is None else number_text(interval.low, unit)
    high = None if interval.high is None else number_text(interval.high, unit)
    if low is None and high is None:
        return f"every admissible {name}" if found.whole else f"every {name}"
    if low == high or (low is not None and high is None and interval.low == (found.admissible or (None,))[-1]):
        return f"{name} = {low}"
    if high is None:
        return f"{name} {'>=' if interval.closed else '>'} {low}"
    return f"{name} {less} {high}" if low is None else f"{low} {less} {name} {less} {high}"


def _checked(found: Solution) -> CheckedSides:
    return {
        "at": _value(found, found.inside),
        "next": _value(found, found.outside),
        "values": {"at": _exact(found.inside), "next": _exact(found.outside)},
    }


def _exact(value: Any) -> str | None:
    return None if value is None else str(value)


def _value(found: Solution, at: Any) -> Value | None:
    """The condition's left side (or its right one, if that is the named one) at a value of the symbol."""
    if at is None:
        return None
    value, unit = _side(found, at)
    shown = scalar(value, unit)
    if shown is not None and not isinstance(at, Fraction):
        shown["exact"] = None
    return shown


def _side(found: Solution, at: Any) -> tuple[Scalar | None, str]:
    sides = (found.condition.left, found.condition.right)
    named = next((s for s in sides if isinstance(s, Ref)), sides[0])
    unit = unit_of(found.point.book, named.name) if isinstance(named, Ref) else "1"
    try:
        return value_at(found, named, at), unit
    except (SymroofError, ZeroDivisionError):
        return None, unit


def sheet(found: Solution) -> Sheet:
    """The boundary with its closed form, where the condition holds, and the check on both sides."""
    unit = unit_of(found.point.book, found.symbol)
    rows: list[Row] = [("holds for", holds_for(found))]
    rows += [("boundary", f"{found.symbol} = {_boundary(b, unit)}") for b in found.boundaries]
    rows += [("closed form", cell(s)) for s in found.solutions]
    rows += [("first value", _admissible(found.first, unit))] if found.first is not None else []
    rows += [("checked", _check(found, v, unit)) for v in (found.inside, found.outside) if v is not None]
    rows += [("admissible", _listed(found.admissible))] if found.whole else []
    head = f"{found.point.label}; {condition_text(found.condition)} for {found.symbol}"
    return Sheet(found.point.book, head, ("", ""), (Block("", tuple(rows)),), tuple(_notes(found)), longest=LONGEST_ALONE)


def _admissible(value: int, unit: str) -> str:
    return f"{humane(Fraction(value), unit)}, the nearest to the boundary of all admissible values"


def _boundary(value: Any, unit: str) -> str:
    shown = number_text(value, unit)
    exact = str(value)
    plain = shown.split()[0].replace(",", "")
    return shown if exact == plain or len(exact) > 40 else f"{shown}, exactly {exact}"


def _check(found: Solution, at: Any, unit: str) -> str:
    value, of = _side(found, at)
    shown = "no value" if value is None else humane(value, of)
    holds = "holds" if at == found.inside else "does not hold"
    return f"{found.symbol} = {humane(fraction(at), unit)}: {shown}, {holds}"


def _listed(values: Sequence[int]) -> str:
    shown = ", ".join(f"{v:,}" for v in values[:_LISTED])
    return shown if len(values) <= _LISTED else f"{shown}, ... ({len(values):,} values up to {values[-1]:,} were looked at)"


def _notes(found: Solution) -> list[str]:
    notes = [] if found.method == "exact" else [found.method]
    if found.formal:
        notes.append(f"formal: no admissible {found.symbol} lies beyond the boundary")
    return notes
