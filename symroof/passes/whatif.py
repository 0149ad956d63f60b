"""What if? Every quantity that a change moves, before and after, and its closed form in what was changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import ConstraintError, EvaluationError, MissingValueError, PresetError, SymroofError
from symroof.passes.admit import broken_constraints, nearest_valid, stray
from symroof.passes.hold import Hold, held_point
from symroof.preset import KINDS
from symroof.sheet import Shown

if TYPE_CHECKING:
    import sympy

    from symroof.passes.evaluate import Scalar
    from symroof.point import Point
    from symroof.sheet import Sheet


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
        """The quantity with the changed names free and every other symbol at its value.

        Raises:
            MissingValueError, EvaluationError: another symbol is needed that has no value.
        UnknownNameError: the changed model lacks the quantity.
        """
        from symroof.passes.expand import expand
        from symroof.passes.tidy import tidy

        return tidy(expand(self.there, self.there.book.known(self.name), self.changed))

    def symbolic(self) -> sympy.Expr:
        """The reverse: the changed names at their new values and every other symbol free.

        Raises:
            MissingValueError, EvaluationError: as `closed_form`.
        """
        from symroof.passes.expand import expand
        from symroof.passes.tidy import tidy

        book = self.there.book
        book.known(self.name)
        free = [n for n in book.symbols if n not in self.changed] + [n for n in self.there.pins if n not in self.changed]
        return tidy(expand(self.there, self.name, free))


@dataclass(frozen=True)
class WhatIf(Shown):
    """Two points and what lies between them. Shows itself in a notebook."""

    before: Point
    after: Point
    changes: tuple[Change, ...]
    hold: Hold | None
    gave_way: Change | None
    effects: tuple[Effect, ...]
    unaffected: int

    def __getitem__(self, name: str) -> Effect:
        """The effect on one quantity.

        Raises:
            KeyError: the change does not move it.
        """
        return {e.name: e for e in self.effects}[name]

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.whatif import sheet

        return sheet(self)


@dataclass(frozen=True, slots=True)
class Breakage:
    """What a change breaks: the name of a constraint or of a symbol, and a sentence with the nearest values that work."""

    name: str
    says: str


def what_if(point: Point, changes: Mapping[str, object], of: Iterable[str] | None = None, hold: Hold | None = None) -> WhatIf:
    """What a change does to the book's quantities (or to those named).

    Args:
        changes: values for symbols, conventions or derived quantities, as `Point.set` takes them; `model`, `machine`, `run`
            and `preset` exchange that part of the preset.
        of: the quantities to look at; by default all.
        hold: a quantity that keeps its value because a symbol gives way.

    Raises:
        ConstraintError: the changed run cannot exist; the message has the nearest values that work.
        UnknownNameError, PresetError, UnitError: as `Point.set`. UnsolvableError: as `held_point`.
    """
    after = changed_point(point, changes, hold)
    names = _asked(point, after, of)
    known = dict.fromkeys((*point.book.symbols, *after.book.symbols, *point.book.quantities, *after.book.quantities))
    moved = tuple(n for n in known if _given(point, n) != _given(after, n))
    effects = tuple(e for e in (_effect(point, after, n, moved) for n in names) if e.before != e.after)
    gave_way = Change(hold.by, _words(point, hold.by), _words(after, hold.by)) if hold else None
    followed = _followed(point, after, changes) if any(_is_part(point, n) for n in changes) else ()
    listed = tuple(Change(n, _words(point, n), _words(after, n)) for n in (*changes, *followed))
    return WhatIf(point, after, listed, hold, gave_way, effects, len(names) - len(effects))


def _asked(point: Point, after: Point, of: Iterable[str] | None) -> list[str]:
    """The quantities to look at; where the model is exchanged, those of either, in the order of the whole book."""
    if of is not None:
        return [n if n in after.book.declared else point.book.known(n) for n in of]
    return [n for n in point.book.whole.quantities if n in point.book.quantities or n in after.book.quantities]


def _is_part(point: Point, name: str) -> bool:
    """True for a part of the preset, or the whole of it."""
    return name in (*KINDS, "preset") and name not in point.book.declared


def _followed(point: Point, after: Point, changes: Mapping[str, object]) -> tuple[str, ...]:
    """The symbols, pinned quantities and conventions that are others because a part of the preset is another."""
    given = [n for n in point.book.whole.declared if _given(point, n) != _given(after, n)]
    chosen = [n for n, choice in point.choices.items() if after.choices.get(n, choice) != choice]
    return tuple(n for n in (*given, *chosen) if n not in changes)


def changed_point(point: Point, changes: Mapping[str, object], hold: Hold | None = None) -> Point:
    """The point after the changes: first parts of the preset are exchanged, then values are set.

    Raises:
        ConstraintError, UnknownNameError, PresetError, UnitError, UnsolvableError: as `what_if`.
    """
    start, values = _start(point, changes)
    if hold and start is not point:
        raise PresetError("a held quantity goes with changed values, not with another preset")
    if hold:
        return held_point(start, values, hold)
    return start.set(**values) if values else start


def breakages(point: Point, changes: Mapping[str, object]) -> list[Breakage]:
    """Everything that stands against a change, each with the nearest values that work; empty where nothing does.

    Raises:
        UnknownNameError, PresetError, UnitError: as `Point.set`.
    """
    try:
        start, values = _start(point, changes)
    except ConstraintError as error:
        return [Breakage("preset", str(error))]
    trial = start.trial(**values)
    found = [Breakage(b.name, f"{b.says}{nearest_valid(trial, b)}") for b in broken_constraints(trial)]
    return found + [Breakage(name, says) for name in values if (says := _stray(start, name, values[name]))]


def _stray(point: Point, name: str, value: object) -> str:
    """Why a value is none that the name may have at all; nothing where it is."""
    given = point.trial(**{name: value}).given.get(name)
    return "" if given is None else stray(point.book, name, given.value)


def _start(point: Point, changes: Mapping[str, object]) -> tuple[Point, dict[str, object]]:
    """The point with the parts of its preset exchanged, and the changes that are values."""
    parts = {n: str(v) for n, v in changes.items() if _is_part(point, n)}
    values = {n: v for n, v in changes.items() if n not in parts}
    return (_exchanged(point, parts) if parts else point), values


def _exchanged(point: Point, parts: Mapping[str, str]) -> Point:
    book = point.book
    if "preset" in parts and len(parts) > 1:
        raise PresetError("change the whole preset or parts of it, not both")
    if "preset" in parts:
        moved = book.at(parts["preset"])
        return moved.set(**point.overrides) if point.overrides else moved
    files = [name for name in parts.values() if name.endswith(".toml") or "/" in name]
    for kind, name in parts.items():
        if name not in files:
            book.presets.read(kind, name)
    named = {**dict(zip(KINDS, point.parts, strict=True)), **{k: n for k, n in parts.items() if n not in files}}
    # A file is laid over the parts that stay; what it does not give is theirs.
    return _laid_over(point, book.at("+".join([*(named[k] for k in KINDS), *files])))


def _laid_over(point: Point, moved: Point) -> Point:
    """A composition of parts, with what this point has beyond its own parts: a preset's own values, and what was set."""
    plain = point.book.at("+".join(point.parts))
    # A named set may choose otherwise for another model.
    if sets := {n: v for n, v in point.overrides.items() if n in point.book.named_sets}:
        plain, moved = plain.set(**sets), moved.set(**sets)
    own: dict[str, object] = {n: g.value for n, g in point.given.items() if _given(plain, n) != g.value}
    own |= {n: c for n, c in point.choices.items() if plain.choices[n] != c}
    own = {n: v for n, v in own.items() if n in moved.book.declared}
    return moved.set(**own) if own else moved


def _effect(before: Point, after: Point, name: str, changed: tuple[str, ...]) -> Effect:
    return Effect(name, _value(before, name), _value(after, name), after, changed)


def _value(point: Point, name: str) -> Scalar | None:
    if name not in point.book.declared:
        return None
    try:
        return point.evaluator.value(name)
    except (MissingValueError, EvaluationError):
        return None


def _given(point: Point, name: str) -> object:
    return point.given[name].value if name in point.given else None


def _words(point: Point, name: str) -> str:
    """What a name stands for at a point, as a reader wrote it or would."""
    if name in point.choices:
        return point.choices[name]
    if name not in point.book.whole.declared:
        return point.preset if name == "preset" else dict(zip(KINDS, point.parts, strict=True))[name]
    if name not in point.book.declared:
        return "none"
    try:
        return point[name].display
    except SymroofError:
        return "no value"
