"""`whatif`: what does a change move?"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, point_of, split
from symroof.answers.questions import changes, hold_of, ratio_text, signed, text_of, tree, unit_of
from symroof.answers.shapes import Affected, HeldAnswer, WhatIfAnswer, optional, scalar
from symroof.errors import ConstraintError, SymroofError
from symroof.humane import humane
from symroof.passes.whatif import Effect, WhatIf, breakages, what_if
from symroof.sheet import Block, Row, Sheet, printed
from symroof.term import Ref, Term

if TYPE_CHECKING:
    from symroof.passes.evaluate import Scalar
    from symroof.passes.hold import Hold
    from symroof.point import Point

# So many changes fit into a heading.
_HEADED = 4


def answer(options: Namespace) -> Answer:
    """Every quantity that a change moves, before and after; status 2 and the reasons where the changed run cannot exist."""
    point, hold = point_of(options), hold_of(options)
    asked = changes(options.changes, "whatif")
    try:
        found = what_if(point, asked, split(options.of, "--of"), hold)
    except ConstraintError as error:
        if not options.json:
            raise
        return Answer(dict(_broken(point, asked, hold, error)), str, (str(error),), status=2)
    # Closed forms take time: those of the JSON are made where it is asked for, those of the text in `sheet`.
    data = dict(_data(found, options.symbolic)) if options.json else {}
    return Answer(data, lambda: printed(sheet(found, options.symbolic), options.format))


def _broken(point: Point, asked: dict[str, str], hold: Hold | None, error: ConstraintError) -> WhatIfAnswer:
    """The answer where nothing can be compared: every constraint in the way, or why the held quantity cannot be kept."""
    reasons = [] if hold else breakages(point, asked)
    broken = [(b.name, b.says) for b in reasons] or [(hold.quantity if hold else "", str(error))]
    return {
        "held": None,
        "changes": {n: {"before": _now(point, n), "after": v} for n, v in asked.items()},
        "affected": {},
        "unaffected": 0,
        "broken": [{"constraint": name, "says": says} for name, says in broken],
    }


def _now(point: Point, name: str) -> str:
    if name in point.choices:
        return point.choices[name]
    try:
        return point[name].display
    except SymroofError:
        return ""


def _data(found: WhatIf, symbolic: bool) -> WhatIfAnswer:
    return {
        "held": _held(found),
        "changes": {c.name: {"before": c.before, "after": c.after} for c in found.changes},
        "affected": {e.name: _affected(found, e, symbolic) for e in found.effects},
        "unaffected": found.unaffected,
        "broken": [],
    }


def _held(found: WhatIf) -> HeldAnswer | None:
    if found.hold is None or found.gave_way is None:
        return None
    gave = found.gave_way
    return {"quantity": found.hold.quantity, "by": found.hold.by, "before": gave.before, "after": gave.after}


def _affected(found: WhatIf, effect: Effect, symbolic: bool) -> Affected:
    unit = unit_of(effect.there.book.whole, effect.name)
    data: Affected = {
        "before": scalar(effect.before, unit, found.before.pinned(effect.name)),
        "after": scalar(effect.after, unit, found.after.pinned(effect.name)),
        "ratio": optional(effect.ratio),
        "difference": optional(effect.difference),
        "closed_form": text_of(_form(effect, False)),
    }
    if symbolic:
        data["symbolic"] = text_of(_form(effect, True))
    return data


def _form(effect: Effect, symbolic: bool) -> object:
    """The closed form of a quantity, or the reverse of it; None where a symbol that it needs has no value."""
    try:
        return effect.symbolic() if symbolic else effect.closed_form()
    except SymroofError:
        return None


def sheet(found: WhatIf, symbolic: bool = False) -> Sheet:
    """The effects by chapter."""
    book = found.before.book.whole
    columns = ("quantity", "before>", "after>", "difference>", "ratio>", "closed form" if not symbolic else "symbolic form")
    blocks = []
    for number, chapter in enumerate(book.numbered, 1):
        rows = tuple(_row(e, symbolic) for e in found.effects if e.name in chapter.names)
        if rows:
            blocks.append(Block(f"{number} {chapter.title}", rows))
    return Sheet(book, _head(found), columns, tuple(blocks), _notes(found))


def _row(effect: Effect, symbolic: bool) -> Row:
    unit = unit_of(effect.there.book.whole, effect.name)
    form: Term | None = tree(_form(effect, symbolic))
    # A form without any of the changed names is the value, which stands beside it.
    shown = "" if form is None or (not symbolic and not effect.changed) else form
    return (
        effect.name,
        _words(effect.before, unit),
        _words(effect.after, unit),
        signed(effect.difference, unit),
        ratio_text(effect.before, effect.after),
        "" if isinstance(shown, Ref) and shown.name == effect.name else shown,
    )


def _words(value: Scalar | None, unit: str) -> str:
    return "none" if value is None else humane(value, unit)


def _head(found: WhatIf) -> str:
    shown, more = found.changes[:_HEADED], len(found.changes) - _HEADED
    changed = ", ".join(f"{c.name}: {c.before} -> {c.after}" for c in shown)
    changed += f" and {more} more (--json has them)" if more > 0 else ""
    held = ""
    if found.hold is not None and found.gave_way is not None:
        gave = found.gave_way
        held = f"; {found.hold.quantity} held, {gave.name}: {gave.before} -> {gave.after}"
    return f"{found.before.label}; {changed}{held}"


def _notes(found: WhatIf) -> tuple[str, ...]:
    if not found.effects:
        return ("nothing of what was asked for moves", *_kept(found))
    others = "1 other does" if found.unaffected == 1 else f"{found.unaffected} others do"
    return ((f"{others} not move",) if found.unaffected else ()) + _kept(found)


def _kept(found: WhatIf) -> tuple[str, ...]:
    """A sentence where the held quantity did not move by itself, so that nothing had to give way."""
    hold, gave = found.hold, found.gave_way
    if hold is None or gave is None or found.before.evaluator.number(hold.by) != found.after.evaluator.number(hold.by):
        return ()
    return (f"{hold.by} keeps its value: {hold.quantity} is as it was after the change alone",)
