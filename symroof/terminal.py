"""What a terminal shows: aligned columns, trees, and colour where a person looks and has not refused it."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

Paint = Callable[[str], str]

_LETTERS = {
    r"\alpha": "α", r"\beta": "β", r"\gamma": "γ", r"\delta": "δ", r"\varepsilon": "ε", r"\epsilon": "ε", r"\zeta": "ζ",
    r"\eta": "η", r"\theta": "θ", r"\kappa": "κ", r"\lambda": "λ", r"\mu": "μ", r"\nu": "ν", r"\xi": "ξ", r"\pi": "π",
    r"\rho": "ρ", r"\sigma": "σ", r"\tau": "τ", r"\varphi": "φ", r"\phi": "φ", r"\chi": "χ", r"\psi": "ψ", r"\omega": "ω",
    r"\ell": "ℓ", r"\Delta": "Δ", r"\Phi": "Φ", r"\Omega": "Ω", r"\Lambda": "Λ", r"\Sigma": "Σ",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of a tree and the branches below it."""

    line: str
    below: tuple[Branch, ...] = ()


def bold(text: str) -> str:
    """Text that stands out, on a terminal with colour."""
    return _sequence("1", text)


def dim(text: str) -> str:
    """Text that stands back, on a terminal with colour."""
    return _sequence("2", text)


def bad(text: str) -> str:
    """Text that says that something does not hold, in red on a terminal with colour."""
    return _sequence("31", text)


def coloured() -> bool:
    """True where standard output is a terminal that shows colour and nobody has refused it (https://no-color.org)."""
    return _terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int | None:
    """The columns of the terminal; None where standard output is none, and lines may be as long as they are."""
    return shutil.get_terminal_size().columns if _terminal() else None


def table(rows: Sequence[Sequence[str]], paints: Sequence[Paint | None] = (), indent: str = "") -> list[str]:
    """Rows in aligned columns, two spaces apart; the last column is cut to the terminal.

    Args:
        rows: cells of text without colour, as many in each row.
        paints: the colour of each column, None or nothing for plain text.
        indent: what every line begins with.
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths, paints, indent) for row in rows]


def _line(row: Sequence[str], widths: Sequence[int], paints: Sequence[Paint | None], indent: str) -> str:
    columns, used, cells = width(), len(indent), []
    for position, (cell, wide) in enumerate(zip(row, widths, strict=True)):
        last = position == len(row) - 1
        shown = cell if last else f"{cell:<{wide}}"
        if last and columns is not None and used + len(shown) > columns > used:
            shown = f"{shown[: columns - used - 3]}..."
        paint = paints[position] if position < len(paints) else None
        cells.append(paint(shown) if paint else shown)
        used += wide + 2
    return (indent + "  ".join(cells)).rstrip()


def fields(pairs: Sequence[tuple[str, str]], indent: str = "  ") -> list[str]:
    """Labelled values, their first lines aligned; a value may have several lines, and an empty one is left out."""
    kept = [(label, value) for label, value in pairs if value]
    wide = max((len(label) for label, _ in kept), default=0)
    gap = len(indent) + wide + 2
    lines: list[str] = []
    for label, value in kept:
        first, *more = [piece for line in value.split("\n") for piece in _wrapped(line, gap)]
        lines += [f"{indent}{dim(f'{label:<{wide}}')}  {first}", *(" " * gap + line for line in more)]
    return lines


def tree(root: Branch) -> list[str]:
    """A tree drawn with box characters, or with plain ones where the output cannot carry them."""
    return [root.line, *_below(root, "", ("├─ ", "└─ ", "│  ") if _carries("├└│─") else ("|- ", "`- ", "|  "))]


def _below(branch: Branch, before: str, strokes: tuple[str, str, str]) -> Iterator[str]:
    fork, end, on = strokes
    for position, part in enumerate(branch.below, 1):
        last = position == len(branch.below)
        yield f"{before}{dim(end if last else fork)}{part.line}"
        yield from _below(part, before + ("   " if last else dim(on)), strokes)


def plain_symbol(latex: str | None, name: str) -> str:
    r"""A LaTeX symbol as plain letters, `\rho_{\mathrm{gpu}}` as ρ_gpu; the name where there is none."""
    shown = (latex or name).replace(r"\mathrm", "").replace(r"\text", "")
    for command, letter in _LETTERS.items():
        shown = shown.replace(command, letter)
    return "".join(c for c in shown if c not in "{}\\")


def _wrapped(line: str, gap: int) -> list[str]:
    columns = width()
    if columns is None or columns - gap < 20 or "\x1b" in line:
        return [line]
    return textwrap.wrap(line, columns - gap, break_long_words=False, break_on_hyphens=False) or [""]


def _sequence(code: str, text: str) -> str:
    return f"\x1b[{code}m{text}\x1b[0m" if coloured() and text else text


def _terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def _carries(characters: str) -> bool:
    try:
        characters.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True
