"""Markers in reStructuredText: comments `.. symroof: ...` outside literal blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symroof.embed.marker import OPEN, Comment, lines_of, longer

_COMMENT = re.compile(r"([ \t]*)\.\.[ \t]+((?:symroof:|/symroof)[^\r\n]*)")
_DIRECTIVE = re.compile(r"[ \t]*\.\.[ \t]+(?:\|[^|]+\|[ \t]+)?([\w:+.-]+?)::(?=\s|$)")
_EXPLICIT = re.compile(r"[ \t]*\.\.(?=\s|$)")
# Directives whose content is not text of the document.
_LITERAL = re.compile(
    r"code|code-block|sourcecode|parsed-literal|math|raw|highlight|prompt|doctest|testcode|testoutput|testsetup|mermaid|graphviz|"
    r"digraph|literalinclude|productionlist|ipython|plot|jupyter-execute|csv-table|replace|image|figure"
)


def comments(text: str) -> Iterator[Comment]:
    """The marker comments of a document, in order."""
    reader = _Reader()
    held: Comment | None = None
    for line in lines_of(text):
        more = _goes_on(held, line) if held is not None else None
        if more is None and held is not None:
            yield held
        held = more or reader.marker(line)
    if held is not None:
        yield held


class _Reader:
    """The walk over the lines of a document, which knows where a literal block is open."""

    def __init__(self) -> None:
        # The indentation that a literal block's lines are beyond, and whether its first line is still to come.
        self._literal: int | None = None
        self._expecting = False
        # After `::` lines without indentation that begin with one sign are quoted, and so literal too.
        self._quote = ""

    def marker(self, line: re.Match[str]) -> Comment | None:
        """The marker comment that begins at a line; None where none does."""
        words, indent = line[0].strip(), _indent(line[0])
        if not words:
            self._quote = ""
            return None
        if self._literal is not None and indent > self._literal:
            self._expecting = False
            return None
        if self._expecting and self._literal == indent and not words[0].isalnum():
            self._quote = words[0]
        self._expecting, self._literal = False, None
        if self._quote and words[0] == self._quote:
            return None
        found = _COMMENT.match(line[0])
        if found is None:
            self._open(line[0], words, indent)
            return None
        body = found[2].rstrip()
        end = line.start() + found.start(2) + len(body)
        return Comment(line.start() + len(found[1]), end, body, "rest", found[1], True)

    def _open(self, line: str, words: str, indent: int) -> None:
        """Follow a line into the literal block that it opens."""
        if _EXPLICIT.match(line):
            self._literal = indent if _opens_literal(line) else None
        elif words.endswith("::"):
            self._literal, self._expecting = indent, True


def _opens_literal(line: str) -> bool:
    """True for a comment, and for a directive whose content is no text of the document."""
    directive = _DIRECTIVE.match(line)
    if directive is None:
        return not re.match(r"[ \t]*\.\.[ \t]+[\[_|]", line)
    return _LITERAL.fullmatch(directive[1].split(":")[-1]) is not None


def _goes_on(comment: Comment, line: re.Match[str]) -> Comment | None:
    """An opening comment with the next line of its text, which is indented further."""
    said = line[0].strip()
    if not said or not comment.body.startswith(OPEN) or _indent(line[0]) <= _indent(comment.prefix or ""):
        return None
    return longer(comment, line.start() + len(line[0].rstrip()), said)


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8))
