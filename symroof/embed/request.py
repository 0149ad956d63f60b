"""What a marker asks for, read from its text: a kind, names, a unit or digits, and the preset and settings that it is about.

step_time in ms to 3 digits at EP=32
formula payload_bytes
closed form remote_copies in EP
substituted step_time at k3-gb200-4k EP=32
table step_time in ms, MFU in %
what if EP=32 of payload_bytes in GiB, step_time
plot roofline
define \\steptime = step_time in ms; \\mfu = MFU in %
document at k3-gb200-4k EP=32
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from symroof.embed.marker import LONGEST
from symroof.errors import RequestError

_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_PICTURE = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)
_SPACE = re.compile(r"\s+")
_AT = re.compile(r"(?:^|\s)at(?:\s|$)")
_VALUE = re.compile(
    r"(?:value (?:of )?)?(?P<name>[A-Za-z_]\w*)(?: in (?P<unit>\S.*?))??"
    r"(?: to (?P<digits>\d{1,3}) digits?)?(?P<exactly> exactly)?(?P<bare> without unit)?",
    re.ASCII,
)
_FREE = re.compile(r"(?P<name>[A-Za-z_]\w*)(?: in (?P<free>.+))?", re.ASCII)
_WHATIF = re.compile(r"(?P<changes>\S.*?) of (?P<of>\S.*)")
_DEFINE = re.compile(r"(?P<label>\\[A-Za-z]+|\|[^|\s](?:[^|]*[^|\s])?\|)\s*=\s*(?P<request>\S.*)", re.DOTALL)
_MOST_DIGITS = 30
_KINDS = (
    "a marker asks for a quantity (step_time in ms to 3 digits), formula NAME, closed form NAME in SYMBOLS, substituted NAME, "
    "table NAME, NAME, what if NAME=VALUE of NAME, plot NAME, or define LABEL = ...; `at PRESET NAME=VALUE` may follow"
)


@dataclass(frozen=True, slots=True)
class Where:
    """The preset and settings that something is about; None and nothing where it does not say."""

    preset: str | None = None
    settings: tuple[tuple[str, str], ...] = ()

    def over(self, under: Where) -> Where:
        """This laid over what holds without it: one that names a preset starts anew, else its settings join those there."""
        if self.preset is not None:
            return self
        return Where(under.preset, tuple({**dict(under.settings), **dict(self.settings)}.items()))


def local(where: Where, folder: Path) -> Where:
    """The same, with a preset that a path names looked for from a folder: that of the document which names it."""
    if where.preset is None or not where.preset.endswith(".toml"):
        return where
    return Where(str(folder / where.preset), where.settings)


@dataclass(frozen=True, slots=True)
class Value:
    """A value, in a unit of choice or the one that fits, to some digits, exactly, or as a number alone."""

    name: str
    unit: str | None = None
    digits: int | None = None
    exactly: bool = False
    bare: bool = False


@dataclass(frozen=True, slots=True)
class Formula:
    """A definition one level deep."""

    name: str


@dataclass(frozen=True, slots=True)
class Closed:
    """A closed form in the symbols of the presets, or in those that are named."""

    name: str
    free: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Substituted:
    """Symbol, formula, numbers and value in one line."""

    name: str


@dataclass(frozen=True, slots=True)
class Table:
    """A row for each of some quantities."""

    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Some quantities before and after a change."""

    changes: tuple[tuple[str, str], ...]
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, by its name."""

    name: str


@dataclass(frozen=True, slots=True)
class Define:
    """Names of the document's own, each with what it stands for."""

    items: tuple[tuple[str, Request], ...]


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for, and where."""

    ask: Value | Formula | Closed | Substituted | Table | WhatIf | Plot | Define
    where: Where = Where()


@lru_cache(maxsize=4096)
def read_request(text: str) -> Request:
    """What the text of a marker asks for.

    Raises:
        RequestError: it cannot be read; the message says what could stand there.
    """
    text = _tidy(text)
    head, _, rest = text.partition(" ")
    if head == "define":
        return Request(Define(tuple(_definition(part) for part in rest.split(";") if part.strip())))
    what, where = _split(text)
    head, _, rest = what.partition(" ")
    if head == "formula":
        return Request(Formula(_name(rest, "formula")), where)
    if head == "substituted":
        return Request(Substituted(_name(rest, "substituted")), where)
    if head == "plot":
        return Request(Plot(_name(rest, "plot", _PICTURE)), where)
    if head == "table":
        return Request(Table(_values(rest)), where)
    if what.startswith("closed form"):
        return Request(_closed(what.removeprefix("closed form").strip()), where)
    if what.startswith("what if"):
        return Request(_what_if(what.removeprefix("what if").strip()), where)
    return Request(_value(what), where)


@lru_cache(maxsize=1024)
def read_header(text: str) -> Where | None:
    """What a document says of all its markers, `document at ...`; None where the text is no such header.

    Raises:
        RequestError: it begins as one and cannot be read.
    """
    text = _tidy(text)
    if text.partition(" ")[0] != "document":
        return None
    what, where = _split(text)
    if what != "document":
        raise RequestError(f"a header is `document at PRESET NAME=VALUE`, not {_shown(text)}")
    return where


def _tidy(text: str) -> str:
    if len(text) > LONGEST:
        raise RequestError(f"a request has at most {LONGEST:,} characters: {_shown(text)} does not end")
    return _SPACE.sub(" ", text).strip()


def _split(text: str) -> tuple[str, Where]:
    """What is asked for, and where: the part behind the word `at`."""
    found = _AT.search(text)
    if found is None:
        return text, Where()
    return text[: found.start()].strip(), _where(text[found.end() :].strip())


def _where(text: str) -> Where:
    """A preset and settings; a word without `=` goes on with the value before it, as in `nvlink_bandwidth=50 GB/s`."""
    head, *more = text.split(" ")
    if not head:
        raise RequestError("`at` names a preset or settings, as in `at PRESET NAME=VALUE`")
    preset, words = (None, [head, *more]) if "=" in head else (head, more)
    return Where(preset, settings_of(" ".join(words)))


def settings_of(text: str) -> tuple[tuple[str, str], ...]:
    """Settings in words, `EP=32 nvlink_bandwidth=50 GB/s`.

    Raises:
        RequestError: a text that is none, or a name that is set twice.
    """
    found: dict[str, str] = {}
    last = ""
    for word in text.split():
        if word == "at":
            raise RequestError("`at` stands once: write all settings behind it, `at PRESET EP=32 M=4`")
        name, equals, value = word.partition("=")
        if equals:
            if not _NAME.fullmatch(name) or not value:
                raise RequestError(f"{_shown(word)} is no setting: write NAME=VALUE without spaces around =")
            if name in found:
                raise RequestError(f"{name} is set twice: {found[name]} and {value}")
            found[name], last = value, name
        elif last:
            found[last] += f" {word}"
        else:
            raise RequestError(f"{_shown(word)} is no setting: write NAME=VALUE")
    return tuple(found.items())


def _definition(text: str) -> tuple[str, Request]:
    found = _DEFINE.fullmatch(text.strip())
    if found is None:
        raise RequestError(
            rf"{_shown(text.strip())} defines nothing: write \name = step_time in LaTeX, |name| = step_time in reST"
        )
    request = read_request(found["request"])
    if isinstance(request.ask, Define | Table | Plot):
        raise RequestError(f"{found['label']} stands for a value or a formula, not for a table or a picture")
    return found["label"], request


def _value(text: str) -> Value:
    found = _VALUE.fullmatch(text)
    if found is None:
        raise RequestError(f"cannot read {_shown(text)}: {_KINDS}" if text else _KINDS)
    digits = int(found["digits"]) if found["digits"] else None
    if digits is not None and not 1 <= digits <= _MOST_DIGITS:
        raise RequestError(f"{found['name']} to {digits} digits: write a number from 1 to {_MOST_DIGITS}")
    if found["exactly"] and digits is not None:
        raise RequestError(f"{found['name']} is asked for exactly and to {digits} digits: write one of the two")
    return Value(found["name"], found["unit"], digits, bool(found["exactly"]), bool(found["bare"]))


def _values(text: str) -> tuple[Value, ...]:
    return tuple(_value(part.strip()) for part in text.split(","))


def _closed(text: str) -> Closed:
    found = _FREE.fullmatch(text)
    if found is None:
        raise RequestError(f"a closed form is of one quantity, `closed form NAME in SYMBOL, SYMBOL`, not of {_shown(text)}")
    free = tuple(_name(part.strip(), "closed form") for part in found["free"].split(",")) if found["free"] else ()
    return Closed(found["name"], free)


def _what_if(text: str) -> WhatIf:
    found = _WHATIF.fullmatch(text)
    if found is None:
        raise RequestError(f"cannot read {_shown(text)}: write `what if EP=32 of step_time, MFU`")
    return WhatIf(settings_of(found["changes"]), _values(found["of"]))


def _name(text: str, kind: str, known: re.Pattern[str] = _NAME) -> str:
    if not known.fullmatch(text):
        raise RequestError(f"`{kind}` takes one name of the book, not {_shown(text) if text else 'none'}")
    return text


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
