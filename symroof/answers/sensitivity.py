"""`sensitivity`: what does a little more of a symbol do, and what does twice as much?"""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction

from symroof.answers.answer import Answer, point_of, split
from symroof.answers.questions import cell, hold_of, rate_text, signed, text_of, unit_of
from symroof.answers.shapes import SensitivityAnswer, SensitivityOf, number, optional
from symroof.humane import significant
from symroof.passes.differentiate import Sensitivities, Sensitivity, sensitivity
from symroof.sheet import Block, Row, Sheet

# The longest form of a row; a ranking of many symbols stays readable.
_LONGEST = 112
# The longest rounding that a note writes out.
_ROUNDING = 60


class _Full(SensitivityOf, total=False):
    """Also the roundings of the symbol that were held under the derivative, where there are some."""

    held_roundings: list[str]


def answer(options: Namespace) -> Answer:
    """The sensitivity of a quantity to some symbols, or to all that it depends on."""
    point = point_of(options)
    found = sensitivity(point, options.name, split(options.to, "--to"), hold_of(options))
    # The forms of a ranking are many: those of the JSON are written where it is asked for.
    data = dict(_answer(found)) if options.json else {}
    return Answer(data, lambda: sheet(found).text())


def _answer(found: Sensitivities) -> SensitivityAnswer:
    return {
        "of": found.of,
        "held": None if found.hold is None else {"quantity": found.hold.quantity, "by": found.hold.by},
        "to": {s.to: _data(found, s) for s in found},
    }


def _data(found: Sensitivities, one: Sensitivity) -> _Full:
    book = found.point.book
    above = one.above
    data: _Full = {
        "derivative": text_of(one.derivative),
        "value": optional(one.value),
        "elasticity": optional(one.elasticity),
        "elasticity_form": text_of(one.elasticity_form),
        "step": optional(one.step),
        "doubling": optional(one.doubling),
        "branch": None if one.deciding is None else one.deciding.binding,
        "ties": [] if one.deciding is None else list(one.deciding.ties),
        "above": None if above is None else {"derivative": str(text_of(above.form)), "value": number(above.value)},
        "unit": f"({unit_of(book, one.of)})/({unit_of(book, one.to)})",
    }
    if one.rounded:
        data["held_roundings"] = [text for r in one.rounded if (text := text_of(r)) is not None]
    return data


def sheet(found: Sensitivities) -> Sheet:
    """One row a symbol that does something; the others in a line."""
    moving = [s for s in found if s.value != 0 or s.step or s.doubling not in (None, 1) or s.rounded]
    columns = ("to", "elasticity>", "derivative>", "one more>", "twice>", "derivative's form", "elasticity's form")
    rows = tuple(_row(found, s) for s in moving)
    held = f", {found.hold.quantity} held by {found.hold.by}" if found.hold else ""
    head = f"{found.point.label}; {found.of} = {found.point[found.of].display}{held}"
    return Sheet(found.point.book, head, columns, (Block("", rows),), tuple(_notes(found, moving)), longest=_LONGEST)


def _row(found: Sensitivities, one: Sensitivity) -> Row:
    book = found.point.book
    unit, per = unit_of(book, one.of), unit_of(book, one.to)
    at = found.point.evaluator.number(one.to)
    return (
        one.to,
        "none" if one.elasticity is None else significant(one.elasticity),
        "only differences" if one.value is None else rate_text(one.value, unit, at, per),
        signed(one.step, unit),
        "" if one.doubling is None else f"x {significant(one.doubling)}",
        cell(one.derivative),
        cell(one.elasticity_form) if one.elasticity_form is not None and one.elasticity_form.free_symbols else "",
    )


def _notes(found: Sensitivities, moving: list[Sensitivity]) -> list[str]:
    notes = []
    branches = {(b.quantity, b.function, b.binding): None for s in moving for b in s.branches if b.function == "Max" or b.ties}
    notes += [f"{quantity}: of its {function} {binding} binds" for quantity, function, binding in branches]
    notes += [_tie(s, ties) for s in moving if (ties := [t for b in s.branches for t in (b.binding, *b.ties) if b.ties])]
    notes += [_held(s) for s in moving if s.rounded]
    still = [s.to for s in found if s not in moving]
    if still:
        notes.append(f"no effect here: {', '.join(still)}")
    return notes


def _held(one: Sensitivity) -> str:
    """What a rounding does to a derivative, and where to read what really happens."""
    forms = [text for r in one.rounded if (text := text_of(r)) is not None]
    short = [f for f in forms if len(f) <= _ROUNDING] or ["a rounding"]
    shown = " and ".join(short[:2]) + (" and others" if len(forms) > 2 else "")
    if one.step is None and one.doubling is None:
        return f"{one.to}: {shown} is held under the derivative, and neither one more nor twice is a valid run"
    known = [n for n, v in (("one more", one.step), ("twice", one.doubling)) if v is not None]
    shows = f"{known[0]} shows" if len(known) == 1 else f"{' and '.join(known)} show"
    return f"{one.to}: {shown} is held under the derivative; {shows} what really happens"


def _tie(one: Sensitivity, ties: list[str]) -> str:
    names = " and ".join(dict.fromkeys(ties))
    if one.above is None:
        return f"{one.to}: {names} tie, with one derivative on both sides"
    below = significant(one.value or Fraction(0))
    return f"{one.to}: {names} tie; the derivative is {below} from below and {significant(one.above.value)} from above"
