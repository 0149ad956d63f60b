"""Figures that somebody stated, as data: claims, which a derivation must reproduce, and measurements, which it is set beside."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, PresetError, SymroofError, did_you_mean
from symroof.literal import read_value, within_reason

if TYPE_CHECKING:
    from symroof.book import Book

_CLAIM = ("says", "quantity", "place", "preset", "at", "at_each", "expect", "expect_ratio_to", "printed", "within", "origin")
_ORIGINS = ("stated", "computed")
# A decimal, its places, its exponent and its unit.
_DIGITS = re.compile(r"([\d_]+)(?:\.(\d+))?(?:e(\d+))?\s*(\S.*)?$")
_MEASUREMENT = ("name", "says", "source", "preset", "at", "variants", "shows", "facts", "caution", "chapter")


@dataclass(frozen=True, slots=True)
class Printed:
    """A rounded figure as a text prints it, its value in base units, and half a unit of its last digit."""

    text: str
    value: Fraction
    half: Fraction

    def met(self, derived: Fraction) -> bool:
        """True where the derived figure rounds to this one."""
        return abs(derived - self.value) <= self.half


@dataclass(frozen=True, slots=True)
class Claim:
    """A stated figure of one quantity: where it stands, at which preset and values, and how exactly it must be met.

    It is about the book's default preset where `preset` is None.
    `expect` has one figure, or as many as `at_each` has values. Where the text rounds, `printed` is the figure as it prints it,
    which the derived one must round to. `within` is a relative tolerance, None for exact. Where
    `ratio_to` is given, the figure is the quantity at `at` over the quantity there. `origin` says whether the text states
    the figure or it was computed from what the text states.
    """

    says: str
    quantity: str
    place: str
    origin: str
    preset: str | None
    at: Mapping[str, object]
    at_each: Mapping[str, tuple[object, ...]]
    expect: tuple[Fraction, ...]
    ratio_to: Mapping[str, object] | None
    printed: Printed | None
    within: Fraction | None

    def met(self, expect: Fraction, derived: Fraction) -> bool:
        """True where a derived figure is the expected one, exactly or within the tolerance, and rounds to the printed one."""
        close = abs(derived - expect) <= (self.within or 0) * abs(expect)
        return close and (self.printed is None or self.printed.met(derived))


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
    return tuple(_claim(entry, file, book) for entry in entries(file, "claim", _CLAIM))


def read_measurements(file: Path, book: Book) -> tuple[Measurement, ...]:
    """The measured runs of a file, none where it does not exist.

    Raises:
        BookError: the file is broken, or a measurement shows a name that the book does not have.
    """
    return tuple(_measurement(entry, file, book) for entry in entries(file, "measurement", _MEASUREMENT))


def _claim(entry: Mapping[str, Any], file: Path, book: Book) -> Claim:
    where = f"{_shown(file)}: claim {entry.get('says', '?')!r}"
    for key in ("says", "quantity", "expect", "place"):
        if key not in entry:
            raise BookError(f"{where}: no {key}")
    expect = entry["expect"] if isinstance(entry["expect"], list) else [entry["expect"]]
    origin = entry.get("origin", "stated")
    if origin not in _ORIGINS:
        raise BookError(f"{where}: origin = {origin!r} is none of {', '.join(_ORIGINS)}")
    quantity = _known(entry["quantity"], book, where)
    preset = entry.get("preset")
    if preset is not None and not any(preset in book.presets.names(kind) for kind in (None, "model")):
        raise BookError(f"{where}: no preset or model {preset!r}")
    return Claim(
        says=entry["says"],
        quantity=quantity,
        place=entry["place"],
        origin=origin,
        preset=preset,
        at=_values(entry.get("at", {})),
        at_each={k: tuple(_values(dict(enumerate(v))).values()) for k, v in entry.get("at_each", {}).items()},
        expect=tuple(_expected(e, book, quantity, where) for e in expect),
        printed=_printed(str(entry["printed"]), book, quantity, where) if "printed" in entry else None,
        ratio_to=_values(entry["expect_ratio_to"]) if "expect_ratio_to" in entry else None,
        within=_tolerance(entry["within"], where) if "within" in entry else None,
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
        if isinstance(value, bool) or (isinstance(value, Decimal) and not value.is_finite()):
            raise TypeError
        return within_reason(field, value)
    except PresetError as error:
        raise BookError(f"{where}: {error}") from None
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise BookError(f"{where}: {field} = {value!r} is no number") from None


def _tolerance(value: Any, where: str) -> Fraction:
    within = _figure(value, where, "within")
    if within < 0:
        raise BookError(f"{where}: within = {value} is negative")
    return within


def _expected(value: Any, book: Book, quantity: str, where: str) -> Fraction:
    """An expected figure: a number in base units, or a text with a unit, as on the command line."""
    if not isinstance(value, str):
        return _figure(value, where, "expect")
    try:
        return read_value(quantity, value, book.declaration(quantity).unit)
    except SymroofError as error:
        raise BookError(f"{where}: expect: {error}") from None


def _printed(text: str, book: Book, quantity: str, where: str) -> Printed:
    match = _DIGITS.match(text.strip())
    if match is None:
        raise BookError(f"{where}: printed = {text!r} is no figure")
    places = len(match[2] or "") - int(match[3] or 0)
    try:
        value = read_value(quantity, text, book.declaration(quantity).unit)
        unit = read_value(quantity, f"1 {match[4]}" if match[4] else "1", book.declaration(quantity).unit)
    except SymroofError as error:
        raise BookError(f"{where}: printed: {error}") from None
    return Printed(text, value, unit / Fraction(10) ** places / 2)


def _known(name: str, book: Book, where: str) -> str:
    try:
        return book.known(name)
    except SymroofError as error:
        raise BookError(f"{where}: {error}") from None


def _values(table: Mapping[Any, Any]) -> dict[Any, object]:
    """Values as `Point.set` takes them: a decimal of the file stays exact."""
    return {k: Fraction(v) if isinstance(v, Decimal) else v for k, v in table.items()}


def entries(file: Path, key: str, fields: tuple[str, ...]) -> list[dict[str, Any]]:
    """The tables of a data file that go by one key; none where there is no such file.

    Raises:
        BookError: it is not TOML, or a table has a field of another name.
    """
    if not file.is_file():
        return []
    try:
        data = tomllib.loads(file.read_text(encoding="utf-8"), parse_float=Decimal)
    except (ValueError, OSError, RecursionError) as error:
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
