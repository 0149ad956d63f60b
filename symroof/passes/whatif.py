"""What if? Every quantity that a change moves, before and after, and its closed form in what was changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError, MissingValueError, PresetError
from symroof.passes.hold import Hold, held_point
from symroof.preset import KINDS

if TYPE_CHECKING:
    import sympy

    from symroof.passes.evaluate import Scalar
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed: a symbol, a convention, a pinned quantity or a part of the preset, before and after, in words."""

    name: str
    before: str
    after: str


@dataclass(frozen=True)
class Effect:
    """A quantity that moved. A value is None where it has none, a text where it is a name."""

    name: str
    before: Scalar | None
    after: Scalar | None
    there: Point
    changed: tuple[str, ...]

    @property
    def ratio(self) -> Fraction | None:
        """After over before, where both are numbers and the first is not zero."""
        if isinstance(self.before, Fraction) and isinstance(self.after, Fraction) and self.before != 0:
            return self.after / self.before
        return None

    @property
    def difference(self) -> Fraction | None:
        """After less before, where both are numbers."""
        return self.after - self.before if isinstance(self.before, Fraction) and isinstance(self.after, Fraction) else None

    def closed_form(self) -> sympy.Expr:
        """The quantity with the changed symbols free and every other symbol at its value."""
        from symroof.passes.expand import expand

        return expand(self.there, self.name, self.changed)

    def symbolic(self) -> sympy.Expr:
        """The reverse: the changed symbols at their new values and every other symbol free."""
        from symroof.passes.expand import expand

        return expand(self.there, self.name, [n for n in self.there.book.symbols if n not in self.changed])


@dataclass(frozen=True)
class WhatIf:
    """Two points and what lies between them."""

    before: Point
    after: Point
    changes: tuple[Change, ...]
    gave_way: Change | None
    effects: tuple[Effect, ...]
    unaffected: int


def what_if(point: Point, changes: Mapping[str, object], of: Iterable[str] | None = None, hold: Hold | None = None) -> WhatIf:
    """What a change does to the book's quantities (or to those named).

    Args:
        changes: values for symbols, conventions or derived quantities, as `Point.set` takes them; `model`, `machine`, `run`
            and `preset` exchange that part of the preset.
        of: the quantities to look at; by default all.
        hold: a quantity that keeps its value because a symbol gives way.

    Raises:
        ConstraintError: the changed run cannot exist; the message has the nearest values that work.
        UnknownNameError, PresetError, UnitError: as `Point.set`.
    """
    after = changed_point(point, changes, hold)
    names = [point.book.known(n) for n in of] if of is not None else list(point.book.quantities)
    moved = tuple(n for n in after.book.symbols if _given(point, n) != _given(after, n))
    effects = tuple(e for e in (_effect(point, after, n, moved) for n in names) if e.before != e.after)
    gave_way = Change(hold.by, _words(point, hold.by), _words(after, hold.by)) if hold else None
    listed = tuple(Change(n, _words(point, n), _words(after, n)) for n in changes)
    return WhatIf(point, after, listed, gave_way, effects, len(names) - len(effects))


def changed_point(point: Point, changes: Mapping[str, object], hold: Hold | None = None) -> Point:
    """The point after the changes: first parts of the preset are exchanged, then values are set.

    Raises:
        ConstraintError, UnknownNameError, PresetError, UnitError: as `what_if`.
    """
    parts = {n: str(v) for n, v in changes.items() if n in (*KINDS, "preset")}
    values = {n: v for n, v in changes.items() if n not in parts}
    if parts and hold:
        raise PresetError("a held quantity goes with changed values, not with another preset")
    start = _exchanged(point, parts) if parts else point
    if hold:
        return held_point(start, values, hold)
    return start.set(**values) if values else start


def _exchanged(point: Point, parts: Mapping[str, str]) -> Point:
    book = point.book
    if "preset" in parts and len(parts) > 1:
        raise PresetError("change the whole preset or parts of it, not both")
    if "preset" in parts:
        moved = book.presets.point(parts["preset"])
    else:
        named = {**dict(zip(KINDS, point.parts, strict=True)), **parts}
        for kind, name in parts.items():
            book.presets.read(kind, name)
        moved = book.presets.point("+".join(named[k] for k in KINDS))
    return moved.set(**point.overrides) if point.overrides else moved


def _effect(before: Point, after: Point, name: str, changed: tuple[str, ...]) -> Effect:
    return Effect(name, _value(before, name), _value(after, name), after, changed)


def _value(point: Point, name: str) -> Scalar | None:
    try:
        return point.evaluator.value(name)
    except (MissingValueError, EvaluationError):
        return None


def _given(point: Point, name: str) -> object:
    return point.given[name].value if name in point.given else None


def _words(point: Point, name: str) -> str:
    if name in KINDS:
        return dict(zip(KINDS, point.parts, strict=True))[name]
    if name == "preset":
        return point.preset
    if name in point.choices:
        return point.choices[name]
    try:
        return point[name].display
    except (MissingValueError, EvaluationError):
        return "no value"
