"""A document and its markers: which are current, stale, edited by hand or wrong, and what it is once they are filled."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from symroof.embed import html, latex, markdown, rest
from symroof.embed.dialect import DIALECTS
from symroof.embed.difference import Edit, apply, difference
from symroof.embed.files import Source, read_source
from symroof.embed.fill import Answer, Drawing, Filler
from symroof.embed.marker import Comment, Found, Marker, Trouble, checksum, filled_lines, lines_of, normal, paired
from symroof.embed.notebook import markdown_cells
from symroof.embed.request import Where, local, read_header
from symroof.errors import RequestError, SymroofError, did_you_mean

_READERS: dict[str, Callable[[str], Iterable[Comment]]] = {
    **dict.fromkeys((".md", ".markdown", ".mkd", ".qmd", ".rmd", ".myst"), markdown.comments),
    **dict.fromkeys((".rst", ".rest"), rest.comments),
    **dict.fromkeys((".tex", ".ltx", ".sty"), latex.comments),
    **dict.fromkeys((".html", ".htm", ".xhtml"), html.comments),
}
_NOTEBOOK = ".ipynb"
# More markers than this are a program's output, not a document.
_MOST = 10_000
# What a document without markers does not have; it is not looked into, whatever it is.
_WORDS = (b"symroof", "symroof".encode("utf-16-le"), "symroof".encode("utf-16-be"))
_CLOSING = re.compile(r"/symroof(\s+[0-9a-f]{8})?")
_NEWLINE = re.compile(r"\r\n|\n|\r")


class Place(NamedTuple):
    """A place of a document, counted from one, and what is to be said of it."""

    line: int
    column: int
    says: str


@dataclass(slots=True)
class Checked:
    """What was found in a document.

    Attributes:
        path: the document as it was named.
        source: what was read; None where it could not be.
        markers: how many it has.
        stale, edited, wrong: markers that are not what the book says, that somebody edited by hand, and that cannot be filled.
        data: the document with every stale marker filled. difference: what that changes.
        drawings: pictures beside it that are missing or stale, each with its marker.
    """

    path: Path
    source: Source | None = None
    markers: int = 0
    stale: list[Place] = field(default_factory=list)
    edited: list[Place] = field(default_factory=list)
    wrong: list[Place] = field(default_factory=list)
    data: bytes = b""
    difference: str = ""
    drawings: list[tuple[Place, Drawing]] = field(default_factory=list)

    @property
    def current(self) -> bool:
        """True where nothing is to be done."""
        return not (self.stale or self.edited or self.wrong)


class _Part(NamedTuple):
    """A stretch of a document that may have markers, and the way from it to the document."""

    text: str
    comments: Iterable[Comment]
    place: Callable[[int], int]
    edit: Callable[[int, int, str], tuple[int, int, str]]


def check_document(path: Path, filler: Filler, force: bool = False) -> Checked:
    """A document with its markers looked at; nothing is written.

    Args:
        path: the document; its ending says its format.
        filler: what answers its markers.
        force: fill also what somebody edited by hand.
    """
    found = Checked(path)
    try:
        reader = _reader(path)
        found.source = read_source(path)
        found.data = found.source.data
        if any(word in found.data for word in _WORDS):
            _Check(found, filler, force).run(reader)
    except SymroofError as error:
        found.wrong.append(Place(1, 1, str(error)))
    return found


def _reader(path: Path) -> Callable[[str], Iterable[Comment]] | None:
    """What finds the markers of a document; None for a notebook."""
    ending = path.suffix.lower()
    if ending == _NOTEBOOK:
        return None
    if ending not in _READERS and not path.is_dir():
        known = [*_READERS, _NOTEBOOK]
        raise RequestError(f"no format for {ending or 'no ending'}{did_you_mean(ending, known)}; embed reads {', '.join(known)}")
    return _READERS.get(ending)


class _Check:
    """The walk over the markers of one document."""

    def __init__(self, found: Checked, filler: Filler, force: bool) -> None:
        self._found, self._filler, self._force = found, filler, force
        # Where the document is behind links: there its pictures and presets are.
        self._path = found.source.path if found.source is not None else found.path
        self._text = ""
        self._edits: list[Edit] = []
        self._header = Where()

    def run(self, reader: Callable[[str], Iterable[Comment]] | None) -> None:
        """Look at every marker, and put together what the document becomes."""
        found = self._found
        self._text = _decoded(found.data)
        for part in self._parts(reader):
            self._part(part)
        found.wrong.sort()
        found.data = apply(self._text, self._edits).encode("utf-8")
        found.difference = difference(str(found.path), self._text, self._edits)

    def _parts(self, reader: Callable[[str], Iterable[Comment]] | None) -> Iterable[_Part]:
        if reader is None:
            if self._text.startswith("\ufeff"):
                raise RequestError("no notebook: it begins with a byte order mark, which JSON has not: save it without one")
            for cell in markdown_cells(self._text):
                yield _Part(cell.text, markdown.comments(cell.text, "notebook"), cell.place, cell.edit)
            return
        # A byte order mark is no part of the first line.
        mark = len(self._text) - len(self._text.removeprefix("\ufeff"))
        text = self._text[mark:]
        yield _Part(text, reader(text), lambda at: at + mark, lambda start, end, new: (start + mark, end + mark, new))

    def _part(self, part: _Part) -> None:
        found = paired(part.text, part.comments)
        for trouble in found.troubles:
            self._say(self._found.wrong, part, trouble)
        self._read_header(part, found)
        for marker in found.markers:
            self._found.markers += 1
            if self._found.markers > _MOST:
                self._say(self._found.wrong, part, Trouble(marker.start, f"more than {_MOST:,} markers: split the document"))
                return
            self._marker(part, marker)

    def _read_header(self, part: _Part, found: Found) -> None:
        if found.header is None:
            return
        at, request = found.header
        try:
            if self._header != Where():
                raise RequestError("the header `document at ...` stands once, before all markers")
            self._header = local(read_header(request) or Where(), self._path.parent)
        except SymroofError as error:
            self._say(self._found.wrong, part, Trouble(at, str(error)))

    def _marker(self, part: _Part, marker: Marker) -> None:
        try:
            answer = self._answer(marker)
        except SymroofError as error:
            self._say(self._found.wrong, part, Trouble(marker.start, str(error)))
            return
        there = part.text[marker.inner : marker.outer]
        fresh = self._fresh(part, marker, answer.text)
        sum_ = checksum(fresh, marker.style)
        same = there == fresh or (
            normal(there, marker.style) == normal(fresh, marker.style) and _same_lines(there, fresh, marker, answer)
        )
        missing = self._missing(answer)
        unchanged = same and sum_ == marker.checksum and not (self._force and there != fresh)
        if unchanged and not missing:
            return
        if not (same or self._force) and _is_edited(there, marker):
            self._say(self._found.edited, part, Trouble(marker.start, _edited(marker)))
            return
        if missing and not self._force and answer.drawing is not None and answer.drawing.spares(self._path.parent):
            self._say(self._found.edited, part, Trouble(marker.start, _taken(answer.drawing)))
            return
        self._say(self._found.stale, part, Trouble(marker.start, marker.request))
        if missing and answer.drawing is not None:
            self._found.drawings.append((self._found.stale[-1], answer.drawing))
        if not unchanged:
            closing = _CLOSING.sub(f"/symroof {sum_}", part.text[marker.outer : marker.end], count=1)
            self._edits.append(Edit(*part.edit(marker.inner, marker.end, fresh + closing)))

    def _answer(self, marker: Marker) -> Answer:
        return self._filler.answer(marker.request, self._header, marker.style, marker.block, self._path)

    def _fresh(self, part: _Part, marker: Marker, content: str) -> str:
        if not marker.block:
            return content
        newline = _NEWLINE.search(part.text, marker.end) or _NEWLINE.search(part.text)
        return DIALECTS[marker.style].block(content, marker.prefix, newline[0] if newline else "\n")

    def _missing(self, answer: Answer) -> bool:
        """True where the picture of an answer is not there, or shows something else."""
        if answer.drawing is None:
            return False
        return not answer.drawing.stands(self._path.parent)

    def _say(self, places: list[Place], part: _Part, trouble: Trouble) -> None:
        at = part.place(trouble.at)
        places.append(Place(*self._line_column(at), trouble.says))

    def _line_column(self, at: int) -> tuple[int, int]:
        line = bisect_right(self._starts, at)
        return line, at - self._starts[line - 1] + 1

    @cached_property
    def _starts(self) -> list[int]:
        """Where each line of the document begins."""
        return [line.start() for line in lines_of(self._text)]


def _same_lines(there: str, fresh: str, marker: Marker, answer: Answer) -> bool:
    """True where a block still has its lines, on which tables and mathematics depend; what a picture shows may be wrapped."""
    if not (marker.block and DIALECTS[marker.style].spaced) or answer.drawing is not None:
        return True
    return filled_lines(there, marker.style) == filled_lines(fresh, marker.style)


def _is_edited(there: str, marker: Marker) -> bool:
    """True where a text is neither empty nor the one that was filled in."""
    return bool(normal(there, marker.style)) and checksum(there, marker.style) != marker.checksum


def _edited(marker: Marker) -> str:
    was = "was edited by hand" if marker.checksum else "stands between comments that were never filled"
    return f"what {marker.request!r} is filled with {was}: move it out of the marker, or overwrite it with --force"


def _taken(drawing: Drawing) -> str:
    return f"{drawing.file} beside the document is no picture of a marker: move it away, or overwrite it with --force"


def _decoded(data: bytes) -> str:
    """The text of a document.

    Raises:
        RequestError: it is no text in UTF-8.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        raise RequestError("is in UTF-16: embed reads UTF-8")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise RequestError(f"is not in UTF-8: byte 0x{data[error.start]:02x} in line {line}") from None
    if "\0" in text:
        raise RequestError(f"is no text: it has a NUL byte in line {text.count(chr(10), 0, text.index(chr(0))) + 1}")
    return text
