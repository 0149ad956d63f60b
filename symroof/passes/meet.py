"""Where do two quantities meet, and which branch binds where? Exact boundaries along one symbol, a map along two."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, PresetError, UnitError, UnsolvableError
from symroof.passes.admit import broken_constraints, stray
from symroof.passes.branch import branches_under, label, smooth_term
from symroof.passes.depend import dependencies, under
from symroof.passes.pieces import Piece, contest
from symroof.passes.recover import from_sympy
from symroof.passes.search import (
    SECONDS,
    Course,
    Found,
    Search,
    along_real,
    along_whole,
    exact_course,
    forms_of,
    fraction,
    numeric_course,
    search,
    widened,
)
from symroof.passes.solve import closed_boundary
from symroof.passes.timelimit import time_limit
from symroof.sheet import Shown
from symroof.term import Largest, Ref, Rel, Term

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.sheet import Sheet

# The most values that are looked at one by one.
_MOST_VALUES = 20_000


@dataclass(frozen=True, slots=True)
class Meeting:
    """A value of the symbol at which two quantities are equal: exact, and as a closed form where there is one."""

    at: Any
    closed: Any


@dataclass(frozen=True)
class Crossover(Shown):
    """Where two quantities have one value along a symbol. Shows itself in a notebook.

    Attributes:
        equation: both quantities on the branches in force where they meet, or at the point where they do not.
        points: the meetings, in order: values at which both are equal, and the ends of the ranges on which they are.
        equal: the ranges on which they are equal, as pairs of their ends; None where there is no end. Of a whole symbol the
            runs of at least two admissible values.
        jumps: pairs of values between which they change places without being equal: a jump or a pole.
        below, above: the larger of the two at the low end of the symbol, and at the high one, of a whole symbol among its
            admissible values (where formal: among all positive numbers); both joined by `=` where they are equal there.
        admissible: for a whole symbol its admissible values, in order.
        formal: True where they meet at no admissible value, and the points are those of the formulas alone.
        method: "exact", or "numeric" with the reason.
    """

    point: Point
    one: str
    other: str
    over: str
    equation: Rel
    points: tuple[Meeting, ...]
    equal: tuple[tuple[Any, Any], ...]
    jumps: tuple[tuple[Any, Any], ...]
    below: str
    above: str
    admissible: tuple[int, ...]
    formal: bool
    method: str

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.crossover import sheet

        return sheet(self)


@dataclass(frozen=True, slots=True)
class Regime:
    """A range of a symbol on which one branch binds.

    Attributes:
        low, high: the ends: admissible values of a whole symbol, the values given where some are, else exact boundaries; None
            where there is no end.
        binding: the branch that binds, or several that tie joined by `=`.
        boundary: where it takes over from the regime before, exact; None for the first, and where it is not known.
        closed: that boundary as a closed form, None where there is none.
    """

    low: Any
    high: Any
    binding: str
    boundary: Any = None
    closed: Any = None


@dataclass(frozen=True)
class Regimes(Shown):
    """The regimes along a symbol. Shows itself in a notebook.

    Attributes:
        of: the quantity whose Max or Min it is that turns.
        pieces: the regimes, in order.
        method: "exact", or what was done instead.
        left_out: values that were given but make no admissible run, each with the reason.
    """

    point: Point
    name: str
    of: str
    over: str
    pieces: tuple[Regime, ...]
    method: str
    left_out: tuple[tuple[Fraction, str], ...] = ()

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.regimes import sheet

        return sheet(self)


@dataclass(frozen=True, slots=True)
class Contest:
    """The quantity with a Max or Min, which of the two it is, and its labelled arguments."""

    of: str
    best: str
    branches: Mapping[str, Term]


def crossover(point: Point, one: str, other: str, over: str) -> Crossover:
    """Where two quantities meet along a symbol: among its admissible values, else among all positive numbers, formally.

    Raises:
        PresetError: neither depends on the symbol. UnitError: they have different units.
        MissingValueError, EvaluationError: they have no values here.
    """
    _comparable(point, one, other, over)
    field = search(point, over)
    sides = Ref(one), Ref(other)
    formal = False
    course: Course | None = None
    method = "exact"
    with time_limit(2 * SECONDS):
        try:
            with time_limit(SECONDS):
                course = exact_course(point, *sides, field, field.low, field.high)
        except UnsolvableError as reason:
            method = f"numeric, because {reason}"
        if field.whole:
            found = along_whole(point, *sides, field, course)
        else:
            found = along_real(field, course or numeric_course(point, *sides, field))
    if field.whole and course is not None and not (found.points or found.equal or found.jumps):
        everywhere = _formally(point, *sides, field)
        if everywhere is not None and everywhere.points:
            formal = True
            found = replace(found, points=everywhere.points, ends=everywhere.ends)
    meetings = tuple(Meeting(p, closed_boundary(point, *sides, field, p)) for p in found.points)
    below, above = (_larger(one, other, sign) for sign in found.ends)
    return Crossover(
        point=point,
        one=one,
        other=other,
        over=over,
        equation=_equation(point, one, other, field, found),
        points=meetings,
        equal=found.equal,
        jumps=found.jumps,
        below=below,
        above=above,
        admissible=field.candidates,
        formal=formal,
        method=method,
    )


def _formally(point: Point, left: Term, right: Term, field: Search) -> Found | None:
    """What the formulas do among all positive numbers; None where that is not known."""
    try:
        with time_limit(SECONDS):
            return along_real(field, exact_course(point, left, right, field, *field.formal))
    except UnsolvableError:
        return None


def _larger(one: str, other: str, sign: int) -> str:
    return {1: one, -1: other}.get(sign, f"{one} = {other}")


def _equation(point: Point, one: str, other: str, field: Search, found: Found) -> Rel:
    """Both quantities on their branches at the first meeting, else where they differ, else by name: no tautology."""
    places = [*found.points[:1], *found.differ]
    for there in [point.trial(**{field.name: fraction(p)}) for p in places] or [point]:
        try:
            sides = [from_sympy(smooth_term(there, Ref(n), {field.name})) for n in (one, other)]
        except (EvaluationError, ZeroDivisionError):
            continue
        if sides[0] != sides[1]:
            return Rel("==", sides[0], sides[1])
    return Rel("==", Ref(one), Ref(other))


def regimes(point: Point, name: str, over: str, values: Sequence[Fraction] | None = None) -> Regimes:
    """Which branch of a Max or Min binds along a symbol: at the values given, else over all that the symbol may have.

    Raises:
        PresetError: the quantity has no Max or Min that moves with the symbol.
        EvaluationError: none of the values makes an admissible run.
        UnsolvableError: a real symbol has no exact answer over all its range; at given values there always is one.
    """
    found = contested(point, name, {over})
    field = search(point, over)
    left_out = _left_out(point, over, values or ())
    if values is not None:
        without = {v for v, _ in left_out}
        values = [v for v in values if v not in without]
        if not values:
            raise EvaluationError(f"none of the values of {over} makes an admissible run: {left_out[0][1]}")
    try:
        with time_limit(SECONDS):
            pieces = contest(forms_of(point, found.branches, field), field.unknown, *_ends(field, values), found.best)
        method = "exact"
    except UnsolvableError as reason:
        if values is None and (not field.whole or len(field.candidates) > _MOST_VALUES):
            raise UnsolvableError(f"{reason}: give the values to look at, such as {over}=1,2,4") from None
        pieces, method = [], f"at each value, because {reason}"
    if values is not None:
        along = _at_values(point, found, field, values)
    elif field.whole:
        along = _at_integers(point, found, widened(point, field, (p.high for p in pieces[:-1])), pieces)
    else:
        along = [Regime(*_open(p, field), p.binding) for p in pieces]
    return Regimes(point, name, found.of, over, tuple(_bounded(point, found, field, pieces, along)), method, left_out)


def _left_out(point: Point, over: str, values: Sequence[Fraction]) -> tuple[tuple[Fraction, str], ...]:
    """The values that make no admissible run, each with the reason."""
    if len(values) > _MOST_VALUES:
        raise PresetError(f"{len(values):,} values of {over} are too many: give at most {_MOST_VALUES:,}, or none for all")
    found: list[tuple[Fraction, str]] = []
    for value in dict.fromkeys(values):
        there = point.trial(**{over: value})
        if says := stray(point.book, over, value):
            found.append((value, says))
        elif not there.admissible:
            broken = next(broken_constraints(there), None)
            found.append((value, "no valid run" if broken is None else broken.says))
    return tuple(found)


def contested(point: Point, name: str, moving: set[str]) -> Contest:
    """The first Max or Min under a quantity whose arguments move with some symbols.

    Raises:
        UnknownNameError: the book has no such name. PresetError: there is none.
    """
    book = point.book
    book.known(name)
    for here in under(point, name):
        formula = book.formulas[here]
        if isinstance(formula, Largest) and any(moving & dependencies(point, n) for n in formula.names):
            return Contest(here, "Max", {n: Ref(n) for n in formula.names})
    for here, call in branches_under(point, name):
        if moving & _moved_by(point, call):
            return Contest(here, call.function, {label(p): p for p in call.args})
    raise PresetError(f"{name} has no Max or Min that moves with {' or '.join(sorted(moving))}")


def _moved_by(point: Point, call: Term) -> frozenset[str]:
    from symroof.term import references

    return frozenset().union(*(dependencies(point, n) for n in references(call)))


def _comparable(point: Point, one: str, other: str, over: str) -> None:
    a, b = (point.book.dimension(point.book.known(n)) for n in (one, other))
    if a != b:
        raise UnitError(f"{one} is in {a} and {other} in {b}: they cannot meet")
    if one == other:
        raise PresetError(f"{one} meets itself everywhere: name two quantities")
    point.book.known(over)
    for name in (one, other):
        point.evaluator.number(name)
    if not any(over in dependencies(point, n) for n in (one, other)):
        raise PresetError(f"neither {one} nor {other} depends on {over} here")


def _ends(field: Search, values: Sequence[Fraction] | None) -> tuple[Any, Any]:
    """The open range of a contest: a little beyond the values given, so that their own ends are inside."""
    if values is None:
        return field.low, field.high
    low, high = min(values), max(values) + (0 if any(values) else 1)
    return sp.Rational(low.numerator, low.denominator) * sp.Rational(1, 2), sp.Rational(high.numerator, high.denominator) * 2


def _open(piece: Piece, field: Search) -> tuple[Any, Any]:
    return (None if piece.low == field.low else piece.low), (None if piece.high == field.high else piece.high)


def _bounded(point: Point, found: Contest, field: Search, pieces: Sequence[Piece], along: Sequence[Regime]) -> list[Regime]:
    """Regimes with the exact boundary before each of them, where the pieces have it."""
    ends = {(a.binding, b.binding): a.high for a, b in itertools.pairwise(pieces)}
    result = list(along[:1])
    for before, here in itertools.pairwise(along):
        at = ends.get((before.binding, here.binding))
        if at is None:
            result.append(here)
            continue
        one, other = found.branches[before.binding], found.branches[here.binding]
        result.append(Regime(here.low, here.high, here.binding, at, closed_boundary(point, one, other, field, at)))
    return result


def _at_values(point: Point, found: Contest, field: Search, values: Sequence[Fraction]) -> list[Regime]:
    """What binds at each value, by exact evaluation."""
    along: list[tuple[Any, str]] = []
    for value in values:
        along.append((sp.Rational(value.numerator, value.denominator), binding_at(point.trial(**{field.name: value}), found)))
    return _grouped(along, field)


def _at_integers(point: Point, found: Contest, field: Search, pieces: Sequence[Piece]) -> list[Regime]:
    """What binds at the admissible values: by the piece that they lie in, and by evaluation on a boundary or without pieces."""

    def evaluated(value: int) -> tuple[Any, str]:
        return sp.Integer(value), binding_at(point.trial(**{field.name: value}), found)

    if not pieces:
        return _grouped([evaluated(v) for v in field.candidates], field)
    along = [evaluated(0)] if field.candidates[0] == 0 else []
    for piece in pieces:
        first = bisect_right(field.candidates, int(sp.floor(piece.low)))
        last = len(field.candidates) if piece.high == sp.oo else bisect_left(field.candidates, int(sp.ceiling(piece.high)))
        # A run of values with one branch is known by its ends.
        along += [(sp.Integer(v), piece.binding) for v in (*field.candidates[first:last][:1], *field.candidates[first:last][-1:])]
        if last < len(field.candidates) and field.candidates[last] == piece.high:
            along.append(evaluated(field.candidates[last]))
    result = _grouped(along, field)
    endless = field.high == sp.oo
    return [*result[:-1], Regime(result[-1].low, None, result[-1].binding)] if endless else result


def _grouped(along: Sequence[tuple[Any, str]], field: Search) -> list[Regime]:
    if not along:
        raise EvaluationError(f"none of the values of {field.name} makes an admissible run")
    groups = [list(g) for _, g in itertools.groupby(along, key=lambda pair: pair[1])]
    return [Regime(g[0][0], g[-1][0], g[0][1]) for g in groups]


def binding_at(point: Point, found: Contest) -> str:
    """The branch that binds at a point, or several that tie joined by `=`."""
    numbers = {n: point.evaluator.term(b) for n, b in found.branches.items()}
    top = (max if found.best == "Max" else min)(numbers.values())
    return " = ".join(n for n, v in numbers.items() if v == top)
