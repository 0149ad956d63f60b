"""`crossover`: where do two quantities meet?"""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction

from symroof.answers.answer import Answer, point_of
from symroof.answers.questions import cell, number_text, text_of, unit_of
from symroof.answers.shapes import CrossoverAnswer, number
from symroof.passes.meet import Crossover, crossover
from symroof.passes.search import fraction
from symroof.sheet import LONGEST_ALONE, Block, Row, Sheet
from symroof.text import formula_text


def answer(options: Namespace) -> Answer:
    """Where two quantities meet along a symbol."""
    found = crossover(point_of(options), options.one, options.other, options.over)
    data: CrossoverAnswer = {
        "over": found.over,
        "equation": formula_text(found.equation),
        "points": [{"exact": str(m.at), "value": number(fraction(m.at)), "closed_form": text_of(m.closed)} for m in found.points],
        "below": found.below,
        "above": found.above,
        "formal": found.formal,
        "method": found.method,
    }
    return Answer(dict(data), lambda: sheet(found).text())


def sheet(found: Crossover) -> Sheet:
    """The meetings with their closed forms, and which of the two is larger on both sides."""
    unit = unit_of(found.point.book, found.over)
    rows: list[Row] = []
    for meeting in found.points:
        rows.append(("meet at", _at(found, meeting.at, unit)))
        rows += [("closed form", cell(meeting.closed))] if meeting.closed is not None else []
    if found.points:
        rows += [("below", f"{found.below} is larger"), ("above", f"{found.above} is larger")]
    else:
        rows += [("meet at", f"no {found.over}"), ("everywhere", f"{found.below} is larger")]
    rows.append(("equation", found.equation))
    head = f"{found.point.label}; {found.one} and {found.other} over {found.over}"
    return Sheet(found.point.book, head, ("", ""), (Block("", tuple(rows)),), tuple(_notes(found)), longest=LONGEST_ALONE)


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
