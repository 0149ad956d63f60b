"""How much is needed? Where a condition turns, exactly: the boundary, its closed form, and the first run that meets it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from symroof.errors import EvaluationError, MissingValueError, PresetError, UnsolvableError
from symroof.passes.branch import smooth_term
from symroof.passes.candidates import FAR, admissible_integers
from symroof.passes.compile import compile_quantities
from symroof.passes.evaluate import compare
from symroof.passes.expand import expand_term, symbols_of
from symroof.passes.pieces import between, pieces, roots
from symroof.passes.timelimit import time_limit
from symroof.report.humane import plain
from symroof.report.text import formula_text
from symroof.term import Rel, Term

if TYPE_CHECKING:
    from symroof.point import Point

# The exact way may take this long before the numeric one takes over.
SECONDS = 10.0
# Halvings of a numeric bracket: its ends then agree to about 15 digits.
_HALVINGS = 60


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of the symbol; None at an end without bound. `closed` ends belong to it where the relation has equality."""

    low: Any
    high: Any


@dataclass(frozen=True, slots=True)
class Solution:
    """Where a condition holds along one symbol.

    Attributes:
        solutions: closed forms of the boundaries in names of the book, where SymPy has one.
        boundaries: the exact boundaries, in order.
        holds: the intervals on which the condition holds, within the range that was searched.
        searched: that range; for a whole symbol, from the least to the greatest admissible value.
        first: for a whole symbol the admissible value nearest to the boundary on the side where the condition holds.
        neighbour: the admissible value nearest to it on the other side.
        method: "exact" or, with the reason, "numeric".
    """

    symbol: str
    condition: str
    solutions: tuple[sp.Expr, ...]
    boundaries: tuple[Any, ...]
    holds: tuple[Interval, ...]
    searched: tuple[Any, Any]
    first: int | None
    neighbour: int | None
    method: str

    @property
    def holds_for(self) -> str:
        """The intervals in words: `M >= 140`."""
        return _words(self.symbol, self.holds, self.searched)


def solve(point: Point, condition: Term, symbol: str) -> Solution:
    """Where a relation holds along a symbol, everything else as it is at the point.

    Raises:
        PresetError: the condition is no single relation, or does not depend on the symbol, or the symbol is no number.
        MissingValueError, EvaluationError: the condition has no value here.
    """
    if not isinstance(condition, Rel) or condition.op == "divides":
        raise PresetError("solve takes one relation between two values, such as bubble_overhead <= 5%")
    _check_symbol(point, condition, symbol)
    whole = point.book.symbols[symbol].domain.whole
    candidates = admissible_integers(point, symbol) if whole else []
    if whole and not candidates:
        raise EvaluationError(f"no value of {symbol} makes an admissible run here")
    low, high = _range(point, symbol, candidates)
    try:
        with time_limit(SECONDS):
            boundaries, holds, method = *_exactly(point, condition, symbol, low, high), "exact"
    except UnsolvableError as reason:
        boundaries, holds = _numerically(point, condition, symbol, candidates, low, high)
        method = f"numeric, because {reason}"
    first, neighbour = _first(point, condition, symbol, candidates)
    return Solution(
        symbol=symbol,
        condition=formula_text(condition),
        solutions=_closed(point, condition, symbol, boundaries) if method == "exact" else (),
        boundaries=tuple(boundaries),
        holds=tuple(holds),
        searched=(low, high),
        first=first,
        neighbour=neighbour,
        method=method,
    )


def _check_symbol(point: Point, condition: Rel, symbol: str) -> None:
    from symroof.term import references

    point.book.known(symbol)
    if symbol not in point.book.symbols or point.book.symbols[symbol].is_list:
        raise PresetError(f"{symbol} is no symbol with a number: solve for one of the condition's symbols")
    if not any(symbol in point.book.inputs_of(n) for n in references(condition)):
        raise PresetError(f"{formula_text(condition)} does not depend on {symbol}")


def search_range(point: Point, symbol: str) -> tuple[Any, Any, Any]:
    """A SymPy symbol for the search, and the open range in which the symbol may lie at this point.

    Raises:
        PresetError: it is no symbol with a number.
        EvaluationError: it is a whole symbol, and no value of it makes an admissible run.
    """
    declaration = point.book.symbols.get(point.book.known(symbol))
    if declaration is None or declaration.is_list:
        raise PresetError(f"{symbol} is no symbol with a number")
    candidates = admissible_integers(point, symbol) if declaration.domain.whole else []
    if declaration.domain.whole and not candidates:
        raise EvaluationError(f"no value of {symbol} makes an admissible run here")
    return sp.Symbol(symbol, positive=True), *_range(point, symbol, candidates)


def _range(point: Point, symbol: str, candidates: list[int]) -> tuple[Any, Any]:
    """The open range to search; for a whole symbol it reaches half a step beyond the admissible values."""
    half = sp.Rational(1, 2)
    if candidates:
        low = candidates[0] - half if candidates[0] else sp.S.Zero
        return low, sp.oo if candidates[-1] >= FAR else candidates[-1] + half
    return sp.S.Zero, sp.S.One if point.book.symbols[symbol].domain.name == "share" else sp.oo


def _exactly(point: Point, condition: Rel, symbol: str, low: Any, high: Any) -> tuple[list[Any], list[Interval]]:
    plain_symbol = sp.Symbol(symbol, positive=True)
    form = expand_term(point, condition.left, {symbol}) - expand_term(point, condition.right, {symbol})
    form = form.xreplace({symbols_of(point.book)[symbol]: plain_symbol})
    truths: list[tuple[Any, Any, bool]] = []
    for piece in pieces(form, plain_symbol, low, high):
        edges = [piece.low, *roots(piece.form, plain_symbol, piece.low, piece.high), piece.high]
        for left, right in itertools.pairwise(edges):
            sign = piece.form.subs(plain_symbol, between(left, right))
            truths.append((left, right, _holds(condition.op, sign)))
    return _turns(truths)


def _holds(op: str, sign: Any) -> bool:
    return compare(op, Fraction(int(sp.sign(sign))), Fraction(0))


def _turns(truths: list[tuple[Any, Any, bool]]) -> tuple[list[Any], list[Interval]]:
    """Boundaries between true and false, and the true intervals, out of adjacent ones."""
    boundaries = [b for (_, b, one), (_, _, other) in itertools.pairwise(truths) if one != other]
    holds: list[Interval] = []
    for left, right, true in truths:
        if true and holds and holds[-1].high == left:
            holds[-1] = Interval(holds[-1].low, right)
        elif true:
            holds.append(Interval(left, right))
    return boundaries, holds


def _numerically(
    point: Point, condition: Rel, symbol: str, candidates: list[int], low: Any, high: Any
) -> tuple[list[Any], list[Interval]]:
    """At every admissible integer; or, for a real symbol, a bracket around each turn between powers of two, halved."""
    if candidates:
        return _at_integers(_truths(point, condition, symbol, candidates), candidates, low, high)
    holds_at = _truth(point, condition, symbol)
    samples = [Fraction(2) ** e for e in range(-60, 80)]
    truth = [holds_at(v) for v in samples]
    turns = [_halved(holds_at, a, b) for a, b, s, t in zip(samples, samples[1:], truth, truth[1:], strict=False) if s != t]
    edges = [low, *turns, high]
    return _turns([(a, b, holds_at(_fraction(between(a, b)))) for a, b in itertools.pairwise(edges)])


def _at_integers(truths: list[bool], candidates: list[int], low: Any, high: Any) -> tuple[list[Any], list[Interval]]:
    """Runs of admissible integers at which the condition holds; a boundary is the last or first of them that does."""
    holds: list[Interval] = []
    boundaries: list[Any] = []
    for index, (value, true) in enumerate(zip(candidates, truths, strict=True)):
        starts = true and (index == 0 or not truths[index - 1])
        ends = true and (index == len(candidates) - 1 or not truths[index + 1])
        if starts:
            first = low if index == 0 else sp.Integer(value)
        if ends:
            last = high if index == len(candidates) - 1 else sp.Integer(value)
            holds.append(Interval(first, last))
            boundaries += [b for b in (first, last) if b not in (low, high)]
    return boundaries, holds


def _truths(point: Point, condition: Rel, symbol: str, candidates: list[int]) -> list[bool]:
    """The condition at many integers: compiled, and asked exactly again on both sides of every turn."""
    compiled = compile_quantities(point, (), (symbol,), {"holds": condition})
    found = np.broadcast_to(compiled(**{symbol: np.array(candidates)})["holds"], len(candidates)).tolist()
    holds_at = _truth(point, condition, symbol)
    turns = {i for i in range(len(found)) if i in (0, len(found) - 1) or found[i] != found[i - 1] or found[i] != found[i + 1]}
    for index in turns:
        found[index] = holds_at(Fraction(candidates[index]))
    return list(found)


def _halved(holds_at: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> Any:
    start = holds_at(low)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if holds_at(middle) == start else (low, middle)
    return sp.Rational(high.numerator, high.denominator)


def _truth(point: Point, condition: Rel, symbol: str) -> Callable[[Fraction], bool]:
    def holds_at(value: Fraction) -> bool:
        evaluator = point.trial(**{symbol: value}).evaluator
        try:
            return evaluator.holds(condition)
        except (EvaluationError, ZeroDivisionError):
            return False

    return holds_at


def _first(point: Point, condition: Rel, symbol: str, candidates: list[int]) -> tuple[int | None, int | None]:
    """The admissible integers on both sides of the turn: where the condition holds, then where it does not.

    Integers are looked at in order from where the condition fails, so that what is found is checked, not derived.
    """
    if not candidates:
        return None, None
    holds_at = _truth(point, condition, symbol)
    low, high = holds_at(Fraction(candidates[0])), holds_at(Fraction(candidates[-1]))
    if low == high:
        found = next((v for v in candidates[:_SCAN] if holds_at(Fraction(v))), None)
        return found, None
    left, right = 0, len(candidates) - 1
    while right - left > 1:
        middle = (left + right) // 2
        left, right = (middle, right) if holds_at(Fraction(candidates[middle])) == low else (left, middle)
    return (candidates[left], candidates[right]) if low else (candidates[right], candidates[left])


_SCAN = 4096


def _closed(point: Point, condition: Rel, symbol: str, boundaries: list[Any]) -> tuple[sp.Expr, ...]:
    """Each boundary as a closed form in names of the book, on the branch in force there; left out where there is none."""
    found: list[sp.Expr] = []
    for boundary in boundaries:
        try:
            form = _closed_at(point, condition, symbol, boundary)
        except (UnsolvableError, EvaluationError, MissingValueError, NotImplementedError):
            continue
        if form is not None and form not in found:
            found.append(form)
    return tuple(found)


def _closed_at(point: Point, condition: Rel, symbol: str, boundary: Any) -> sp.Expr | None:
    near = _fraction(sp.Rational(str(boundary.evalf(30))) if not boundary.is_Rational else boundary)
    there = point.trial(**{symbol: near})
    form = smooth_term(there, condition.left, {symbol}) - smooth_term(there, condition.right, {symbol})
    unknown = sp.Symbol(symbol, positive=True)
    numerator, _ = sp.fraction(sp.together(form.xreplace({symbols_of(point.book)[symbol]: unknown})))
    if not numerator.is_polynomial(unknown) or sp.degree(numerator, unknown) > 2:
        return None
    for solution in sp.solve(numerator, unknown):
        value = solution.xreplace({s: _number(there, s.name) for s in solution.free_symbols})
        if abs(value.evalf(20) - boundary.evalf(20)) <= abs(boundary.evalf(20)) * sp.Float("1e-12"):
            return sp.factor_terms(solution)
    return None


def _number(point: Point, name: str) -> Any:
    value = point.evaluator.number(name)
    return sp.Rational(value.numerator, value.denominator)


def _fraction(number: Any) -> Fraction:
    return Fraction(int(number.p), int(number.q))


def _words(symbol: str, holds: tuple[Interval, ...], searched: tuple[Any, Any]) -> str:
    if not holds:
        return "nowhere"
    parts = []
    for interval in holds:
        low = "" if interval.low == searched[0] else f"{_shown(interval.low)} <= "
        high = "" if interval.high == searched[1] else f" <= {_shown(interval.high)}"
        if not low and not high:
            return "everywhere"
        parts.append(f"{low}{symbol}{high}" if high else f"{symbol} >= {low[:-4]}")
    return " or ".join(parts)


def _shown(number: Any) -> str:
    return plain(_fraction(number if number.is_Rational else sp.Rational(str(number.evalf(15)))))
