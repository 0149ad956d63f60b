"""The Markdown cells of a notebook: each with the way back from its text to the JSON that spells it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from symroof.errors import RequestError

_DECODER = json.JSONDecoder(strict=False)
_TOKEN = re.compile(r"[ \t\r\n]*+([{}\[\],:\"]|[^\s{}\[\],:\"]++)")
_UNIT = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\.|[^\\\"]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Literal:
    """A string in JSON: where its content begins and ends there, without the quotes."""

    start: int
    end: int


class Cell:
    """A text that JSON spells as one string, or as a list of strings that are its lines."""

    def __init__(self, document: str, literals: list[Literal], listed: bool) -> None:
        """The text of some literals of a document."""
        self._document, self._literals, self._listed = document, literals, listed
        self.text, self._places, self._ends = self._decoded()

    def place(self, at: int) -> int:
        """Where a character of the text is in the document."""
        return self._places[at] if at < len(self._places) else self._literals[-1].end

    def edit(self, start: int, end: int, new: str) -> tuple[int, int, str]:
        """A replacement in the text as one in the document; `end` is behind a character that stays in its own string."""
        return self._ends[start - 1], self._ends[end - 1], self._spelt(new)

    def _decoded(self) -> tuple[str, list[int], list[int]]:
        texts: list[str] = []
        places: list[int] = []
        ends: list[int] = []
        for literal in self._literals:
            text, _ = _DECODER.raw_decode(self._document, literal.start - 1)
            for unit in _UNIT.finditer(self._document, literal.start, literal.end):
                places.append(unit.start())
                ends.append(unit.end())
            texts.append(text)
        return "".join(texts), places, ends

    def _spelt(self, text: str) -> str:
        """A text as JSON spells it inside a string; in a list each line has a string of its own."""
        spelt = json.dumps(text, ensure_ascii=False)[1:-1]
        return spelt.replace(r"\n", rf"\n{self._between}") if self._listed else spelt

    @property
    def _between(self) -> str:
        """What stands in the document between one string of the list and the next, quotes included."""
        if len(self._literals) > 1:
            first, second = self._literals[:2]
            return self._document[first.end : second.start]
        before = self._document[: self._literals[0].start - 1]
        white = before[len(before.rstrip(" \t\r\n")) :]
        return f'",{white or " "}"'


def markdown_cells(document: str) -> list[Cell]:
    """The Markdown cells of a notebook that speak of symroof, in order.

    Raises:
        RequestError: the document is no notebook.
    """
    try:
        whole = _DECODER.decode(document)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"no notebook: {error}") from None
    if not isinstance(whole, dict) or not isinstance(whole.get("cells"), list):
        raise RequestError("no notebook: it has no list of cells (notebooks of format 4 have one)")
    wanted = {n for n, cell in enumerate(whole["cells"]) if _is_markdown(cell) and "symroof" in _source(cell)}
    return [Cell(document, literals, listed) for n, literals, listed in _sources(document) if n in wanted]


def _is_markdown(cell: Any) -> bool:
    return isinstance(cell, dict) and cell.get("cell_type") == "markdown"


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    parts = source if isinstance(source, list) else [source]
    if not all(isinstance(part, str) for part in parts):
        raise RequestError("no notebook: the source of a cell is a text or a list of texts")
    return "".join(parts)


def _sources(document: str) -> Iterator[tuple[int, list[Literal], bool]]:
    """For each cell its number, the literals of its source, and whether they stand in a list."""
    path: list[str | int] = []
    key: list[str | None] = []
    literals: list[Literal] = []
    for token, literal, text in _tokens(document):
        if token in "{[":
            path.append(0 if token == "[" else "")
            key.append(None)
        elif token in "}]":
            path.pop()
            key.pop()
            if literals and token == "]" and _is_source(path):
                yield int(path[1]), literals, True
                literals = []
        elif token == "," and isinstance(path[-1], int):
            path[-1] += 1
        elif token == ",":
            path[-1] = ""
        elif literal is not None and path and path[-1] == "":
            path[-1] = text
        elif literal is not None and _is_source(path):
            yield int(path[1]), [literal], False
        elif literal is not None and len(path) == 4 and _is_source(path[:3]):
            literals.append(literal)


def _is_source(path: list[str | int]) -> bool:
    return len(path) == 3 and path[0] == "cells" and path[2] == "source" and isinstance(path[1], int)


def _tokens(document: str) -> Iterator[tuple[str, Literal | None, str]]:
    """The tokens of a JSON text that is known to be one; for a string its place and what it says."""
    at = 0
    while found := _TOKEN.match(document, at):
        at = found.end()
        if found[1] == '"':
            text, at = _DECODER.raw_decode(document, at - 1)
            yield '"', Literal(found.end(), at - 1), text
        else:
            yield found[1], None, ""
