"""A unified diff made from the edits themselves: its cost grows with what changed, not with the document."""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from symroof.embed.marker import lines_of

_CONTEXT = 3


class Edit(NamedTuple):
    """A stretch of a text and what takes its place."""

    start: int
    end: int
    new: str


class _Change(NamedTuple):
    """Lines of a text, from one number to before another, and those that take their place."""

    first: int
    stop: int
    new: list[str]


def apply(text: str, edits: Sequence[Edit]) -> str:
    """A text with edits made, which are in order and do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.new]
        at = edit.end
    return "".join([*parts, text[at:]])


def difference(name: str, text: str, edits: Sequence[Edit]) -> str:
    """The unified diff that some edits make; empty where there are none."""
    if not edits:
        return ""
    lines = [line[0] for line in lines_of(text)]
    found = [f"--- {name} (there)", f"+++ {name} (derived)"]
    shift = 0
    for hunk in _hunks(_changes(text, edits), len(lines)):
        said, shift = _hunk(lines, hunk, shift)
        found += said
    return "\n".join(found)


def _changes(text: str, edits: Sequence[Edit]) -> list[_Change]:
    """The lines that the edits touch, edits on a common line together."""
    starts = [line.start() for line in lines_of(text)]
    ends = [*starts[1:], len(text)]
    groups: list[list[Edit]] = []
    for edit in edits:
        if groups and bisect_right(starts, groups[-1][-1].end) == bisect_right(starts, edit.start):
            groups[-1].append(edit)
        else:
            groups.append([edit])
    found = []
    for group in groups:
        first, last = bisect_right(starts, group[0].start) - 1, max(bisect_right(starts, group[-1].end) - 1, 0)
        begin, end = starts[first], ends[last]
        moved = [Edit(e.start - begin, e.end - begin, e.new) for e in group]
        found.append(_Change(first, last + 1, [line[0] for line in lines_of(apply(text[begin:end], moved))]))
    return found


def _hunks(changes: Sequence[_Change], size: int) -> list[list[_Change]]:
    """Changes whose context meets, together."""
    found: list[list[_Change]] = []
    for change in changes:
        if found and change.first - found[-1][-1].stop <= 2 * _CONTEXT:
            found[-1].append(change)
        else:
            found.append([change])
    return found


def _ended(line: str) -> list[str]:
    """A line of a difference without its end, and where it has none the remark that `patch` needs."""
    said = line.rstrip("\r\n")
    return [said] if said != line else [said, "\\ No newline at end of file"]


def _hunk(lines: Sequence[str], changes: Sequence[_Change], shift: int) -> tuple[list[str], int]:
    begin, stop = max(changes[0].first - _CONTEXT, 0), min(changes[-1].stop + _CONTEXT, len(lines))
    old, new = list(lines[begin:stop]), []
    at = begin
    for change in changes:
        new += [*lines[at : change.first], *change.new]
        at = change.stop
    new += lines[at:stop]
    body = [part for line in [*difflib.unified_diff(old, new, n=max(len(old), len(new)))][3:] for part in _ended(line)]
    head = f"@@ -{begin + 1},{len(old)} +{begin + 1 + shift},{len(new)} @@"
    return [head, *body], shift + len(new) - len(old)
