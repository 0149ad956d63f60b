"""The JSON of every command, one type each. Scripts rely on the names and types here: add keys, never change one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, TypedDict

if TYPE_CHECKING:
    from symroof.result import Result

# An integer, however large, where the exact value is one; else the nearest float, or the nearest integer beyond all floats.
Number: TypeAlias = int | float


class Value(TypedDict):
    """A value: as a number (or the name it is), exactly as "p/q" or an integer (null for a name), and for people."""

    value: Number | str
    exact: str | None
    unit: str
    display: str
    pinned: bool


class Eval(TypedDict):
    """`eval`: the values asked for, in the order of the request; `set` has the settings as they were given."""

    preset: str
    set: dict[str, str]
    values: dict[str, Value]


class Latex(TypedDict):
    """A quantity in LaTeX; `substituted` is null where a value is missing."""

    formula: str
    closed_form: str
    substituted: str | None


class Show(TypedDict):
    """`show`: formulas are SymPy syntax in the book's names; `value` is null where a symbol on the way has none."""

    name: str
    chapter: str
    unit: str
    says: str
    ref: str
    formula: str
    closed_form: str
    latex: Latex
    symbols: list[str]
    value: Value | None


class Listed(TypedDict):
    """A quantity in `list`; `symbol` is LaTeX, `says` the first line of what it is."""

    name: str
    symbol: str
    unit: str
    chapter: str
    says: str


class ListAnswer(TypedDict):
    """`list`: the quantities of the book, or of one chapter, in reading order."""

    quantities: list[Listed]


class WhyNode(TypedDict):
    """A name of a derivation; `at` has the arguments it is taken at, `formula` is null for a symbol or a given value.

    `repeated` is true where the name was unfolded above already: its parts are there.
    """

    name: str
    at: dict[str, str]
    formula: str | None
    value: Value
    source: str
    repeated: bool
    parts: list[WhyNode]


class Why(TypedDict):
    """`why`: the derivation of one quantity."""

    preset: str
    set: dict[str, str]
    tree: WhyNode


class CheckedClaim(TypedDict):
    """A claim: figures claimed and derived, a list of them where the claim is one of several; null where none is derived."""

    says: str
    quantity: str
    expect: Number | list[Number]
    got: Number | list[Number | None] | None
    holds: bool


class CheckedUnit(TypedDict):
    """A quantity's unit, the dimension that it declares and the one that its formula has."""

    quantity: str
    unit: str
    declared: str
    derived: str
    holds: bool


class CheckedConstraint(TypedDict):
    """A constraint at one preset."""

    constraint: str
    says: str
    preset: str
    holds: bool


class Check(TypedDict):
    """`check`: everything that was checked; `ok` where all of it holds."""

    claims: list[CheckedClaim]
    units: list[CheckedUnit]
    constraints: list[CheckedConstraint]
    ok: bool


class GivenValue(TypedDict):
    """A value that a preset gives; a list's `value` is a list and its `exact` null. `preset` names the file it comes from."""

    value: Number | list[int]
    exact: str | None
    unit: str
    display: str
    source: str
    note: str
    preset: str


class PresetAnswer(TypedDict):
    """A model, machine or run, or an alias of three of them (`parts`), with what it gives."""

    name: str
    says: str
    parts: dict[str, str]
    values: dict[str, GivenValue]
    conventions: dict[str, str]


class PointAnswer(TypedDict):
    """The preset of the request, with all its values and the choice in force of every convention."""

    preset: str
    set: dict[str, str]
    values: dict[str, GivenValue]
    conventions: dict[str, str]


class PresetsAnswer(TypedDict):
    """`presets`: all that the book ships, by kind, and the point that the request is about."""

    aliases: list[PresetAnswer]
    models: list[PresetAnswer]
    machines: list[PresetAnswer]
    runs: list[PresetAnswer]
    point: PointAnswer


class Held(TypedDict):
    """How many claims hold, of how many."""

    held: int
    of: int


class Report(TypedDict):
    """`report`: the files written, those that are not current (with --check), and what a reader looks for first."""

    preset: str
    set: dict[str, str]
    written: list[str]
    stale: list[str]
    claims: Held
    headline: dict[str, Value]


def value(result: Result) -> Value:
    """A result as JSON has it.

    Raises:
        MissingValueError, EvaluationError: it has no value.
    """
    exact = result.exact
    return {
        "value": exact if isinstance(exact, str) else number(exact),
        "exact": None if isinstance(exact, str) else str(exact),
        "unit": result.unit,
        "display": result.display,
        "pinned": result.pinned,
    }


def number(exact: Fraction) -> Number:
    """An exact value as a JSON number."""
    if exact.denominator == 1:
        return exact.numerator
    try:
        return float(exact)
    except OverflowError:
        return round(exact)
