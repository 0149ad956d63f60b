"""Which named set of conventions is in force, and what does each of them choose?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.preset import read_choices

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point


def governed_by(book: Book, name: str) -> frozenset[str]:
    """The conventions that a setting chooses of: those of a kind of named sets, or the convention itself."""
    if name not in book.named_sets:
        return frozenset((name,))
    return book.named_sets[name].governed


def sets_of(point: Point, title: str) -> dict[str, dict[str, str]]:
    """Each named set of a kind with all choices that are in force under it; what a reader set by its own name stays as it is."""
    kept = {c: point.choices[c] for c in point.overrides if c in point.choices}
    return {
        name: {**point.choices, **read_choices(point.book, title, name), **kept} for name in point.book.named_sets[title].sets
    }


def unchecked(point: Point, title: str, name: str) -> str | None:
    """What a reader must know where a named set meets a model at which it was not held against its tool's own code."""
    rules = point.book.named_sets[title].sets[name]
    if rules.covers(point.model):
        return None
    return f"{title} = {name} has the rules for {rules.kinds}; it was not checked for {point.model}"


def shortest(point: Point, conventions: list[str]) -> dict[str, str]:
    """The choices in force of some conventions; those that a named set makes together stand as the set."""
    found: dict[str, str] = {}
    rest = list(conventions)
    for title in point.book.named_sets:
        governed = [c for c in rest if c in governed_by(point.book, title)]
        name = set_in_force(point, title)
        if name is not None and len(governed) > 1:
            found[title] = name
            chosen = read_choices(point.book, title, name)
            rest = [c for c in rest if c not in governed or point.choices[c] != chosen[c]]
    return found | {c: point.choices[c] for c in rest}


def set_in_force(point: Point, title: str) -> str | None:
    """The named set that a reader chose, else the first whose choices are all in force; None where none is.

    Who chose a convention by its own name is told of the convention, not of a set that happens to have it.
    """
    asked = point.overrides.get(title)
    if asked is not None or governed_by(point.book, title) & point.overrides.keys():
        return asked
    fitting = (
        name
        for name in point.book.named_sets[title].sets
        if all(point.choices[c] == choice for c, choice in read_choices(point.book, title, name).items())
    )
    return next(fitting, None)
