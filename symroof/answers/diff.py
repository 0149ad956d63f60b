"""`diff`: in which terms do two conventions differ, and what does each of them say?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, notes_of_sets, point_of, result_of
from symroof.answers.questions import signed
from symroof.answers.shapes import Diff, DifferenceTerm, DiffRow, DiffTable, Value, number, of_unit
from symroof.errors import EvaluationError, MissingValueError, RequestError, UnknownNameError, did_you_mean
from symroof.humane import exact, humane
from symroof.passes.depend import conventions_of
from symroof.passes.sets import governed_by, set_in_force, sets_of
from symroof.sheet import Block, Sheet
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.passes.diff import Difference, Part
    from symroof.point import Point
    from symroof.result import Result

# A term of more characters than this is for --json.
_LONGEST = 260


def answer(options: Namespace) -> Answer:
    """Two choices or named sets set beside each other, or one and what is in force, or all of a kind."""
    from symroof.passes.diff import diff

    point = point_of(options)
    result = result_of(point, options.name)
    if isinstance(result.exact, str):
        raise RequestError(f"{result.name} is no number: its values have no difference")
    if len(options.choices) > 2:
        raise RequestError(f"diff: at most two choices are set beside each other, not {len(options.choices)}")
    kind = _kind(point, result.name, options.choices, options.convention)
    under = choices_of(point, kind)
    named = options.choices or list(under)
    notes = _notes(options, point, [(kind, name) for name in named] if kind in point.book.named_sets else [])
    if not options.choices:
        table = _table(result, kind, under)
        return Answer(dict(table), lambda: _table_text(result, table), notes)
    sides = {c: under[_known(c, kind, under)] for c in options.choices}
    if len(options.choices) == 1:
        sides["in force"] = dict(point.choices)
    one, other = (options.choices * 2)[:2] if len(sides) == 1 else list(sides)
    found = diff(point, result.name, sides[one], sides[other])
    data = _data(result, kind, (one, other), found)
    return Answer(dict(data), lambda: _text(result, data, found), notes)


def _notes(options: Namespace, point: Point, named: list[tuple[str, str]]) -> tuple[str, ...]:
    """What a reader must know of the point and of the named sets that are set beside each other."""
    return tuple(dict.fromkeys((*notes_of(options, point), *notes_of_sets(point, named))))


def choices_of(point: Point, kind: str) -> dict[str, dict[str, str]]:
    """Each choice of a convention, or each named set of a kind, with all choices that are in force under it."""
    if kind in point.book.named_sets:
        return sets_of(point, kind)
    return {choice: {**point.choices, kind: choice} for choice in point.book.conventions[kind].choices}


def _kind(point: Point, name: str, choices: list[str], asked: str | None) -> str:
    """The convention, or the kind of named sets, that a request is about.

    Raises:
        UnknownNameError: there is none of that name, or none that has these choices. RequestError: there are several.
    """
    matter = conventions_of(point, name)
    titles = [t for t in point.book.named_sets if governed_by(point.book, t) & set(matter)]
    kinds = [*titles, *matter]
    if not kinds:
        raise RequestError(f"{name} depends on no convention")
    if asked is not None:
        if asked not in kinds:
            hint = did_you_mean(asked, kinds) or f"; it does on {_list(kinds)}"
            raise UnknownNameError(f"{name} depends on no convention {asked!r}{hint}")
        return asked
    fitting = [k for k in kinds if set(choices) <= choices_of(point, k).keys()] if choices else kinds[:1]
    if not fitting:
        known = {c for k in kinds for c in choices_of(point, k)}
        wrong = next((c for c in choices if c not in known), None)
        if wrong is None:
            raise RequestError(f"{_list(choices)} are no choices of one convention: say which with --convention")
        raise UnknownNameError(f"{name} depends on no convention with a choice {wrong!r}{did_you_mean(wrong, known)}")
    if len(fitting) > 1:
        raise RequestError(f"{_list(choices)}: choices of {_list(fitting)}: say which with --convention")
    return fitting[0]


def _known(choice: str, kind: str, under: Mapping[str, object]) -> str:
    if choice not in under:
        raise UnknownNameError(f"{kind} has no choice {choice!r}{did_you_mean(choice, under) or f'; it has {_list(under)}'}")
    return choice


def _list(names: Iterable[str]) -> str:
    return ", ".join(names)


def _value_under(result: Result, choices: Mapping[str, str]) -> Fraction | None:
    try:
        return result.point.trial(**choices).evaluator.number(result.name)
    except (MissingValueError, EvaluationError):
        return None


def _data(result: Result, kind: str, names: tuple[str, str], found: Difference) -> Diff:
    one, other, difference = (_of(result, v) for v in (found.one, found.other, found.one - found.other))
    return {
        "of": result.name,
        "kind": kind,
        "one": {"name": names[0], "value": one},
        "other": {"name": names[1], "value": other},
        "difference": difference,
        "differing": {c: list(pair) for c, pair in found.differing.items()},
        "terms": [_term(result, part) for part in found.parts],
    }


def _of(result: Result, value: Fraction) -> Value:
    """A value of the quantity."""
    return of_unit(value, result.unit)


def _term(result: Result, part: Part) -> DifferenceTerm:
    from symroof.report.latex import formula_latex

    return {
        "term": formula_text(part.term),
        "latex": formula_latex(part.term, result.point.book),
        "value": number(part.value),
        "exact": str(part.value),
        "display": humane(part.value, result.unit),
        "conventions": list(part.conventions),
    }


def _text(result: Result, data: Diff, found: Difference) -> str:
    one, other = data["one"], data["other"]
    rows = [(part.term, signed(part.value, result.unit), _list(part.conventions)) for part in found.parts]
    sides = [(side["name"], side["value"]["display"], _exactly(side["value"])) for side in (one, other)]
    total = ("difference", signed(found.one - found.other, result.unit), _exactly(data["difference"]))
    head = f"{result.point.label}; {result.name}: {one['name']} less {other['name']}, by {data['kind']}"
    columns = ("term", "value>", "from")
    blocks = (Block("", (*rows,)), Block("together", (total,)), Block("of", tuple(sides)))
    if not rows:
        return Sheet(result.point.book, head, columns, (), (f"the two differ in nothing that {result.name} depends on",)).text()
    return Sheet(result.point.book, head, columns, blocks, longest=_LONGEST).text()


def _exactly(value: Value) -> str:
    found = Fraction(value["exact"] or 0)
    return f"exactly {exact(found)}" if exact(found) != value["display"].split(" ")[0] and found.denominator == 1 else ""


def _table(result: Result, kind: str, under: Mapping[str, dict[str, str]]) -> DiffTable:
    here = result.exact
    assert isinstance(here, Fraction)
    book, titled = result.point.book, kind in result.point.book.named_sets
    says = book.named_sets[kind].sources if titled else book.conventions[kind].choices
    rows: list[DiffRow] = []
    for name, choices in under.items():
        found = _value_under(result, choices)
        rows.append(
            {
                "name": name,
                "says": says[name],
                "value": None if found is None else _of(result, found),
                "difference": None if found is None else number(found - here),
            }
        )
    in_force = set_in_force(result.point, kind) if titled else result.point.choices[kind]
    return {"of": result.name, "kind": kind, "in_force": in_force, "value": _of(result, here), "rows": rows}


def _table_text(result: Result, data: DiffTable) -> str:
    here = Fraction(data["value"]["exact"] or 0)
    rows = []
    for row in data["rows"]:
        found = row["value"]
        off = signed(None if found is None else Fraction(found["exact"] or 0) - here, result.unit)
        shown = "none" if found is None else found["display"]
        rows.append((row["name"], shown, "in force" if row["name"] == data["in_force"] else off, row["says"]))
    head = f"{result.point.label}; {result.name} = {data['value']['display']}, by {data['kind']}"
    columns = (data["kind"], "value>", "less what is in force>", "")
    return Sheet(result.point.book, head, columns, (Block("", tuple(rows)),)).text()
