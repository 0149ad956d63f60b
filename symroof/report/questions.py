"""Questions that a book asks of itself, answered in its report: what if, how sensitive, how much, where they meet, what binds.

A `[[questions]]` table of book.toml has a `title`, perhaps `says`, and one question with what belongs to it:

    whatif = { EP = 32 }                   of = ["step_time", ...]
    sensitivity = "step_time"              to = ["M", ...], hold = { quantity = "global_batch_tokens", by = "rows" }
    solve = "bubble_overhead <= 5%"        for = "M"
    crossover = ["a", "b"]                 over = "EP"
    regimes = "step_time"                  over = "nvlink_bandwidth"
    shape = ["step_time", ...]             over = "M"

`at` sets values before any of them is asked.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, SymroofError, did_you_mean
from symroof.humane import humane
from symroof.report.latex import formula_latex
from symroof.sheet import Block, Cell, Sheet
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point
    from symroof.result import Result

_COMMON = {"title", "says", "at"}
_OWN = {
    "whatif": {"of", "hold"},
    "sensitivity": {"to", "hold"},
    "solve": {"for"},
    "crossover": {"over"},
    "regimes": {"over"},
    "shape": {"over"},
}
# Columns that a terminal has room for and a page has not.
_LEFT_OUT = {"difference>", "derivative>"}
# A formula of more characters is not read in a table.
_LONGEST = 120
# Ems across a page, for columns of formulas.
_PAGE = 46.0


@dataclass(frozen=True, slots=True)
class Part:
    """A cell of an answer: `kind` is name, text or math; mathematics also broken to the width of its column."""

    kind: str
    text: str
    broken: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its answer: the command that asks it, and a table; `widths` are shares of a page's width."""

    title: str
    says: str
    command: str
    columns: tuple[str, ...]
    widths: tuple[float, ...]
    rows: tuple[tuple[Part, ...], ...]
    notes: tuple[str, ...]


def questions(point: Point) -> tuple[Question, ...]:
    """The questions of the book, answered at a point.

    Raises:
        BookError: a question of book.toml that cannot be read, or that has no answer at this point.
    """
    return tuple(_question(point, table) for table in point.book.about.get("questions", ()) if _concerns(point.book, table))


def has_questions(book: Book) -> bool:
    """True where a book asks questions at all."""
    return bool(book.about.get("questions"))


def _concerns(book: Book, table: Mapping[str, Any]) -> bool:
    """False where a question names something that the model lacks."""
    lacking = book.whole.declared.keys() - book.declared.keys()
    return lacking.isdisjoint(re.findall(r"\w+", str({k: v for k, v in table.items() if k not in ("title", "says")})))


def _question(point: Point, table: Mapping[str, Any]) -> Question:
    where = f"{point.book.folder.name}/book.toml: question {table.get('title', '?')!r}"
    kinds = [k for k in _OWN if k in table]
    if len(kinds) != 1 or "title" not in table:
        raise BookError(f"{where}: needs a title and one of {', '.join(_OWN)}")
    kind = kinds[0]
    known = _COMMON | {kind} | _OWN[kind]
    for key in table:
        if key not in known:
            raise BookError(f"{where}: unknown key {key!r}{did_you_mean(key, known)}")
    try:
        there = point.set(**table["at"]) if "at" in table else point
        sheet, command = _ASK[kind](there, table)
        settings = _preset_option(point) + "".join(f" --set {n}={v}" for n, v in table.get("at", {}).items())
        return _answered(point.book, table, sheet, command if kind == "shape" else f"symroof {command}{settings}")
    except SymroofError as error:
        return _unanswered(table, str(error))
    except KeyError as error:
        raise BookError(f"{where}: no {error.args[0]}") from None


def _preset_option(point: Point) -> str:
    """What a command must name so that it is asked of the same point."""
    preset = "" if point.preset == point.book.default else f" -p {point.preset}"
    return preset + "".join(f" --set {n}={v}" for n, v in point.overrides.items())


def _whatif(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    from symroof.passes.whatif import what_if

    changes = {n: str(v) for n, v in table["whatif"].items()}
    of = f" --of {','.join(table['of'])}" if "of" in table else ""
    command = "whatif " + " ".join(f"{n}={v}" for n, v in changes.items()) + of
    return what_if(point, changes, table.get("of"), _hold(table)).sheet(), command + _hold_options(table)


def _sensitivity(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    from symroof.passes.once import sensitivity_once

    to = f" --to {','.join(table['to'])}" if "to" in table else ""
    found = sensitivity_once(point, table["sensitivity"], tuple(table["to"]) if "to" in table else None, _hold(table))
    return found.sheet(), f"sensitivity {table['sensitivity']}{to}{_hold_options(table)}"


def _solve(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    from symroof.expression import parse_condition
    from symroof.passes.solve import solve

    found = solve(point, parse_condition(point.book, table["solve"]), table["for"])
    return found.sheet(), f'solve "{table["solve"]}" --for {table["for"]}'


def _crossover(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    from symroof.passes.meet import crossover

    one, other = table["crossover"]
    return crossover(point, one, other, table["over"]).sheet(), f"crossover {one} {other} --over {table['over']}"


def _regimes(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    from symroof.passes.once import regimes_once

    return regimes_once(point, table["regimes"], table["over"]).sheet(), f"regimes {table['regimes']} --over {table['over']}"


def _shape(point: Point, table: Mapping[str, Any]) -> tuple[Sheet, str]:
    """Trend and formal limit of some quantities along one symbol, which the Python API asks and no command does."""
    over = table["over"]
    rows = tuple((name, *_trend(point[name], over), _limit(point[name], over)) for name in table["shape"])
    columns = ("quantity", f"as {over} grows", f"largest at {over}", "formal limit")
    return Sheet(point.book, "", columns, (Block("", rows),)), f'point["{table["shape"][0]}"].shape("{over}")'


def _trend(result: Result, over: str) -> tuple[str, str]:
    found = result.shape(over)
    return found.trend, "none" if found.peak is None else str(found.peak)


def _limit(result: Result, over: str) -> str:
    found = result.limit(over)
    value = found.value
    shown = humane(Fraction(int(value.p), int(value.q)), result.unit) if value.is_Rational else "none: it grows without bound"
    stopped = f"; {over} ends at {found.largest}, where {found.stopped_by} stops it" if found.stopped_by else ""
    return f"{shown}{stopped}"


_ASK: dict[str, Callable[[Point, Mapping[str, Any]], tuple[Sheet, str]]] = {
    "whatif": _whatif,
    "sensitivity": _sensitivity,
    "solve": _solve,
    "crossover": _crossover,
    "regimes": _regimes,
    "shape": _shape,
}


def _hold(table: Mapping[str, Any]) -> Any:
    from symroof.passes.hold import Hold

    return Hold(table["hold"]["quantity"], table["hold"]["by"]) if "hold" in table else None


def _hold_options(table: Mapping[str, Any]) -> str:
    return f" --hold {table['hold']['quantity']} --by {table['hold']['by']}" if "hold" in table else ""


def _answered(book: Book, table: Mapping[str, Any], sheet: Sheet, command: str) -> Question:
    kept = [i for i, c in enumerate(sheet.columns) if c not in _LEFT_OUT]
    cells = [[row[i] for i in kept] for block in sheet.blocks for row in block.rows]
    widths = _widths([any(not isinstance(row[i], str) for row in cells) for i in range(len(kept))])
    return Question(
        title=table["title"],
        says=table.get("says", ""),
        command=command,
        columns=tuple(sheet.columns[i].removesuffix(">") for i in kept),
        widths=widths,
        rows=tuple(tuple(_part(book, c, w) for c, w in zip(row, widths, strict=True)) for row in cells),
        notes=sheet.notes,
    )


def _unanswered(table: Mapping[str, Any], reason: str) -> Question:
    return Question(table["title"], table.get("says", ""), "", (), (), (), (f"no answer at this point: {reason}",))


def _widths(formulas: list[bool]) -> tuple[float, ...]:
    """Columns of formulas are twice as wide as others; the gaps between columns take their part."""
    weights = [2.0 if f else 1.0 for f in formulas]
    room = 0.98 - 0.026 * (len(weights) - 1)
    return tuple(round(room * w / sum(weights), 4) for w in weights)


def _part(book: Book, cell: Cell, width: float) -> Part:
    if isinstance(cell, str):
        return Part("name" if cell in book.declared else "text", cell)
    text = formula_text(cell)
    if len(text) > _LONGEST:
        return Part("text", f"a formula of {len(text):,} characters")
    return Part("math", formula_latex(cell, book), formula_latex(cell, book, width=width * _PAGE))
