"""Which passages of a text are about a model? Those whose blocks it has, and those that name none, which are about every model.

A passage is a paragraph. It says first what it is about, where that is not every model:

    [moe] Experts share a microbatch.             about models that have the block
    [unless moe] Every token meets every weight.  about those that lack it
    [moe, unless latent] Rows are of full width.  about those for which both are so
"""

from __future__ import annotations

import re
from collections.abc import Container

_MARKER = re.compile(r"\[((?:unless )?\w+(?:, (?:unless )?\w+)*)\]\s")
_BETWEEN = re.compile(r"\n[^\S\n]*\n\s*")


def passages_about(text: str, blocks: Container[str]) -> str:
    """What of a text is about models that have these blocks and lack the others, without the markers."""
    kept = (p for p in _BETWEEN.split(text) if all((name in blocks) is has for name, has in _condition(p)))
    return "\n\n".join(_unmarked(p) for p in kept)


def blocks_named(text: str) -> tuple[str, ...]:
    """The blocks that the markers of a text name, in the order of the text."""
    return tuple(dict.fromkeys(name for passage in _BETWEEN.split(text) for name, _ in _condition(passage)))


def _unmarked(passage: str) -> str:
    marker = _MARKER.match(passage)
    return passage[marker.end() :] if marker else passage


def _condition(passage: str) -> tuple[tuple[str, bool], ...]:
    """Each block that a passage names, and whether it is about models that have it."""
    marker = _MARKER.match(passage)
    parts = marker[1].split(", ") if marker else ()
    return tuple((part.removeprefix("unless "), not part.startswith("unless ")) for part in parts)
