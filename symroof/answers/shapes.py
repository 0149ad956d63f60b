"""The JSON of every command, one type each. Scripts rely on the names and types here: add keys, never change one."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from symroof.passes.evaluate import Scalar
    from symroof.passes.explain import Way
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
    """A claim: figures claimed and derived, a list of them where the claim is one of several; null where none is derived.

    `preset` is there where it is about another than the book's default.
    """

    says: str
    quantity: str
    preset: NotRequired[str]
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


class UnaskedConstraint(TypedDict):
    """A constraint that is not asked at one preset, and the names of which that preset gives no value."""

    constraint: str
    says: str
    preset: str
    lacks: list[str]


class CheckedDomain(TypedDict):
    """A derived value at one preset that its quantity says it cannot have."""

    quantity: str
    says: str
    preset: str


class CheckedDomains(TypedDict):
    """How many derived values of all presets were checked, and those that are not what their quantities may be."""

    values: int
    outside: list[CheckedDomain]


class Check(TypedDict):
    """`check`: everything that was checked, and the constraints that were not; `ok` where all that was checked holds."""

    claims: list[CheckedClaim]
    units: list[CheckedUnit]
    constraints: list[CheckedConstraint]
    not_asked: list[UnaskedConstraint]
    domains: CheckedDomains
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


class Changed(TypedDict):
    """What was changed, in the words of the reader and of the preset."""

    before: str
    after: str


class HeldAnswer(TypedDict):
    """What is held, by which symbol, and that symbol's value before and after."""

    quantity: str
    by: str
    before: str
    after: str


class Affected(TypedDict, total=False):
    """A quantity that moved. `ratio` and `difference` are null where it names something, has no value, or was zero.

    `closed_form` keeps the changed names free and every other symbol at its value; `symbolic` is the reverse.
    """

    before: Value | None
    after: Value | None
    ratio: Number | None
    difference: Number | None
    closed_form: str | None
    symbolic: str | None


class BrokenAnswer(TypedDict):
    """A constraint that stands against a change, with the nearest values that work."""

    constraint: str
    says: str


class WhatIfAnswer(TypedDict):
    """`whatif`: what a change moves; where the changed run cannot exist, `broken` says why and nothing is affected."""

    held: HeldAnswer | None
    changes: dict[str, Changed]
    affected: dict[str, Affected]
    unaffected: int
    broken: list[BrokenAnswer]


class HeldDerivative(TypedDict):
    """What is held while a derivative is taken, and by which symbol."""

    quantity: str
    by: str


class Side(TypedDict):
    """The derivative from above, where branches tie and it is another than the one from below."""

    derivative: str
    value: Number


class SensitivityOf(TypedDict):
    """What one symbol does to a quantity. `derivative` and its value are null where there are only differences.

    `branch` is the argument of the Max (or, without one, Min) that decides; `ties` are those with the same value.
    """

    derivative: str | None
    value: Number | None
    elasticity: Number | None
    elasticity_form: str | None
    step: Number | None
    doubling: Number | None
    branch: str | None
    ties: list[str]
    above: Side | None
    unit: str


class SensitivityAnswer(TypedDict):
    """`sensitivity`: derivatives of one quantity, by symbol."""

    of: str
    held: HeldDerivative | None
    to: dict[str, SensitivityOf]


class CheckedSides(TypedDict):
    """The condition's left side where it holds, and next to it where it does not; `values` are the symbol's there."""

    at: Value | None
    next: Value | None
    values: dict[str, str | None]


# `for` and `from` are words of Python, so that these types are written as calls.
SolveAnswer = TypedDict(
    "SolveAnswer",
    {
        "for": str,
        "condition": str,
        "solutions": list[str],
        "boundary": Number | None,
        "boundaries": list[Number],
        "exact": list[str],
        "first_integer": int | None,
        "holds_for": str,
        "checked": CheckedSides,
        "formal": bool,
        "method": str,
    },
)


class Meets(TypedDict):
    """A value at which two quantities are equal: exact in SymPy's syntax, as a number, and in names of the book."""

    exact: str
    value: Number
    closed_form: str | None


class CrossoverAnswer(TypedDict):
    """`crossover`: `below` and `above` name the larger of the two before the first point and after the last.

    `formal` is true where no admissible value of the symbol is a meeting, and the points are those of the formulas alone.
    """

    over: str
    equation: str
    points: list[Meets]
    below: str
    above: str
    formal: bool
    method: str


RegimeAnswer = TypedDict(
    "RegimeAnswer",
    {"from": Number | None, "to": Number | None, "binding": str, "boundary": str | None, "closed_form": str | None},
)


class RegimesAnswer(TypedDict):
    """`regimes` along one symbol; `of` is the quantity whose Max or Min turns. A null end is none."""

    over: str
    of: str
    pieces: list[RegimeAnswer]
    method: str


class CurveAnswer(TypedDict):
    """Where two branches have one value."""

    between: list[str]
    equation: str


class MapAnswer(TypedDict):
    """`regimes` over two symbols: a row of names for each value of the second, null where the run may not exist."""

    over: list[str]
    of: str
    values: dict[str, list[Number]]
    binding: list[list[str | None]]
    curves: list[CurveAnswer]


def value(result: Result) -> Value:
    """A result as JSON has it.

    Raises:
        MissingValueError, EvaluationError: it has no value.
    """
    return of_unit(result.exact, result.unit, result.pinned)


class SweepAnswer(TypedDict):
    """`sweep`: rows in the order of the grid, or the best first; a value that does not exist is null.

    `evaluated` and the `rejected` of each constraint (the first that a point breaks) add up to the grid; `left_out` counts
    points that were evaluated and do not meet the condition.
    """

    columns: list[str]
    rows: list[list[Number | str | None]]
    evaluated: int
    rejected: dict[str, int]
    left_out: int


class EmbeddedPlace(TypedDict):
    """A marker of a document by its line and column, counted from one: its request, or what is wrong with it."""

    line: int
    column: int
    says: str


class EmbeddedDocument(TypedDict):
    """A document of `embed`: its stale markers, those edited by hand, those that cannot be filled, and the unified diff."""

    path: str
    markers: int
    stale: list[EmbeddedPlace]
    edited: list[EmbeddedPlace]
    wrong: list[EmbeddedPlace]
    written: bool
    difference: str


class EmbedAnswer(TypedDict):
    """`embed`: `current` is true where no marker was stale, edited or wrong before the command."""

    current: bool
    documents: list[EmbeddedDocument]


class ImportedValue(TypedDict):
    """A value of an imported model: the key that it came from, and what was derived and how."""

    value: int
    source: str
    note: str


class ModelAnswer(TypedDict):
    """`model import`: the preset's TOML text and what is in it; `written` is null where it was only printed.

    `usual_run` is null where the book's default run fits, and "" where no run that was tried does; `shows` is then empty.
    """

    model_type: str
    preset: str
    written: str | None
    usual_run: str | None
    blocks: dict[str, str]
    values: dict[str, ImportedValue]
    cautions: list[str]
    shows: dict[str, Value]


class Told(TypedDict):
    """A combination of conventions: `choices` has all departures from the choices in force, which make it again when set.

    For people it is told from a named set (`sets`, such as {"estimator": "torchtitan"}), or from the choices in force where
    that is empty, and `beside` has what departs from that. `mistakes` names the conventions whose choice is a known mistake.
    """

    choices: dict[str, str]
    sets: dict[str, str]
    beside: dict[str, str]
    mistakes: list[str]


class Misprint(TypedDict):
    """A plain factor that stands beside the conventions; `by` is the printed number over the counted one, as "p/q"."""

    name: str
    says: str
    by: str


class Explanation(Told):
    """A combination and its value: `counted` by the conventions, `value` with the factor, where one has part in it.

    `departures` counts what it is told by, a named set and a factor being one each; `same` has others with as few that differ in
    nothing that matters at this point.
    """

    value: Number
    relative_error: float
    departures: int
    counted: Number
    factor: Misprint | None
    same: list[Told]


class InForce(TypedDict):
    """What the choices in force say, of the conventions that were varied."""

    value: Number
    choices: dict[str, str]


class Explain(TypedDict):
    """`explain`: `value` in base units was printed to `within` (zero where it was given in full).

    `how` is "exact", "rounded" or "cut" (its last digit is cut off, not rounded), null where nothing matches. `matches` go by
    exactness, without a factor first, then by departures; `nearest` has what comes nearer than all that is told as shortly, the
    nearest first.
    """

    value: Number
    of: str
    unit: str
    within: Number
    in_force: InForce
    combinations: int
    how: str | None
    matches: list[Explanation]
    nearest: list[Explanation]


class DiffSide(TypedDict):
    """One side of a difference: a choice or a named set, and the value under it."""

    name: str
    value: Value


class DifferenceTerm(TypedDict):
    """A term of a difference in SymPy syntax, and the conventions that it comes from."""

    term: str
    latex: str
    value: Number
    exact: str
    display: str
    conventions: list[str]


class Diff(TypedDict):
    """`diff` of two: `one` less `other`, and the terms that add up to it exactly.

    `kind` is the convention or the kind of named sets; `differing` has the conventions that matter, with both choices.
    """

    of: str
    kind: str
    one: DiffSide
    other: DiffSide
    difference: Value
    differing: dict[str, list[str]]
    terms: list[DifferenceTerm]


class DiffRow(TypedDict):
    """A choice or a named set: its source or meaning, its value (null for none) and what that is more than in force."""

    name: str
    says: str
    value: Value | None
    difference: Number | None


class DiffTable(TypedDict):
    """`diff` of all: every choice, or named set, of one kind; `in_force` is null where no named set is."""

    of: str
    kind: str
    in_force: str | None
    value: Value
    rows: list[DiffRow]


def told(way: Way) -> Told:
    """A combination as JSON has it."""
    return {
        "choices": dict(way.choices),
        "sets": dict(way.named),
        "beside": dict(way.beside),
        "mistakes": list(way.mistakes),
    }


def scalar(found: Scalar | None, unit: str, pinned: bool = False) -> Value | None:
    """An exact value with its unit as JSON has it; None for none."""
    return None if found is None else of_unit(found, unit, pinned)


def of_unit(found: Scalar, unit: str, pinned: bool = False) -> Value:
    """An exact value with its unit as JSON has it."""
    from symroof.humane import humane

    return {
        "value": found if isinstance(found, str) else number(found),
        "exact": None if isinstance(found, str) else str(found),
        "unit": unit,
        "display": humane(found, unit),
        "pinned": pinned,
    }


def optional(exact: Fraction | None) -> Number | None:
    """An exact value as a JSON number, or null."""
    return None if exact is None else number(exact)


def number(exact: Fraction) -> Number:
    """An exact value as a JSON number."""
    if exact.denominator == 1:
        return exact.numerator
    try:
        return float(exact)
    except OverflowError:
        return round(exact)


class Plotted(TypedDict):
    """A picture: `caption`, `alt` (its text alternative) and `written` (its file) are null where it is only listed."""

    name: str
    title: str
    caption: str | None
    alt: str | None
    written: str | None


class Plot(TypedDict):
    """`plot`: the pictures that a point has, or those that were written."""

    preset: str
    set: dict[str, str]
    pictures: list[Plotted]


class Lab(TypedDict):
    """`lab`: the page's file and size; `current` is false where --check found that it is not the page of the book."""

    file: str
    bytes: int
    current: bool
