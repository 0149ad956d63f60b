"""The lab as one HTML file that needs nothing else: data, printed lines, scripts and styles, the same bytes for the same book."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING

from symroof import __version__
from symroof.lab.bundle import FOLDER, bundle, code
from symroof.lab.contents import contents
from symroof.report.html import script_hash
from symroof.report.template import TEMPLATES

if TYPE_CHECKING:
    from symroof.book import Book


def lab_page(book: Book) -> str:
    """The page of a book.

    Raises:
        BookError: the table `[lab]` of book.toml is missing, or names something that the book has not.
        SymroofError: math-core is not installed.
    """
    data, slots, predicates = contents(book)
    script = bundle("page.js", code(slots, predicates))
    styles = (TEMPLATES / "tokens.css").read_text(encoding="utf-8") + (FOLDER / "lab.css").read_text(encoding="utf-8")
    page = (FOLDER / "lab.html").read_text(encoding="utf-8")
    parts = {
        "hash": f"sha256-{script_hash(script)}",
        "title": escape(book.title),
        "sketch": escape(book.about["lab"].get("sketch", "")),
        "version": __version__,
        "styles": styles,
        # No `<` in the data ends its element.
        "data": json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        "script": script,
    }
    first, *rest = page.split("{{")
    return first + "".join(parts[name] + text for name, _, text in (piece.partition("}}") for piece in rest))
