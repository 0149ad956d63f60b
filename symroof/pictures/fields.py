"""What the keys of a table in book.toml may hold: a kind of value for each, which says what is wrong with another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from symroof.errors import did_you_mean

# What is wrong with a value, to stand behind its key; empty where nothing is.
Field: TypeAlias = Callable[[object], str]


def text(value: object) -> str:
    """A text: a word, a formula, a name."""
    return "" if isinstance(value, str) else f" is a text, not {value!r}"


def texts(value: object) -> str:
    """A list of texts."""
    return "" if isinstance(value, list) and all(isinstance(v, str) for v in value) else f" is a list of texts, not {value!r}"


def labels(value: object) -> str:
    """A table of texts."""
    right = isinstance(value, dict) and all(isinstance(v, str) for v in value.values())
    return "" if right else f" is a table of texts, not {value!r}"


def values(value: object) -> str:
    """A table of values that somebody sets."""
    return "" if isinstance(value, dict) else f" is a table of values, not {value!r}"


def record(required: Mapping[str, Field], optional: Mapping[str, Field] | None = None) -> Field:
    """A table with keys of its own."""
    return lambda value: _wrong(value, required, optional or {})


def records(required: Mapping[str, Field], optional: Mapping[str, Field] | None = None, *either: tuple[str, ...]) -> Field:
    """A list of tables with keys of their own; where some keys stand for others, one of the groups of them."""

    def wrong(value: object) -> str:
        if not isinstance(value, list):
            return f" is a list of tables, not {value!r}"
        found = (_wrong(entry, required, optional or {}) or _lacking(entry, either) for entry in value)
        return next((f" {number}{says}" for number, says in enumerate(found, 1) if says), "")

    return wrong


def _wrong(value: object, required: Mapping[str, Field], optional: Mapping[str, Field]) -> str:
    if not isinstance(value, dict):
        return f" is a table, not {value!r}"
    says = wrong_with(value, {**required}, {**optional})
    return f": {says}" if says else ""


def _lacking(value: object, either: tuple[tuple[str, ...], ...]) -> str:
    given = value.keys() if isinstance(value, dict) else set()
    if not either or any(given >= {*group} for group in either):
        return ""
    return f": no {', or '.join(' and '.join(group) for group in either)}"


def wrong_with(table: Mapping[str, object], required: Mapping[str, Field], optional: Mapping[str, Field]) -> str:
    """What is wrong with a table: a key that it may not have, one that it lacks, or a value of another kind."""
    known = {**required, **optional}
    for key in table:
        if key not in known:
            return f"unknown key {key!r}{did_you_mean(key, known)}"
    for key in sorted(required.keys() - table.keys()):
        return f"no {key}"
    return next((f"{key}{says}" for key, value in table.items() if (says := known[key](value))), "")
