"""What a marker is: an opening comment with a request, the filled text, and a closing comment with a checksum of that text."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

# What begins a marker, in whatever comment it stands.
OPEN, CLOSE = "symroof:", "/symroof"
# A longer request is no request: somebody forgot to end the comment.
LONGEST = 2000
# The styles whose lines a quote may begin.
MARKDOWN = ("markdown", "myst", "notebook")
_CLOSER = re.compile(r"/symroof(?:\s+([0-9a-f]{8}))?")
_DASHES = re.compile(r"-{3,}")
_SPACE = re.compile(r"\s+")
_LOOSE = re.compile(r" (?=\W)|(?<=\W) ")
_QUOTE = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.MULTILINE)
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment that begins as a marker does.

    Attributes:
        start, end: where it is in the text.
        body: what it says, `symroof: ...` or `/symroof ...`.
        style: the dialect that it is written in.
        prefix: what stands before it on its line, as further lines have it: indentation and quote marks; None where words do.
        ends_line: True where nothing follows it on its line.
    """

    start: int
    end: int
    body: str
    style: str
    prefix: str | None
    ends_line: bool


@dataclass(frozen=True, slots=True)
class Marker:
    """A place to fill: its request, where its text is, and how lines go on there; `block` where it has lines of its own."""

    start: int
    inner: int
    outer: int
    end: int
    request: str
    checksum: str
    style: str
    block: bool
    prefix: str


@dataclass(frozen=True, slots=True)
class Trouble:
    """What is wrong at a place of a text."""

    at: int
    says: str


@dataclass(slots=True)
class Found:
    """The markers of a text, what is wrong with others, and the header `document ...` where there is one."""

    markers: list[Marker] = field(default_factory=list)
    troubles: list[Trouble] = field(default_factory=list)
    header: tuple[int, str] | None = None


def longer(comment: Comment, end: int, said: str) -> Comment:
    """A comment with what a further line of it says; one that is too long for any request is only followed to its end."""
    body = comment.body if len(comment.body) > LONGEST else f"{comment.body} {said}"
    return replace(comment, end=end, body=body)


def lines_of(text: str) -> Iterable[re.Match[str]]:
    """The lines of a text with their ends, which may be of any kind."""
    return _LINE.finditer(text)


@lru_cache(maxsize=4096)
def normal(text: str, style: str) -> str:
    """A text without what formatters change: white space between words and signs, the padding of tables, quote marks.

    White space between two words or digits stays, so that no two of them become one.
    """
    if style in MARKDOWN:
        text = _QUOTE.sub("", text)
    return _DASHES.sub("---", _LOOSE.sub("", _SPACE.sub(" ", text).strip()))


def filled_lines(text: str, style: str) -> int:
    """How many lines of a text have something on them, quote marks apart."""
    text = _QUOTE.sub("", text) if style in MARKDOWN else text
    return sum(1 for line in lines_of(text) if line[0].strip())


@lru_cache(maxsize=4096)
def checksum(text: str, style: str) -> str:
    """Eight hexadecimal digits that say whether a filled text is still the one that was filled in."""
    return hashlib.blake2b(normal(text, style).encode(), digest_size=4).hexdigest()


def paired(text: str, comments: Iterable[Comment]) -> Found:
    """Opening and closing comments put together; what does not fit is trouble, and the others are still found."""
    found = Found()
    opened: Comment | None = None
    for comment in comments:
        if comment.body.startswith(CLOSE):
            if opened is None:
                found.troubles.append(Trouble(comment.start, "a closing marker without an opening one before it"))
            else:
                _close(text, opened, comment, found)
            opened = None
            continue
        if opened is not None:
            found.troubles.append(_unclosed(opened, "the next marker begins: markers do not nest"))
        opened = None if _is_header(comment, found) else comment
    if opened is not None:
        found.troubles.append(_unclosed(opened, "the text ends"))
    return found


def _is_header(comment: Comment, found: Found) -> bool:
    request = comment.body.removeprefix(OPEN).strip()
    if request.split(maxsplit=1)[:1] != ["document"]:
        return False
    if found.header is not None or found.markers:
        found.troubles.append(Trouble(comment.start, "the header `document at ...` stands once, before all markers"))
    else:
        found.header = (comment.start, request)
    return True


def _close(text: str, opened: Comment, closed: Comment, found: Found) -> None:
    behind = next((c for c in (opened, closed) if _is_behind(c)), None)
    if behind is not None:
        found.troubles.append(Trouble(behind.start, _BEHIND))
        return
    match = _CLOSER.fullmatch(closed.body)
    if match is None:
        says = f"a closing marker is `/symroof` and perhaps eight hexadecimal digits, not {closed.body[:40]!r}: write `/symroof`"
        found.troubles.append(Trouble(closed.start, says))
        return
    between = text[opened.end : closed.start]
    touching = not between.strip()
    own_line = opened.prefix is not None and closed.ends_line
    block = own_line and (touching or (opened.ends_line and closed.prefix is not None))
    if not block and opened.style in MARKDOWN and opened.prefix is not None:
        found.troubles.append(Trouble(opened.start, _BEGINS))
        return
    request = opened.body.removeprefix(OPEN).strip()
    prefix = opened.prefix or ""
    spot = (opened.start, opened.end, closed.start, closed.end)
    found.markers.append(Marker(*spot, request, match[1] or "", opened.style, block, prefix))


_BEGINS = (
    "this marker begins a line, which Markdown then shows as HTML: put a word before it on its line, or put its opening and its "
    "closing comment on lines of their own"
)


_BEHIND = (
    "this marker stands behind text: in LaTeX its opening and its closing comment have lines of their own, and `define` makes "
    "commands for sentences"
)


def _is_behind(comment: Comment) -> bool:
    return comment.style == "latex" and comment.prefix is None


def _unclosed(comment: Comment, before: str) -> Trouble:
    if _is_behind(comment):
        return Trouble(comment.start, _BEHIND)
    ends = {"latex": f"% {CLOSE}", "myst": f"% {CLOSE}", "rest": f".. {CLOSE}"}
    close = ends.get(comment.style, f"<!-- {CLOSE} -->")
    return Trouble(comment.start, f"no closing marker before {before}; write {close} behind what is to be filled")
