"""`check`: does the book hold?"""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, point_of
from symroof.answers.shapes import (
    Check,
    CheckedClaim,
    CheckedConstraint,
    CheckedDomain,
    CheckedUnit,
    Number,
    UnaskedConstraint,
    number,
)
from symroof.humane import exact, humane, significant
from symroof.passes.check import (
    ConstraintVerdict,
    DomainVerdict,
    UnitVerdict,
    Verdict,
    check_claims,
    check_constraints,
    check_domains,
    check_units,
)
from symroof.terminal import bad, fields

if TYPE_CHECKING:
    from symroof.point import Point


def answer(options: Namespace) -> Answer:
    """Every claim, every unit, every constraint, every domain; status 1 where one does not hold."""
    point = point_of(options)
    claims, units, constraints = check_claims(point), check_units(point.book), check_constraints(point)
    domains = check_domains(point)
    ok = not any(v.holds is False for verdicts in (claims, units, constraints, domains) for v in verdicts)
    data: Check = {
        "claims": [_claim(v) for v in claims],
        "units": [_unit(v) for v in units],
        "constraints": [_constraint(v, v.holds) for v in constraints if v.holds is not None],
        "not_asked": [_unasked(v) for v in constraints if v.holds is None],
        "domains": {"values": len(domains), "outside": [_domain(v) for v in domains if not v.holds]},
        "ok": ok,
    }
    return Answer(dict(data), lambda: _text(point, claims, units, constraints, domains), status=0 if ok else 1)


def _claim(verdict: Verdict) -> CheckedClaim:
    claim = verdict.claim
    expect = [number(e) for e in claim.expect]
    got: list[Number | None] = [None if g is None else number(g) for g in verdict.got]
    several = len(expect) > 1
    checked: CheckedClaim = {
        "says": claim.says,
        "quantity": claim.quantity,
        "expect": expect if several else expect[0],
        "got": got if several else got[0],
        "holds": verdict.holds,
    }
    if claim.preset is not None:
        checked["preset"] = claim.preset
    return checked


def _unit(verdict: UnitVerdict) -> CheckedUnit:
    return {
        "quantity": verdict.quantity,
        "unit": verdict.unit,
        "declared": verdict.declared,
        "derived": verdict.derived,
        "holds": verdict.holds,
    }


def _constraint(verdict: ConstraintVerdict, holds: bool) -> CheckedConstraint:
    return {"constraint": verdict.constraint, "says": verdict.says, "preset": verdict.preset, "holds": holds}


def _unasked(verdict: ConstraintVerdict) -> UnaskedConstraint:
    return {"constraint": verdict.constraint, "says": verdict.says, "preset": verdict.preset, "lacks": [*verdict.lacks]}


def _domain(verdict: DomainVerdict) -> CheckedDomain:
    return {"quantity": verdict.quantity, "says": verdict.says, "preset": verdict.preset}


def _text(
    point: Point,
    claims: tuple[Verdict, ...],
    units: tuple[UnitVerdict, ...],
    constraints: tuple[ConstraintVerdict, ...],
    domains: tuple[DomainVerdict, ...],
) -> str:
    failed = [
        *(line for v in claims if not v.holds for line in _failed_claim(point, v)),
        *(line for v in units if not v.holds for line in _failed_unit(v)),
        *(line for v in constraints if v.holds is False for line in _failed_constraint(v)),
        *(line for v in domains if not v.holds for line in _failed_domain(v)),
    ]
    stated = sum(v.claim.origin == "stated" for v in claims)
    origins = f"{stated} stated, {len(claims) - stated} computed from what is stated"
    declare = "formulas have the FLOPs, seconds and bytes by carrier that they declare"
    summary = [
        ("claims", f"{sum(v.holds for v in claims)} of {len(claims)} hold: {origins}"),
        ("units", f"{sum(v.holds for v in units)} of {len(units)} {declare}"),
        ("constraints", _counted(constraints)),
        ("domains", f"{sum(v.holds for v in domains):,} of {len(domains):,} values are what their quantities may be"),
    ]
    return "\n".join([*failed, *fields(summary, indent="")])


def _counted(constraints: tuple[ConstraintVerdict, ...]) -> str:
    asked = [v.holds for v in constraints if v.holds is not None]
    says = f"{sum(asked)} of {len(asked)} hold, over {len({v.preset for v in constraints})} presets"
    unasked = len(constraints) - len(asked)
    return f"{says}; {unasked} not asked, for want of a value" if unasked else says


def _failed_claim(point: Point, verdict: Verdict) -> list[str]:
    claim = verdict.claim
    unit = "1" if claim.ratio_to is not None else point[claim.quantity].unit
    within = "exactly" if claim.within is None else f"within {significant(claim.within * 100)}%"
    pairs = [("quantity", claim.quantity), *([("preset", claim.preset)] if claim.preset else []), ("place", claim.place)]
    for label, expect, got in _figures(verdict):
        pairs.append(("claimed", f"{label}{_shown(expect, unit)}, {within}"))
        if claim.printed is not None:
            pairs.append(("printed", claim.printed.text))
        if got is not None:
            pairs += [("derived", f"{label}{_shown(got, unit)}"), ("difference", _difference(expect, got, unit))]
    return [bad(f"claim does not hold: {claim.says}"), *fields([*pairs, ("error", verdict.error)]), ""]


def _figures(verdict: Verdict) -> list[tuple[str, Fraction, Fraction | None]]:
    """The figures of a claim that are not met, each with the value that it is claimed at."""
    claim = verdict.claim
    names = [f"{n}={v}: " for n, values in claim.at_each.items() for v in values] or [""] * len(claim.expect)
    got = [*verdict.got, *[None] * len(claim.expect)]
    figures = list(zip(names, claim.expect, got, strict=False))
    return [f for f in figures if f[2] is None or not claim.met(f[1], f[2])]


def _shown(figure: Fraction, unit: str) -> str:
    shown = humane(figure, unit)
    plain = f"{exact(figure)} {'' if unit == '1' else unit}".strip()
    return shown if shown == plain else f"{shown} ({plain})"


def _difference(expect: Fraction, got: Fraction, unit: str) -> str:
    share = f", {significant(100 * (got - expect) / expect)}%" if expect and got != expect else ""
    return f"{humane(got - expect, unit)}{share}"


def _failed_unit(verdict: UnitVerdict) -> list[str]:
    pairs = [("declared", f"{verdict.unit} ({verdict.declared})"), ("derived", verdict.derived)]
    return [bad(f"unit does not hold: {verdict.quantity}"), *fields(pairs), ""]


def _failed_constraint(verdict: ConstraintVerdict) -> list[str]:
    pairs = [("preset", verdict.preset), ("says", verdict.says)]
    return [bad(f"constraint does not hold: {verdict.constraint}"), *fields(pairs), ""]


def _failed_domain(verdict: DomainVerdict) -> list[str]:
    return [bad(f"domain does not hold: {verdict.quantity}"), *fields([("preset", verdict.preset), ("says", verdict.says)]), ""]
