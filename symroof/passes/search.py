"""Where to look for an answer along one symbol, and what to look at: the admissible values, and exact signs at them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, PresetError
from symroof.passes.candidates import FAR, admissible_integers
from symroof.term import Add, Call, Neg, Num, Rel, Term

if TYPE_CHECKING:
    from symroof.point import Point

# The exact way may take this long before the numeric one takes over.
SECONDS = 10.0
# A compiled difference is trusted where it is larger than this part of what it is the difference of.
_TRUSTED = Fraction(1, 10**9)
# How far around a boundary beyond them more admissible values are looked for.
_AROUND = 1024
# Up to so many values it is quicker to compute exactly than to compile.
_FEW = 64
# Powers of two between which a real symbol is looked for, and halvings that leave a bracket of 2^-60 of its ends.
_EXPONENTS, _HALVINGS = range(-60, 81), 60


@dataclass(frozen=True, slots=True)
class Search:
    """What a search along one symbol has before it.

    Attributes:
        symbol: the name; `unknown` is what stands for it in SymPy.
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
    declaration = point.book.symbols.get(point.book.known(name))
    if declaration is None or declaration.is_list:
        raise PresetError(f"{name} is no symbol with a number: choose one of the book's symbols")
    unknown = sp.Symbol(name, positive=True)
    if not declaration.domain.whole:
        high = sp.S.One if declaration.domain.name == "share" else sp.oo
        return Search(name, unknown, False, (), sp.S.Zero, high)
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
        evaluator = point.trial(**{name: value}).evaluator
        try:
            difference = evaluator.term(left) - evaluator.term(right)
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
    asked = {"above": Rel(">", Add((left, Neg(right))), room), "below": Rel(">", Add((right, Neg(left))), room)}
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
    return [_halved(sign, a, b) for a, b in pairwise(found) if a[1] != b[1]]


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
    """A number of SymPy as a fraction: a rational one exactly, another to 30 digits."""
    rational = number if number.is_Rational else sp.Rational(str(number.evalf(30)))
    return Fraction(int(rational.p), int(rational.q))
