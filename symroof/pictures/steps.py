"""Steps: a quantity over the values of one of its arguments, each with what else is worth knowing there.

kind = "steps"
of = "outgoing_blocks"
over = "stage"
first = "1"                       # formulas, which the presets answer
last = "PP - 1"
also = "packet_bytes"             # another quantity, written above each bar
shades = { packet_bytes_nvlink = "over NVLink", packet_bytes_scaleout = "over scale-out" }   # the first that is not zero
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, has, listed, number, scale, shown, unit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symroof.point import Point

REQUIRED = {"of": fields.text, "over": fields.text, "last": fields.text}
OPTIONAL = {"first": fields.text, "also": fields.text, "shades": fields.labels}

_PLOT, _LEFT, _FIRST = 2.3, 0.72, 2
# Bars above which there is room for two lines, and bars that are all named.
_MOST, _WRITTEN = 256, 12


@dataclass(frozen=True, slots=True)
class Step:
    """A bar: the argument's value, the quantity's, the texts above it, and the place of its shade among the shades."""

    at: int
    height: float
    texts: tuple[str, ...]
    shade: int


@dataclass(frozen=True, slots=True)
class Steps:
    """The scene."""

    axes: tuple[str, str]
    steps: tuple[Step, ...]
    shades: tuple[str, ...]

    @property
    def height(self) -> float:
        """Inches."""
        return _PLOT + 0.05 + self._below

    @property
    def _below(self) -> float:
        from symroof.pictures.style import below

        return below(self.shades if any(self.shades) else (), _LEFT)

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from matplotlib.ticker import MaxNLocator

        from symroof.pictures.style import LOOKS, MARGIN, PAPER, SMALL, WIDTH, legend, panel, swatch

        axes = panel(figure, _LEFT, self._below, WIDTH - _LEFT - 2 * MARGIN, _PLOT)
        axes.set(xlabel=self.axes[0], ylabel=self.axes[1])
        written = len(self.steps) <= _WRITTEN
        for step in self.steps:
            look = LOOKS[(step.shade + _FIRST) % len(LOOKS)]
            axes.bar(step.at, step.height, 0.62, color=look.colour, hatch=look.hatch, edgecolor=PAPER, linewidth=0.4)
            if written:
                axes.annotate("\n".join(step.texts), (step.at, step.height), xytext=(0, 3), textcoords="offset points",
                              ha="center", va="bottom", fontsize=SMALL)  # fmt: skip
        axes.set_ylim(0, max(1.0, *(s.height for s in self.steps)) * (1.22 if written else 1.05))
        if written:
            axes.set_xticks([s.at for s in self.steps])
        axes.set_xlim(self.steps[0].at - 0.6, self.steps[-1].at + 0.6)
        axes.yaxis.set_major_locator(MaxNLocator(integer=all(s.height == int(s.height) for s in self.steps)))
        used = [n for n in range(len(self.shades)) if any(s.shade == n for s in self.steps)]
        if any(self.shades):
            legend(figure, [swatch(LOOKS[(n + _FIRST) % len(LOOKS)], self.shades[n]) for n in used], _LEFT)


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [*(table[key] for key in ("of", "over", "last", "first", "also") if key in table), *table.get("shades", ())]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the quantity, its argument and their ends."""
    return has(point.book, table["of"], table["over"], table["last"], table.get("first", "1"))


def gather(point: Point, table: Table) -> Shown:
    """The steps of a quantity at a point.

    Raises:
        EvaluationError: the argument has no value between its ends, or too many.
    """
    book, of, over = point.book, table["of"], table["over"]
    first, last = (int(number(point, text)) for text in (table.get("first", "1"), table["last"]))
    if last < first:
        raise EvaluationError(f"there is no {over} from {first} to {last}")
    if last - first >= _MOST:
        raise EvaluationError(f"{last - first + 1:,} bars are too many to draw")
    there = {n: point.set(**{over: n}) for n in range(first, last + 1)}
    values = {n: number(p, of) for n, p in there.items()}
    also = table["also"] if "also" in table and has(book, table["also"]) else None
    shades = {n: label for n, label in table.get("shades", {}).items() if has(book, n)}
    factor, up = scale(values.values(), unit(book, of))
    steps = tuple(Step(n, float(values[n] / factor), _texts(p, of, also), _shade(p, list(shades))) for n, p in there.items())
    above = f", and above them {also}" if also else ""
    pairs = [(f"{over} {n}:", ", ".join(s.texts)) for n, s in zip(there, steps, strict=True)]
    return Shown(
        Steps((over, f"{of} [{up}]" if up else of), steps, tuple(shades.values()) or ("",)),
        f"{of} over {over}{above}: from {shown(values[first], unit(book, of))} at the first to "
        f"{shown(values[last], unit(book, of))} at the last.",
        f"Bars of {of}: {listed(pairs)}.",
    )


def _texts(point: Point, of: str, also: str | None) -> tuple[str, ...]:
    return tuple(shown(number(point, n), unit(point.book, n)) for n in (of, also) if n is not None)


def _shade(point: Point, names: list[str]) -> int:
    """The place of the first of some quantities that is not zero."""
    return next((i for i, n in enumerate(names) if number(point, n)), 0)
