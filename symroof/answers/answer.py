"""What an answer is, and the point of the book that a request is about."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.book import load
from symroof.errors import RequestError
from symroof.passes.sets import set_in_force, unchecked

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.result import Result


# A number without a unit.
_BARE = re.compile(r"[\d._eE+/ -]+")


@dataclass(frozen=True, slots=True)
class Answer:
    """Data for JSON, the text made of it, messages that go beside it, and the exit status."""

    data: Mapping[str, object]
    text: Callable[[], str]
    notes: tuple[str, ...] = ()
    status: int = 0


def point_of(options: Namespace) -> Point:
    """The book, at the preset and with the settings that a request names.

    Raises:
        SymroofError: the book, the preset or a setting cannot be used.
    """
    return load(options.book).at(options.preset, **settings(options.settings))


def notes_of(options: Namespace, point: Point) -> tuple[str, ...]:
    """What a reader must know of a point: cautions of its preset and of named sets, and in which unit a bare number was read."""
    found = [f"{point.preset}: {caution}" for caution in point.cautions]
    in_force = {title: set_in_force(point, title) for title in point.book.named_sets}
    found += notes_of_sets(point, {(title, name) for title, name in in_force.items() if name is not None})
    for name, text in settings(options.settings).items():
        declared = point.book.symbols.get(name) or point.book.quantities.get(name)
        if declared is not None and str(point.book.dimension(name)) != "1" and _BARE.fullmatch(text):
            found.append(f"{name} = {text} was read as {text} {declared.unit}")
    return tuple(found)


def notes_of_sets(point: Point, named: Iterable[tuple[str, str]]) -> list[str]:
    """What a reader must know of named sets that are named to him."""
    return [note for title, name in dict.fromkeys(named) if (note := unchecked(point, title, name)) is not None]


def settings(texts: list[str]) -> dict[str, str]:
    """The settings of a command line, name -> value, as they were given.

    Raises:
        RequestError: a text that is no setting, or a name that is set twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, value = assignment(text, f"--set {text!r} is no setting: write --set NAME=VALUE")
        if name in found:
            raise RequestError(f"--set {name} is given twice: {found[name]} and {value}")
        found[name] = value
    return found


def assignment(text: str, wrong: str) -> tuple[str, str]:
    """The name and the value of `NAME=VALUE`.

    Raises:
        RequestError: one of them is missing; `wrong` says so.
    """
    name, _, value = (part.strip() for part in text.partition("="))
    if not (name and value):
        raise RequestError(wrong)
    return name, value


def result_of(point: Point, name: str) -> Result:
    """A quantity or symbol of a request.

    Raises:
        RequestError: the name is a convention's, or that of named sets. UnknownNameError: the book has no such name.
    """
    if name in point.book.conventions:
        choices = ", ".join(point.book.conventions[name].choices)
        raise RequestError(f"{name} is a convention, not a quantity: choose with --set {name}=..., one of {choices}")
    if name in point.book.named_sets:
        sets = ", ".join(point.book.named_sets[name].sets)
        raise RequestError(f"{name} stands for sets of conventions: choose with --set {name}=..., one of {sets}")
    return point[name]


def split(text: str | None, option: str) -> list[str] | None:
    """The names of an option that takes a list, `a,b`; None where it was not given.

    Raises:
        RequestError: the list has an empty entry.
    """
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise RequestError(f"{option} {text!r} is no list: write names between commas, such as {option} a,b")
    return names
