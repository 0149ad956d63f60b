"""What is left of a sum when like terms are taken together? Products of names with their numbers, each product once.

No algebra system: names and what is no sum, product, quotient or whole power stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

from symroof.term import Add, Div, Mul, Neg, Num, Pow, Term


@dataclass(frozen=True)
class Product:
    """A number times powers of factors, in the order in which they were met."""

    number: Fraction
    powers: Mapping[Term, int]

    def __mul__(self, other: Product) -> Product:
        powers = dict(self.powers)
        for factor, exponent in other.powers.items():
            powers[factor] = powers.get(factor, 0) + exponent
        return Product(self.number * other.number, {f: e for f, e in powers.items() if e})

    def to_the(self, exponent: int) -> Product:
        """A whole power of it."""
        return Product(self.number**exponent, {f: e * exponent for f, e in self.powers.items() if exponent})

    @property
    def term(self) -> Term:
        """It as a formula: its number in front, what divides below."""
        above = [_power(f, e) for f, e in self.powers.items() if e > 0]
        below = [_power(f, -e) for f, e in self.powers.items() if e < 0]
        number = abs(self.number)
        if number.numerator != 1 or not above:
            above.insert(0, Num(Fraction(number.numerator)))
        if number.denominator != 1:
            below.insert(0, Num(Fraction(number.denominator)))
        found = Div(_joined(above), _joined(below)) if below else _joined(above)
        return Neg(found) if self.number < 0 else found


def collected(term: Term) -> tuple[Product, ...]:
    """The products that a formula is the sum of, like ones as one, without those that cancel."""
    match term:
        case Num(value):
            return (Product(value, {}),) if value else ()
        case Neg(inner):
            return tuple(Product(-p.number, p.powers) for p in collected(inner))
        case Add(parts):
            return _merged(p for part in parts for p in collected(part))
        case Mul(parts):
            return reduce(_times, map(collected, parts), (Product(Fraction(1), {}),))
        case Div(above, below) if divisors := collected(below):
            divisor = divisors[0] if len(divisors) == 1 else Product(Fraction(1), {summed(divisors): 1})
            return _times(collected(above), (divisor.to_the(-1),))
        case Pow(base, Num(exponent)) if exponent.denominator == 1 and len(factors := collected(base)) == 1:
            return (factors[0].to_the(int(exponent)),)
    return (Product(Fraction(1), {term: 1}),)


def summed(products: Iterable[Product]) -> Term:
    """Products as a sum, one that is not subtracted first."""
    terms = sorted((p.term for p in products), key=lambda t: isinstance(t, Neg))
    return Num(Fraction(0)) if not terms else terms[0] if len(terms) == 1 else Add(tuple(terms))


def _times(one: Iterable[Product], other: tuple[Product, ...]) -> tuple[Product, ...]:
    return _merged(a * b for a in one for b in other)


def _merged(products: Iterable[Product]) -> tuple[Product, ...]:
    found: dict[frozenset[tuple[Term, int]], Product] = {}
    for product in products:
        key = frozenset(product.powers.items())
        number = product.number + (found[key].number if key in found else 0)
        found[key] = Product(number, found[key].powers if key in found else product.powers)
    return tuple(p for p in found.values() if p.number)


def _joined(factors: list[Term]) -> Term:
    return factors[0] if len(factors) == 1 else Mul(tuple(factors))


def _power(factor: Term, exponent: int) -> Term:
    return factor if exponent == 1 else Pow(factor, Num(Fraction(exponent)))
