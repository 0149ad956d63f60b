"""`list`: which quantities does the book have?"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, point_of
from symroof.answers.shapes import ListAnswer, Listed
from symroof.terminal import bold, dim, plain_symbol, table

if TYPE_CHECKING:
    from symroof.book import Book, Chapter


def answer(options: Namespace) -> Answer:
    """The quantities of the book, or of one chapter of it."""
    book = point_of(options).book
    chapters = book.numbered if options.chapter is None else (book.chapter(options.chapter),)
    data: ListAnswer = {"quantities": [_listed(book, c, n) for c in chapters for n in c.names if n in book.quantities]}
    return Answer(dict(data), lambda: _text(book, chapters, data))


def _listed(book: Book, chapter: Chapter, name: str) -> Listed:
    quantity = book.quantities[name]
    return {
        "name": name,
        "symbol": quantity.latex or rf"\mathrm{{{name}}}",
        "unit": quantity.unit,
        "chapter": chapter.name,
        "says": quantity.says.partition("\n")[0],
    }


def _text(book: Book, chapters: tuple[Chapter, ...], data: ListAnswer) -> str:
    rows = [(q["name"], plain_symbol(q["symbol"], q["name"]), q["unit"], q["says"]) for q in data["quantities"]]
    lines = iter(table(rows, (None, None, dim, None), indent="  "))
    found: list[str] = []
    for chapter in chapters:
        found.append(bold(f"{book.number(chapter)} {chapter.name}") + f": {chapter.title}")
        found += [next(lines) for q in data["quantities"] if q["chapter"] == chapter.name]
        found.append("")
    return "\n".join(found[:-1])
