"""Elasticities: by how much a quantity changes, relatively, for a relative change of each symbol.

kind = "elasticity"
of = "step_time"
to = ["M", "EP", ...]             # by default every symbol that it depends on
hold = { quantity = "global_batch_tokens", by = "rows" }
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError
from symroof.humane import significant
from symroof.passes.once import sensitivity_once
from symroof.pictures import fields
from symroof.pictures.picture import Shown
from symroof.pictures.reading import Table, has, listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from symroof.point import Point

REQUIRED = {"of": fields.text}
OPTIONAL = {"to": fields.texts, "hold": fields.record({"quantity": fields.text, "by": fields.text})}

_ROW = 0.27


@dataclass(frozen=True, slots=True)
class Elasticities:
    """The scene: symbols with elasticities, the largest first."""

    axis: str
    bars: tuple[tuple[str, float, str], ...]

    @property
    def height(self) -> float:
        """Inches."""
        return _ROW * len(self.bars) + 0.6

    def paint(self, figure: Figure) -> None:
        """Draw it."""
        from symroof.pictures.style import EMPHASIS, INK, LOOKS, MARGIN, PAPER, SIZE, SMALL, WIDTH, inches, panel

        left = MARGIN + 0.1 + max(inches(name, SIZE) for name, _, _ in self.bars)
        wide = WIDTH - left - 2 * MARGIN
        axes = panel(figure, left, 0.6, wide, _ROW * len(self.bars))
        least, most = min(0.0, *(e for _, e, _ in self.bars)), max(0.0, *(e for _, e, _ in self.bars))
        # Room for the numbers, which stand beyond the ends of the bars.
        room = 0.75 / wide * ((most - least) or 1) / (1 - 1.5 / wide)
        axes.set(
            ylim=(len(self.bars) - 0.5, -0.5), xlim=(least - room, most + room), xlabel=self.axis, yticks=range(len(self.bars))
        )
        axes.set_yticklabels([name for name, _, _ in self.bars], fontsize=SIZE)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.axvline(0, color=INK, linewidth=0.8)
        for y, (_, value, shown) in enumerate(self.bars):
            look = LOOKS[0] if value > 0 else EMPHASIS
            axes.barh(y, value, 0.66, color=look.colour, hatch=look.hatch, edgecolor=PAPER, linewidth=0.4)
            side = -1 if value < 0 else 1
            axes.annotate(
                shown, (value, y), xytext=(4 * side, 0), textcoords="offset points",
                ha="left" if side > 0 else "right", va="center", fontsize=SMALL,
            )  # fmt: skip


def formulas(table: Table) -> list[str]:
    """Every formula and name of a table, to be looked for in the book."""
    return [table["of"], *table.get("to", ()), *table.get("hold", {}).values()]


def wanted(point: Point, table: Table) -> bool:
    """True where the book has the quantity, and what is held."""
    return has(point.book, table["of"], *table.get("hold", {}).values())


def gather(point: Point, table: Table) -> Shown:
    """The elasticities of a quantity at a point, the largest first."""
    from symroof.passes.hold import hold_of

    of, hold = table["of"], table.get("hold", {})
    to = [name for name in table.get("to", ()) if has(point.book, name)]
    found = sensitivity_once(point, of, tuple(to) or None, hold_of(hold.get("quantity"), hold.get("by")))
    pairs = sorted(((s.to, s.elasticity) for s in found if s.elasticity is not None), key=lambda pair: -abs(pair[1]))
    if not pairs:
        raise EvaluationError(f"{of} has no elasticity here")
    held = f", {hold['quantity']} held by {hold['by']}" if hold else ""
    still, without = [name for name, value in pairs if not value], [s.to for s in found if s.elasticity is None]
    calm = f" {_and(still)} {'does' if len(still) == 1 else 'do'} nothing here." if still else ""
    calm += f" {_and(without)} moves it in steps only." if without else ""
    return Shown(
        Elasticities(f"elasticity of {of}{held}", tuple((n, float(e), _signed(e)) for n, e in pairs)),
        f"The relative change of {of} for a small relative change of each symbol{held}: 1 is in proportion, and below zero it "
        f"falls.{calm}",
        f"Elasticities of {of}{held}: {listed((n, _signed(e)) for n, e in pairs)}.",
    )


def _and(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _signed(value: Fraction) -> str:
    return f"{'+' if value > 0 else ''}{significant(value, 3)}".replace("-", "\N{MINUS SIGN}")
