"""A text that somebody typed, with a caret under the token that does not fit."""

from __future__ import annotations

# A longer text is shown as far as it is around the caret.
_SHOWN = 72


def pointed(says: str, text: str, at: int) -> str:
    """A message, the text and a caret under a place of it, three lines.

    Args:
        says: what does not fit.
        text: what was typed.
        at: the place, a position in the text or just behind it.
    """
    shown = "".join(" " if c.isspace() else c for c in text)
    start = max(0, at - _SHOWN // 2) if len(shown) > _SHOWN else 0
    before, behind = "..." if start else "", "..." if len(shown) > start + _SHOWN else ""
    return f"{says}\n  {before}{shown[start : start + _SHOWN]}{behind}\n  {' ' * (len(before) + at - start)}^"
