"""Presets: TOML files with exact values, units and sources; a point of the book is model + machine + run.

    says = "NVIDIA GB200 NVL72"
    source = "vendor's page"                # of every value below that names no other
    base = "another-of-the-same-kind"       # optional: values not given here come from there
    caution = "what a reader must know"     # optional: printed beside every value
    blocks = ["moe", "mla"]                 # of a model: what it has of what models may have
    usual_run = "64-gpu-4k"                 # of a model that the book's default run does not fit

    [values]
    EP = 64
    nvlink_bandwidth = { value = "900 GB/s", source = "...", note = "..." }

    [conventions]
    dispatch = "per_rank"                   # or a named set of choices: estimator = "torchtitan"

A file directly in presets/, or one that a path names, may also compose: model = "...", machine = "...", run = "...". The base
of a file outside the book is one beside it, or any preset of the book; one that says blocks is a model itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.errors import PresetError, UnitError, UnknownNameError, did_you_mean
from symroof.literal import read_list, read_value, within_reason

if TYPE_CHECKING:
    from symroof.book import Book

KINDS = ("model", "machine", "run")
_HEAD = ("says", "source", "base", "caution", "blocks", "usual_run", "values", "conventions", *KINDS)
_VALUE = ("value", "source", "note")


@dataclass(frozen=True, slots=True)
class Given:
    """A value as it came in: exact, with its source and the preset that gave it."""

    value: Fraction | tuple[Fraction, ...]
    source: str
    origin: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Preset:
    """One file: what it says, the values and choices it gives, and what it builds on."""

    name: str
    kind: str
    says: str
    values: Mapping[str, Given]
    choices: Mapping[str, str]
    parts: Mapping[str, str] = field(default_factory=dict)
    cautions: tuple[str, ...] = ()
    blocks: tuple[str, ...] | None = None
    usual_run: str = ""


@dataclass(frozen=True, slots=True)
class Composition:
    """What a preset comes to: the values, choices and blocks of its parts, and what to be careful about."""

    name: str
    given: Mapping[str, Given]
    choices: Mapping[str, str]
    parts: tuple[str, ...]
    cautions: tuple[str, ...]
    blocks: tuple[str, ...]


class Presets:
    """The presets of a book, read when they are asked for."""

    def __init__(self, folder: Path, book: Book) -> None:
        self.folder, self._book = folder, book
        # Files as they were read, while they are what they were: points of a report are composed of the same few.
        self._read: dict[tuple[Path, str], tuple[tuple[int, int] | None, Preset, str | None]] = {}

    def names(self, kind: str | None) -> list[str]:
        """The names of a kind of preset; with None, the aliases."""
        return sorted(f.stem for f in (self.folder / f"{kind}s" if kind else self.folder).glob("*.toml"))

    def read(self, kind: str | None, name: str) -> Preset:
        """One model, machine, run or (with None) alias, what it builds on included.

        Raises:
            UnknownNameError: there is none of that name.
            PresetError: its file is broken; the message has the file and, where TOML tells it, the line.
        """
        if name not in self.names(kind):
            raise self._unknown(name)
        return self._file(self.folder / (f"{kind}s" if kind else "") / f"{name}.toml", kind or "preset", ())

    def compose(self, name: str) -> Composition:
        """What a name comes to: an alias, a part by its name, a path to a TOML file, or several of them joined by `+`.

        Raises:
            UnknownNameError: no preset of that name, with the nearest.
            PresetError: a file is broken, or two parts are of the same kind.
        """
        whole = self._whole(name)
        parts = [self.read(kind, whole.parts[kind]) for kind in KINDS if kind in whole.parts] + [whole]
        given: dict[str, Given] = {}
        choices, blocks = {n: c.default for n, c in self._book.conventions.items()}, self._blocks(whole.name, parts)
        for part in parts:
            given = self._over(given, part.values)
            for said, choice in part.choices.items():
                choices.update(read_choices(self._book, said, choice, blocks))
        cautions = dict.fromkeys(c for part in parts for c in part.cautions)
        named = tuple(whole.parts[k] for k in KINDS if k in whole.parts)
        return Composition(whole.name, given, choices, named, tuple(cautions), blocks)

    def _blocks(self, name: str, parts: Sequence[Preset]) -> tuple[str, ...]:
        """The blocks of the model: the last part that names any says them all."""
        said = [part.blocks for part in parts if part.blocks is not None]
        if not said and self._book.blocks:
            raise PresetError(f"preset {name}: its model says no blocks; write blocks = [...], of {', '.join(self._book.blocks)}")
        return said[-1] if said else ()

    def _whole(self, name: str) -> Preset:
        """A composed preset: the default, with what each piece of the name gives laid over it."""
        pieces = [name] if name in self.names(None) or Path(name).is_file() else name.split("+")
        for kind in KINDS:
            named = [p for p in pieces if self._kind(p) == kind]
            if len(named) > 1:
                raise PresetError(f"preset {name!r} names two {kind}s: {named[0]} and {named[1]}")
        found = [self._piece(p) for p in pieces]
        called = found[0].name if len(found) == 1 else name
        default, usual = self.read(None, self._book.default).parts, self._usual_run(found)
        parts = {**default, **usual}
        if any(p.blocks is not None for p in found):
            # A file that says blocks is a model itself, and needs none under it.
            parts.pop("model", None)
        said = (f"at run {usual['run']}: {default['run']}, the default, does not fit this model",) if usual else ()
        return reduce(self._laid, found, Preset(called, "preset", name, {}, {}, parts, said))

    def _usual_run(self, pieces: Iterable[Preset]) -> dict[str, str]:
        """The run of a model that is named without one and does not fit the default run."""
        pieces = tuple(pieces)
        named = {kind: part for piece in pieces for kind, part in piece.parts.items()}
        models = [*pieces, *([self.read("model", named["model"])] if "model" in named else [])]
        usual = next((m.usual_run for m in models if m.usual_run), "")
        return {"run": usual} if usual and "run" not in named else {}

    def _kind(self, piece: str) -> str | None:
        """The kind of part that a name stands for; None for an alias, a path and for what is neither."""
        return None if piece in self.names(None) else next((k for k in KINDS if piece in self.names(k)), None)

    def _piece(self, piece: str) -> Preset:
        if piece.endswith(".toml") or "/" in piece:
            if not Path(piece).is_file():
                raise PresetError(f"{piece}: {'not a file' if Path(piece).exists() else 'no such file'}")
            found = self._file(Path(piece), "preset", ())
            if not (found.values or found.choices or found.parts):
                raise PresetError(f"{piece}: gives nothing: neither values nor conventions nor parts")
            return found
        if piece in self.names(None):
            return self.read(None, piece)
        kind = self._kind(piece)
        if not piece:
            usual = self.read(None, self._book.default).parts
            raise PresetError(f"a preset has no name: write names joined by +, such as {'+'.join(usual.values())}")
        if kind is None:
            raise self._unknown(piece)
        return Preset(piece, "preset", piece, {}, {}, {kind: piece})

    def _laid(self, under: Preset, over: Preset) -> Preset:
        """One preset with another laid over it; the name stays that of the lower one."""
        values = self._over(under.values, over.values)
        # A named set takes back what was said under it of any convention that it governs.
        taken = {c for n in over.choices if n in self._book.named_sets for c in (n, *self._book.named_sets[n].governed)}
        choices = {n: c for n, c in under.choices.items() if n not in taken} | dict(over.choices)
        parts = {**under.parts, **over.parts}
        return Preset(
            under.name,
            under.kind,
            over.says,
            values,
            choices,
            parts,
            (*under.cautions, *over.cautions),
            under.blocks if over.blocks is None else over.blocks,
            over.usual_run or under.usual_run,
        )

    def _unknown(self, name: str) -> UnknownNameError:
        known = [n for k in (None, *KINDS) for n in self.names(k)]
        return UnknownNameError(f"no preset {name!r}{did_you_mean(name, known) or '; presets are ' + ', '.join(known)}")

    def _file(self, path: Path, kind: str, seen: tuple[str, ...]) -> Preset:
        """A file, laid over what it builds on."""
        state, found, base = self._read.get((path, kind), (None, None, None))
        if found is None or state != _state(path):
            # Its state is taken before it is read: whoever writes it meanwhile is seen the next time.
            state = _state(path)
            found, base = self._alone(path, kind)
            self._read[path, kind] = state, found, base
        return found if base is None else self._laid(self._base(base, path, kind, (*seen, path.stem)), found)

    def _alone(self, path: Path, kind: str) -> tuple[Preset, str | None]:
        """A file without what it builds on, and the name of that."""
        shown = self._shown(path)
        data = _toml(path, shown)
        for key in data:
            if key not in _HEAD:
                raise PresetError(f"{shown}{_line(path, key)}: unknown key {key!r}{did_you_mean(key, _HEAD)}")
        source = data.get("source", "")
        values = {n: self._given(path, shown, n, v, source) for n, v in _table(data, "values", shown).items()}
        choices = self._choices(path, shown, _table(data, "conventions", shown))
        self._refuse_both(values, path, shown)
        parts = self._parts(data, kind, path, shown)
        cautions = (str(data["caution"]),) if "caution" in data else ()
        says, blocks = str(data.get("says", path.stem)), self._blocks_said(data, kind, path, shown)
        found = Preset(path.stem, kind, says, values, choices, parts, cautions, blocks, self._run_said(data, kind, path, shown))
        return found, str(data["base"]) if "base" in data else None

    def _base(self, base: str, path: Path, kind: str, seen: tuple[str, ...]) -> Preset:
        """What a file builds on, under the name of the file."""
        if "/" in base:
            raise PresetError(f"{self._shown(path)}{_line(path, 'base')}: base = {base!r} must be the name of a preset")
        if base in seen:
            raise PresetError(f"{self._shown(path)}: base goes round in a circle: {' -> '.join((*seen, base))}")
        beside = path.parent / f"{base}.toml"
        if beside.is_file():
            under = self._file(beside, kind, seen)
        elif kind == "preset" and (found := next((k for k in (None, *KINDS) if base in self.names(k)), "")) != "":
            under = self.read(found, base)
        else:
            raise PresetError(f"{self._shown(path)}{_line(path, 'base')}: no {kind} {base!r} beside it to build on")
        return replace(under, name=path.stem, kind=kind)

    def _over(self, older: Mapping[str, Given], newer: Mapping[str, Given]) -> dict[str, Given]:
        """Older values with newer ones laid over them.

        A list and what stands in for it are two ways to say one thing: the newer one says it.
        """
        replaced = {r for n in newer for r in self._book.rivals(n)}
        return {**{n: g for n, g in older.items() if n not in replaced}, **newer}

    def _refuse_both(self, values: Mapping[str, Given], path: Path, shown: str) -> None:
        for name in values:
            for rival in self._book.rivals(name):
                if rival in values:
                    raise PresetError(f"{shown}{_line(path, rival)}: give {name} or {rival}, not both")

    def _parts(self, data: Mapping[str, Any], kind: str, path: Path, shown: str) -> dict[str, str]:
        parts = {k: data[k] for k in KINDS if k in data}
        for part, name in parts.items():
            where = f"{shown}{_line(path, part)}"
            if kind != "preset":
                raise PresetError(f"{where}: a {kind} names no {part}: a file directly in presets/ composes them")
            if name not in self.names(part):
                raise PresetError(f"{where}: no {part} {name!r}{did_you_mean(str(name), self.names(part))}")
        return parts

    def _given(self, path: Path, shown: str, name: str, entry: Any, source: str) -> Given:
        try:
            return self._value(path, name, entry, source)
        except (PresetError, UnitError, UnknownNameError) as error:
            raise type(error)(f"{shown}{_line(path, name)}: {error}") from None

    def _value(self, path: Path, name: str, entry: Any, source: str) -> Given:
        fields = entry if isinstance(entry, dict) else {"value": entry}
        for key in fields:
            if key not in _VALUE:
                raise PresetError(f"{name}: unknown field {key!r}{did_you_mean(key, _VALUE)}")
        if "value" not in fields:
            raise PresetError(f"{name} has no value")
        source = fields.get("source", source)
        if not isinstance(source, str) or not isinstance(fields.get("note", ""), str):
            raise PresetError(f"{name}: source and note are texts")
        if not source:
            raise PresetError(f"{name} has no source, and the file has none for all")
        if name not in self._book.symbols and name not in self._book.quantities:
            known = [*self._book.symbols, *self._book.quantities]
            raise UnknownNameError(f"no symbol {name!r}{did_you_mean(name, known)}")
        return Given(exact(self._book, name, fields["value"]), source, path.stem, fields.get("note", ""))

    def _choices(self, path: Path, shown: str, said: Mapping[str, Any]) -> dict[str, str]:
        """The choices of a file as it says them, sets of them first, so that what a file says by name is said last."""
        found = {name: str(said[name]) for name in sorted(said, key=lambda n: n not in self._book.named_sets)}
        for name, choice in found.items():
            try:
                read_choices(self._book, name, choice)
            except UnknownNameError as error:
                raise UnknownNameError(f"{shown}{_line(path, name)}: {error}") from None
        return found

    def _blocks_said(self, data: Mapping[str, Any], kind: str, path: Path, shown: str) -> tuple[str, ...] | None:
        if (said := data.get("blocks")) is None:
            return None
        where = f"{shown}{_line(path, 'blocks')}"
        if kind not in ("model", "preset"):
            raise PresetError(f"{where}: a {kind} has no blocks: a model has")
        if not isinstance(said, list):
            raise PresetError(f"{where}: blocks is a list of names, of {', '.join(self._book.blocks)}")
        for name in said:
            if name not in self._book.blocks:
                raise PresetError(f"{where}: no block {name!r}{did_you_mean(str(name), self._book.blocks)}")
        return tuple(said)

    def _run_said(self, data: Mapping[str, Any], kind: str, path: Path, shown: str) -> str:
        said = data.get("usual_run", "")
        if said and (kind not in ("model", "preset") or said not in self.names("run")):
            reason = (
                f"no run {said!r}{did_you_mean(str(said), self.names('run'))}"
                if kind in ("model", "preset")
                else f"a {kind} has no usual run"
            )
            raise PresetError(f"{shown}{_line(path, 'usual_run')}: {reason}")
        return str(said)

    def _shown(self, path: Path) -> str:
        try:
            return str(path.relative_to(self.folder.parent.parent))
        except ValueError:
            return str(path)


def exact(book: Book, name: str, value: object) -> Fraction | tuple[Fraction, ...]:
    """A value given for a symbol or a quantity, exact and in base units.

    Raises:
        PresetError: it is no value of that name. UnitError: its unit is another's.
    """
    declaration = book.declaration(name)
    if name in book.symbols and book.symbols[name].is_list:
        entries = value if isinstance(value, list | tuple) else read_list(name, str(value), declaration.unit)
        return tuple(read_value(name, str(e), declaration.unit) for e in entries)
    if isinstance(value, bool | list | tuple | dict):
        raise PresetError(f"{name} = {value!r} is no number")
    if isinstance(value, float):
        raise PresetError(f"{name} = {value!r} is a float, which is not exact: write a text such as '{value!r}' or a Fraction")
    if declaration.unit == "name":
        raise PresetError(f"{name} names something: it cannot be set")
    if isinstance(value, int | Fraction) or (isinstance(value, Decimal) and value.is_finite()):
        return within_reason(name, value)
    return read_value(name, str(value), declaration.unit)


def read_choices(book: Book, name: str, choice: str, blocks: Collection[str] | None = None) -> dict[str, str]:
    """The choices that one setting makes: of a convention, or of every convention that a named set has a choice of.

    Args:
        blocks: those of the model that it is made for; by default those of the book.

    Raises:
        UnknownNameError: there is no such convention or named set, or it has no such choice.
    """
    if name not in book.named_sets:
        return {name: read_choice(book, name, choice)}
    known = book.named_sets[name].sets
    if choice not in known:
        raise UnknownNameError(f"{name} has no {choice!r}{did_you_mean(choice, known) or ';'} it has {', '.join(known)}")
    # What a set does not name is as it is by default, whatever was chosen before.
    made, governed = known[choice].choices_for(book.blocks if blocks is None else blocks), book.named_sets[name].governed
    return {c: made.get(c, book.whole.conventions[c].default) for c in book.conventions if c in governed}


def read_choice(book: Book, name: str, choice: str) -> str:
    """A choice of a convention.

    Raises:
        UnknownNameError: there is no such convention, or it has no such choice.
    """
    if name not in book.conventions:
        if name in book.whole.conventions:
            raise UnknownNameError(f"convention {name} is about what this model lacks")
        raise UnknownNameError(f"no convention {name!r}{did_you_mean(name, [*book.conventions, *book.named_sets])}")
    known = book.conventions[name].choices
    if choice not in known:
        raise UnknownNameError(f"convention {name} has no choice {choice!r}; it has {', '.join(known)}")
    return choice


def _state(path: Path) -> tuple[int, int] | None:
    """What tells that a file is another one than before; None where there is none to be read."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _toml(path: Path, shown: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise PresetError(f"{shown}: not TOML: {error}") from None
    except RecursionError:
        raise PresetError(f"{shown}: not TOML that anybody wrote: nested too deep") from None
    except (OSError, UnicodeDecodeError) as error:
        raise PresetError(f"{shown}: {error}") from None
    except ValueError as error:
        raise PresetError(f"{shown}: not TOML that anybody wrote: {error}") from None


def _table(data: Mapping[str, Any], key: str, shown: str) -> Mapping[str, Any]:
    table = data.get(key, {})
    if not isinstance(table, dict):
        raise PresetError(f"{shown}: {key} must be a table, [{key}]")
    return table


def _line(path: Path, key: str) -> str:
    """`:line` of the first line that gives a key or opens its table, so that a message can point there."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if re.match(rf"""\s*(["']?{re.escape(key)}["']?\s*=|\[{re.escape(key)}\])""", line):
            return f":{number}"
    return ""
