"""Markers in HTML: comments that no script, style or attribute contains."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symroof.embed.marker import CLOSE, OPEN, Comment

# A comment, an element whose content is no markup, or a tag.
_PIECE = re.compile(r"<!--|<(?P<raw>script|style|textarea|title|xmp|iframe)\b|</?[a-z]", re.IGNORECASE)
# The rest of a tag: only behind `=` does a quote mark begin a value, which may have anything in it.
_TAG = re.compile(r"(?:[^>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+|(?=>)))*+>")
# More than this before a marker is not indentation.
_WIDEST = 400
_BLANK = re.compile(r"[ \t]*")
_TAIL = re.compile(r"[ \t]*(?=[\r\n]|\Z)")


def comments(text: str) -> Iterator[Comment]:
    """The marker comments of a page, in order."""
    at = 0
    while piece := _PIECE.search(text, at):
        if piece["raw"]:
            at = _end_of(text, piece["raw"], piece.end())
        elif piece[0] == "<!--":
            end = text.find("-->", piece.end())
            if end < 0:
                return
            at = end + 3
            yield from marker_comment(text, piece.start(), at, "html", _indentation(text, piece.start()))
        else:
            tag = _TAG.match(text, piece.end())
            if tag is None:
                # A tag that does not end takes in all that follows.
                return
            at = tag.end()


def marker_comment(text: str, start: int, end: int, style: str, prefix: str | None) -> Iterator[Comment]:
    """The comment `<!-- ... -->` between two places, where it begins as a marker does."""
    body = text[start + 4 : end - 3].strip()
    if body.startswith((OPEN, CLOSE)):
        yield Comment(start, end, body, style, prefix, _TAIL.match(text, end) is not None)


def before_on_line(text: str, at: int) -> str | None:
    """What stands before a place on its line; None where that is too long to be indentation and marks."""
    floor = max(at - _WIDEST, 0)
    begin = max(text.rfind("\n", floor, at), text.rfind("\r", floor, at)) + 1
    return text[begin:at] if begin or floor == 0 else None


def _indentation(text: str, at: int) -> str | None:
    before = before_on_line(text, at)
    return before if before is not None and _BLANK.fullmatch(before) else None


def _end_of(text: str, element: str, at: int) -> int:
    found = re.compile(rf"</{element}\s*>", re.IGNORECASE).search(text, at)
    return found.end() if found else len(text)
