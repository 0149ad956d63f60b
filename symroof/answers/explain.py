"""`explain`: which conventions give a number that somebody printed?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, notes_of_sets, point_of, result_of
from symroof.answers.shapes import Explain, Explanation, number, told
from symroof.errors import RequestError
from symroof.figure import bare_decimal, read_figure
from symroof.humane import exact, humane, significant
from symroof.terminal import bad, bold, dim, table

if TYPE_CHECKING:
    from symroof.claim import Printed
    from symroof.passes.explain import Explained, Found, Way
    from symroof.result import Result

# What a text shows of the matches and of what is nearest, and how many other ways to say one match.
_SHOWN, _NEAREST, _OTHERS = 3, 6, 2
# A decimal without a unit that is off by more than this was printed in one of these powers of ten.
# A figure with so few digits is met by chance among so many combinations.
_COARSE, _MANY = 1_000, 1_000
_OFF, _POWERS = 300, range(3, 21, 3)


def answer(options: Namespace) -> Answer:
    """The combinations of conventions that give the number, or those that come nearest."""
    from symroof.passes.explain import explain

    point = point_of(options)
    result = result_of(point, options.name)
    _refuse(result)
    figure, note = _figure(result, options.value)
    found = explain(point, result.name, figure)
    named = [pair for match in found.matches[:_SHOWN] for pair in match.way.named.items()]
    notes = dict.fromkeys((*notes_of(options, point), *note, *notes_of_sets(point, named)))
    return Answer(dict(_data(result, found)), lambda: _text(result, found), tuple(notes))


def _refuse(result: Result) -> None:
    if isinstance(result.exact, str):
        raise RequestError(f"{result.name} is no number, so there is none to explain")
    if result.pinned:
        raise RequestError(f"{result.name} is pinned: its definition, and with it every convention, is not used")


def _figure(result: Result, text: str) -> tuple[Printed, tuple[str, ...]]:
    """The number as it was printed; a decimal without a unit is taken at the scale of the quantity, and a note says so."""
    from symroof.claim import Printed

    figure = read_figure(result.name, text, result.unit)
    dimension = result.point.book.dimension(result.name)
    here = result.exact
    assert isinstance(here, Fraction)
    scaled_here = bare_decimal(text) and figure.value > 0 and (dimension.flop or dimension.byte) and here / figure.value >= _OFF
    power = next((p for p in _POWERS if scaled_here and here / figure.value / 10**p < _OFF), None)
    if power is None:
        return figure, ()
    scaled = Printed(figure.text, figure.value * 10**power, figure.half * 10**power)
    return scaled, (f"{figure.text} was read as {humane(scaled.value, result.unit)}",)


def _data(result: Result, found: Explained) -> Explain:
    here = result.exact
    assert isinstance(here, Fraction)
    return {
        "value": number(found.figure.value),
        "of": result.name,
        "unit": result.unit,
        "within": number(found.figure.half),
        "in_force": {"value": number(here), "choices": {c: result.point.choices[c] for c in found.varied}},
        "combinations": found.combinations,
        "how": found.how or None,
        "matches": [_explanation(f) for f in found.matches],
        "nearest": [_explanation(f) for f in found.nearest],
    }


def _explanation(found: Found) -> Explanation:
    return {
        **told(found.way),
        "value": number(found.value),
        "relative_error": float(found.error),
        "departures": found.departures,
        "counted": number(found.counted),
        "factor": None if found.factor is None else {"name": found.factor.name, "says": found.factor.says, "by": str(found.by)},
        "same": [told(way) for way in found.same],
    }


def _text(result: Result, found: Explained) -> str:
    head = f"{result.point.label}; {found.figure.text} of {result.name}"
    lines = [dim(head), ""]
    if found.matches:
        for before, match in pairwise((None, *found.matches[:_SHOWN])):
            assert match is not None
            again = before is not None and before.value == match.value
            lines += [dim("or") if again else _headline(result, found, match), *_match(result, match), ""]
        if more := len(found.matches) - _SHOWN:
            lines += [f"{more} more in --json", ""] if more > 0 else []
    else:
        lines += [bold("no convention matches"), "", *_nearest(result, found), ""]
    return "\n".join([*lines, *_right(result, found)])


def _headline(result: Result, found: Explained, match: Found) -> str:
    return f"{bold(_value(match.value, result.unit))}  {_how(found, match)}"


def _match(result: Result, match: Found) -> Iterator[str]:
    """An explanation: a line for each departure, and what else says the same."""
    rows = list(_rows(result, match))
    yield from table([row[:2] for row in rows], (bold, None), indent="  ") if rows else ["  as the conventions in force have it"]
    others = [_short(way) for way in match.same[:_OTHERS]]
    yield from (dim(f"  the same here: {other}") for other in others)


def _rows(result: Result, match: Found) -> Iterator[tuple[str, str]]:
    book = result.point.book
    for title, choice in match.way.named.items():
        yield f"{title} = {choice}", book.named_sets[title].sources[choice]
    for convention, choice in match.way.beside.items():
        says = book.conventions[convention].choices[choice]
        yield f"{convention} = {choice}", f"{bad('mistake: ')}{says}" if convention in match.way.mistakes else says
    if match.factor is not None:
        yield f"x {significant(match.by, 6)}", match.factor.says


def _how(found: Explained, match: Found) -> str:
    if not match.error:
        return "exactly"
    off = f"off by {significant(match.error * 100, 2)}%"
    return f"{found.figure.text} is cut off, not rounded" if found.how == "cut" else f"rounds to {found.figure.text}, {off}"


def _nearest(result: Result, found: Explained) -> list[str]:
    """What comes near, the nearest first; each that follows departs less."""
    rows = [
        (humane(f.value, result.unit), f"off by {significant(f.error * 100, 2)}%", _told(f)) for f in found.nearest[:_NEAREST]
    ]
    return [dim("nearest"), *table(rows, (None, None, dim), indent="  ")]


def _told(found: Found) -> str:
    factor = [] if found.factor is None else [f"x {significant(found.by, 6)}: {found.factor.says}"]
    return ", ".join([_short(found.way), *factor])


def _short(way: Way) -> str:
    """A combination in a line."""
    return ", ".join(f"{n} = {c}" for n, c in {**way.named, **way.beside}.items()) or "the conventions in force"


def _right(result: Result, found: Explained) -> Iterator[str]:
    """What the conventions in force say, and over how much was looked."""
    from symroof.answers.eval import in_force

    here = result.exact
    assert isinstance(here, Fraction)
    yield f"{bold(_value(here, result.unit))}  by the conventions in force"
    yield from in_force(result.point, [result.name])
    many, conventions = found.combinations, len(found.varied)
    looked = f"{many:,} combinations of {conventions} convention{'s' if conventions > 1 else ''} looked at"
    yield dim(looked if conventions else "no convention is left to vary")
    if found.matches and found.figure.half * _COARSE > found.figure.value and many > _MANY:
        yield dim("so few digits are met by chance among so many: look for the departures that somebody would have made")


def _value(value: Fraction, unit: str) -> str:
    """A value for people, and exactly where that is a whole number."""
    shown = humane(value, unit)
    whole = f"{exact(value)} {'' if unit == '1' else unit}".strip()
    return whole if value.denominator == 1 and whole == shown else f"{whole} ({shown})" if value.denominator == 1 else shown
