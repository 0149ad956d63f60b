"""May this run exist, and if not, which values near it may?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.evaluate import Evaluator
from symroof.term import Logic, Num, Rel, Term, Total, references, walk

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point

# How far around a value the nearest admissible ones are looked for.
_REACH = 2048


@dataclass(frozen=True, slots=True)
class Broken:
    """A constraint that a point does not meet, and the sentence that says so with its values."""

    name: str
    says: str


def stray(book: Book, name: str, value: Fraction | tuple[Fraction, ...]) -> str:
    """Why a value is none that a symbol or a quantity may have, in words; nothing where it is one."""
    domain = book.domain(name)
    found = next((v for v in (value if isinstance(value, tuple) else (value,)) if not domain.admits(v)), None)
    return "" if found is None else f"{name} must be {domain.says}, not {_decimal(found)}"


def _decimal(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):g}"


def broken_constraints(point: Point) -> Iterator[Broken]:
    """The constraints that a point breaks, in reading order; one whose symbols have no value is not asked."""
    for name, condition in point.book.conditions.items():
        if holds(point.evaluator, condition) is False:
            yield Broken(name, sentence(point, name, condition))


def holds(evaluator: Evaluator, condition: Term) -> bool | None:
    """Whether a condition is met; None where it is not asked, as something in it has no value."""
    try:
        return evaluator.holds(condition)
    except MissingValueError:
        return None
    except (EvaluationError, ZeroDivisionError):
        return False


def sentence(point: Point, name: str, condition: Term) -> str:
    """A broken condition in words, with the values that break it: `EP = 48 does not divide experts = 896`."""
    if any(isinstance(node, Total) for node in walk(condition)):
        return _in_words(point, name, condition)
    if isinstance(condition, Rel) and condition.op == "divides" and condition.left == Num(Fraction(1)):
        return f"{_side(point, condition.right)} is no whole number"
    if isinstance(condition, Rel):
        return f"{_side(point, condition.left)} {_NOT[condition.op]} {_side(point, condition.right)}"
    if isinstance(condition, Logic):
        broken = [part for part in condition.args if condition.op == "or" or holds(point.evaluator, part) is False]
        return " and ".join(sentence(point, name, part) for part in broken)
    return point.book.declared[name].says


def _in_words(point: Point, name: str, condition: Term) -> str:
    """A condition over a list: what it says, and the two numbers that differ; its formula would show the list's insides."""
    says = point.book.declared[name].says.rstrip(".")
    if not isinstance(condition, Rel):
        return says
    left, right = (point.evaluator.term(side) for side in (condition.left, condition.right))
    if condition.op == "divides" and left == 1:
        return f"{says[0].upper()}{says[1:]}, and {right} is no whole number"
    return f"{says[0].upper()}{says[1:]}, and {left} {_NOT[condition.op]} {right}"


_NOT = {
    "divides": "does not divide",
    "<=": "is above",
    "<": "is not below",
    ">=": "is below",
    ">": "is not above",
    "==": "is not",
    "!=": "is",
}


def _side(point: Point, term: Term) -> str:
    from symroof.text import formula_text

    shown = formula_text(term)
    try:
        value = point.evaluator.term(term)
    except (EvaluationError, ZeroDivisionError):
        return shown
    number = str(value) if value.denominator == 1 else f"{float(value):.6g}"
    return shown if shown == number else f"{shown} = {number}"


def nearest_valid(point: Point, broken: Broken) -> str:
    """A clause with the nearest values, below and above, of one set symbol that meet every constraint."""
    inputs = frozenset().union(*(point.book.inputs_of(n) for n in references(point.book.conditions[broken.name])))
    changed = [n for n in point.overrides if n in inputs] or sorted(n for n in inputs if n in point.given)
    for name in changed:
        if found := _near(point, name):
            where = "" if len(point.overrides) == 1 and name in point.overrides else f" {name}"
            return f"; nearest valid{where}: {', '.join(map(str, found))}"
    return ""


def _near(point: Point, name: str) -> list[int]:
    given = point.given.get(name)
    symbol = point.book.symbols.get(name)
    if given is None or symbol is None or not symbol.domain.whole or isinstance(given.value, tuple):
        return []
    centre = int(given.value)
    below = next((v for v in range(centre - 1, max(-1, centre - _REACH), -1) if point.trial(**{name: v}).admissible), None)
    above = next((v for v in range(centre + 1, centre + _REACH) if point.trial(**{name: v}).admissible), None)
    return [v for v in (below, above) if v is not None]
