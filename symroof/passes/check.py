"""Does the book hold? Every claim, every unit, every constraint and every domain of every preset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.claim import Claim
from symroof.errors import DomainError, EvaluationError, MissingValueError, SymroofError
from symroof.passes.admit import holds
from symroof.term import Term, references

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Verdict:
    """A claim and what the book derives: one figure for each that is claimed, None where there is none to be had."""

    claim: Claim
    got: tuple[Fraction | None, ...]
    holds: bool
    error: str = ""


@dataclass(frozen=True, slots=True)
class UnitVerdict:
    """A quantity, the dimension that it declares and the one that its formula has."""

    quantity: str
    unit: str
    declared: str
    derived: str
    holds: bool


@dataclass(frozen=True, slots=True)
class ConstraintVerdict:
    """A constraint at a preset: it holds, it does not, or (None) it is not asked there, for want of the values it lacks."""

    constraint: str
    says: str
    preset: str
    holds: bool | None
    lacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DomainVerdict:
    """A quantity at a preset, and whether its value is one that its declaration admits."""

    quantity: str
    says: str
    preset: str
    holds: bool


def check_claims(point: Point) -> tuple[Verdict, ...]:
    """Every claim of the book, at the preset that it is about, with the claim's own values set.

    What a reader set beside a preset is set at the book's default too: the answer is whether the claims about it would hold
    all the same. Those about other presets are checked at these as they are.

    Raises:
        ConstraintError: the default preset with those settings is no admissible run.
    """
    points: dict[str | None, Point] = {None: point.book.at(None, **point.overrides)}
    return tuple(_check_at(points, point.book, claim) for claim in point.book.claims)


def check_own_claims(point: Point) -> tuple[Verdict, ...]:
    """The claims about a point's preset or model, and about the book's default where the point is of the same model."""
    default = point.book.at(None)
    own = {point.preset, *point.parts, *([None] if point.book is default.book else [])}
    points: dict[str | None, Point] = {None: default}
    return tuple(_check_at(points, point.book, claim) for claim in point.book.claims if claim.preset in own)


def _check_at(points: dict[str | None, Point], book: Book, claim: Claim) -> Verdict:
    """One claim at its preset, each preset composed once."""
    if claim.preset not in points:
        points[claim.preset] = book.at(claim.preset)
    return check_claim(points[claim.preset], claim)


def check_claim(point: Point, claim: Claim) -> Verdict:
    """One claim: exactly where it is exact, within its tolerance where the text rounds."""
    try:
        got = _derived(point, claim)
    except SymroofError as error:
        return Verdict(claim, (None,) * len(claim.expect), False, str(error))
    holds = len(got) == len(claim.expect) and all(claim.met(e, g) for e, g in zip(claim.expect, got, strict=False))
    return Verdict(claim, got, holds)


def _derived(point: Point, claim: Claim) -> tuple[Fraction, ...]:
    if claim.at_each:
        ((name, values),) = claim.at_each.items()
        return tuple(_value(point, claim.quantity, {**claim.at, name: v}) for v in values)
    value = _value(point, claim.quantity, claim.at)
    return (value / _value(point, claim.quantity, claim.ratio_to),) if claim.ratio_to is not None else (value,)


def _value(point: Point, quantity: str, at: object) -> Fraction:
    assert isinstance(at, dict)
    return (point.set(**at) if at else point).evaluator.number(quantity)


def check_units(book: Book) -> tuple[UnitVerdict, ...]:
    """The dimension walk over every formula of the book, whatever a model has of them."""
    return tuple(_check_unit(book.whole, name) for name in book.whole.quantities)


def _check_unit(book: Book, name: str) -> UnitVerdict:
    declared, derived = book.dimension(name), book.derived_dimension(name)
    return UnitVerdict(
        name,
        book.quantities[name].unit,
        str(declared),
        "any (zero)" if derived is None else str(derived),
        derived in (None, declared),
    )


def check_constraints(point: Point) -> tuple[ConstraintVerdict, ...]:
    """Every constraint at this point and at every composed preset, run and machine that the book ships."""
    book = point.book
    found = _at_point(point)
    shipped = [n for kind in (None, "run", "machine", "model") for n in book.presets.names(kind)]
    for name in shipped:
        if name == point.preset:
            continue
        try:
            found += _at_point(book.at(name))
        except SymroofError as error:
            found.append(ConstraintVerdict("admissible", str(error), name, False))
    return tuple(found)


def check_domains(point: Point) -> tuple[DomainVerdict, ...]:
    """Every derived value at this point and at every composed preset, run, machine and model that the book ships.

    A value that is none here, for want of another or because a formula divides by zero, contradicts nothing.
    """
    book = point.book.whole
    shipped = [n for kind in (None, "run", "machine", "model") for n in book.presets.names(kind) if n != point.preset]
    found: dict[tuple[str, str], DomainVerdict] = {}
    for there in (point, *_composed(book, shipped)):
        for name in there.book.quantities:
            verdict = _domain_verdict(there, name)
            if verdict is not None:
                found.setdefault((verdict.preset, verdict.says), verdict)
    return tuple(found.values())


def _composed(book: Book, names: list[str]) -> Iterator[Point]:
    """The presets that can be composed: of the others the constraints speak."""
    for name in names:
        with suppress(SymroofError):
            yield book.at(name)


def _domain_verdict(point: Point, name: str) -> DomainVerdict | None:
    """A quantity and its value; None where it has none. What contradicts its domain is named, be it this one or one below."""
    says, holds = point.book.domain(name).says, True
    try:
        point.evaluator.value(name)
    except DomainError as error:
        name, says, holds = error.quantity, str(error), False
    except (MissingValueError, EvaluationError):
        return None
    return DomainVerdict(name, says if not holds else f"{name} is {says}", point.label, holds)


def _at_point(point: Point) -> list[ConstraintVerdict]:
    """The constraints of a point; one that exists breaks none, and they are listed so that a reader sees which it meets."""
    return [_constraint(point, name, condition) for name, condition in point.book.conditions.items()]


def _constraint(point: Point, name: str, condition: Term) -> ConstraintVerdict:
    found, book = holds(point.evaluator, condition), point.book
    needed = {n for used in references(condition) for n in book.inputs_of(used)} if found is None else set()
    lacks = sorted(n for n in needed if n not in point.given and n not in book.formulas)
    return ConstraintVerdict(name, book.declared[name].says, point.label, found, tuple(lacks))
