"""The regime map: which resource binds over two symbols.

kind = "regimes"
of = "binding_resource"           # a quantity that names what is largest
over = { domain_ranks = "2^0:2^6", EP = "2^0:2^6" }     # across, then up; "" for the symbol's own values
[pictures.labels]
compute_time = "compute"
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import EvaluationError
from symroof.pictures import fields
from symroof.pictures.curves import axis_values
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, bare, has, listed, scale, shown, unit
from symroof.term import Largest

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symroof.point import Point


def _two(value: object) -> str:
    """A table of two symbols, each with the text of its values."""
    return fields.labels(value) or ("" if isinstance(value, dict) and len(value) == 2 else f" names two symbols, not {value!r}")


REQUIRED = {"of": fields.text, "over": _two}
OPTIONAL = {"labels": fields.labels}

_PLOT, _LEFT = 2.9, 0.75
# More values on an axis than this are not all named.
_NAMED = 14


@dataclass(frozen=True, slots=True)
class Map:
    """The scene: for each value upwards a row of places among the labels, -1 where no run can be."""

    axes: tuple[str, str]
    ticks: tuple[tuple[str, ...], tuple[str, ...]]
    labels: tuple[str, ...]
    looks: tuple[int, ...]
    cells: tuple[tuple[int, ...], ...]
    here: tuple[int, int] | None

    @property
    def height(self) -> float:
        """Inches."""
        return _PLOT + 0.05 + self._below

    @property
    def _below(self) -> float:
        from symroof.pictures.style import below

        return below([*self.labels, "no such run", "this point"], _LEFT)

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from symroof.pictures.style import LOOKS, MARGIN, PAPER, WIDTH, Look, legend, panel, swatch

        axes = panel(figure, _LEFT, self._below, WIDTH - _LEFT - 2 * MARGIN, _PLOT)
        wide, high = len(self.ticks[0]), len(self.ticks[1])
        axes.set(xlim=(-0.5, wide - 0.5), ylim=(-0.5, high - 0.5), xlabel=self.axes[0], ylabel=self.axes[1], facecolor=PAPER)
        axes.tick_params(length=2)
        for side, ticks in zip((axes.xaxis, axes.yaxis), self.ticks, strict=True):
            every = -(-len(ticks) // _NAMED)
            side.set_ticks(range(0, len(ticks), every), ticks[::every])
        looks = [LOOKS[place % len(LOOKS)] for place in self.looks]
        for place, look in enumerate(looks):
            self._paint_cells(axes, place, look.colour, look.hatch)
        self._paint_cells(axes, -1, PAPER, "")
        handles: list[Artist] = [swatch(look, label) for look, label in zip(looks, self.labels, strict=True)]
        if any(-1 in row for row in self.cells):
            handles.append(swatch(Look(PAPER, "", "", "-"), "no such run", "#aaaaaa"))
        legend(figure, [*handles, *self._ring(axes)], _LEFT)

    def _ring(self, axes: Axes) -> list[Artist]:
        """The mark of the point, where it is on the map."""
        from matplotlib.lines import Line2D

        from symroof.pictures.style import INK, PAPER

        if self.here is None:
            return []
        ring: dict[str, Any] = {"marker": "o", "markerfacecolor": PAPER, "markeredgecolor": INK, "markeredgewidth": 2}
        axes.plot(*self.here, linestyle="", markersize=10, zorder=5, **ring)
        return [Line2D([], [], linestyle="", markersize=8, label="this point", **ring)]

    def _paint_cells(self, axes: Axes, place: int, colour: str, hatch: str) -> None:
        """The cells of one label as one shape, so that a fine map stays a small file."""
        from matplotlib.patches import PathPatch

        from symroof.pictures.style import PAPER, boxes

        found = [(x - 0.5, y - 0.5, 1.0, 1.0) for y, row in enumerate(self.cells) for x, cell in enumerate(row) if cell == place]
        if found:
            edge = "#dddddd" if place < 0 else PAPER
            axes.add_artist(PathPatch(boxes(found), facecolor=colour, hatch=hatch, edgecolor=edge, linewidth=0.8))


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [table["of"], *table["over"], *table.get("labels", ())]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the quantity and both symbols."""
    return has(point.book, table["of"], *table["over"])


def gather(point: Point, table: Table) -> Shown:
    """The map around a point.

    Raises:
        EvaluationError: no run that can be.
    """
    book, of, labels = point.book, table["of"], table.get("labels", {})
    values = {name: list(axis_values(point, name, text or None)) for name, text in table["over"].items()}
    xs, ys = values.values()
    at = _binding(point, of, values)
    order = _order(point, of, set(at.values()))
    names = [n for n in order if n in at.values()]
    (x_axis, x_ticks), (y_axis, y_ticks) = (_axis(point, n, v) for n, v in values.items())
    scene = Map(
        axes=(x_axis, y_axis),
        ticks=(x_ticks, y_ticks),
        labels=tuple(f"{labels.get(n, n)} binds" for n in names),
        looks=tuple(map(order.index, names)),
        cells=tuple(tuple(names.index(at[x, y]) if (x, y) in at else -1 for x in map(float, xs)) for y in map(float, ys)),
        here=_here(point, values),
    )
    span = " and ".join(f"{n} from {shown(v[0], unit(book, n))} to {shown(v[-1], unit(book, n))}" for n, v in values.items())
    mine, count = str(point[of].exact), Counter(at.values())
    ring = f"at this point{', the ring,' if scene.here else ''} it is {labels.get(mine, mine)}"
    gaps = " Where a cell is empty no such run can be." if len(at) < len(xs) * len(ys) else ""
    pairs = [(f"{labels.get(n, n)} binds in", str(count[n])) for n in names]
    return Shown(
        scene,
        f"What binds over {span}, everything else as it is; {ring}.{gaps}",
        f"Map over {span}. Of {len(at)} runs that can be {listed(pairs)}; {ring}.",
    )


def _binding(point: Point, of: str, values: dict[str, list[Fraction]]) -> dict[tuple[float, float], str]:
    """The name that binds at each pair of values that makes a run."""
    found = point.sweep(values, [of]).arrays()
    columns = [found[name].tolist() for name in (*values, of)]
    if not columns[0]:
        raise EvaluationError(f"none of the values of {' and '.join(values)} makes an admissible run")
    return {(x, y): str(name) for x, y, name in zip(*columns, strict=True)}


def _order(point: Point, of: str, found: set[str]) -> list[str]:
    """The names that can bind, in the order of the definition, so that one has one colour in all pictures; then ties."""
    formula = point.book.formulas.get(of)
    names = list(formula.names) if isinstance(formula, Largest) else []
    return [*names, *sorted(found - set(names))]


def _here(point: Point, values: dict[str, list[Fraction]]) -> tuple[int, int] | None:
    """The cell of the point itself, where it is on the map."""
    x, y = ((point.evaluator.number(name), found) for name, found in values.items())
    return (x[1].index(x[0]), y[1].index(y[0])) if x[0] in x[1] and y[0] in y[1] else None


def _axis(point: Point, name: str, values: list[Fraction]) -> tuple[str, tuple[str, ...]]:
    factor, of = scale(values, bare(unit(point.book, name)))
    return f"{name} [{of}]" if of else name, tuple(f"{float(v / factor):,.4g}" for v in values)
