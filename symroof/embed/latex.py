"""Markers in LaTeX: comments on lines of their own, outside what is set verbatim."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symroof.embed.marker import OPEN, Comment, lines_of, longer

_COMMENT = re.compile(r"([ \t]*)%+[ \t]*((?:symroof:|/symroof)[^\r\n]*)")
# A marker behind text, with the sign that begins it.
_BEHIND = re.compile(r"(?:[^%\\\r\n]|\\.)*+(%+[ \t]*((?:symroof:|/symroof)[^\r\n]*))")
_MORE = re.compile(r"[ \t]*%++[ \t]*+(?!symroof:|/symroof)(\S[^\r\n]*)")
_VERB = re.compile(r"\\(?:verb|lstinline)\*?([^A-Za-z\s*{])[^\r\n]*?\1")
_REMARK = re.compile(r"(?<!\\)((?:\\\\)*)%.*")
_BEGIN = re.compile(r"\\begin\{((?:[vV]erbatim|BVerbatim|LVerbatim|lstlisting|minted|comment|filecontents|alltt)\*?)\}")


def comments(text: str) -> Iterator[Comment]:
    """The marker comments of a document, in order."""
    verbatim = ""
    held: Comment | None = None
    for line in lines_of(text):
        if held is not None:
            more = goes_on(held, line)
            if more is not None:
                held = more
                continue
            yield held
            held = None
        if verbatim:
            verbatim = "" if rf"\end{{{verbatim}}}" in line[0] else verbatim
        elif found := _COMMENT.match(line[0]):
            held = percent_comment(line.start(), found, "latex", found[1])
        elif found := _BEHIND.match(_VERB.sub(_blank, line[0])):
            start, end = line.start() + found.start(1), line.start() + len(line[0].rstrip())
            yield Comment(start, end, found[2].rstrip(), "latex", None, True)
        elif begun := _BEGIN.search(_REMARK.sub(r"\1", _VERB.sub("", line[0]))):
            verbatim = begun[1] if rf"\end{{{begun[1]}}}" not in line[0] else ""
    if held is not None:
        yield held


def _blank(found: re.Match[str]) -> str:
    """What is as long as a piece of a line and says nothing."""
    return " " * len(found[0])


def percent_comment(at: int, found: re.Match[str], style: str, prefix: str) -> Comment:
    """The marker comment of a line that begins at a place; the match has its indentation and what it says."""
    body = found[2].rstrip()
    return Comment(at + found.start() + len(found[1]), at + found.start(2) + len(body), body, style, prefix, True)


def goes_on(comment: Comment, line: re.Match[str]) -> Comment | None:
    """An opening comment with the next line, where that is a comment and no marker."""
    more = _MORE.match(line[0])
    if more is None or not comment.body.startswith(OPEN):
        return None
    said = more[1].rstrip()
    end = line.start() + more.start(1) + len(said)
    return longer(comment, end, said)
