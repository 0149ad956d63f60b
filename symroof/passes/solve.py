"""How much is needed? Where a condition turns, exactly: the boundary, its closed form, and the first run that meets it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, MissingValueError, PresetError, UnsolvableError
from symroof.passes.algebraic import sign_at
from symroof.passes.branch import smooth_term
from symroof.passes.depend import dependencies
from symroof.passes.differentiate import derivative
from symroof.passes.evaluate import compare
from symroof.passes.expand import symbols_of
from symroof.passes.pieces import Piece, pieces, sign_between, turns, vanishes, zeros
from symroof.passes.search import SECONDS, Search, brackets, exact_sign, forms_of, fraction, meets, search, signs, widened
from symroof.passes.tidy import gathered, tidy
from symroof.passes.timelimit import time_limit
from symroof.sheet import Shown
from symroof.term import Rel, Term, references

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.sheet import Sheet

_SOLVED = ("<=", "<", ">=", ">", "==")
# How far beside the boundary of a real symbol the two sides are checked, relative to it; less where that is too far.
_ASIDE = (Fraction(1, 1000), Fraction(1, 10**9))


@dataclass(frozen=True, slots=True)
class Interval:
    """A range in which a condition holds; None where it has no end. `closed` says whether its ends belong to it."""

    low: Any
    high: Any
    closed: bool = True


@dataclass(frozen=True)
class Solution(Shown):
    """Where a condition holds along one symbol. Shows itself in a notebook.

    Attributes:
        solutions: closed forms of the boundaries in names of the book, where there is one.
        boundaries: the boundaries, in order: exact, or the ends of proven brackets.
        holds: where the condition holds: for a whole symbol runs of admissible values, else intervals.
        inside, outside: values on both sides of the boundary, admissible ones of a whole symbol: the condition holds at the
            first and not at the second; None where there is none. The boundary itself is exact, be it irrational.
        admissible: the values that a whole symbol may have, in order.
        formal: True where the boundary lies outside the admissible values.
        method: "exact", or "numeric" with the reason.
    """

    point: Point
    symbol: str
    condition: Rel
    solutions: tuple[Any, ...]
    boundaries: tuple[Any, ...]
    holds: tuple[Interval, ...]
    inside: Any
    outside: Any
    admissible: tuple[int, ...]
    formal: bool
    method: str

    @property
    def whole(self) -> bool:
        """True where the symbol is a whole number."""
        return bool(self.admissible)

    @property
    def first(self) -> int | None:
        """The admissible value of a whole symbol nearest to the boundary at which the condition holds."""
        return int(self.inside) if self.whole and self.inside is not None else None

    @property
    def boundary(self) -> Any:
        """The boundary nearest to the first value at which the condition holds; None where it does not turn."""
        if not self.boundaries:
            return None
        if self.inside is None:
            return self.boundaries[0]
        here = fraction(self.inside)
        return min(self.boundaries, key=lambda b: abs(fraction(b) - here))

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.solve import sheet

        return sheet(self)


def solve(point: Point, condition: Term, symbol: str) -> Solution:
    """Where a relation holds along a symbol, everything else as it is at the point.

    Raises:
        PresetError: the condition is no single relation, or does not depend on the symbol, or the symbol is no number.
        MissingValueError, EvaluationError: the condition has no value here, or the symbol no admissible one.
        UnsolvableError: neither the exact way nor looking at the admissible values ends in time.
    """
    if not isinstance(condition, Rel) or condition.op not in _SOLVED:
        raise PresetError("solve takes one relation between two values, as in A <= B")
    field = search(point, symbol)
    _check(point, condition, symbol)
    try:
        with time_limit(SECONDS):
            boundaries, holds = _exactly(point, condition, field, field.low, field.high)
        method = "exact"
    except UnsolvableError as reason:
        boundaries, holds = ([], []) if field.whole else _numerically(point, condition, field)
        method = f"numeric, because {reason}"
    formal = _formally(point, condition, field) if field.whole and method == "exact" and not boundaries else []
    inside, outside = _sides(point, condition, field, boundaries)
    if field.whole:
        field = widened(point, field, boundaries)
        truths = _truths(point, condition, field)
        holds, inside, outside = _runs(field.candidates, truths), *_nearest(field.candidates, truths)
        boundaries = boundaries or ([] if method == "exact" else _at_runs(field, holds))
    return Solution(
        point=point,
        symbol=symbol,
        condition=condition,
        solutions=_closed(point, condition, field, [*boundaries, *formal]) if method == "exact" else (),
        boundaries=tuple(boundaries or formal),
        holds=tuple(holds),
        inside=inside,
        outside=outside,
        admissible=field.candidates,
        formal=bool(formal),
        method=method,
    )


def value_at(found: Solution, side: Term, at: Any) -> Fraction:
    """A side of the condition at a value of the symbol: at an irrational one to 30 digits, unless it is zero there.

    Raises:
        MissingValueError, EvaluationError: it has no value there.
    """
    if not isinstance(at, Fraction):
        field = search(found.point, found.symbol)
        if sign_at(forms_of(found.point, {"side": side}, field)["side"], field.unknown, at) == 0:
            return Fraction(0)
    return found.point.trial(**{found.symbol: fraction(at)}).evaluator.term(side)


def _check(point: Point, condition: Rel, symbol: str) -> None:
    from symroof.text import formula_text

    names = [n for n in references(condition) if n in point.book.quantities and point.book.quantities[n].unit == "name"]
    if names:
        raise PresetError(f"{names[0]} is a name, not a number: ask regimes {names[0]} --over {symbol} where it turns")
    if not any(symbol in dependencies(point, n) for n in references(condition)):
        raise PresetError(f"{formula_text(condition)} does not depend on {symbol} here")


def _exactly(point: Point, condition: Rel, field: Search, low: Any, high: Any) -> tuple[list[Any], list[Interval]]:
    """The boundaries and the intervals, by the exact pieces of the difference of both sides."""
    form = _difference(point, condition, field)
    found = pieces(form, field.unknown, low, high)
    if condition.op == "==":
        return _equal(form, found, field.unknown, low, high)
    truths: list[tuple[Any, Any, bool]] = []
    for piece in found:
        edges = [piece.low, *turns(piece.form, field.unknown, piece.low, piece.high), piece.high]
        for left, right in itertools.pairwise(edges):
            sign = sign_between(piece.form, field.unknown, left, right)
            truths.append((left, right, compare(condition.op, Fraction(sign), Fraction(0))))
    return _turned(truths, low, high, condition.op in ("<=", ">="))


def _difference(point: Point, condition: Rel, field: Search) -> Any:
    """The left side less the right one, as a closed form in what stands for the symbol."""
    left, right = forms_of(point, {"left": condition.left, "right": condition.right}, field).values()
    form = left - right
    if form.has(sp.zoo, sp.nan, sp.oo, -sp.oo):
        raise EvaluationError(f"the condition has no value at any {field.name}: it divides by zero")
    return form


def _equal(form: Any, found: Sequence[Piece], unknown: Any, low: Any, high: Any) -> tuple[list[Any], list[Interval]]:
    """Where a form is zero: the pieces on which it is, the zeros of the others, and the cuts between them at which it is."""
    cuts = {p.high for p in found if p.high.is_finite and sign_at(form, unknown, p.high) == 0}
    holds: list[Interval] = []
    for piece in found:
        if vanishes(piece.form):
            ends = (None if piece.low == low else piece.low, None if piece.high == high else piece.high)
            holds.append(Interval(*ends, closed=cuts.issuperset(e for e in ends if e is not None)))
        else:
            holds += [Interval(z, z) for z in zeros(piece.form, unknown, piece.low, piece.high)]
        if piece.high in cuts:
            holds.append(Interval(piece.high, piece.high))
    ranges = [r for r in holds if r.low is None or r.low != r.high]
    kept = [h for h in holds if h in ranges or not any(r.closed and h.low in (r.low, r.high) for r in ranges)]
    return list(dict.fromkeys(e for h in kept for e in (h.low, h.high) if e is not None)), kept


def _turned(truths: list[tuple[Any, Any, bool]], low: Any, high: Any, closed: bool) -> tuple[list[Any], list[Interval]]:
    """Boundaries between true and false, and the true intervals, out of adjacent ones."""
    boundaries = [b for (_, b, one), (_, _, other) in itertools.pairwise(truths) if one != other]
    holds: list[tuple[Any, Any]] = []
    for left, right, true in truths:
        if true and holds and holds[-1][1] == left:
            holds[-1] = (holds[-1][0], right)
        elif true:
            holds.append((left, right))
    return boundaries, [Interval(None if a == low else a, None if b == high else b, closed) for a, b in holds]


def _formally(point: Point, condition: Rel, field: Search) -> list[Any]:
    """Boundaries among all positive numbers, where the admissible ones have none."""
    try:
        with time_limit(SECONDS):
            return _exactly(point, condition, field, *field.formal)[0]
    except UnsolvableError:
        return []


def _numerically(point: Point, condition: Rel, field: Search) -> tuple[list[Any], list[Interval]]:
    """For a real symbol: brackets of proven signs; a boundary is the end of a bracket at which the condition holds.

    An equation holds where the sides pass each other and are close on both sides; where they do not, they jump.
    """
    found = brackets(point, field.name, condition.left, condition.right, field.high)
    truths: list[tuple[Any, Any, bool]] = []
    edge, last = field.low, None
    for bracket in found:
        before, after = (compare(condition.op, Fraction(s), Fraction(0)) for s in bracket.signs)
        at = bracket.low if before else bracket.high
        boundary = sp.Rational(at.numerator, at.denominator)
        truths.append((edge, boundary, before))
        if condition.op == "==" and meets(point, field.name, condition.left, condition.right, bracket):
            truths.append((boundary, boundary, True))
        edge, last = boundary, after
    if last is None:
        sign = exact_sign(point, field.name, condition.left, condition.right)(point.evaluator.number(field.name))
        last = sign is not None and compare(condition.op, Fraction(sign), Fraction(0))
    closed = condition.op in ("<=", ">=", "==")
    boundaries, holds = _turned([*truths, (edge, field.high, last)], field.low, field.high, closed)
    return list(dict.fromkeys(boundaries)), holds


def _truths(point: Point, condition: Rel, field: Search) -> list[bool]:
    with time_limit(SECONDS):
        found = signs(point, field.name, condition.left, condition.right, field.candidates)
    truth = {s: compare(condition.op, Fraction(s), Fraction(0)) for s in (-1, 0, 1)} | {None: False}
    return [truth[s] for s in found]


def _runs(values: Sequence[int], truths: Sequence[bool]) -> list[Interval]:
    """Runs of admissible values at which a condition holds; None where a run reaches the first or the last of them."""
    runs: list[Interval] = []
    for true, group in itertools.groupby(range(len(values)), key=lambda i: truths[i]):
        if not true:
            continue
        places = list(group)
        low = None if places[0] == 0 else sp.Integer(values[places[0]])
        high = None if places[-1] == len(values) - 1 else sp.Integer(values[places[-1]])
        runs.append(Interval(low, high))
    return runs


def _nearest(values: Sequence[int], truths: Sequence[bool]) -> tuple[Fraction | None, Fraction | None]:
    """The two neighbours at the first turn: where the condition holds, and where it does not."""
    for (a, one), (b, other) in itertools.pairwise(zip(values, truths, strict=True)):
        if one != other:
            return (Fraction(a), Fraction(b)) if one else (Fraction(b), Fraction(a))
    return (Fraction(values[0]), None) if truths[0] else (None, None)


def _at_runs(field: Search, holds: Sequence[Interval]) -> list[Any]:
    return [end for run in holds for end in (run.low, run.high) if end is not None]


def _sides(point: Point, condition: Rel, field: Search, boundaries: Sequence[Any]) -> tuple[Any, Any]:
    """For a real symbol a value on each side of the first boundary: it, or a little beside it."""
    if field.whole or not boundaries:
        return None, None
    sign = exact_sign(point, field.name, condition.left, condition.right)
    at = fraction(boundaries[0])
    aside = [(v, sign(v)) for v in (at * (1 + part * way) for part in _ASIDE for way in (-1, 1))]
    boundary = _at_boundary(point, condition, field, boundaries[0], sign)
    # The rounded root of an equation is no value at which anything could be checked.
    tried = aside if condition.op == "==" and boundary[1] != 0 else [boundary, *aside]
    truths = [(v, s is not None and compare(condition.op, Fraction(s), Fraction(0))) for v, s in tried]
    return next((v for v, true in truths if true), None), next((v for v, true in truths if not true), None)


def _at_boundary(
    point: Point, condition: Rel, field: Search, boundary: Any, sign: Callable[[Fraction], int | None]
) -> tuple[Any, int | None]:
    """A boundary with the sign of the difference there: no rounding of an irrational one has that sign."""
    if boundary.is_Rational:
        at = fraction(boundary)
        return at, sign(at)
    return boundary, sign_at(_difference(point, condition, field), field.unknown, boundary)


def _closed(point: Point, condition: Rel, field: Search, boundaries: Sequence[Any]) -> tuple[Any, ...]:
    """Each boundary as a closed form in names of the book, on the branch in force there; left out where there is none."""
    found: list[Any] = []
    for boundary in boundaries:
        form = closed_boundary(point, condition.left, condition.right, field, boundary)
        if form is not None and form not in found:
            found.append(form)
    return tuple(found)


def closed_boundary(point: Point, left: Term, right: Term, field: Search, boundary: Any) -> Any:
    """Where two formulas meet, as a closed form in names of the book; None where there is none of the second degree or less."""
    there = point.trial(**{field.name: fraction(boundary)})
    try:
        with time_limit(SECONDS):
            sides = [smooth_term(there, side, {field.name}) for side in (left, right)]
            candidates = _roots(gathered((sides[0], -sides[1])), symbols_of(point.book)[field.name])
    except (UnsolvableError, EvaluationError, MissingValueError):
        return None
    return next((c for c in candidates if _meets(there, c, boundary)), None)


def _roots(form: Any, unknown: Any) -> list[Any]:
    """The zeros of a form that is linear or quadratic above its denominator, with its factors left as they stand."""
    numerator, _ = sp.fraction(form)
    slope = derivative(numerator, unknown)
    bend = derivative(slope, unknown)
    if slope == 0 or any(isinstance(a, (sp.floor, sp.ceiling)) and a.has(unknown) for a in sp.preorder_traversal(numerator)):
        return []
    at_zero = {unknown: sp.S.Zero}
    rest, rise = tidy(numerator.xreplace(at_zero)), tidy(slope.xreplace(at_zero))
    if bend == 0:
        return [tidy(-rest / rise)]
    if bend.has(unknown):
        return []
    root = sp.sqrt(rise**2 - 2 * bend * rest)
    return [tidy((-rise + root) / bend), tidy((-rise - root) / bend)]


def _meets(there: Point, form: Any, boundary: Any) -> bool:
    values = {s: there.evaluator.number(s.name) for s in form.free_symbols}
    found = form.xreplace({s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()})
    return bool(abs(found.evalf(30) - boundary.evalf(30)) <= abs(boundary.evalf(30)) * sp.Float("1e-20"))
