"""The pictures that a book declares, and the way from a name to a picture.

A `[[pictures]]` table of book.toml has a `name`, a `kind`, a `title`, what its kind asks for, and perhaps

    chapter = "roofs"                 # where a report shows it; left out, on the page that sums up
    says = "..."                      # what the book has to add to the caption
    at = { rows = 4 }                 # values that are set before

Each kind is a module of this package, whose docstring says what belongs into its table. A picture of names that the model of a
point lacks is not one of its pictures.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, ExpressionError, UnitError, UnknownNameError, did_you_mean
from symroof.pictures import fields
from symroof.pictures.picture import Picture, Shown
from symroof.pictures.reading import has, names_of

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point

KINDS = ("roofline", "stack", "composition", "elasticity", "curves", "regimes", "schedule", "steps")
_REQUIRED = {"name": fields.text, "kind": fields.text, "title": fields.text}
_OPTIONAL = {"chapter": fields.text, "says": fields.text, "at": fields.values}


def pictures_of(point: Point) -> tuple[str, ...]:
    """The names of the pictures that a point has, in the order of the book.

    Raises:
        BookError: a table of book.toml that declares no picture.
    """
    return tuple(name for name, table in declared(point.book).items() if _kind(table).wanted(point, table))


def draw(point: Point, name: str) -> Picture:
    """A picture of a point, gathered and not yet painted.

    Raises:
        UnknownNameError: the book declares no such picture, or the model of the point lacks what it shows.
        BookError: its table cannot be read. MissingValueError, EvaluationError, ConstraintError: it cannot be at this point.
    """
    tables = declared(point.book)
    if name not in tables:
        hint = did_you_mean(name, tables) or (f"; pictures are {', '.join(tables)}" if tables else "")
        raise UnknownNameError(f"no picture {name!r}{hint}")
    table = tables[name]
    kind = _kind(table)
    if not kind.wanted(point, table):
        lacking = [n for f in kind.formulas(table) for n in names_of(f) if not has(point.book, n)]
        raise UnknownNameError(
            f"picture {name} shows {', '.join(dict.fromkeys(lacking))}, which {point.label} does not have; "
            f"its pictures are {', '.join(pictures_of(point)) or 'none'}"
        )
    there = point.set(**table["at"]) if "at" in table else point
    try:
        found: Shown = kind.gather(there, table)
    except (ExpressionError, UnitError) as error:
        raise BookError(f"{_where(point.book, name)}: {error}") from None
    says = f" {table['says']}" if "says" in table else ""
    return Picture(
        name, table["title"], f"{found.says}{says} At {there.label}.", f"{found.alt} At {there.label}.", table.get("chapter", ""),
        found.scene,
    )  # fmt: skip


def declared(book: Book) -> dict[str, Mapping[str, Any]]:
    """The tables of a book's pictures by name, every key of them known, with a value of its kind.

    Raises:
        BookError: an unknown kind, key, name or chapter, a key that is left out, a value of another kind, or a name that is
            used twice.
    """
    found: dict[str, Mapping[str, Any]] = {}
    tables = book.about.get("pictures", [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise BookError(f"{book.folder.name}/book.toml: pictures are tables, each [[pictures]]")
    for table in tables:
        name = str(table.get("name", "?"))
        where = _where(book, name)
        if name in found:
            raise BookError(f"{where}: there is another one of this name")
        _check(book, table, where)
        found[name] = table
    return found


def _check(book: Book, table: Mapping[str, Any], where: str) -> None:
    kind = table.get("kind", "")
    if says := fields.text(kind):
        raise BookError(f"{where}: kind{says}")
    if kind not in KINDS:
        raise BookError(f"{where}: no kind {kind!r}{did_you_mean(kind, KINDS) or '; kinds are ' + ', '.join(KINDS)}")
    module = _kind(table)
    if says := fields.wrong_with(table, _REQUIRED | module.REQUIRED, _OPTIONAL | module.OPTIONAL):
        raise BookError(f"{where}: {says}")
    if not table["name"].replace("-", "_").isidentifier():
        raise BookError(f"{where}: a name is of letters, digits, - and _, as it becomes a file's")
    _check_names(book, module.formulas, table, where)
    if "chapter" in table and table["chapter"] not in (names := [c.name for c in book.numbered]):
        raise BookError(f"{where}: no chapter {table['chapter']!r}{did_you_mean(table['chapter'], names)}")


def _check_names(book: Book, formulas: Callable[[Mapping[str, Any]], list[str]], table: Mapping[str, Any], where: str) -> None:
    """Refuse a name that the book has for no model, which would leave the picture out of every report without a word."""
    try:
        for name in (name for formula in formulas(table) for name in names_of(formula)):
            book.whole.known(name)
    except UnknownNameError as error:
        raise BookError(f"{where}: {error}") from None


def _kind(table: Mapping[str, Any]) -> ModuleType:
    return importlib.import_module(f"symroof.pictures.{table['kind']}")


def _where(book: Book, name: str) -> str:
    return f"{book.folder.name}/book.toml: picture {name!r}"
