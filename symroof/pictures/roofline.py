"""The roofline: the peak, a slope for each carrier that moves bytes, and kernels under the slope of their own carrier.

    kind = "roofline"
    peak = "peak_flops"
    roofs = [{ label = "HBM", bandwidth = "hbm_bandwidth" }, ...]
    kernels = [{ label = "one product", flops = "...", bytes = "..." }, { label = "another", intensity = "..." }, ...]

Bytes and intensities name the carrier in their unit, which is how a kernel finds its roof. A kernel that moves no byte here,
or whose names the model lacks, is left out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from symroof.errors import EvaluationError
from symroof.humane import humane, plain
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, dimension, has, listed, number, shown, unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symroof.point import Point

REQUIRED = {"peak": fields.text, "roofs": fields.records({"label": fields.text, "bandwidth": fields.text})}
_KERNEL = ("intensity", "flops", "bytes")
OPTIONAL = {
    "kernels": fields.records({"label": fields.text}, dict.fromkeys(_KERNEL, fields.text), ("intensity",), ("flops", "bytes"))
}

# Decades: how far the peak is above the floor, and the room beside the first and last thing that is shown.
_DEPTH, _CAP, _ROOM = 2.7, 0.18, 0.35
# Inches of the axes.
_AXES, _TALL = 6.35, 3.15


@dataclass(frozen=True, slots=True)
class Roof:
    """A carrier: FLOP/s for a FLOP a byte, which is its bandwidth, and the intensity at which the peak takes over."""

    label: str
    bandwidth: float
    ridge: float
    shown: str
    ridge_shown: str


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel: the place of its roof among the roofs, its intensity there, and the rate that the roofs leave it."""

    label: str
    roof: int
    intensity: float
    rate: float


@dataclass(frozen=True, slots=True)
class Roofline:
    """The scene."""

    peak: float
    peak_shown: str
    roofs: tuple[Roof, ...]
    kernels: tuple[Kernel, ...]

    @property
    def height(self) -> float:
        """Inches."""
        return _TALL + 0.75 + 0.2 * self._rows

    @property
    def _rows(self) -> int:
        return 1 + max((row for _, row in self._placed), default=-1)

    @property
    def _ends(self) -> tuple[float, float]:
        """The first and last intensity of the axis, as powers of ten."""
        at = [math.log10(x) for x in (*(r.ridge for r in self.roofs), *(k.intensity for k in self.kernels))]
        return min(min(at) - 4 * _ROOM, math.log10(self.roofs[0].ridge) - _DEPTH / 2), max(at) + 2 * _ROOM

    @property
    def _placed(self) -> list[tuple[Kernel, int]]:
        """The kernels with the row of their labels: each ends at its kernel, above those that it reaches back over."""
        low, high = self._ends
        decade = _AXES / (high - low)
        rows: list[tuple[Kernel, int]] = []
        for kernel in sorted(self.kernels, key=lambda k: (k.intensity, k.label)):
            # An estimate will do: a row too many hurts nobody.
            reach = math.log10(kernel.intensity) - (0.075 * len(kernel.label) + 0.2) / decade
            over = [row for other, row in rows if math.log10(other.intensity) > reach]
            rows.append((kernel, 1 + max(over, default=-1)))
        return rows

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from symroof.pictures.style import LOOKS, MARGIN, SIZE, WIDTH, panel, powers

        axes = panel(figure, WIDTH - MARGIN - _AXES, 0.6, _AXES, _TALL)
        low, high = self._ends
        top = self.peak * 10**_CAP
        axes.set(xscale="log", yscale="log", xlim=(10**low, 10**high), ylim=(self.peak / 10**_DEPTH, top))
        axes.set(xlabel="arithmetic intensity on the carrier [FLOP/byte]", ylabel="attainable rate [FLOP/s]")
        powers(axes.xaxis, low, high)
        powers(axes.yaxis, math.log10(self.peak) - _DEPTH, math.log10(top))
        axes.grid(color="#e4e4e4", linewidth=0.6)
        first = min(r.ridge for r in self.roofs)
        axes.plot([first, 10**high], [self.peak, self.peak], color=LOOKS[0].colour, linewidth=2.4, solid_capstyle="butt")
        axes.text(first / 10**0.05, self.peak, f"peak {self.peak_shown}", ha="right", va="center", fontsize=SIZE)
        for place, roof in enumerate(self.roofs):
            self._paint_roof(axes, place, roof)
        for kernel, row in self._placed:
            self._paint_kernel(axes, kernel, row)

    def _paint_roof(self, axes: Axes, place: int, roof: Roof) -> None:
        from symroof.pictures.style import LOOKS, SMALL

        look, floor = LOOKS[1 + place], self.peak / 10**_DEPTH
        axes.plot([floor / roof.bandwidth, roof.ridge], [floor, self.peak], color=look.colour, linestyle=look.line, linewidth=2)
        low, high = self._ends
        angle = math.degrees(math.atan((_TALL / (_DEPTH + _CAP)) / (_AXES / (high - low))))
        # In the middle of what is seen of the slope, a little off it.
        start = max(10**low, floor / roof.bandwidth)
        middle = (start * roof.ridge) ** 0.5
        axes.annotate(
            f"{roof.label} {roof.shown}, ridge {roof.ridge_shown}",
            (middle, middle * roof.bandwidth),
            xytext=(-3, 3),
            textcoords="offset points",
            rotation=angle,
            rotation_mode="anchor",
            ha="center",
            va="bottom",
            fontsize=SMALL,
        )

    def _paint_kernel(self, axes: Axes, kernel: Kernel, row: int) -> None:
        from symroof.pictures.style import INK, LOOKS, PAPER, SMALL

        look = LOOKS[1 + kernel.roof]
        at = 1.035 + row * 0.2 / _TALL
        axes.plot(
            [kernel.intensity] * 2,
            [kernel.rate, 10 ** (math.log10(self.peak) + _CAP + (at - 0.97) * (_DEPTH + _CAP))],
            color=INK,
            linewidth=0.6,
            clip_on=False,
        )
        axes.plot(kernel.intensity, kernel.rate, look.marker, color=look.colour, markeredgecolor=PAPER, markersize=8, zorder=5)
        axes.annotate(
            kernel.label,
            (kernel.intensity, at),
            xycoords=("data", "axes fraction"),
            xytext=(-3, 0),
            textcoords="offset points",
            ha="right",
            fontsize=SMALL,
            annotation_clip=False,
        )


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    kernels = [k[key] for k in table.get("kernels", ()) for key in _KERNEL if key in k]
    return [table["peak"], *(roof["bandwidth"] for roof in table["roofs"]), *kernels]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the peak and a roof."""
    return has(point.book, table["peak"]) and any(has(point.book, r["bandwidth"]) for r in table["roofs"])


def gather(point: Point, table: Table) -> Shown:
    """The roofline of a point."""
    book, peak = point.book, number(point, table["peak"])
    roofs: list[Roof] = []
    places: dict[str, int] = {}
    for roof in table["roofs"]:
        if has(book, roof["bandwidth"]):
            bandwidth = number(point, roof["bandwidth"])
            places["".join(dimension(book, roof["bandwidth"]).carriers)] = len(roofs)
            says = shown(bandwidth, unit(book, roof["bandwidth"]))
            roofs.append(Roof(roof["label"], float(bandwidth), float(peak / bandwidth), says, plain(peak / bandwidth)))
    kernels = tuple(_kernels(point, table.get("kernels", ()), places, roofs, float(peak)))
    bound = [roofs[k.roof].label for k in kernels if k.rate < float(peak)]
    ridges = listed((f"{r.label} ({r.shown})", f"{r.ridge_shown} FLOP/byte") for r in roofs)
    where = f"{len(bound)} of {len(kernels)} kernels are below a slope" if bound else "every kernel shown is under the flat roof"
    return Shown(
        Roofline(float(peak), humane(peak, unit(book, table["peak"])), tuple(roofs), kernels),
        f"The flat roof is the peak, each slope the bandwidth of a carrier; a kernel stands over its intensity on the "
        f"carrier that moves its bytes, at the rate that this roof leaves it. {where[0].upper()}{where[1:]}.",
        f"Roofline with a peak of {humane(peak, unit(book, table['peak']))}. The slopes meet it at {ridges}. "
        f"Kernels: {listed((k.label, f'{k.intensity:,.0f} FLOP/byte') for k in kernels)}.",
    )


def _kernels(point: Point, tables: Sequence[Any], places: dict[str, int], roofs: list[Roof], peak: float) -> Iterator[Kernel]:
    for table in tables:
        names = [table[key] for key in _KERNEL if key in table]
        if not has(point.book, *names):
            continue
        carriers = dimension(point.book, names[-1]).carriers
        if "".join(carriers) not in places:
            raise EvaluationError(f"{names[-1]} is on no roof of the picture: its unit is {unit(point.book, names[-1])}")
        values = [number(point, name) for name in names]
        if not all(values):
            continue
        intensity = float(values[0] if len(values) == 1 else values[0] / values[1])
        place = places["".join(carriers)]
        # The carrier in words too, for whoever does not tell the colours apart.
        yield Kernel(f"{table['label']} ({roofs[place].label})", place, intensity, min(peak, intensity * roofs[place].bandwidth))
