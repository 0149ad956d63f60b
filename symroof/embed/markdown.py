"""Markers in Markdown and MyST: comments outside code, be it fenced, indented or in a line."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

from symroof.embed.html import before_on_line, marker_comment
from symroof.embed.latex import goes_on, percent_comment
from symroof.embed.marker import Comment, lines_of

_QUOTE = re.compile(r" {0,3}>[ \t]?")
_ITEM = re.compile(r"(?:[-*+]|\d{1,9}[.)])(?:[ \t]+|(?=[\r\n]|$))")
_RULE = re.compile(r"(?:[-_*][ \t]*){3,}[\r\n]*$")
_FENCE = re.compile(r"(`{3,}(?=[^`\r\n]*(?:[\r\n]|$))|~{3,})[ \t]*([^\r\n]*)")
_PERCENT = re.compile(r"([ \t]*)%[ \t]*((?:symroof:|/symroof)[^\r\n]*)")
_RAW = re.compile(r"<(script|style|textarea)\b", re.IGNORECASE)
# An escaped sign, backticks, a comment, or a tag, whose attributes may quote anything.
_PIECE = re.compile(
    r"\\[!-/:-@\[-`{-~]|`+|<!--|</?[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][\w.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?>"
)
_RUN = re.compile("`+")
_PREFIX = re.compile(r"(?:[ \t]|>|[-*+][ \t]|\d{1,9}[.)][ \t])*")
# A line that no paragraph goes on with.
_BREAK = re.compile(
    r"[ \t]*(?:[\r\n]|$|[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|[|>%]|```|~~~|<(?:script|style|textarea)\b)", re.IGNORECASE
)
# Directives of MyST whose content is text of the document.
_TEXT_DIRECTIVES = re.compile(
    r"\{(?:note|warning|tip|important|hint|attention|caution|danger|error|seealso|admonition|dropdown|details|card|grid|grid-item|"
    r"grid-item-card|tab-set|tab-item|figure|table|topic|sidebar|margin|aside|epigraph|exercise|solution|proof|theorem)\}"
)


@dataclass(slots=True)
class _Place:
    """Where in quotes and lists a line stands: how many quote marks, and the column at which each open item's text begins."""

    quotes: int = 0
    items: list[int] = field(default_factory=list)

    @property
    def column(self) -> int:
        """Where the text of the innermost item begins."""
        return self.items[-1] if self.items else 0

    def enter(self, quotes: int, rest: str, fresh: bool) -> tuple[int, str]:
        """Follow a line out of the items that it ends and into those that it opens; the indentation of its text, and the text."""
        if quotes != self.quotes:
            self.quotes, self.items = quotes, []
        column, body = _columns(rest), rest.lstrip(" \t")
        item = None if _RULE.match(body) else _ITEM.match(body)
        if fresh or item or _FENCE.match(body):
            while self.items and column < self.items[-1]:
                self.items.pop()
        at = 0
        while item and column - self.column < 4:
            column += len(item[0].expandtabs(4))
            self.items.append(column)
            at = item.end()
            item = _ITEM.match(body, at)
        return column - self.column, body[at:]


def comments(text: str, style: str = "markdown") -> Iterator[Comment]:
    """The marker comments of a document, in order; those of a document with a `% symroof:` line are all of MyST."""
    found = list(_Reader(text, style).comments())
    myst = any(c.style == "myst" for c in found)
    for c in found:
        yield Comment(c.start, c.end, c.body, "myst", c.prefix, c.ends_line) if myst else c


class _Reader:
    """The walk over the lines of a document, from block to block."""

    def __init__(self, text: str, style: str) -> None:
        self._text, self._style = text, style
        self._lines = list(lines_of(text))
        self._place = _Place()
        # True where a line may begin indented code: behind a blank line and behind a block.
        self._fresh = True
        # The marks of open directives that contain text.
        self._directives: list[str] = []
        # A comment may end in the middle of a line: up to here everything is read.
        self._read = 0

    def comments(self) -> Iterator[Comment]:
        """The marker comments, in order."""
        index = _front_matter(self._lines)
        while index < len(self._lines):
            line = self._lines[index]
            if line.end() <= self._read:
                index += 1
            elif line.start() < self._read:
                index = yield from self._text_from(index)
            else:
                index = yield from self._block(index)

    def _block(self, index: int) -> Generator[Comment, None, int]:
        """Read what begins at a line; the line behind it."""
        line = self._lines[index]
        quotes, rest = _unquoted(line[0])
        if not rest.strip():
            if quotes != self._place.quotes:
                self._place = _Place(quotes)
            self._fresh = True
            return index + 1
        indent, body = self._place.enter(quotes, rest, self._fresh)
        fence = _FENCE.match(body) if indent < 4 else None
        if fence:
            self._fresh = True
            return self._fence(index, fence)
        if indent >= 4 and self._fresh:
            return index + 1
        percent = _PERCENT.match(line[0])
        if percent and indent < 4:
            return (yield from self._percent(index, percent))
        raw = _RAW.match(body)
        if raw:
            self._fresh = True
            return _past_raw(self._lines, index, raw[1].lower())
        return (yield from self._text_from(index))

    def _fence(self, index: int, fence: re.Match[str]) -> int:
        """The line behind a fenced block; one that contains text is read on, and its end is found here as well."""
        mark, info = fence[1], fence[2]
        if self._directives and not info and mark.startswith(self._directives[-1]):
            self._directives.pop()
        elif _TEXT_DIRECTIVES.match(info):
            self._directives.append(mark)
        else:
            return _past_fence(self._lines, index, self._place, mark)
        return index + 1

    def _percent(self, index: int, found: re.Match[str]) -> Generator[Comment, None, int]:
        held = percent_comment(self._lines[index].start(), found, "myst", found[1])
        index += 1
        while index < len(self._lines) and (longer := goes_on(held, self._lines[index])):
            held, index = longer, index + 1
        yield held
        self._fresh = True
        return index

    def _text_from(self, index: int) -> Generator[Comment, None, int]:
        """Read a paragraph, list item, heading or row; a comment that it opens may end further on."""
        start = max(self._lines[index].start(), self._read)
        stop = _end_of_chunk(self._lines, index)
        chunk = _Chunk(self._text, start, self._lines[stop - 1].end(), self._style)
        yield from chunk.comments()
        self._read, self._fresh = chunk.end, self._lines[index][0].startswith("#")
        return stop


def _front_matter(lines: list[re.Match[str]]) -> int:
    """The line behind the YAML header of a document; 0 where there is none."""
    if not lines or lines[0][0].rstrip() != "---":
        return 0
    ends = (n for n, line in enumerate(lines[1:], 1) if line[0].rstrip() in ("---", "..."))
    return next(ends, -1) + 1


def _unquoted(line: str) -> tuple[int, str]:
    """How many quote marks a line begins with, and the rest of it."""
    quotes = at = 0
    while found := _QUOTE.match(line, at):
        quotes, at = quotes + 1, found.end()
    return quotes, line[at:]


def _columns(rest: str) -> int:
    """The column of the first word of a line."""
    expanded = rest.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _past_fence(lines: list[re.Match[str]], index: int, place: _Place, mark: str) -> int:
    """The line behind a fenced block, which ends at its mark, with its list or quote, or with the document."""
    closing = re.compile(rf"[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*")
    for number in range(index + 1, len(lines)):
        quotes, rest = _unquoted(lines[number][0])
        body = rest.rstrip("\r\n")
        if quotes < place.quotes or (body.strip() and _columns(body) < place.column):
            return number
        if closing.fullmatch(body) and _columns(body) - place.column < 4:
            return number + 1
    return len(lines)


def _past_raw(lines: list[re.Match[str]], index: int, element: str) -> int:
    ends = (n for n in range(index, len(lines)) if f"</{element}>" in lines[n][0].lower())
    return next(ends, len(lines) - 1) + 1


def _end_of_chunk(lines: list[re.Match[str]], index: int) -> int:
    """The line behind the paragraph, list item or row that begins at a line."""
    quotes, first = _unquoted(lines[index][0])
    if first.startswith("#"):
        return index + 1
    for number in range(index + 1, len(lines)):
        # A paragraph goes on in a line with as many quote marks, and in one with fewer; more begin a quote of their own.
        deeper, rest = _unquoted(lines[number][0])
        if deeper > quotes or _BREAK.match(rest):
            return number
    return len(lines)


class _Chunk:
    """A stretch of text without blocks in it: comments and spans of code, whichever begins first."""

    def __init__(self, text: str, start: int, stop: int, style: str) -> None:
        self._text, self._stop, self._style = text, stop, style
        self._runs: dict[int, list[int]] | None = None
        self.end = start

    def comments(self) -> Iterator[Comment]:
        """The marker comments; `end` is then where the chunk ends, which a comment may have moved."""
        at = self.end
        if self._text.find("<!--", at, self._stop) < 0:
            at = self._stop
        while piece := _PIECE.search(self._text, at, self._stop):
            at = piece.end()
            if piece[0][0] == "`":
                at = self._past_code(piece)
            elif piece[0] == "<!--":
                closed = self._text.find("-->", at)
                if closed < 0:
                    break
                at = closed + 3
                yield from marker_comment(self._text, piece.start(), at, self._style, self._prefix(piece.start()))
        self.end = max(at, self._stop)

    def _past_code(self, opening: re.Match[str]) -> int:
        """Where the span of code ends that a run of backticks opens; behind the run where none does."""
        size = len(opening[0])
        following = _RUN.search(self._text, opening.end(), self._stop)
        if following is None or len(following[0]) == size:
            return following.end() if following else opening.end()
        if self._runs is None:
            self._runs = {}
            for run in _RUN.finditer(self._text, opening.start(), self._stop):
                self._runs.setdefault(len(run[0]), []).append(run.start())
        starts = self._runs.get(size, [])
        place = bisect_left(starts, opening.end())
        return starts[place] + size if place < len(starts) else opening.end()

    def _prefix(self, at: int) -> str | None:
        before = before_on_line(self._text, at)
        if before is None or not _PREFIX.fullmatch(before):
            return None
        return re.sub(r"[^>\t]", " ", before)
