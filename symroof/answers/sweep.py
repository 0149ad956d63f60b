"""`sweep`: which configurations are there, and which are best?"""

from __future__ import annotations

import math
import re
from argparse import Namespace
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from symroof import rowfile, rowplot
from symroof.answers.answer import Answer, assignment, notes_of, point_of, result_of, split
from symroof.answers.eval import in_force
from symroof.answers.shapes import SweepAnswer, number
from symroof.caret import pointed
from symroof.errors import ExpressionError, RequestError
from symroof.expression import parse_condition
from symroof.humane import humane, plain
from symroof.progress import Progress
from symroof.ranges import read_values
from symroof.rowfile import Cell, row_file
from symroof.sheet import Block, Sheet
from symroof.term import Largest, Term
from symroof.units import Dimension, parse_unit
from symroof.wholefile import check_place

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.passes.grid import Given
    from symroof.passes.pareto import Goal
    from symroof.passes.sweep import Batch, Sweep, Tally

# Rows of a table on the terminal, the most rows of the JSON, which is held in memory, and of the best unless --top says.
_SHOWN, _MOST_ROWS, _TOP = 20, 1_000_000, 10

Row: TypeAlias = list[Cell]
# Parts of the rows: how many there are, and what makes them, which takes longer than counting.
Rows: TypeAlias = Iterator[tuple[int, Callable[[], list[Row]]]]


def answer(options: Namespace) -> Answer:
    """The rows of a grid: in a file, as JSON, or the first of them as a table."""
    from symroof.passes.sweep import Sweep, Tally

    point = point_of(options)
    goals = _goals(options)
    path = None if options.output is None else Path(options.output)
    if path is not None:
        _check(path)
    over = _over(point.book, [text for texts in options.over for text in texts])
    of = [*(split(options.of, "--of") or []), *(goal.name for goal in goals)]
    if not of:
        raise RequestError("sweep needs a quantity: --of NAME,...")
    for name in of:
        result_of(point, name)
    where = None if options.where is None else _condition(point.book, options.where)
    sweep, tally = Sweep(point, over, of, where), Tally()
    with Progress(sweep.grid.size) as seen:
        rows = _best(sweep, goals, _count(options), tally, seen) if goals else _all(sweep, tally, seen)
        if path is not None:
            count = _draw(sweep, path, rows, goals) if path.suffix in rowplot.ENDINGS else _write(sweep, path, rows)
            text = "\n".join([f"{path}: {count:,} rows", *_summary(sweep, tally)])
            return Answer(dict(_data(sweep, [], tally)), lambda: text, notes_of(options, point))
        kept, count = _kept(rows, _MOST_ROWS, "for --json: write them with -o FILE") if options.json else _kept(rows, _SHOWN)
    shown = _sheet(sweep, kept, count, tally)
    # What JSON has no place for is said beside it.
    beside = [line.strip() for line in (*_undecided(tally), *_pinned(sweep))] if options.json else []
    return Answer(dict(_data(sweep, kept, tally)), shown.text, (*notes_of(options, point), *beside))


def _condition(book: Book, text: str) -> Term:
    """The condition of a request; a quantity that names something is told apart from numbers before sides are compared."""
    for word in re.finditer(r"[A-Za-z]\w*", text):
        if isinstance(book.formulas.get(word[0]), Largest):
            says = f"{word[0]} is a name, not a number: a condition compares numbers"
            raise ExpressionError(pointed(says, text, word.start()))
    return parse_condition(book, text)


def _check(path: Path) -> None:
    """Refuse a file that cannot be written before any work is done for it."""
    if path.suffix in rowplot.ENDINGS:
        rowplot.check_plot()
    elif path.suffix in rowfile.FORMATS:
        rowfile.check_rows(path)
    else:
        raise RequestError(f"-o {path}: the ending says the format: {', '.join((*rowfile.FORMATS, *rowplot.ENDINGS))}")
    check_place(path)


def _over(book: Book, texts: list[str]) -> dict[str, Given]:
    """The axes of a request, in order."""
    found: dict[str, Given] = {}
    for text in texts:
        name, values = assignment(text, f"--over {text!r} is no axis: write --over NAME=VALUES, such as 8,16,32 or 8:32:8")
        if name in found:
            raise RequestError(f"--over {name} is given twice")
        found[name] = (split(values, f"--over {name}") or []) if name in book.conventions else read_values(book, name, values)
    return found


def _goals(options: Namespace) -> list[Goal]:
    """What a request wants the best of: nothing, one quantity, or two."""
    from symroof.passes.pareto import Goal

    given = [n for n in ("minimize", "maximize", "pareto") if getattr(options, n) is not None]
    if len(given) > 1:
        raise RequestError(f"choose one of {' and '.join(f'--{n}' for n in given)}")
    if options.top is not None and given not in (["minimize"], ["maximize"]):
        raise RequestError("--top needs --minimize NAME or --maximize NAME")
    if not given:
        return []
    if given != ["pareto"]:
        return [Goal(getattr(options, given[0]).strip(), given == ["maximize"])]
    goals = [_goal(text) for text in split(options.pareto, "--pareto") or []]
    if len(goals) != 2 or goals[0].name == goals[1].name:
        raise RequestError(f"--pareto {options.pareto!r}: name two quantities: --pareto A,B, or max:B where more is better")
    return goals


def _goal(text: str) -> Goal:
    from symroof.passes.pareto import Goal

    sense, colon, name = (part.strip() for part in text.rpartition(":"))
    if colon and sense not in ("min", "max"):
        raise RequestError(f"--pareto {text!r}: the least is best, or write max:{name} (or min:{name})")
    return Goal(name, sense == "max")


def _count(options: Namespace) -> int:
    if options.top is None:
        return _TOP
    if not options.top.isdecimal() or not 1 <= int(options.top) <= _MOST_ROWS:
        raise RequestError(f"--top {options.top!r} is no number of rows from 1 to {_MOST_ROWS:,}")
    return int(options.top)


def _all(sweep: Sweep, tally: Tally, seen: Callable[[int], object]) -> Rows:
    """All rows, in the order of the grid."""
    for batch in sweep.batches(tally, seen):
        yield len(batch), partial(_rows, sweep, batch)


def _rows(sweep: Sweep, batch: Batch) -> list[Row]:
    from symroof.passes.sweep import cells

    columns = [cells(sweep.column(batch, name)) for name in sweep.columns]
    return [list(row) for row in zip(*columns, strict=True)]


def _best(sweep: Sweep, goals: list[Goal], count: int, tally: Tally, seen: Callable[[int], object]) -> Rows:
    """The rows of the best points, with the numbers nearest to their exact values."""
    from symroof.passes.pareto import best, front

    one, *other = goals
    positions = front(sweep, (one, other[0]), tally, seen) if other else best(sweep, one, count, tally, seen)
    for position in positions:
        yield 1, partial(_exact_rows, sweep, position)


def _exact_rows(sweep: Sweep, position: int) -> list[Row]:
    found = sweep.exact(position)
    return [[v if v is None or isinstance(v, str) else number(v) for v in (found[n] for n in sweep.columns)]]


def _write(sweep: Sweep, path: Path, rows: Rows) -> int:
    """Write the rows; how many there were."""
    count = 0
    with row_file(path, sweep.columns, sweep.whole, sweep.texts) as file:
        for length, part in rows:
            file.write(part())
            count += length
    return count


def _draw(sweep: Sweep, path: Path, rows: Rows, goals: list[Goal]) -> int:
    """Draw the rows: the two goals of a front, or the first quantity along the first axis that is a number."""
    kept, count = _kept(rows, rowplot.MOST_ROWS, f"for a plot: write them with -o {path.stem}.csv")
    columns, axes = list(sweep.columns), [a.name for a in sweep.grid.axes]
    if len(goals) == 2:
        x, y, others = goals[0].name, goals[1].name, []
    else:
        numeric = [a.name for a in sweep.grid.axes if a.values is not None]
        x, y = (numeric or axes)[0], sweep.of[0]
        others = [n for n in axes if n != x]
    series = {columns.index(n): n for n in others}
    lines = rowplot.lines_of(kept, columns.index(x), columns.index(y), series)
    labels = tuple(n if n in sweep.texts else f"{n} [{sweep.point[n].unit}]" for n in (x, y))
    rowplot.plot(path, sweep.point.label, (labels[0], labels[1]), lines, joined=len(goals) != 2)
    return count


def _kept(rows: Rows, most: int, what_for: str = "") -> tuple[list[Row], int]:
    """The first rows, and how many there are; more are refused where all of them are needed for something."""
    kept: list[Row] = []
    count = 0
    for length, part in rows:
        count += length
        if what_for and count > most:
            raise RequestError(f"more than {most:,} rows {what_for}, or choose with --minimize and --top")
        if len(kept) < most:
            kept += part()[: most - len(kept)]
    return kept, count


def _data(sweep: Sweep, rows: list[Row], tally: Tally) -> SweepAnswer:
    return {
        "columns": list(sweep.columns),
        "rows": [[None if isinstance(c, float) and not math.isfinite(c) else c for c in row] for row in rows],
        "evaluated": tally.evaluated,
        "rejected": {n: tally.rejected[n] for n in sweep.point.book.conditions if n in tally.rejected},
        "left_out": tally.left_out,
    }


def sheet(sweep: Sweep) -> Sheet:
    """The first rows of a sweep, and what became of the points of its grid."""
    from symroof.passes.sweep import Tally

    if sweep.grid.size > _MOST_ROWS:
        return Sheet(sweep.point.book, sweep.point.label, (), (), (f"{sweep.grid.size:,} points: batches() goes through them",))
    tally = Tally()
    kept, count = _kept(_all(sweep, tally, lambda points: None), _SHOWN)
    return _sheet(sweep, kept, count, tally, "arrays() has all")


def _sheet(sweep: Sweep, rows: list[Row], count: int, tally: Tally, all_: str = "-o FILE.csv writes all") -> Sheet:
    book = sweep.point.book
    units = {n: sweep.point[n].unit for n in sweep.columns if n not in book.conventions}
    heads = tuple(n if n in sweep.texts else f"{n}>" for n in sweep.columns)
    shown = tuple(tuple(_shown(c, units.get(n, "1")) for n, c in zip(sweep.columns, row, strict=True)) for row in rows)
    more = (f"and {count - len(rows):,} more rows: {all_}",) if count > len(rows) else ()
    return Sheet(
        book,
        sweep.point.label,
        heads,
        (Block("", shown),),
        # What is pinned has a line of its own in the summary.
        (*more, *_summary(sweep, tally), *in_force(sweep.base, [*sweep.of, *sweep.base.pins])),
    )


def _shown(value: Cell, unit: str) -> str:
    """A value with its unit at its scale; a mere count without its label, which its column's name says."""
    if value is None:
        return "none"
    if isinstance(value, str) or not math.isfinite(value):
        return str(value)
    return plain(Fraction(value)) if parse_unit(unit).dimension == Dimension() else humane(Fraction(value), unit)


def _summary(sweep: Sweep, tally: Tally) -> list[str]:
    """What became of the points of the grid."""
    book = sweep.point.book
    lines = [f"{tally.seen:,} points, {tally.evaluated:,} of them possible"]
    reasons = [(n, tally.rejected[n]) for n in book.conditions if n in tally.rejected]
    lines += [f"  {count:,} rejected: {book.declared[n].says.splitlines()[0].rstrip('.')} ({n})" for n, count in reasons]
    unmet = tally.left_out - tally.undecided
    lines += [f"  {unmet:,} left out by --where"] if unmet else []
    return [*lines, *_undecided(tally), *_pinned(sweep)]


def _pinned(sweep: Sweep) -> list[str]:
    """A line for each derived quantity that is an axis or was set."""
    return [f"{name} pinned: its definition is not used" for name in sweep.base.pins]


def _undecided(tally: Tally) -> list[str]:
    """A line on the points that are left out because a part of the condition is no finite number."""
    if not tally.undecided:
        return []
    return [f"  {tally.undecided:,} point{'s' if tally.undecided > 1 else ''} where the condition has no value"]
