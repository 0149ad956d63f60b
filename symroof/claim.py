"""Figures that somebody stated, as data: claims, which a derivation must reproduce, and measurements, which it is set beside."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, SymroofError, did_you_mean

if TYPE_CHECKING:
    from symroof.book import Book

_CLAIM = ("says", "quantity", "place", "at", "at_each", "expect", "expect_ratio_to", "within", "origin")
_MEASUREMENT = ("name", "says", "source", "preset", "at", "variants", "shows", "facts", "caution", "chapter")


@dataclass(frozen=True, slots=True)
class Claim:
    """A stated figure of one quantity: where it stands, at which values, and how exactly it must be met.

    `expect` has one figure, or as many as `at_each` has values. `within` is a relative tolerance, None for exact. Where
    `ratio_to` is given, the figure is the quantity at `at` over the quantity there. `origin` says whether the text states
    the figure or it was computed from what the text states.
    """

    says: str
    quantity: str
    place: str
    origin: str
    at: Mapping[str, object]
    at_each: Mapping[str, tuple[object, ...]]
    expect: tuple[Fraction, ...]
    ratio_to: Mapping[str, object] | None
    within: Fraction | None


@dataclass(frozen=True, slots=True)
class Measurement:
    """A measured run: what was run, by whom it was published, and the quantities of the book to set beside it."""

    name: str
    says: str
    source: str
    chapter: str
    preset: str | None
    at: Mapping[str, object]
    variants: tuple[Mapping[str, object], ...]
    shows: tuple[str, ...]
    facts: Mapping[str, str]
    caution: str


def read_claims(file: Path, book: Book) -> tuple[Claim, ...]:
    """The claims of a file, none where it does not exist.

    Raises:
        BookError: the file is broken, or a claim is about a name that the book does not have.
    """
    return tuple(_claim(entry, file, book) for entry in _entries(file, "claim", _CLAIM))


def read_measurements(file: Path, book: Book) -> tuple[Measurement, ...]:
    """The measured runs of a file, none where it does not exist.

    Raises:
        BookError: the file is broken, or a measurement shows a name that the book does not have.
    """
    return tuple(_measurement(entry, file, book) for entry in _entries(file, "measurement", _MEASUREMENT))


def _claim(entry: Mapping[str, Any], file: Path, book: Book) -> Claim:
    where = f"{_shown(file)}: claim {entry.get('says', '?')!r}"
    for key in ("says", "quantity", "expect", "place"):
        if key not in entry:
            raise BookError(f"{where}: no {key}")
    expect = entry["expect"] if isinstance(entry["expect"], list) else [entry["expect"]]
    return Claim(
        says=entry["says"],
        quantity=_known(entry["quantity"], book, where),
        place=entry["place"],
        origin=entry.get("origin", "stated"),
        at=_values(entry.get("at", {})),
        at_each={k: tuple(_values(dict(enumerate(v))).values()) for k, v in entry.get("at_each", {}).items()},
        expect=tuple(_figure(e, where, "expect") for e in expect),
        ratio_to=_values(entry["expect_ratio_to"]) if "expect_ratio_to" in entry else None,
        within=_figure(entry["within"], where, "within") if "within" in entry else None,
    )


def _measurement(entry: Mapping[str, Any], file: Path, book: Book) -> Measurement:
    where = f"{_shown(file)}: measurement {entry.get('name', '?')!r}"
    for key in ("name", "says", "source", "chapter"):
        if key not in entry:
            raise BookError(f"{where}: no {key}")
    return Measurement(
        name=entry["name"],
        says=entry["says"],
        source=entry["source"],
        chapter=entry["chapter"],
        preset=entry.get("preset"),
        at=_values(entry.get("at", {})),
        variants=tuple(_values(v) for v in entry.get("variants", [{}])),
        shows=tuple(_known(n, book, where) for n in entry.get("shows", [])),
        facts={k: str(v) for k, v in entry.get("facts", {}).items()},
        caution=entry.get("caution", ""),
    )


def _figure(value: Any, where: str, field: str) -> Fraction:
    try:
        return Fraction(value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise BookError(f"{where}: {field} = {value!r} is no number") from None


def _known(name: str, book: Book, where: str) -> str:
    try:
        return book.known(name)
    except SymroofError as error:
        raise BookError(f"{where}: {error}") from None


def _values(table: Mapping[Any, Any]) -> dict[Any, object]:
    """Values as `Point.set` takes them: a decimal of the file stays exact."""
    return {k: Fraction(v) if isinstance(v, Decimal) else v for k, v in table.items()}


def _entries(file: Path, key: str, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    if not file.is_file():
        return []
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BookError(f"{_shown(file)}: {error}") from None
    entries = data.get(key, [])
    if not isinstance(entries, list) or not all(isinstance(e, dict) for e in entries):
        raise BookError(f"{_shown(file)}: {key} must be a list of tables, [[{key}]]")
    for entry in entries:
        for field in entry:
            if field not in fields:
                raise BookError(f"{_shown(file)}: {key}: unknown field {field!r}{did_you_mean(field, fields)}")
    return list(entries)


def _shown(file: Path) -> str:
    return f"{file.parent.name}/{file.name}"
