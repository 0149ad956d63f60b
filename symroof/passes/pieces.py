"""Which formula holds where? A closed form in one symbol, cut into intervals on each of which it is a quotient of polynomials.

Max, Min and cases are resolved exactly: their boundaries are real roots of polynomials with rational coefficients. With the
pieces in hand, where two quantities meet and where a condition turns are roots again, and nothing is sampled or guessed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import reduce
from typing import Any

import sympy as sp

from symroof.errors import UnsolvableError

# More breakpoints than this in one rounding, or a polynomial of a higher degree, is no closed answer any more.
_MOST_STEPS, _HIGHEST_DEGREE = 2000, 200


@dataclass(frozen=True, slots=True)
class Piece:
    """An open interval and the quotient of polynomials that holds on it; `binding` is whatever label won there."""

    low: Any
    high: Any
    form: Any
    binding: str = ""


def pieces(expression: Any, symbol: Any, low: Any, high: Any) -> list[Piece]:
    """The pieces of an expression in one symbol over an open interval, adjacent ones with one form joined.

    Raises:
        UnsolvableError: a part that has no finite number of pieces, such as the rounding of what grows without bound.
    """
    return _joined(_cut(sp.sympify(expression), symbol, low, high))


def contest(forms: dict[str, Any], symbol: Any, low: Any, high: Any, best: str = "Max") -> list[Piece]:
    """Which of several labelled expressions is the largest (or smallest) where; a tie over an interval goes to the first.

    Raises:
        UnsolvableError: as `pieces`.
    """
    labelled = [[Piece(p.low, p.high, p.form, label) for p in pieces(form, symbol, low, high)] for label, form in forms.items()]
    found = reduce(lambda a, b: _extreme(a, b, symbol, best), labelled)
    merged: list[Piece] = []
    for piece in found:
        if merged and merged[-1].binding == piece.binding:
            merged[-1] = Piece(merged[-1].low, piece.high, piece.form, piece.binding)
        else:
            merged.append(piece)
    return merged


def zeros(form: Any, symbol: Any, low: Any, high: Any) -> list[Any]:
    """The real zeros of a quotient of polynomials inside an open interval, in order, exact.

    Raises:
        UnsolvableError: it is no such quotient, or of too high a degree.
    """
    numerator, _ = sp.fraction(sp.cancel(sp.together(form)))
    return _roots(numerator, symbol, low, high)


def turns(form: Any, symbol: Any, low: Any, high: Any) -> list[Any]:
    """Where a quotient of polynomials may change its sign inside an open interval: its zeros and its poles, in order.

    Raises:
        UnsolvableError: it is no such quotient, or of too high a degree.
    """
    parts = sp.fraction(sp.cancel(sp.together(form)))
    return _sorted(r for part in parts for r in _roots(part, symbol, low, high))


def between(low: Any, high: Any) -> Any:
    """A rational number strictly between two numbers, the upper of which may be infinite."""
    if high == sp.oo:
        return sp.Integer(sp.floor(low)) + 2 if low > 0 else sp.Integer(1)
    if low.is_Rational and high.is_Rational:
        return (low + high) / 2
    digits = 15
    while True:
        middle = sp.Rational(str(((low + high) / 2).evalf(digits)))
        if inside(middle, low, high):
            return middle
        digits *= 2


def inside(value: Any, low: Any, high: Any) -> bool:
    """True where a number lies strictly between two others."""
    return bool(low < value) and bool(value < high)


def sign_between(form: Any, symbol: Any, low: Any, high: Any) -> int:
    """The sign of a form that does not turn inside an interval."""
    return int(sp.sign(form.subs(symbol, between(low, high))))


def _roots(polynomial: Any, symbol: Any, low: Any, high: Any) -> list[Any]:
    if not polynomial.has(symbol):
        return []
    if not polynomial.is_polynomial(symbol):
        raise UnsolvableError(f"a form in {symbol} is no quotient of polynomials")
    found = sp.Poly(polynomial, symbol, domain="QQ")
    if found.degree() > _HIGHEST_DEGREE:
        raise UnsolvableError(f"a polynomial of degree {found.degree()} in {symbol}")
    return [r for r in _sorted(sp.real_roots(found)) if inside(r, low, high)]


def _sorted(numbers: Iterable[Any]) -> list[Any]:
    return sorted(set(numbers), key=lambda r: r.evalf(30))


def _cut(expression: Any, symbol: Any, low: Any, high: Any) -> Iterator[Piece]:
    if not expression.has(symbol) or expression == symbol:
        yield Piece(low, high, expression)
        return
    kind = type(expression)
    if isinstance(expression, (sp.Max, sp.Min)):
        parts = [list(_cut(a, symbol, low, high)) for a in expression.args]
        yield from reduce(lambda a, b: _extreme(a, b, symbol, kind.__name__), parts)
    elif isinstance(expression, sp.Piecewise):
        yield from _cases(list(expression.args), symbol, low, high)
    elif isinstance(expression, (sp.floor, sp.ceiling)):
        yield from _rounding(expression, symbol, low, high)
    elif isinstance(expression, sp.binomial) and expression.args[1].is_Integer:
        yield from _cut(multiplied(*expression.args), symbol, low, high)
    elif isinstance(expression, (sp.Add, sp.Mul)) or (isinstance(expression, sp.Pow) and expression.exp.is_Integer):
        yield from _combined(expression, symbol, low, high)
    else:
        raise UnsolvableError(f"{kind.__name__} of {symbol} has no closed pieces")


def multiplied(n: Any, k: Any) -> Any:
    """A binomial of a whole lower index, as a product."""
    return sp.Mul(*((n - j) / (j + 1) for j in range(int(k))))


def vanishes(form: Any) -> bool:
    """True for a quotient of polynomials that is zero wherever it has a value."""
    return bool(sp.cancel(form) == 0)


def _combined(expression: Any, symbol: Any, low: Any, high: Any) -> Iterator[Piece]:
    parts = [list(_cut(a, symbol, low, high)) for a in expression.args]
    for left, right in _steps(parts, low, high):
        middle = between(left, right)
        forms = [next(p.form for p in part if inside(middle, p.low, p.high)) for part in parts]
        yield Piece(left, right, expression.func(*forms))


def _steps(parts: list[list[Piece]], low: Any, high: Any) -> Iterator[tuple[Any, Any]]:
    cuts = _sorted(p.high for part in parts for p in part[:-1])
    yield from itertools.pairwise([low, *cuts, high])


def _extreme(a: list[Piece], b: list[Piece], symbol: Any, best: str) -> list[Piece]:
    found = []
    for left, right in _steps([a, b], a[0].low, a[-1].high):
        middle = between(left, right)
        one, other = (next(p for p in part if inside(middle, p.low, p.high)) for part in (a, b))
        ahead = one.form - other.form
        for lo, hi in itertools.pairwise([left, *turns(ahead, symbol, left, right), right]):
            sign = sign_between(ahead, symbol, lo, hi)
            winner = one if (sign >= 0 if best == "Max" else sign <= 0) else other
            found.append(Piece(lo, hi, winner.form, winner.binding))
    return _joined(found)


def _cases(pairs: list[Any], symbol: Any, low: Any, high: Any) -> Iterator[Piece]:
    form, condition = pairs[0].args
    if condition == sp.true or len(pairs) == 1:
        yield from _cut(form, symbol, low, high)
        return
    for left, right, holds in _truth(condition, symbol, low, high):
        if holds:
            yield from _cut(form, symbol, left, right)
        else:
            yield from _cases(pairs[1:], symbol, left, right)


def _truth(condition: Any, symbol: Any, low: Any, high: Any) -> Iterator[tuple[Any, Any, bool]]:
    """Where an inequality holds; an equation holds at single points only, which no open interval has."""
    if not isinstance(condition, (sp.Gt, sp.Ge, sp.Lt, sp.Le, sp.Eq, sp.Ne)) or condition.has(sp.Mod):
        raise UnsolvableError(f"a condition in {symbol} has no closed pieces")
    for piece in _cut(condition.lhs - condition.rhs, symbol, low, high):
        if isinstance(condition, (sp.Eq, sp.Ne)):
            yield piece.low, piece.high, vanishes(piece.form) == isinstance(condition, sp.Eq)
            continue
        for left, right in itertools.pairwise([piece.low, *turns(piece.form, symbol, piece.low, piece.high), piece.high]):
            sign = sign_between(piece.form, symbol, left, right)
            yield left, right, {sp.Gt: sign > 0, sp.Ge: sign >= 0, sp.Lt: sign < 0, sp.Le: sign <= 0}[type(condition)]


def _rounding(expression: Any, symbol: Any, low: Any, high: Any) -> Iterator[Piece]:
    for piece in _cut(expression.args[0], symbol, low, high):
        for left, right in itertools.pairwise([piece.low, *_level_crossings(piece, symbol), piece.high]):
            yield Piece(left, right, expression.func(piece.form.subs(symbol, between(left, right))))


def _level_crossings(piece: Piece, symbol: Any) -> list[Any]:
    """Where a form crosses whole numbers inside its interval; it is monotone between the roots of its derivative."""
    stops = [piece.low, *turns(sp.diff(piece.form, symbol), symbol, piece.low, piece.high), piece.high]
    values = [_limit(piece, symbol, s) for s in stops]
    if not all(v.is_finite for v in values):
        raise UnsolvableError(f"a rounding in {symbol} has no end of steps")
    first, last = sp.floor(min(values)), sp.ceiling(max(values))
    if last - first > _MOST_STEPS:
        raise UnsolvableError(f"a rounding in {symbol} has more than {_MOST_STEPS} steps")
    levels = range(int(first), int(last) + 1)
    return _sorted(r for n in levels for r in zeros(piece.form - n, symbol, piece.low, piece.high))


def _limit(piece: Piece, symbol: Any, stop: Any) -> Any:
    found = piece.form.subs(symbol, stop)
    return found if found.is_finite and stop != sp.oo else sp.limit(piece.form, symbol, stop, "+" if stop == piece.low else "-")


def _joined(found: Iterable[Piece]) -> list[Piece]:
    """Adjacent pieces with one form and one label as one."""
    whole: list[Piece] = []
    for piece in found:
        if whole and whole[-1].form == piece.form and whole[-1].binding == piece.binding:
            whole[-1] = Piece(whole[-1].low, piece.high, piece.form, piece.binding)
        else:
            whole.append(piece)
    return whole
