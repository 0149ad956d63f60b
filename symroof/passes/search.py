"""Where to look for an answer along one symbol, and what to look at: the admissible values, and exact signs at them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, PresetError
from symroof.passes.algebraic import sign_at
from symroof.passes.candidates import FAR, admissible_integers
from symroof.passes.expand import expand_term, renamed, symbols_of
from symroof.passes.pieces import between, pieces, sign_between, turns, vanishes
from symroof.term import Add, Call, Logic, Neg, Num, Rel, Term

if TYPE_CHECKING:
    from symroof.point import Point

# The exact way may take this long before the numeric one takes over.
SECONDS = 10.0
# A compiled difference is trusted where it is larger than this part of what it is the difference of.
_TRUSTED = Fraction(1, 10**9)
_FINITE = Fraction(10**300)
# How far around a boundary beyond them more admissible values are looked for.
_AROUND = 1024
# Up to so many values it is quicker to compute exactly than to compile.
_FEW = 64
# Powers of two between which a real symbol is looked for, and halvings that leave a bracket of 2^-60 of its ends.
_EXPONENTS, _HALVINGS = range(-60, 81), 60
# Both ends of such a bracket are a meeting where the two differ by less than this part of themselves; else there is a jump.
_CLOSE = Fraction(1, 2**30)
# So many equal values of a whole symbol are points each; of longer runs the ends are.
_POINTS = 12


@dataclass(frozen=True, slots=True)
class Search:
    """What a search along one symbol has before it.

    Attributes:
        name: the symbol; `unknown` is what stands for it in SymPy.
        whole: True where the symbol is a whole number; `candidates` are then its admissible values, in order.
        low, high: the open range in which the symbol may lie at all; of a whole one, half a step beyond its admissible values.
    """

    name: str
    unknown: Any
    whole: bool
    candidates: tuple[int, ...]
    low: Any
    high: Any

    @property
    def formal(self) -> tuple[Any, Any]:
        """All positive numbers: where a formula has a meaning, admissible or not."""
        return sp.S.Zero, sp.oo


@dataclass(frozen=True, slots=True)
class Stretch:
    """An open interval on which one quantity less another has one sign."""

    low: Any
    high: Any
    sign: int


@dataclass(frozen=True, slots=True)
class Course:
    """The sign of one quantity less another along a symbol: adjacent stretches, and the cuts at which both are equal."""

    stretches: tuple[Stretch, ...]
    meets: frozenset[Any]


@dataclass(frozen=True, slots=True)
class Found:
    """Where two quantities are equal, where they change places without that, the signs at both ends, and where they differ."""

    points: tuple[Any, ...]
    equal: tuple[tuple[Any, Any], ...]
    jumps: tuple[tuple[Any, Any], ...]
    ends: tuple[int, int]
    differ: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two exact values between which a sign changes, and the signs there."""

    low: Fraction
    high: Fraction
    signs: tuple[int, int]


def search(point: Point, name: str) -> Search:
    """What there is to search along a symbol, everything else as it is at the point.

    Raises:
        UnknownNameError: the book has no such name.
        PresetError: it is no symbol with a number.
        EvaluationError: it is a whole symbol, and no value of it makes an admissible run.
    """
    if name in point.choices:
        raise PresetError(f"{name} is a convention, not a symbol with a number: compare its choices with whatif {name}=CHOICE")
    declaration = point.book.symbols.get(point.book.known(name))
    if declaration is None or declaration.is_list:
        raise PresetError(f"{name} is no symbol with a number: choose one of the book's symbols")
    domain = declaration.domain
    # Not whole: SymPy must not throw away a boundary between two whole numbers.
    unknown = sp.Symbol(name, positive=True)
    if not domain.whole:
        return Search(name, unknown, False, (), sp.S.Zero, sp.oo if domain.high is None else sp.Rational(domain.high))
    candidates = admissible_integers(point, name)
    if not candidates:
        raise EvaluationError(f"no value of {name} makes an admissible run here")
    half = sp.Rational(1, 2)
    low = candidates[0] - half if candidates[0] else sp.S.Zero
    return Search(name, unknown, True, tuple(candidates), low, sp.oo if candidates[-1] >= FAR else candidates[-1] + half)


def widened(point: Point, field: Search, boundaries: Iterable[Any]) -> Search:
    """The same search with the admissible values around boundaries that lie beyond those looked at so far."""
    found = set(field.candidates)
    for boundary in boundaries:
        if field.whole and field.high == sp.oo and boundary > field.candidates[-1]:
            centre = int(sp.floor(boundary))
            found |= set(admissible_integers(point, field.name, range(max(1, centre - _AROUND), centre + _AROUND)))
    return replace(field, candidates=tuple(sorted(found)))


def exact_sign(point: Point, name: str, left: Term, right: Term) -> Callable[[Fraction], int | None]:
    """The sign of left less right as a function of a symbol; None where one of them has no value."""

    def sign(value: Fraction) -> int | None:
        there = point.trial(**{name: value})
        try:
            difference = there.evaluator.term(left) - there.evaluator.term(right)
        except (EvaluationError, ZeroDivisionError):
            return None
        return (difference > 0) - (difference < 0)

    return sign


def signs(point: Point, name: str, left: Term, right: Term, values: Sequence[int]) -> list[int | None]:
    """The signs of left less right at many integers: compiled, and computed exactly wherever the compiled form is not sure."""
    exactly = exact_sign(point, name, left, right)
    known: Sequence[int | None] = [None] * len(values)
    if len(values) > _FEW:
        known = _compiled_signs(point, name, left, right, values)
    return [exactly(Fraction(v)) if s is None else s for v, s in zip(values, known, strict=True)]


def _compiled_signs(point: Point, name: str, left: Term, right: Term, values: Sequence[int]) -> Sequence[int | None]:
    """The signs that a compiled form is sure of; None at all other values."""
    import numpy as np

    from symroof.passes.compile import compile_quantities

    room = Num(_TRUSTED) * Call("Max", (left, Neg(left), right, Neg(right)))
    differences = {"above": Add((left, Neg(right))), "below": Add((right, Neg(left)))}
    # What is infinite in floats divides by zero or is too large for them: the exact form decides.
    asked = {n: Logic("and", (Rel(">", d, room), Rel("<", d, Num(_FINITE)))) for n, d in differences.items()}
    try:
        found = compile_quantities(point, (), (name,), asked)(**{name: np.array(values, dtype=float)})
    except (EvaluationError, ArithmeticError):
        return [None] * len(values)
    above, below = (np.broadcast_to(np.asarray(found[n], dtype=bool), len(values)).tolist() for n in asked)
    return [1 if a else -1 if b else None for a, b in zip(above, below, strict=True)]


def brackets(point: Point, name: str, left: Term, right: Term, high: Any) -> list[Bracket]:
    """Every change of sign between powers of two that a real symbol passes, each halved to 18 digits; both ends are exact."""
    sign = exact_sign(point, name, left, right)
    samples = [Fraction(2) ** e for e in _EXPONENTS if high == sp.oo or 2**e <= high]
    found = [(v, s) for v in samples if (s := sign(v)) is not None]
    return [bracket for a, b in pairwise(found) for bracket in _changes(sign, a, b)]


def _changes(sign: Callable[[Fraction], int | None], low: tuple[Fraction, int], high: tuple[Fraction, int]) -> Iterator[Bracket]:
    """The changes of sign that halving meets between two values: to a zero is one, and from it is another."""
    while low[1] != high[1]:
        bracket = _halved(sign, low, high)
        yield bracket
        low = (bracket.high, bracket.signs[1])


def _halved(sign: Callable[[Fraction], int | None], low: tuple[Fraction, int], high: tuple[Fraction, int]) -> Bracket:
    for _ in range(_HALVINGS):
        middle = (low[0] + high[0]) / 2
        here = sign(middle)
        if here == low[1]:
            low = (middle, low[1])
        else:
            high = (middle, high[1] if here is None else here)
    return Bracket(low[0], high[0], (low[1], high[1]))


def fraction(number: Any) -> Fraction:
    """A number as a fraction: a rational one exactly, another to 30 digits."""
    if isinstance(number, Fraction):
        return number
    rational = number if number.is_Rational else sp.Rational(str(number.evalf(30)))
    return Fraction(int(rational.p), int(rational.q))


def forms_of(point: Point, terms: Mapping[str, Term], field: Search) -> dict[str, Any]:
    """Formulas as closed forms in what stands for the symbol in SymPy."""
    own = symbols_of(point.book)[field.name]
    return {n: renamed(sp.sympify(expand_term(point, t, {field.name})), own, field.unknown) for n, t in terms.items()}


def exact_course(point: Point, left: Term, right: Term, field: Search, low: Any, high: Any) -> Course:
    """The sign of left less right over an open interval, by the exact pieces of the difference.

    Raises:
        UnsolvableError: the difference has no closed pieces.
    """
    one, other = forms_of(point, {"left": left, "right": right}, field).values()
    stretches: list[Stretch] = []
    for piece in pieces(one - other, field.unknown, low, high):
        if vanishes(piece.form):
            stretches.append(Stretch(piece.low, piece.high, 0))
            continue
        for a, b in pairwise([piece.low, *turns(piece.form, field.unknown, piece.low, piece.high), piece.high]):
            stretches.append(Stretch(a, b, sign_between(piece.form, field.unknown, a, b)))
    sign = exact_sign(point, field.name, left, right)
    cuts = dict.fromkeys(s.high for s in stretches[:-1])
    met = (c for c in cuts if (sign(fraction(c)) if c.is_Rational else sign_at(one - other, field.unknown, c)) == 0)
    return Course(tuple(stretches), frozenset(met))


def numeric_course(point: Point, left: Term, right: Term, field: Search) -> Course:
    """The same for a real symbol by proven brackets; a bracket whose ends are not close is a jump, not a meeting."""
    stretches: list[Stretch] = []
    met: set[Any] = set()
    edge, last = field.low, None
    for bracket in brackets(point, field.name, left, right, field.high):
        at = bracket.low if bracket.signs[0] == 0 else bracket.high
        cut = sp.Rational(at.numerator, at.denominator)
        if cut != edge:
            stretches.append(Stretch(edge, cut, bracket.signs[0]))
        if meets(point, field.name, left, right, bracket):
            met.add(cut)
        edge, last = cut, bracket.signs[1]
    if last is None:
        last = exact_sign(point, field.name, left, right)(point.evaluator.number(field.name)) or 0
    return Course((*stretches, Stretch(edge, field.high, last)), frozenset(met))


def meets(point: Point, name: str, left: Term, right: Term, bracket: Bracket) -> bool:
    """True where both are equal at an end of a bracket, or so close at both ends that they do not jump between them."""
    return 0 in bracket.signs or all(_is_close(point, name, left, right, v) for v in (bracket.low, bracket.high))


def _is_close(point: Point, name: str, left: Term, right: Term, value: Fraction) -> bool:
    evaluator = point.trial(**{name: value}).evaluator
    one, other = evaluator.term(left), evaluator.term(right)
    return abs(one - other) <= _CLOSE * max(abs(one), abs(other))


def along_real(field: Search, course: Course) -> Found:
    """What a course says about a real symbol: every cut is a meeting, a jump, or neither."""
    groups = [list(g) for _, g in groupby(course.stretches, key=lambda s: s.sign == 0)]
    equal = [(g[0].low, g[-1].high) for g in groups if g[0].sign == 0]
    neighbours = list(pairwise(course.stretches))
    points = [a.high for a, b in neighbours if a.high in course.meets and (a.sign or b.sign)]
    jumps = [(a.high, a.high) for a, b in neighbours if a.high not in course.meets and a.sign * b.sign < 0]
    beside = [s for pair in neighbours for s in pair if s.sign] or [s for s in course.stretches if s.sign]
    return Found(
        tuple(points),
        tuple((None if a == field.low else a, None if b == field.high else b) for a, b in equal),
        tuple(jumps),
        (course.stretches[0].sign, course.stretches[-1].sign),
        tuple(between(s.low, s.high) for s in beside[:1]),
    )


def along_whole(point: Point, left: Term, right: Term, field: Search, course: Course | None) -> Found:
    """What holds at the admissible values of a whole symbol; without a course every one of them is looked at.

    Where the two change places between neighbouring values, the meeting of the formulas between them is the point.
    """
    signed = _signed(point, left, right, field, course)
    if not signed:
        raise EvaluationError(f"the two have no values at any admissible {field.name}")
    runs = [list(g) for _, g in groupby(signed, key=lambda pair: pair[1])]
    ties = [[v for v, _ in run] for run in runs if run[0][1] == 0]
    few = sum(map(len, ties)) <= _POINTS
    points = [sp.Integer(v) for tie in ties for v in (tie if few else dict.fromkeys((tie[0], tie[-1])))]
    jumps: list[tuple[Any, Any]] = []
    for before, after in pairwise(runs):
        if before[0][1] * after[0][1] < 0:
            low, high = before[-1][0], after[0][0]
            between_them = [m for m in (course.meets if course else ()) if bool(low < m) and bool(m < high)]
            points += between_them
            jumps += [] if between_them else [(sp.Integer(low), sp.Integer(high))]
    last = signed[-1][0] if field.high == sp.oo else None  # a run that reaches it goes on beyond what was looked at
    equal = [(sp.Integer(t[0]), None if t[-1] == last else sp.Integer(t[-1])) for t in ties if len(t) > 1]
    differ = [sp.Integer(v) for v, sign in signed if sign]
    ordered = sorted(points, key=lambda p: p.evalf(30))
    return Found(tuple(ordered), tuple(equal), tuple(jumps), (signed[0][1], signed[-1][1]), (*differ[:1], *differ[-1:]))


def _signed(point: Point, left: Term, right: Term, field: Search, course: Course | None) -> list[tuple[int, int]]:
    """The admissible values at which both have a value, each with the sign there."""
    if course is None:
        found = signs(point, field.name, left, right, field.candidates)
        return [(v, s) for v, s in zip(field.candidates, found, strict=True) if s is not None]
    wide = widened(point, field, (s.high for s in course.stretches[:-1]))
    exactly = exact_sign(point, field.name, left, right)
    signed: dict[int, int] = {}
    for stretch in course.stretches:
        first = bisect_left(wide.candidates, int(sp.floor(stretch.low)))
        last = len(wide.candidates) if stretch.high == sp.oo else bisect_left(wide.candidates, int(sp.floor(stretch.high)) + 1)
        for v in wide.candidates[first:last]:
            sign = stretch.sign if bool(stretch.low < v) and bool(v < stretch.high) else exactly(Fraction(v))
            if sign is not None:
                signed[v] = sign
    return sorted(signed.items())
