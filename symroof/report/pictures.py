"""The pictures of a report: where each stands, which files it has, and how they are painted while the text is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, SymroofError
from symroof.pictures import Picture, pictures_of
from symroof.pictures.declare import declared
from symroof.pictures.painter import gathered

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point

# What each format of a report shows, and the formats whose pictures are files beside it; HTML has its own inside.
FORMS = {"md": "svg", "tex": "pdf", "html": "svg", "pdf": "pdf"}
FILED = ("md", "tex")


@dataclass(frozen=True, slots=True)
class PictureReport:
    """A picture in its chapter (none is the page that sums up); without a picture, `caption` is why there is none here."""

    name: str
    title: str
    chapter: str
    caption: str
    alt: str
    picture: Picture | None


def report_pictures(
    point: Point, chapters: Iterable[str] | None = None, drawn: Mapping[str, Picture | SymroofError] | None = None
) -> tuple[PictureReport, ...]:
    """The pictures of a report on all chapters or on some; those of no chapter are part of a whole report only.

    Args:
        point: what the report is of.
        chapters: their names or numbers.
        drawn: the pictures by name, as `symroof.pictures.painter.gathered` gives them, where somebody gathered them already.

    Raises:
        BookError: book.toml declares one that cannot be read. UnknownNameError: there is no such chapter.
    """
    names, tables = names_of_pictures(point, chapters), declared(point.book)
    found = gathered(point, names) if drawn is None else drawn
    return tuple(_picture(name, tables[name], found[name]) for name in names)


def names_of_pictures(point: Point, chapters: Iterable[str] | None = None) -> tuple[str, ...]:
    """The names of the pictures that `report_pictures` gives.

    Raises:
        BookError, UnknownNameError: as there.
    """
    shown = None if chapters is None else {point.book.chapter(c).name for c in chapters}
    tables = declared(point.book)
    return tuple(n for n in pictures_of(point) if shown is None or tables[n].get("chapter", "") in shown)


def _picture(name: str, table: Mapping[str, Any], found: Picture | SymroofError) -> PictureReport:
    title, chapter = table["title"], table.get("chapter", "")
    if isinstance(found, BookError):
        raise found
    if isinstance(found, SymroofError):
        return PictureReport(name, title, chapter, str(found), "", None)
    return PictureReport(name, title, chapter, found.caption, found.alt, found)


def has_pictures(book: Book) -> bool:
    """True where a book declares pictures at all."""
    return bool(book.about.get("pictures"))


def painted(pictures: Iterable[PictureReport], forms: Iterable[tuple[str, str, bytes]]) -> tuple[PictureReport, ...]:
    """The same pictures holding what has been painted of them: triples of name, form and bytes."""
    found: dict[str, dict[str, bytes]] = {}
    for name, form, data in forms:
        found.setdefault(name, {})[form] = data
    return tuple(
        p if p.picture is None else replace(p, picture=replace(p.picture, painted=found.get(p.name, {}))) for p in pictures
    )
