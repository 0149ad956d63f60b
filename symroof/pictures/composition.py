"""What a total is made of: what works side by side, of which the longest counts, and what is added to it.

kind = "composition"
total = "step_time"               # its formula is a sum; a summand that is a Max is shown as its arguments, side by side
[pictures.labels]
compute_time = "compute"
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, formula_of, has, listed, scale, shown, term_value, unit
from symroof.term import Add, Call, Ref, Term
from symroof.text import formula_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symroof.point import Point

REQUIRED = {"total": fields.text}
OPTIONAL = {"labels": fields.labels}

_ROW = 0.36


@dataclass(frozen=True, slots=True)
class Row:
    """A bar: its label, its parts as label and length, what stands behind it, and whether it is the one that counts."""

    label: str
    parts: tuple[tuple[str, float], ...]
    value: str
    binds: bool = False


@dataclass(frozen=True, slots=True)
class Composition:
    """The scene: the contestants side by side, then the total with its parts behind one another."""

    axis: str
    rows: tuple[Row, ...]

    @property
    def height(self) -> float:
        """Inches."""
        return _ROW * len(self.rows) + 0.6

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from symroof.pictures.style import INK, LOOKS, MARGIN, PAPER, SIZE, SMALL, WIDTH, inches, on, panel

        left = MARGIN + 0.1 + max(inches(row.label, SIZE) for row in self.rows)
        axes = panel(figure, left, 0.6, WIDTH - left - 2 * MARGIN, _ROW * len(self.rows))
        axes.set(ylim=(len(self.rows) - 0.5, -0.5), xlabel=self.axis, yticks=range(len(self.rows)))
        axes.set_yticklabels([row.label for row in self.rows], fontsize=SIZE)
        axes.tick_params(axis="y", length=0)
        longest = max(sum(n for _, n in row.parts) for row in self.rows)
        across = (WIDTH - left - 2 * MARGIN) / (longest * 1.24)
        axes.set_xlim(0, longest * 1.24)
        labels = list(dict.fromkeys(label for row in self.rows for label, _ in row.parts))
        for y, row in enumerate(self.rows):
            start = 0.0
            for label, length in row.parts:
                look = LOOKS[labels.index(label) % len(LOOKS)]
                line = INK if row.binds else PAPER
                axes.barh(y, length, 0.66, start, color=look.colour, hatch=look.hatch, edgecolor=PAPER, linewidth=0.4)
                axes.barh(y, length, 0.66, start, color="none", edgecolor=line, linewidth=1.4 if row.binds else 0.4)
                if len(row.parts) > 1 and inches(label) + 0.1 < length * across:
                    box = {"facecolor": look.colour, "edgecolor": "none", "pad": 1.5}
                    axes.text(
                        start + length / 2, y, label, ha="center", va="center", fontsize=SMALL, color=on(look.colour), bbox=box
                    )
                start += length
            weight = "bold" if row.binds or len(row.parts) > 1 else "normal"
            axes.text(start + 0.06 / across, y, row.value, va="center", fontsize=SMALL, fontweight=weight)
        axes.axhline(len(self.rows) - 1.5, color="#cccccc", linewidth=0.7)


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [table["total"], *table.get("labels", ())]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the total."""
    return has(point.book, table["total"])


def gather(point: Point, table: Table) -> Shown:
    """The composition of a total at a point."""
    book, labels, total = point.book, table.get("labels", {}), table["total"]
    of = unit(book, total)
    summands = [(t, _contest(point, t)) for t in _summands(point, total)]
    whole = sum((term_value(point, t) for t, _ in summands), Fraction(0))
    factor, axis = scale([whole], of)
    rows: list[Row] = []
    behind: list[tuple[str, float]] = []
    binding: list[str] = []
    for term, contest in summands:
        value = term_value(point, term)
        best = [_label(c, labels) for c in contest if term_value(point, c) == value]
        binding += best
        for one in contest:
            length = term_value(point, one)
            binds = length == value
            says = f"{shown(length, of)}{', binds' if binds else ''}"
            rows.append(Row(_label(one, labels), ((_label(one, labels), float(length / factor)),), says, binds))
        behind.append((" = ".join(best) or _label(term, labels), float(value / factor)))
    rows.append(Row(labels.get(total, total), tuple(behind), shown(whole, of)))
    added = listed((_label(t, labels), shown(term_value(point, t), of)) for t, contest in summands if not contest)
    race = f"of what works side by side {' and '.join(binding)} binds; " if binding else ""
    label = labels.get(total, total)
    return Shown(
        Composition(f"{total} [{axis}]", tuple(rows)),
        f"What {label} is made of: {race}added to it is {added or 'nothing'}, which makes {shown(whole, of)}.",
        f"Bars in {axis}: {listed((row.label, row.value) for row in rows)}; the last is {' plus '.join(n for n, _ in behind)}.",
    )


def _summands(point: Point, total: str) -> tuple[Term, ...]:
    if total in point.given:
        return (Ref(total),)
    term = formula_of(point, total)
    return term.terms if isinstance(term, Add) else (Ref(total),)


def _contest(point: Point, term: Term) -> tuple[Term, ...]:
    """The arguments of a Max, or of the name of one."""
    if isinstance(term, Ref) and term.name in point.book.formulas and term.name not in point.given:
        term = point.book.formulas[term.name]
    return term.args if isinstance(term, Call) and term.function == "Max" else ()


def _label(term: Term, labels: dict[str, str]) -> str:
    return labels.get(term.name, term.name) if isinstance(term, Ref) else formula_text(term)
