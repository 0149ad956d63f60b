"""The schedule of 1F1B to scale: each microbatch's passes on each stage, from what may start when, and the idle time left.

    kind = "schedule"
    stages = "PP"
    microbatches = "M"
    forward = "..."                   # the work of a forward pass, in any unit
    backward = "..."                  # that of a backward pass, in the same unit
    recompute = "..."                 # what a backward pass executes again before it; may be left out or zero
    bubble = "bubble_overhead"        # the quantity that the schedule must reproduce; may be left out

All stages take the same time, and handing over takes none: this is the schedule by which the bubble is derived.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from symroof.errors import EvaluationError
from symroof.humane import exact, plain
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, has, number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from symroof.pictures.style import Look
    from symroof.point import Point

REQUIRED = dict.fromkeys(("stages", "microbatches", "forward", "backward"), fields.text)
OPTIONAL = dict.fromkeys(("recompute", "bubble"), fields.text)

FORWARD, RECOMPUTE, BACKWARD, WORK = "forward", "recompute", "backward", "any of them"
# The most microbatches on stages that are scheduled, the most passes that are drawn one by one at a small scale, and how many
# microbatches wide a part is in which numbers are read.
_MOST, _FINE, _READ = 40_000, 4000, 10
# Inches: rows that are read and rows that are only seen, the left edge, the width; and the size of numbers.
_ROW, _SMALL_ROW, _LEFT, _WIDE, _NUMBER = 0.235, 0.14, 0.62, 6.34, 6.5


class Pass(NamedTuple):
    """A pass of a microbatch on a stage: what it is, and from when to when."""

    stage: int
    microbatch: int
    kind: str
    start: Fraction
    end: Fraction


def order_1f1b(stage: int, stages: int, microbatches: int) -> list[tuple[bool, int]]:
    """What a stage does, in order, as (forward or not, microbatch): fill, then one forward one backward, then drain."""
    ahead = min(stages - 1 - stage, microbatches)
    forwards = [(True, m) for m in range(ahead)]
    steady = [step for m in range(ahead, microbatches) for step in ((True, m), (False, m - ahead))]
    return [*forwards, *steady, *((False, m) for m in range(microbatches - ahead, microbatches))]


@lru_cache(maxsize=4)
def simulate(
    stages: int, microbatches: int, forward: Fraction, backward: Fraction, recompute: Fraction = Fraction(0)
) -> tuple[Pass, ...]:
    """Every pass as early as it can start: after what its stage did before, and after the pass that it depends on.

    A forward pass depends on that of the stage before, a backward pass on that of the stage after, the last stage's on its own
    forward pass. Recomputation is a part of the backward pass: it starts when that may.
    """
    orders = [order_1f1b(s, stages, microbatches) for s in range(stages)]
    done: dict[tuple[int, bool, int], Fraction] = {}
    free = [Fraction(0)] * stages
    place = [0] * stages
    found: list[Pass] = []
    while any(place[s] < len(orders[s]) for s in range(stages)):
        for stage in range(stages):
            while place[stage] < len(orders[stage]):
                ahead, m = orders[stage][place[stage]]
                needs = _needs(stage, stages, ahead, m)
                if needs is not None and needs not in done:
                    break
                start = max(free[stage], done[needs] if needs is not None else Fraction(0))
                for kind, length in [(FORWARD, forward)] if ahead else [(RECOMPUTE, recompute), (BACKWARD, backward)]:
                    if length:
                        found.append(Pass(stage, m, kind, start, start + length))
                        start += length
                done[stage, ahead, m] = free[stage] = start
                place[stage] += 1
    return tuple(found)


def _needs(stage: int, stages: int, ahead: bool, microbatch: int) -> tuple[int, bool, int] | None:
    """The pass that another one waits for."""
    if ahead:
        return (stage - 1, True, microbatch) if stage else None
    return (stage + 1, False, microbatch) if stage < stages - 1 else (stage, True, microbatch)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The scene: counts, and the times of the three passes; the schedule follows from them."""

    stages: int
    microbatches: int
    forward: Fraction
    backward: Fraction
    recompute: Fraction

    @property
    def height(self) -> float:
        """Inches."""
        return self._whole + (0 if self._fits else self._close + 0.55) + 0.25 + self._below

    @property
    def _below(self) -> float:
        from symroof.pictures.style import below

        return below(["legend"])

    @property
    def _fits(self) -> bool:
        """True where the whole schedule can be read."""
        return self.total <= 2 * _READ * self.slot

    @property
    def _whole(self) -> float:
        return max(0.5, (_ROW if self._fits else _SMALL_ROW) * self.stages)

    @property
    def _close(self) -> float:
        return max(0.5, _ROW * self.stages)

    @property
    def slot(self) -> Fraction:
        """The time of a microbatch on a stage."""
        return self.forward + self.recompute + self.backward

    @property
    def passes(self) -> tuple[Pass, ...]:
        """Every pass, from when to when."""
        return simulate(self.stages, self.microbatches, self.forward, self.backward, self.recompute)

    @property
    def total(self) -> Fraction:
        """The time of the whole schedule."""
        return max(p.end for p in self.passes)

    @property
    def busy(self) -> Fraction:
        """The time that a stage works, which is the same for all."""
        return sum((p.end - p.start for p in self.passes), Fraction(0)) / self.stages

    @property
    def idle(self) -> Fraction:
        """The time that a stage waits."""
        return self.total - self.busy

    def paint(self, figure: Figure) -> None:
        """Draw it: the whole to scale, and where that is too small to read both of its ends again."""
        from symroof.pictures.style import EMPHASIS, IDLE, WIDTH, legend, panel, swatch

        passes = self.passes
        whole = panel(figure, _LEFT, self.height - 0.25 - self._whole, _WIDE, self._whole)
        self._paint_part(whole, passes if self._fits else self._coarse(passes), 0, float(self.total))
        self._mark_bubble(whole)
        if not self._fits:
            self._paint_ends(figure, passes)
        seen = {p.kind for p in passes} | {p.kind for p in self._coarse(passes)}
        handles = [swatch(look, kind) for kind, look in _looks().items() if kind in seen]
        handles += [swatch(IDLE, "idle: the bubble", EMPHASIS.colour)] if self.stages > 1 else []
        says = "time [microbatches of work on a stage]"
        figure.text((_LEFT + _WIDE / 2) / WIDTH, (self._below - 0.44) / figure.get_figheight(), says, ha="center")
        legend(figure, handles, _LEFT)

    def _coarse(self, passes: Sequence[Pass]) -> Sequence[Pass]:
        """What is drawn at a small scale: the passes, or where they are too many what is busy without a break."""
        if len(passes) <= _FINE:
            return passes
        found: list[Pass] = []
        for p in sorted(passes, key=lambda p: (p.stage, p.start)):
            if found and found[-1].stage == p.stage and found[-1].end == p.start:
                found[-1] = found[-1]._replace(end=p.end)
            else:
                found.append(p._replace(kind=WORK))
        return found

    def _paint_ends(self, figure: Figure, passes: Sequence[Pass]) -> None:
        """The first and the last microbatches again, large enough to be read, with a cut between."""
        from symroof.pictures.style import SMALL, panel

        read = min(float(self.slot) * _READ, float(self.total) / 2)
        half, start = (_WIDE - 0.3) / 2, float(self.total) - read
        first = panel(figure, _LEFT, self._below, half, self._close)
        last = panel(figure, _LEFT + half + 0.3, self._below, half, self._close)
        self._paint_part(first, passes, 0.0, read)
        self._paint_part(last, passes, start, start + read)
        last.set_yticks([])
        for axes, says, cut in ((first, "how it fills", "right"), (last, "how it drains", "left")):
            axes.set_title(says, fontsize=SMALL, loc="left", pad=3)
            axes.spines[cut].set(visible=True, linestyle=(0, (2, 2)))
            self._number(axes, passes, *axes.get_xlim())

    def _paint_part(self, axes: Axes, passes: Sequence[Pass], low: float, high: float) -> None:
        """What happens between two times: the passes over what would be idle without them."""
        from matplotlib.patches import PathPatch

        from symroof.pictures.style import EMPHASIS, IDLE, PAPER, boxes

        self._name_ticks(axes, low, high)
        if self.stages > 1:
            idle = boxes([(0.0, s - 0.5, float(self.total), 1.0) for s in range(self.stages)])
            axes.add_artist(PathPatch(idle, facecolor=IDLE.colour, hatch=IDLE.hatch, edgecolor=EMPHASIS.colour, linewidth=0))
        large = high - low <= 2 * _READ * float(self.slot)
        inset, line = (0.04, 0.4) if large else (0.0, 0.15)
        for kind, look in _looks().items():
            seen = [p for p in passes if p.kind == kind and p.end > low and p.start < high]
            if seen:
                shape = boxes([(float(p.start), p.stage - 0.5 + inset, float(p.end - p.start), 1 - 2 * inset) for p in seen])
                hatch = look.hatch if large else ""
                axes.add_artist(PathPatch(shape, facecolor=look.colour, hatch=hatch, edgecolor=PAPER, linewidth=line))
        if self._fits:
            self._number(axes, passes, low, high)

    def _name_ticks(self, axes: Axes, low: float, high: float) -> None:
        """Whole microbatches of work along, stages down."""
        from symroof.pictures.style import inches_of

        axes.set(xlim=(low, high), ylim=(self.stages - 0.5, -0.5))
        axes.tick_params(length=2)
        slot = float(self.slot)
        slots = range(round(low / slot), round(high / slot) + 1)
        every = next(n * 10**power for power in range(20) for n in (1, 2, 5) if len(slots) <= 15 * n * 10**power)
        ticks = [n for n in slots if n % every == 0]
        axes.set_xticks([n * slot for n in ticks], [f"{n:,}" for n in ticks])
        room = inches_of(axes)[1]
        some = range(0, self.stages, -(-self.stages // max(1, int(room / 0.2))))
        axes.set_yticks(some, [f"stage {s + 1}" for s in some])

    def _number(self, axes: Axes, passes: Sequence[Pass], low: float, high: float) -> None:
        """The microbatches' numbers on the passes that are wholly seen and have room."""
        from symroof.pictures.style import inches, inches_of, on

        across, looks = inches_of(axes)[0] / (high - low), _looks()
        for p in passes:
            text, start, end = str(p.microbatch + 1), float(p.start), float(p.end)
            within = p.kind != RECOMPUTE and low < start + 1e-9 and end < high + 1e-9
            if within and inches(text, _NUMBER) < (end - start) * across:
                ink = on(looks[p.kind].colour)
                axes.text((start + end) / 2, p.stage, text, ha="center", va="center", fontsize=_NUMBER, color=ink)

    def _mark_bubble(self, axes: Axes) -> None:
        """Above the whole: what one stage works, and what it waits, both to scale."""
        from symroof.pictures.style import INK, SMALL, inches

        work, total = float(self.busy), float(self.total)
        arrow = {"arrowstyle": "<->", "color": INK, "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
        at = 0.05 / self._whole
        says = (
            (0.0, work, f"each stage works {self.microbatches:,}"),
            (work, total, f"and idles {plain(self.idle / self.slot)}"),
        )
        for low, high, text in says if self.stages > 1 else says[:1]:
            coordinates = ("data", "axes fraction")
            axes.annotate("", (low, 1 + at), (high, 1 + at), xycoords=coordinates, arrowprops=arrow, annotation_clip=False)
            fits = inches(text) < (high - low) / total * _WIDE
            x, ha = ((low + high) / 2, "center") if fits else (high, "right")
            axes.text(x, 1 + 1.5 * at, text, transform=axes.get_xaxis_transform(), ha=ha, va="bottom", fontsize=SMALL)


def _looks() -> dict[str, Look]:
    """What the passes look like: dark, hatched and light, so that numbers are read on them."""
    from symroof.pictures.style import LOOKS

    return {FORWARD: LOOKS[0], RECOMPUTE: LOOKS[1], BACKWARD: LOOKS[4]._replace(hatch=""), WORK: LOOKS[6]._replace(hatch="")}


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [table[key] for key in (*sorted(REQUIRED), *sorted(OPTIONAL)) if key in table]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the counts and the work."""
    return has(point.book, *(table[key] for key in (*sorted(REQUIRED), "recompute") if key in table))


def gather(point: Point, table: Table) -> Shown:
    """The schedule of a point.

    Raises:
        EvaluationError: there are too many passes to draw, or the bubble of the book is another one.
    """
    stages, microbatches = int(number(point, table["stages"])), int(number(point, table["microbatches"]))
    if stages * microbatches > _MOST:
        raise EvaluationError(f"{stages} stages by {microbatches:,} microbatches are too many passes to draw")
    work = [number(point, table[key]) if key in table else Fraction(0) for key in ("forward", "backward", "recompute")]
    # A forward pass takes the time 1: only the ratios are seen.
    forward, backward, recompute = (w / work[0] for w in work)
    scene = Schedule(stages, microbatches, forward, backward, recompute)
    bubble = scene.idle / scene.busy
    if "bubble" in table and has(point.book, table["bubble"]) and (derived := number(point, table["bubble"])) != bubble:
        raise EvaluationError(f"the schedule's bubble is {exact(bubble)}, but {table['bubble']} is {exact(derived)} here")
    pace = f"a backward pass {plain(backward + recompute)}{f', of it recomputation {plain(recompute)}' if recompute else ''}"
    idle, share = plain(scene.idle / scene.slot), f"{plain(100 * bubble)}%"
    return Shown(
        scene,
        f"Ordinary 1F1B over {stages:,} stages and {microbatches:,} microbatches, to scale. While the pipeline fills and drains, "
        f"each stage idles for the work of {idle} microbatches on top of its {microbatches:,}: {share}. A forward pass takes 1, "
        f"{pace}; stages are equal, and handing over takes no time.",
        f"Timeline of 1F1B with {stages:,} stages and {microbatches:,} microbatches. A stage works {microbatches:,} microbatch "
        f"times and idles {idle}; the idle time is {share} of the work.",
    )
