"""A config.json as its publisher wrote it: read whole or refused, each key found by its path, each number whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from symroof.errors import RequestError

# A published configuration has a few kilobytes; those that list every quantized tensor have a few hundred.
LARGEST_FILE = 4 * 1024 * 1024
# Beyond every width, vocabulary and number of layers that anybody published.
LARGEST_NUMBER = 10**9
LARGEST_LAYERS = 10_000
_LONGEST_DIGITS = 40
_SHOWN = 60


class ConfigError(RequestError):
    """A configuration that cannot be read, lacks a key, or says what the book has no place for."""


class MissingKeyError(ConfigError):
    """A configuration that lacks a key."""


@dataclass(frozen=True, slots=True)
class Inexact:
    """A number with a decimal point or an exponent, as the file has it: no count is one."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Config:
    """The keys of a configuration, or of the table in it that `within` names.

    A key is a path of names with dots between, from that table or, after a slash, from the whole file. `spellings` has what
    else a key may be called: all that a file has must say the same.
    """

    file: str
    root: Mapping[str, Any]
    data: Mapping[str, Any]
    spellings: Mapping[str, Sequence[str]]
    within: str = ""

    def inside(self, key: str) -> Config:
        """The table that a key has.

        Raises:
            MissingKeyError: the file has none. ConfigError: it is no table.
        """
        value = self.get(key)
        if value is None:
            raise self.missing(key)
        if not isinstance(value, dict):
            raise self.error(f"{self.shown(key)} = {shown_value(value)} is no table")
        return replace(self, data=value, within=self.shown(key))

    def shown(self, key: str) -> str:
        """A key as a reader finds it in the file."""
        return key[1:] if key.startswith("/") else f"{self.within}.{key}" if self.within else key

    def spelling(self, key: str) -> str:
        """The spelling of a key that the file has; the key itself where it has none."""
        return next((s for s in self._spelled(key) if self._at(s) is not None), key)

    def has(self, key: str) -> bool:
        """True where the file gives the key and not as null."""
        return self.get(key) is not None

    def get(self, key: str) -> Any:
        """The value of a key; None where it is missing or null.

        Raises:
            ConfigError: two spellings of the key say different things.
        """
        found = [(s, v) for s in self._spelled(key) if (v := self._at(s)) is not None]
        for spelled, value in found[1:]:
            if not _same(value, found[0][1]):
                one, other = (f"{self.shown(s)} = {shown_value(v)}" for s, v in (found[0], (spelled, value)))
                raise self.error(f"{one} and {other} say different things")
        return found[0][1] if found else None

    def whole(self, key: str) -> int:
        """The whole number of a key.

        Raises:
            MissingKeyError: the file has none. ConfigError: it is no whole number, or none that a model has.
        """
        value = self.get(key)
        if value is None:
            raise self.missing(key)
        return self.count(key, value)

    def count(self, key: str, value: Any) -> int:
        """A value of a key as a whole number.

        Raises:
            ConfigError: it is none, or none that a model has.
        """
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.error(f"{self.shown(self.spelling(key))} = {shown_value(value)} is no whole number")
        if not 0 <= value <= LARGEST_NUMBER:
            wanted = f"a number from 0 to {LARGEST_NUMBER:,}"
            raise self.error(f"{self.shown(self.spelling(key))} = {shown_value(value)} is not {wanted}")
        return value

    def listed(self, key: str) -> list[Any]:
        """The list of a key, no longer than a model has layers.

        Raises:
            MissingKeyError: the file has none. ConfigError: it is no list, or too long for one of layers.
        """
        value = self.get(key)
        if value is None:
            raise self.missing(key)
        if not isinstance(value, list):
            raise self.error(f"{self.shown(self.spelling(key))} = {shown_value(value)} is no list")
        if len(value) > LARGEST_LAYERS:
            raise self.error(f"{self.shown(self.spelling(key))} has {len(value):,} entries, a model at most {LARGEST_LAYERS:,}")
        return value

    def error(self, says: str) -> ConfigError:
        """An error that names the file."""
        return ConfigError(f"{self.file}: {says}")

    def missing(self, key: str) -> MissingKeyError:
        """The error of a key that is not there, or null."""
        null = next((s for s in self._spelled(key) if s in self.data), None)
        if null is not None:
            return MissingKeyError(f"{self.file}: {self.shown(null)} is null")
        others = self.spellings.get(key, ())
        spelled = f", and so is {' and '.join(map(self.shown, others))}" if others else ""
        return MissingKeyError(f"{self.file}: {self.shown(key)} is missing{spelled}")

    def _spelled(self, key: str) -> tuple[str, ...]:
        return (key, *self.spellings.get(key, ()))

    def _at(self, key: str) -> Any:
        found: Any = self.root if key.startswith("/") else self.data
        for name in key.removeprefix("/").split("."):
            found = found.get(name) if isinstance(found, dict) else None
        return found


def read_config(path: str | Path) -> Mapping[str, Any]:
    """The object that a config.json holds.

    Raises:
        ConfigError: it is no file, too large, or as `parse_config` says.
    """
    return parse_config(_bytes(Path(path)), str(path))


def parse_config(data: bytes, file: str) -> Mapping[str, Any]:
    """The object that the bytes of a file hold.

    Raises:
        ConfigError: they are not UTF-8, not JSON, or no object; the message says which and where.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{file}: not UTF-8, at byte {error.start:,}") from None
    try:
        found = json.loads(
            text, object_pairs_hook=_object, parse_int=_integer, parse_float=Inexact, parse_constant=_refuse_constant
        )
    except json.JSONDecodeError as error:
        raise ConfigError(f"{file}:{error.lineno}: not JSON: {error.msg[:1].lower()}{error.msg[1:]}") from None
    except RecursionError:
        raise ConfigError(f"{file}: no configuration that anybody published: nested too deep") from None
    except ConfigError as error:
        raise ConfigError(f"{file}: {error}") from None
    if not isinstance(found, dict):
        raise ConfigError(f"{file}: no configuration: it holds {shown_value(found)} instead of keys with values")
    return found


def shown_value(value: Any) -> str:
    """A value of the file as a message shows it: as JSON has it, and short."""
    text = str(value) if isinstance(value, Inexact) else _dumped(value)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _dumped(value: Any) -> str:
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, list):
        return "an empty list" if not value else f"a list of {len(value):,}"
    return json.dumps(value)


def _bytes(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        raise ConfigError(f"{path}: cannot be read: {reason.lower()}") from None
    if len(data) > LARGEST_FILE:
        raise ConfigError(f"{path}: larger than any configuration: at most {LARGEST_FILE:,} bytes")
    return data


def _object(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ConfigError(f"key {shown_value(key)} is given twice in one table")
        found[key] = value
    return found


def _integer(text: str) -> int:
    if len(text) > _LONGEST_DIGITS:
        raise ConfigError(f"no configuration that anybody published: a number of {len(text):,} digits")
    return int(text)


def _refuse_constant(text: str) -> Any:
    raise ConfigError(f"not JSON: {text} is no number")


def _same(one: Any, other: Any) -> bool:
    return type(one) is type(other) and bool(one == other)
