"""Pictures gathered and painted for a report: what `symroof.beside` asks for, in this order.

A picture that stands in a folder as it would be painted is taken from there, and where all do Matplotlib is not loaded.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from symroof.errors import SymroofError
from symroof.pictures.declare import draw
from symroof.pictures.picture import Picture, standing

if TYPE_CHECKING:
    from symroof.point import Point

# What was painted of a picture: its name, the form, the bytes.
Painted = tuple[str, str, bytes]


@lru_cache(1)
def gathered(point: Point, names: tuple[str, ...]) -> dict[str, Picture | SymroofError]:
    """Pictures by name, not yet painted, or why there is none."""
    return {name: _drawn(point, name) for name in names}


def painted(point: Point, names: tuple[str, ...], forms: tuple[str, ...], folder: Path | None) -> list[Painted]:
    """All of these pictures that there are, in some forms, of `svg` and `pdf`.

    Args:
        point: what they are of.
        names: the pictures.
        forms: the forms, in the order in which they come.
        folder: where some may stand already, as `<name>.<form>`.

    Raises:
        RequestError: one has to be painted, and Matplotlib is not installed.
    """
    pictures = [p for p in gathered(point, names).values() if isinstance(p, Picture)]
    return [(p.name, form, data) for p in pictures for form, data in _forms(p, forms, folder).items()]


def _drawn(point: Point, name: str) -> Picture | SymroofError:
    try:
        return draw(point, name)
    except SymroofError as error:
        return error


def _forms(picture: Picture, forms: tuple[str, ...], folder: Path | None) -> dict[str, bytes]:
    found = {form: data for form in forms if (data := standing(picture, form, folder)) is not None}
    found |= picture.forms([form for form in forms if form not in found])
    return {form: found[form] for form in forms}
