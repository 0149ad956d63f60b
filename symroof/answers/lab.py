"""`lab`: write the interactive page of a book, or say whether it is current."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from symroof.answers.answer import Answer
from symroof.answers.shapes import Lab
from symroof.book import load
from symroof.errors import RequestError
from symroof.terminal import bold


def answer(options: Namespace) -> Answer:
    """The page, written; with --check, whether the file is the page that the book makes, and status 1 where it is not."""
    from symroof.lab.html import lab_page
    from symroof.wholefile import write_text

    for option, given in (("-p", options.preset), ("--set", options.settings)):
        if given:
            raise RequestError(f"lab takes no {option}: the page has every preset, and its address the settings")
    book, path = load(options.book), Path(options.output)
    page = lab_page(book)
    data: Lab = {"file": str(path), "bytes": len(page.encode()), "current": True}
    if options.check:
        data["current"] = path.is_file() and path.read_bytes() == page.encode()
        return Answer(dict(data), lambda: _checked(data), (), 0 if data["current"] else 1)
    write_text(path, page)
    return Answer(dict(data), lambda: f"{bold(str(path))}: {data['bytes']:,} bytes")


def _checked(data: Lab) -> str:
    return f"{data['file']}: {'current' if data['current'] else 'not current: write it with `symroof lab`'}"
