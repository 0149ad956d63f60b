"""A published configuration, and the preset of a book that it becomes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof import __version__
from symroof.errors import did_you_mean
from symroof.importing.config import Config, read_config, shown_value
from symroof.importing.reader import Found, Reader
from symroof.importing.rules import Imports, ModelType, read_imports
from symroof.passes.admit import broken_constraints
from symroof.point import Point
from symroof.preset import Given

if TYPE_CHECKING:
    from symroof.book import Book


@dataclass(frozen=True, slots=True)
class Imported:
    """What a configuration came to: blocks with their reasons, values with their keys, and what a reader must know."""

    file: str
    model_type: str
    says: str
    blocks: Mapping[str, str]
    values: Mapping[str, Found]
    cautions: tuple[str, ...]


class Importer:
    """Makes presets of one book out of published configurations, by the rules of its imports.toml."""

    def __init__(self, book: Book) -> None:
        """Read the book's rules.

        Raises:
            BookError: the book has none, or they are broken.
        """
        self.book = book
        self.rules: Imports = read_imports(book)

    def read(self, path: str | Path) -> Imported:
        """Import a file.

        Raises:
            ConfigError: the file cannot be read, is of an unknown architecture, or lacks or contradicts what the model needs.
        """
        return self.convert(read_config(path), str(path))

    def convert(self, data: Mapping[str, Any], file: str) -> Imported:
        """Import the keys of a file.

        Raises:
            ConfigError: as `read`.
        """
        config = Config(file, data, data, self.rules.spellings)
        kind = self._model_type(config)
        reader = Reader(config.inside(kind.inside) if kind.inside else config, kind, self.book)
        blocks = reader.blocks()
        values = reader.values(blocks)
        self._refuse_broken(config, blocks, values)
        cautions = tuple(f"{key} is left out: {why}" for key, why in kind.leaves_out.items() if config.has(key))
        return Imported(file, kind.name, kind.says, blocks, values, cautions)

    def _model_type(self, config: Config) -> ModelType:
        name = config.get("model_type")
        known = self.rules.model_types
        if name is None:
            raise config.missing("model_type")
        if not isinstance(name, str) or name not in known:
            hint = did_you_mean(name, known) if isinstance(name, str) and len(name) < 100 else ""
            raise config.error(f"model_type = {shown_value(name)} is unknown{hint or '; known are ' + ', '.join(known)}")
        self._refuse_class(config)
        return known[name]

    def _refuse_class(self, config: Config) -> None:
        """A class without an LM head, or with another head, has other parameters than the book counts."""
        classes = config.get("architectures")
        for name in classes if isinstance(classes, list) else [] if classes is None else [classes]:
            if not isinstance(name, str) or not name.endswith(self.rules.classes):
                endings = " or ".join(self.rules.classes)
                raise config.error(f"architectures has {shown_value(name)}, which is no class that ends with {endings}")

    def _refuse_broken(self, config: Config, blocks: Mapping[str, str], values: Mapping[str, Found]) -> None:
        """Refuse numbers that do not fit together, whatever the run."""
        broken = next(broken_constraints(Point(self.book.having(blocks), "model", _given(values), {})), None)
        if broken is not None:
            named = [(n, f) for n, f in values.items() if n in broken.says.split()]
            keys = ", ".join(f"{n} is from {f.says}{f', {f.note}' if f.note else ''}" for n, f in named)
            raise config.error(f"{broken.says}{f' ({keys})' if keys else ''}")

    def on_a_run(self, found: Imported) -> tuple[str, Point | None]:
        """The run that a model needs to be named, none where the default fits, and the model on it.

        No run and no point where it fits none of those that the rules try.
        """
        book = self.book.having(found.blocks)
        for name, given in self._runs.items():
            known = {n: g for n, g in given.items() if n in book.symbols or n in book.quantities}
            choices = {n: c.default for n, c in book.conventions.items()}
            point = Point(book, "config.json", {**known, **_given(found.values)}, choices)
            if point.admissible:
                return name, point
        return "", None

    @cached_property
    def _runs(self) -> dict[str, dict[str, Given]]:
        """What the default machine and each run give; the default run's name is empty."""
        presets = self.book.presets
        parts = presets.read(None, self.book.default).parts
        machine = presets.read("machine", parts["machine"]).values if "machine" in parts else {}
        runs = {**({"": parts["run"]} if "run" in parts else {}), **{n: n for n in self.rules.usual_runs}}
        return {shown: {**machine, **presets.read("run", run).values} for shown, run in runs.items()}


def preset_text(found: Imported, usual_run: str = "") -> str:
    """The TOML of a preset in which each value names the key that it came from, with the run that it needs."""
    name = Path(found.file).name
    lines = [
        f"# From {_comment(name)} by `symroof model import`, symroof {__version__}: a value's source is the key that has it.",
        f"says = {_quoted(f'{found.says} as {name} has it')}",
        f"source = {_quoted(name)}",
        *([f"usual_run = {_quoted(usual_run)}"] if usual_run else []),
        *([f"caution = {_quoted('; '.join(found.cautions))}"] if found.cautions else []),
        f"blocks = [{', '.join(map(_quoted, found.blocks))}]",
        *(f"# {block}: {_comment(reason)}" for block, reason in found.blocks.items()),
        "",
        "[values]",
        *(_value(symbol, value, name) for symbol, value in found.values.items()),
    ]
    return "\n".join(lines) + "\n"


def _given(values: Mapping[str, Found]) -> dict[str, Given]:
    return {n: Given(Fraction(f.value), f.says, "config.json", f.note) for n, f in values.items()}


def _value(symbol: str, found: Found, file: str) -> str:
    note = f", note = {_quoted(found.note)}" if found.note else ""
    source = f"{file}: {found.says}" if found.keyed else found.says
    return f"{symbol} = {{ value = {found.value}, source = {_quoted(source)}{note} }}"


def _quoted(text: str) -> str:
    """A text as a TOML string, all in ASCII; what TOML cannot escape as JSON does becomes a question mark."""
    return json.dumps("".join("?" if c == "\x7f" or "\ud800" <= c < "\ue000" or c > "\uffff" else c for c in text))


def _comment(text: str) -> str:
    return _quoted(text)[1:-1]
