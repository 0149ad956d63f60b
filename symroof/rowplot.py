"""Rows as a picture: one quantity along one axis, a line for each combination of the others, or points of two quantities."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from symroof.errors import RequestError
from symroof.rowfile import Cell
from symroof.wholefile import replacing

ENDINGS = (".png", ".svg", ".pdf")
# More lines or rows than these make no picture that anybody reads.
_LINES, MOST_ROWS = 20, 100_000


def check_plot() -> None:
    """Refuse a picture before any work is done for it.

    Raises:
        RequestError: Matplotlib is not installed.
    """
    _matplotlib()


def plot(path: Path, title: str, labels: tuple[str, str], lines: dict[str, list[tuple[Cell, Cell]]], joined: bool) -> None:
    """Draw lines of (x, y) pairs, or points where they are not joined, into a file; pairs with a missing value are left out.

    Raises:
        RequestError: there is nothing to draw, or too much, or Matplotlib is not installed.
        OutputError: the file cannot be written.
    """
    kept = {name: [p for p in pairs if None not in p] for name, pairs in lines.items()}
    kept = {name: pairs for name, pairs in kept.items() if pairs}
    if not kept:
        raise RequestError(f"{path}: there is no row to draw")
    if len(kept) > _LINES:
        raise RequestError(f"{path}: {len(kept)} lines are too many to read, at most {_LINES}: vary fewer names, or write CSV")
    figure = _matplotlib().Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for name, pairs in kept.items():
        x, y = zip(*pairs, strict=True)
        axes.plot(x, y, marker="o" if not joined or len(pairs) < 50 else "", linestyle="-" if joined else "", label=name)
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1])
    axes.grid(alpha=0.3)
    if any(kept):
        axes.legend()
    with replacing(path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=150)


def lines_of(rows: Sequence[Sequence[Cell]], x: int, y: int, others: dict[int, str]) -> dict[str, list[tuple[Cell, Cell]]]:
    """The pairs of two columns, apart for each combination of some others, which are given with their names."""
    found: dict[str, list[tuple[Cell, Cell]]] = {}
    for row in rows:
        name = ", ".join(f"{label} = {row[i]}" for i, label in others.items())
        found.setdefault(name, []).append((row[x], row[y]))
    return found


def _matplotlib() -> Any:
    try:
        return importlib.import_module("matplotlib.figure")
    except ImportError:
        raise RequestError("a plot needs Matplotlib, which is not installed: pip install 'symroof[plot]', or write CSV") from None
