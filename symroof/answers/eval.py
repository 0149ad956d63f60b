"""`eval`: what are the values?"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, point_of, result_of
from symroof.answers.shapes import Eval, value
from symroof.passes.depend import conventions_of
from symroof.passes.sets import shortest
from symroof.terminal import bold, dim, table

if TYPE_CHECKING:
    from symroof.point import Point


def answer(options: Namespace) -> Answer:
    """The values of the names that a request asks for."""
    point = point_of(options)
    data: Eval = {
        "preset": point.preset,
        "set": dict(point.overrides),
        "values": {name: value(result_of(point, name)) for name in options.names},
    }
    return Answer(dict(data), lambda: _text(point, data), notes_of(options, point))


def _text(point: Point, data: Eval) -> str:
    rows = [(n, v["display"], "pinned: its definition is not used" if v["pinned"] else "") for n, v in data["values"].items()]
    return "\n".join([dim(point.label), *table(rows, (None, bold, dim)), *in_force(point, list(data["values"]))])


def in_force(point: Point, names: list[str]) -> list[str]:
    """A line that says which choices and pinned quantities the values of some names rest on."""
    conventions = list(dict.fromkeys(c for n in names for c in conventions_of(point, n)))
    pins = [n for n in point.pins if n not in names and any(n in point.book.inputs_of(m) for m in names)]
    said = [f"{c} = {choice}" for c, choice in shortest(point, conventions).items()] + [f"{n} pinned" for n in pins]
    return [dim(f"in force: {', '.join(said)}")] if said else []
