"""Does the book hold? Every claim, every unit, every constraint of every preset."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.claim import Claim
from symroof.errors import SymroofError

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
    """A constraint at a preset."""

    constraint: str
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


def _at_point(point: Point) -> list[ConstraintVerdict]:
    """A point that exists has met every constraint; they are listed so that a reader sees which."""
    return [ConstraintVerdict(n, point.book.declared[n].says, point.label, True) for n in point.book.conditions]
