"""Stacked bars: totals whose formulas are sums, each summand a part of its bar.

    kind = "stack"
    bars = [{ label = "NVLink", total = "nvlink_bytes_per_update", time = "nvlink_time", rate = "nvlink_bandwidth" }, ...]
    [pictures.labels]                 # what a summand is called, by the first name in it that has a label here
    payload_bytes_nvlink = "expert payload"

Parts with one label have one colour in all bars. A bar whose names the model lacks is left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import UnitError
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, bare, dimension, formula_of, has, listed, number, scale, shown, term_value, unit
from symroof.term import Add, Neg, Term, references
from symroof.text import formula_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symroof.book import Book
    from symroof.point import Point

REQUIRED = {"bars": fields.records({"label": fields.text, "total": fields.text}, {"time": fields.text, "rate": fields.text})}
OPTIONAL = {"labels": fields.labels}

_BAR, _GAP, _FIRST = 0.3, 0.3, 4


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar: what stands above it, and its parts as label and length in the unit of the axis."""

    head: str
    parts: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Stack:
    """The scene."""

    axis: str
    bars: tuple[Bar, ...]
    labels: tuple[str, ...]

    @property
    def height(self) -> float:
        """Inches."""
        from symroof.pictures.style import MARGIN, below

        return len(self.bars) * (_BAR + _GAP) + below(self.labels, 2 * MARGIN)

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from symroof.pictures.style import LOOKS, MARGIN, PAPER, SIZE, WIDTH, legend, panel, swatch

        tall = len(self.bars) * (_BAR + _GAP)
        axes = panel(figure, 2 * MARGIN, self.height - tall, WIDTH - 4 * MARGIN, tall)
        axes.set(ylim=(len(self.bars) * (_BAR + _GAP), 0), xlabel=self.axis, yticks=[])
        axes.spines["left"].set_visible(False)
        # Parts are not what the first colours stand for in other pictures.
        looks = {label: LOOKS[(place + _FIRST) % len(LOOKS)] for place, label in enumerate(self.labels)}
        for row, bar in enumerate(self.bars):
            top, left = row * (_BAR + _GAP) + _GAP - 0.04, 0.0
            axes.text(0, top - 0.05, bar.head, va="bottom", fontsize=SIZE)
            for label, length in bar.parts:
                look = looks[label]
                axes.barh(
                    top, length, _BAR, left, align="edge", color=look.colour, hatch=look.hatch, edgecolor=PAPER, linewidth=0.4
                )
                left += length
        axes.set_xlim(0, max(sum(n for _, n in bar.parts) for bar in self.bars) * 1.02)
        legend(figure, [swatch(looks[label], label) for label in self.labels], 2 * MARGIN)


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [*(name for bar in table["bars"] for name in _names(bar)), *table.get("labels", ())]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has a bar."""
    return any(has(point.book, *_names(bar)) for bar in table["bars"])


def _names(bar: Any) -> list[str]:
    return [bar[key] for key in ("total", "time", "rate") if key in bar]


def gather(point: Point, table: Table) -> Shown:
    """The bars of a point, longest first."""
    book = point.book
    bars = [bar for bar in table["bars"] if has(book, *_names(bar))]
    of = _unit(book, bars)
    parts = [parts_of(point, bar["total"], table.get("labels", {})) for bar in bars]
    totals = [sum((v for _, v in p), Fraction(0)) for p in parts]
    factor, axis = scale(totals, of)
    heads = [_head(point, bar, total, of) for bar, total in zip(bars, totals, strict=True)]
    scene = Stack(
        axis,
        tuple(Bar(h, tuple((n, float(v / factor)) for n, v in p if v)) for h, p in zip(heads, parts, strict=True)),
        tuple(dict.fromkeys(n for p in parts for n, v in p if v)),
    )
    whole = list(zip(bars, parts, totals, strict=True))
    each = [(b["label"], f"{shown(t, of)} ({_shares(p, t)})") for b, p, t in whole]
    largest = [f"on {b['label']} {_main(p)}" for b, p, t in whole if t]
    return Shown(
        scene,
        f"Each bar is a total, cut into the summands of its formula; the most is {', '.join(largest)}.",
        f"Bars: {listed(each)}.",
    )


def _unit(book: Book, bars: list[Any]) -> str:
    """The unit of all bars; what they are counted for is left out where one is a formula, which does not say it."""
    totals = [bar["total"] for bar in bars]
    units = {bare(unit(book, total)) for total in totals if total in book.declared}
    plain = {str(dimension(book, total).uncarried) for total in totals}
    if len(units) > 1 or len(plain) > 1:
        raise UnitError(f"bars of one picture have one unit, not {' and '.join(sorted(units if len(units) > 1 else plain))}")
    return (units if all(total in book.declared for total in totals) else plain).pop()


def parts_of(point: Point, total: str, labels: dict[str, str]) -> list[tuple[str, Fraction]]:
    """The summands of a formula by label, those of one label added, in the order of the formula; together they are the total."""
    found: dict[str, Fraction] = {}
    # What is given has no parts.
    term = None if total in point.given else formula_of(point, total)
    summands: tuple[Term, ...] = term.terms if isinstance(term, Add) else ()
    if not summands or any(isinstance(s, Neg) for s in summands):
        return [(labels.get(total) or _label(term, labels) or total, number(point, total))]
    for summand in summands:
        label = _label(summand, labels) or formula_text(summand)
        found[label] = found.get(label, Fraction(0)) + term_value(point, summand)
    return list(found.items())


def _label(term: Term | None, labels: dict[str, str]) -> str | None:
    return None if term is None else next((labels[n] for n in references(term) if n in labels), None)


def _head(point: Point, bar: Any, total: Fraction, of: str) -> str:
    book = point.book
    head = f"{bar['label']}: {shown(total, of)}"
    if "rate" in bar:
        head += f" at {shown(number(point, bar['rate']), unit(book, bar['rate']))}"
    if "time" in bar:
        head += f" take {shown(number(point, bar['time']), unit(book, bar['time']))}"
    return head


def _main(parts: list[tuple[str, Fraction]]) -> str:
    return max(parts, key=lambda part: part[1])[0]


def _shares(parts: list[tuple[str, Fraction]], total: Fraction) -> str:
    return "; ".join(f"{n} {float(100 * v / total):.1f}%" for n, v in parts if v) or "nothing"
