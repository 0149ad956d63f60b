"""`presets`: which models, machines and runs are there, and what do they say?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Mapping
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, point_of
from symroof.answers.shapes import GivenValue, PointAnswer, PresetAnswer, PresetsAnswer, number
from symroof.humane import humane
from symroof.preset import KINDS, Given
from symroof.terminal import bold, dim, fields, table

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point


def answer(options: Namespace) -> Answer:
    """All presets with what they say, or the values of the one that is named."""
    point = point_of(options)
    data: PresetsAnswer = {
        "aliases": _presets(point.book, None),
        "models": _presets(point.book, "model"),
        "machines": _presets(point.book, "machine"),
        "runs": _presets(point.book, "run"),
        "point": _point(point),
    }
    if options.preset is None and not options.settings:
        return Answer(dict(data), lambda: _overview(point.book, data))
    return Answer(dict(data), lambda: _named(options.preset, data))


def _presets(book: Book, kind: str | None) -> list[PresetAnswer]:
    return [_preset(book, kind, name) for name in book.presets.names(kind)]


def _preset(book: Book, kind: str | None, name: str) -> PresetAnswer:
    found = book.presets.read(kind, name)
    return {
        "name": name,
        "says": found.says,
        "parts": {k: found.parts[k] for k in KINDS if k in found.parts},
        "values": _values(book, found.values),
        "conventions": dict(found.choices),
    }


def _point(point: Point) -> PointAnswer:
    return {
        "preset": point.preset,
        "set": dict(point.overrides),
        "values": _values(point.book, point.given),
        "conventions": dict(point.choices),
    }


def _values(book: Book, given: Mapping[str, Given]) -> dict[str, GivenValue]:
    """The values in the order in which the book declares their names."""
    return {n: _value(book.whole, n, given[n]) for n in (*book.whole.symbols, *book.whole.quantities) if n in given}


def _value(book: Book, name: str, given: Given) -> GivenValue:
    unit = book.declaration(name).unit
    listed = isinstance(given.value, tuple)
    entries = given.value if isinstance(given.value, tuple) else (given.value,)
    return {
        "value": [int(e) for e in entries] if listed else number(entries[0]),
        "exact": None if listed else str(entries[0]),
        "unit": unit,
        "display": f"{', '.join(map(str, entries))} {unit}" if listed else humane(entries[0], unit),
        "source": given.source,
        "note": given.note,
        "preset": given.origin,
    }


def _overview(book: Book, data: PresetsAnswer) -> str:
    groups = [("aliases", data["aliases"]), ("models", data["models"]), ("machines", data["machines"]), ("runs", data["runs"])]
    rows = [(p["name"], _about(book, p)) for _, presets in groups for p in presets]
    lines = iter(table(rows, indent="  "))
    found: list[str] = []
    for title, presets in groups:
        found += [bold(title), *(next(lines) for _ in presets), ""]
    return "\n".join(found[:-1])


def _about(book: Book, preset: PresetAnswer) -> str:
    parts = f" = {' + '.join(preset['parts'].values())}" if preset["parts"] else ""
    return f"{preset['says']}{parts}{' (default)' if preset['name'] == book.default else ''}"


def _named(name: str | None, data: PresetsAnswer) -> str:
    """The one preset: a part by itself, a composition with the values of all its parts."""
    parts = [*data["models"], *data["machines"], *data["runs"]]
    part = next((p for p in parts if p["name"] == name and not data["point"]["set"]), None)
    if part is not None:
        return "\n".join([f"{bold(part['name'])}: {part['says']}", *_rows(part["values"]), *_choices(part["conventions"])])
    point = data["point"]
    head = " ".join([bold(point["preset"]), *(f"{n}={v}" for n, v in point["set"].items())])
    return "\n".join([head, *_rows(point["values"]), *_choices(point["conventions"])])


def _rows(values: Mapping[str, GivenValue]) -> list[str]:
    rows = [(n, v["display"], f"{v['source']}; {v['note']}" if v["note"] else v["source"]) for n, v in values.items()]
    return table(rows, (None, bold, dim), indent="  ") if rows else []


def _choices(conventions: Mapping[str, str]) -> list[str]:
    return ["", "conventions", *fields(list(conventions.items()))] if conventions else []
