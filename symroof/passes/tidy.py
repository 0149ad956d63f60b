"""Can a form be said shorter, quickly? Common factors go to the front of every sum, denominators and signs with them.

This is what makes derivatives readable without polynomial algebra: it looks at factors as they stand, each sum once, and
takes time in proportion to the form. `simplify` finds more and takes longer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import sympy as sp

_Powers = dict[Any, int]


def tidy(expression: Any) -> Any:
    """An equal form with the common factors of every sum in front: `k*(EP - 1)/EP` for `k - k/EP`."""
    if not expression.args or isinstance(expression, sp.Sum):
        return expression
    parts = [tidy(a) for a in expression.args]
    if expression.is_Add:
        return gathered(parts)
    if tuple(parts) == expression.args:
        return expression
    # SymPy would compare the arguments of a Max with each other, which takes longer than all else.
    extreme = isinstance(expression, (sp.Max, sp.Min))
    return expression.func(*parts, evaluate=False) if extreme else expression.func(*parts)


def reduced(expression: Any) -> Any:
    """A quotient without a number that stands in every term above and below: `checkpoint/(checkpoint + 2)`."""
    if not expression.is_Mul:
        return expression
    number, factors = sp.S.One, []
    for factor in expression.args:
        base, exponent = factor.as_base_exp()
        if base.is_Add and exponent.is_Integer:
            content, base = base.primitive()
            number *= content**exponent
        factors.append(base**exponent)
    return sp.Mul(number, *factors)


def gathered(terms: Iterable[Any]) -> Any:
    """The sum of some terms with what they have in common in front, over one denominator, led by no minus sign."""
    whole = sp.Add(*terms)
    if not whole.is_Add:
        return whole
    split = [_split(t) for t in whole.args]
    common = _common([powers for _, powers in split])
    if not common:
        return whole
    scale = _scale([c for c, _ in split])
    bases = {base for _, powers in split for base in powers} | common.keys()
    rest = sp.Add(*(_product(n / scale, {b: powers.get(b, 0) - common.get(b, 0) for b in bases}) for n, powers in split))
    if rest.could_extract_minus_sign():
        scale, rest = -scale, -rest
    return sp.Mul(_product(scale, common), rest)


def _split(term: Any) -> tuple[Any, _Powers]:
    """A product as its number and the whole powers of its other factors."""
    number: Any = sp.S.One
    powers: _Powers = {}
    for factor in sp.Mul.make_args(term):
        if factor.is_Rational:
            number *= factor
            continue
        base, exponent = factor.as_base_exp()
        if not exponent.is_Integer:
            base, exponent = factor, 1
        powers[base] = powers.get(base, 0) + int(exponent)
    return number, powers


def _common(products: list[_Powers]) -> _Powers:
    bases = {base: None for powers in products for base in powers}
    least = {base: min(powers.get(base, 0) for powers in products) for base in bases}
    return {base: exponent for base, exponent in least.items() if exponent}


def _scale(numbers: list[Any]) -> Any:
    """The largest number by which all are whole multiples of one, if any is not whole; else their common divisor."""
    above = math.gcd(*(int(n.p) for n in numbers))
    below = math.lcm(*(int(n.q) for n in numbers))
    return sp.Rational(above, below)


def _product(number: Any, powers: _Powers) -> Any:
    return sp.Mul(number, *(base**exponent for base, exponent in powers.items() if exponent))
