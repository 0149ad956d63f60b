"""Curves: quantities over one symbol, with the boundaries between what binds.

kind = "curves"
of = ["step_time", "compute_time"]      # of one unit
over = "nvlink_bandwidth"
values = "2^3:2^9"                      # by default a decade on both sides of a real symbol's value, all of a whole one's
axis = "time"                           # what they all are; by default the name, where there is one
regimes = "step_time"                   # the quantity whose Max turns along the symbol
[pictures.labels]
compute_time = "compute"
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from symroof.errors import EvaluationError, UnitError
from symroof.humane import humane
from symroof.passes.once import regimes_once
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, bare, has, listed, scale, shown, unit
from symroof.ranges import read_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symroof.point import Point

REQUIRED = {"of": fields.texts, "over": fields.text}
OPTIONAL = {"values": fields.text, "regimes": fields.text, "labels": fields.labels, "axis": fields.text}

# Steps on each side of a real symbol's value, over a decade; more points than the second number get no markers.
_STEPS, _MARKED = 24, 30
_PLOT, _LEFT = 2.75, 0.72


@dataclass(frozen=True, slots=True)
class Curves:
    """The scene: lines over one axis, what binds between its boundaries, and where the point is."""

    axes: tuple[str, str]
    x: tuple[float, ...]
    lines: tuple[tuple[str, tuple[float, ...]], ...]
    regimes: tuple[str, ...]
    boundaries: tuple[tuple[float, str], ...]
    here: tuple[float, str] | None
    whole: bool

    @property
    def height(self) -> float:
        """Inches."""
        return _PLOT + self._above + self._below

    @property
    def _above(self) -> float:
        return 0.38 if self.boundaries else 0.22 if self.regimes else 0.08

    @property
    def _below(self) -> float:
        from symroof.pictures.style import below

        return below([*(name for name, _ in self.lines), *([_this(self.here)] if self.here else [])], _LEFT)

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from matplotlib.lines import Line2D

        from symroof.pictures.style import INK, LOOKS, MARGIN, PAPER, WIDTH, legend, panel

        axes = panel(figure, _LEFT, self._below, WIDTH - _LEFT - 2 * MARGIN, _PLOT)
        wide = max(self.x) > 8 * min(self.x) > 0
        axes.set(xlabel=self.axes[0], ylabel=self.axes[1], xscale="log" if wide else "linear")
        axes.grid(which="major", color="#e4e4e4", linewidth=0.6)
        handles = []
        every = max(1, len(self.x) // 8)
        for place, (name, y) in enumerate(self.lines):
            look = LOOKS[place % len(LOOKS)]
            marks: dict[str, Any] = {"marker": look.marker, "markersize": 5, "markeredgecolor": PAPER}
            marks["markevery"] = 1 if self.whole and len(self.x) <= _MARKED else (place * every // len(self.lines), every)
            axes.plot(self.x, y, color=look.colour, linestyle=look.line, linewidth=2, clip_on=False, **marks)
            handles.append(Line2D([], [], color=look.colour, linestyle=look.line, linewidth=2, label=name, marker=look.marker,
                                  markersize=5, markeredgecolor=PAPER))  # fmt: skip
        axes.set_xlim(min(self.x), max(self.x))
        axes.set_ylim(0, max(max(y) for _, y in self.lines) * 1.05)
        self._name_ticks(axes, wide)
        self._paint_regimes(axes)
        if self.here is not None:
            axes.axvline(self.here[0], color=INK, linewidth=0.9, linestyle=(0, (1, 2)))
            handles.append(Line2D([], [], color=INK, linewidth=0.9, linestyle=(0, (1, 2)), label=_this(self.here)))
        legend(figure, handles, _LEFT)

    def _name_ticks(self, axes: Axes, wide: bool) -> None:
        """Plain numbers on a logarithmic axis, those of the values themselves where they are few."""
        from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

        if self.whole and len(self.x) <= 12:
            axes.set_xticks(self.x)
        elif wide:
            axes.xaxis.set_major_locator(LogLocator(10, (1, 2, 5)))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.minorticks_off()

    def _paint_regimes(self, axes: Axes) -> None:
        from symroof.pictures.style import INK, SHADE, SMALL

        ends = [min(self.x), *(b for b, _ in self.boundaries), max(self.x)] if self.regimes else []
        for place, (label, (low, high)) in enumerate(zip(self.regimes, pairwise(ends), strict=True)):
            middle = (low * high) ** 0.5 if axes.get_xscale() == "log" else (low + high) / 2
            if place % 2:
                axes.axvspan(low, high, color=SHADE, zorder=0, linewidth=0)
            up = 1.02 + (0.16 / _PLOT if self.boundaries else 0)
            axes.text(middle, up, label, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=SMALL)
        for boundary, says in self.boundaries:
            axes.axvline(boundary, color=INK, linewidth=1)
            axes.text(boundary, 1.02, says, transform=axes.get_xaxis_transform(), ha="center", va="bottom", fontsize=SMALL)


def _this(here: tuple[float, str]) -> str:
    return f"this point: {here[1]}"


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [*table["of"], table["over"], *table.get("labels", ()), *([table["regimes"]] if "regimes" in table else [])]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the symbol and one of the quantities."""
    return has(point.book, table["over"]) and any(has(point.book, name) for name in table["of"])


def gather(point: Point, table: Table) -> Shown:
    """The curves around a point.

    Raises:
        UnitError: the quantities have more than one unit. EvaluationError: no value of the symbol makes a run.
    """
    book, over, labels = point.book, table["over"], table.get("labels", {})
    of = [name for name in table["of"] if has(book, name)]
    units = {unit(book, name) for name in of}
    if len(units) > 1:
        raise UnitError(f"curves of one picture have one unit, not {' and '.join(sorted(units))}")
    values = axis_values(point, over, table.get("values"))
    names, boundaries = _regimes(point, table, values[0], values[-1])
    # A curve may bend where what binds changes.
    corners = [] if _whole(point, over) else boundaries
    x, *ys = _columns(point, over, sorted({*values, *corners}), of)
    (across, across_unit), (up, up_unit) = scale(x, bare(unit(book, over))), scale(map(max, ys), units.pop())
    here = point.evaluator.number(over)
    scene = Curves(
        axes=(_axis(over, across_unit), _axis(table.get("axis", of[0] if len(of) == 1 else ""), up_unit)),
        x=tuple(float(v / across) for v in x),
        lines=tuple((labels.get(n, n), tuple(float(v / up) for v in y)) for n, y in zip(of, ys, strict=True)),
        regimes=tuple(f"{labels.get(n, n)} binds" for n in names),
        boundaries=tuple((float(b / across), shown(b, unit(book, over))) for b in boundaries),
        here=(float(here / across), shown(here, unit(book, over))) if x[0] <= here <= x[-1] else None,
        whole=_whole(point, over),
    )
    ends = [
        (labels.get(n, n), f"{humane(y[0], unit(book, n))} to {humane(y[-1], unit(book, n))}")
        for n, y in zip(of, ys, strict=True)
    ]
    span = f"over {over} from {shown(x[0], unit(book, over))} to {shown(x[-1], unit(book, over))}"
    turns = _turns([labels.get(n, n) for n in names], [says for _, says in scene.boundaries])
    what = ", ".join(label for label, _ in scene.lines)
    dotted = "; the dotted line is this point" if scene.here is not None else ""
    return Shown(scene, f"{what} {span}{dotted}.{turns}", f"Curves {span}: {listed(ends)}.{turns}")


def _columns(point: Point, over: str, values: list[Fraction], of: list[str]) -> list[list[Fraction]]:
    """The values that make a run, then each quantity at them."""
    found = point.sweep({over: values}, of).arrays()
    if not len(found[over]):
        raise EvaluationError(f"none of the values of {over} makes an admissible run")
    return [[Fraction(v) for v in found[name].tolist()] for name in (over, *of)]


def _turns(names: list[str], at: list[str]) -> str:
    """What binds, in a sentence: throughout, or until where."""
    if len(names) < 2:
        return f" {names[0]} binds throughout." if names else ""
    turns = [f"{one} gives way to {other} at {says}" for (one, other), says in zip(pairwise(names), at, strict=True)]
    return f" What binds changes: {'; '.join(turns)}."


def axis_values(point: Point, name: str, values: str | None) -> Sequence[Fraction]:
    """The values of an axis: those of the table, else all of a whole symbol, else a decade on both sides of a real one's."""
    if values is not None:
        return list(read_values(point.book, name, values))
    if _whole(point, name):
        from symroof.passes.candidates import admissible_integers

        return [Fraction(v) for v in admissible_integers(point, name)]
    here = point.evaluator.number(name)
    return [here * Fraction(10 ** (i / _STEPS)).limit_denominator(1000) for i in range(-_STEPS, _STEPS + 1)]


def _whole(point: Point, name: str) -> bool:
    return name in point.book.symbols and point.book.symbols[name].domain.whole


def _regimes(point: Point, table: Table, low: Fraction, high: Fraction) -> tuple[list[str], list[Fraction]]:
    """What binds between the ends of the axis, and the boundaries between."""
    if "regimes" not in table or not has(point.book, table["regimes"]):
        return [], []
    found = regimes_once(point, table["regimes"], table["over"])
    names: list[str] = []
    boundaries: list[Fraction] = []
    for piece in found.pieces:
        if (piece.high is None or piece.high > low) and (piece.low is None or piece.low < high):
            if names:
                boundaries.append(Fraction(str(piece.boundary if piece.boundary is not None else piece.low)))
            names.append(piece.binding)
    return names, boundaries


def _axis(name: str, of: str) -> str:
    return f"{name} [{of}]".strip() if of else name
