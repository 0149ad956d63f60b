"""How pictures look: one width, one type face, colours that everybody tells apart, each with a hatch or a marker of its own."""

from __future__ import annotations

import io
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Patch
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.ticker import NullLocator

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

    from symroof.pictures.picture import Scene

# Inches: the width of a line on a page, what the title takes, and the room at the edges.
WIDTH, TITLE, MARGIN = 7.2, 0.4, 0.12
SIZE, SMALL, LARGE = 9.0, 8.0, 11.5
INK, FAINT, PAPER, SHADE = "#222222", "#767676", "#ffffff", "#f0f0f0"


class Look(NamedTuple):
    """A colour with what tells it apart without colour."""

    colour: str
    hatch: str
    marker: str
    line: Any


# The colours of Okabe and Ito, without their yellow, which is too light for lines on white.
LOOKS = (
    Look("#0072B2", "", "o", "-"),
    Look("#E69F00", "////", "s", (0, (5, 1.5))),
    Look("#009E73", "||||", "D", (0, (1.5, 1.2))),
    Look("#CC79A7", "xxxx", "^", (0, (6, 1.5, 1.5, 1.5))),
    Look("#56B4E9", "\\\\\\\\", "v", (0, (3, 1))),
    Look("#D55E00", "++++", "P", (0, (8, 2))),
    Look("#999999", "----", "X", (0, (1, 2))),
)
EMPHASIS = Look("#D55E00", "xxxx", "P", (0, (4, 2)))
IDLE = Look("#fbe3d6", "////", "", "-")

# Settings of the reader's own must not change what is drawn: these families of them start from Matplotlib's defaults.
_FAMILIES = ("axes.", "figure.", "font.", "grid.", "hatch.", "legend.", "lines.", "mathtext.", "patch.", "path.", "pdf.")
_MORE = ("savefig.", "svg.", "text.", "xtick.", "ytick.", "markers.", "xaxis.", "yaxis.")
_OURS: dict[Any, Any] = {
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.labelsize": SIZE,
    "axes.linewidth": 0.7,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.axisbelow": True,
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "font.family": "DejaVu Sans",
    "font.size": SIZE,
    "hatch.linewidth": 0.5,
    "legend.fontsize": SMALL,
    "legend.frameon": False,
    "pdf.fonttype": 3,
    "svg.fonttype": "none",
    "svg.hashsalt": "symroof",
    "text.color": INK,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": SMALL,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": SMALL,
}
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
# What would change from day to day or from release to release.
_NO_METADATA = {
    "svg": {"Creator": None, "Date": None, "Format": None, "Type": None},
    "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
}


def saved(scene: Scene, title: str, forms: Sequence[str]) -> dict[str, bytes]:
    """A scene under its title, as the bytes of files in some forms; nothing of Matplotlib's own settings is changed."""
    settings: dict[Any, Any] = {k: v for k, v in matplotlib.rcParamsDefault.items() if k.startswith((*_FAMILIES, *_MORE))}
    with matplotlib.rc_context(settings | _OURS):
        figure = Figure(figsize=(WIDTH, scene.height + TITLE))
        figure.text(MARGIN / WIDTH, 1 - 0.1 / figure.get_figheight(), title, fontsize=LARGE, fontweight="bold", va="top")
        scene.paint(figure)
        return {form: _written(figure, form) for form in forms}


def _written(figure: Figure, form: str) -> bytes:
    with io.BytesIO() as file:
        figure.savefig(file, format=form, metadata=_NO_METADATA[form])
        return file.getvalue()


def panel(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place of a figure, in inches from its lower left corner."""
    w, h = figure.get_size_inches()
    return figure.add_axes((left / w, bottom / h, width / w, height / h))


def inches_of(axes: Axes) -> tuple[float, float]:
    """Width and height of axes, in inches."""
    box = axes.get_window_extent()
    return float(box.width / axes.figure.dpi), float(box.height / axes.figure.dpi)


def powers(axis: Axis, low: float, high: float) -> None:
    """Ticks of a logarithmic axis at whole powers of ten between two powers, in plain text."""
    whole = range(math.ceil(low), math.floor(high) + 1)
    axis.set_minor_locator(NullLocator())
    axis.set_ticks([10.0**n for n in whole], [f"10{str(n).translate(_RAISED)}" for n in whole])


@lru_cache(maxsize=1024)
def inches(text: str, size: float = SMALL) -> float:
    """How wide a text is."""
    width, _, _ = text_to_path.get_text_width_height_descent(text, FontProperties(family="DejaVu Sans", size=size), False)
    return float(width) / 72


def on(colour: str) -> str:
    """The ink that is read on a colour."""
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (red, green, blue)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return INK if (luminance + 0.05) / (0.0159 + 0.05) > 1.05 / (luminance + 0.05) else PAPER


def boxes(found: Sequence[tuple[float, float, float, float]]) -> Path:
    """Rectangles, each by its lower left corner, width and height, as one shape: a file then names their look once."""
    corners = [[(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)] for x, y, w, h in found]
    codes = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
    return Path([corner for box in corners for corner in box], codes * len(found))


def swatch(look: Look, label: str, edge: str = PAPER) -> Patch:
    """An entry of a legend for an area."""
    return Patch(facecolor=look.colour, hatch=look.hatch, edgecolor=edge, linewidth=0.5, label=label)


def legend(figure: Figure, handles: Sequence[Any], left: float) -> None:
    """A legend in one row or more at the bottom of a picture, never over data."""
    w, h = figure.get_size_inches()
    figure.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(left / w, MARGIN / h),
        ncols=columns([handle.get_label() for handle in handles], WIDTH - left - MARGIN),
        borderaxespad=0,
        borderpad=0,
        handleheight=0.9,
        handlelength=2.2,
        columnspacing=1.6,
        labelspacing=0.5,
    )


def columns(labels: Sequence[str], room: float) -> int:
    """How many columns a legend has in a room of so many inches."""
    widest = max(inches(label) for label in labels) + 0.62
    return max(1, min(len(labels), int(room / widest)))


def below(labels: Sequence[str] = (), left: float = MARGIN) -> float:
    """Inches that an axis needs below it for its ticks, its label and a legend."""
    rows = -(-len(labels) // columns(labels, WIDTH - left - MARGIN)) if labels else 0
    return 0.48 + MARGIN + (0.06 + 0.185 * rows if rows else 0)
