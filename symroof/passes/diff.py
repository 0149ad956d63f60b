"""In which terms do two conventions of a quantity differ? The difference of its two formulas, in the author's own parts.

Both formulas are walked together, from the quantity down. What the conventions do not touch keeps its name; a sum differs in its
terms, a product in its factors one after the other; where a convention makes two choices, one option less the other is a term.
So the terms are few, each says which conventions it comes from, and together they are the difference exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError
from symroof.passes.collect import Product, collected, summed
from symroof.term import Add, At, Choose, Div, Largest, Mul, Neg, Num, Ref, Term, children, rebuild, without_units
from symroof.term import replace as replaced

if TYPE_CHECKING:
    from symroof.point import Point

_ONE = Product(Fraction(1), {})


@dataclass(frozen=True)
class Part:
    """A term of a difference: its formula in names that mean the same on both sides, its value, and where it comes from."""

    term: Term
    value: Fraction
    conventions: tuple[str, ...]


@dataclass(frozen=True)
class Difference:
    """What a quantity is under one set of choices less what it is under another: the values, and the terms that make it up.

    Attributes:
        differing: the conventions in whose choices the two differ and on which the quantity depends -> (one choice, the other).
    """

    name: str
    differing: Mapping[str, tuple[str, str]]
    one: Fraction
    other: Fraction
    parts: tuple[Part, ...]


def diff(point: Point, name: str, one: Mapping[str, str], other: Mapping[str, str]) -> Difference:
    """The difference of a quantity under two sets of choices, the other subtracted from the one.

    Raises:
        EvaluationError, MissingValueError: the quantity is no number, or has no value under one of them.
    """
    here, there = point.trial(**one), point.trial(**other)
    found = [here.evaluator.number(name), there.evaluator.number(name)]
    walker = _Walker(point, one, other)
    pieces = [(piece.term, piece.conventions) for piece in walker.difference(Ref(name)) if piece.inner]
    parts = tuple(Part(term, here.evaluator.term(term), conventions) for term, conventions in pieces)
    under = walker.under(Ref(name))
    differing = {c: (one[c], other[c]) for c in point.book.conventions if c in under}
    return Difference(name, differing, found[0], found[1], parts)


@dataclass(frozen=True)
class _Piece:
    """A term of the difference: what two options differ in, the factors around it, and the conventions that it comes from."""

    inner: tuple[Product, ...]
    conventions: tuple[str, ...]
    factors: tuple[Term, ...] = ()

    @property
    def term(self) -> Term:
        """One product, in which a sum stays a factor: a part of the quantity keeps its shape."""
        product, sums = _ONE, list[Term]()
        for products in (*map(collected, self.factors), self.inner):
            if len(products) == 1:
                product *= products[0]
            else:
                sums.append(summed(products))
        if not sums:
            return product.term
        size = Product(abs(product.number), product.powers)
        factors = sums if size == _ONE else [size.term, *sums]
        whole = factors[0] if len(factors) == 1 else Mul(tuple(factors))
        return Neg(whole) if product.number < 0 else whole


class _Walker:
    """Walks a formula under two sets of choices at once."""

    def __init__(self, point: Point, one: Mapping[str, str], other: Mapping[str, str]) -> None:
        self._point, self._one, self._other = point, one, other
        self._known: dict[str, frozenset[str]] = {}

    def difference(self, term: Term) -> Iterator[_Piece]:
        """The terms of the difference of a formula."""
        conventions = self.under(term)
        if not conventions:
            return
        match term:
            case Ref(name):
                yield from self.difference(self._formula(name))
            case Add(parts):
                for part in parts:
                    yield from self.difference(part)
            case Neg(inner):
                yield from (replace(p, factors=(Num(Fraction(-1)), *p.factors)) for p in self.difference(inner))
            case Mul(factors):
                yield from self._product(factors)
            case Div(above, below) if not self.under(below):
                over = Div(Num(Fraction(1)), self._side(below, self._one))
                yield from (replace(p, factors=(*p.factors, over)) for p in self.difference(above))
            case Choose() if self._option(term, self._one) == self._option(term, self._other):
                yield from self.difference(self._option(term, self._one))
            case _:
                whole = Add((self._side(term, self._one), Neg(self._side(term, self._other))))
                yield _Piece(collected(whole), tuple(c for c in self._point.book.conventions if c in conventions))

    def _product(self, factors: tuple[Term, ...]) -> Iterator[_Piece]:
        """A product differs in each factor in turn: those before it are taken from the other side, those behind from this one."""
        for place, factor in enumerate(factors):
            for piece in self.difference(factor):
                before = [self._side(f, self._other) for f in factors[:place]]
                behind = [self._side(f, self._one) for f in factors[place + 1 :]]
                yield replace(piece, factors=(*before, *piece.factors, *behind))

    def under(self, term: Term) -> frozenset[str]:
        """The conventions in whose choices a formula differs between the two sides."""
        match term:
            case Ref(name):
                return self._under_name(name)
            case At(name, pairs):
                return self._under_name(name).union(*(self.under(t) for _, t in pairs))
            case Largest(names):
                return frozenset().union(*map(self._under_name, names))
            case Choose(convention, _):
                one, other = self._option(term, self._one), self._option(term, self._other)
                own = frozenset() if one == other else frozenset((convention,))
                return own | self.under(one) | self.under(other)
        return frozenset().union(*map(self.under, children(term)))

    def _under_name(self, name: str) -> frozenset[str]:
        if name not in self._known:
            formula = None if name in self._point.given else self._point.book.formulas.get(name)
            self._known[name] = frozenset() if formula is None else self.under(formula)
        return self._known[name]

    def _formula(self, name: str) -> Term:
        formula = self._point.book.formulas[name]
        if isinstance(formula, Largest):
            raise EvaluationError(f"{name} names something: it has no terms")
        return formula

    def _option(self, choice: Choose, side: Mapping[str, str]) -> Term:
        return choice.option(side)

    def _side(self, term: Term, side: Mapping[str, str], bound: frozenset[str] = frozenset()) -> Term:
        """A formula under the choices of one side, in names that mean the same on both."""
        match without_units(term):
            case Choose() as choice:
                return self._side(self._option(choice, side), side, bound)
            case Ref(name):
                return self._named(name, side, bound)
            case At(name, pairs):
                bindings = {k: self._side(t, side, bound) for k, t in pairs}
                if not self._under_name(name):
                    return At(name, tuple(bindings.items()))
                return replaced(self._named(name, side, bound | bindings.keys()), bindings)
            case plain:
                return rebuild(plain, lambda t: self._side(t, side, bound))

    def _named(self, name: str, side: Mapping[str, str], bound: frozenset[str]) -> Term:
        """A name, or its formula where that is another thing on the other side; what is but a number or another name, as that."""
        formula = None if name in self._point.given or name in bound else self._point.book.formulas.get(name)
        if formula is None:
            return Ref(name)
        if self._under_name(name) or bound & self._point.book.inputs_of(name):
            return self._side(formula, side, bound)
        inner = without_units(formula)
        while isinstance(inner, Choose):
            inner = without_units(self._option(inner, side))
        return inner if isinstance(inner, Num) else self._named(inner.name, side, bound) if isinstance(inner, Ref) else Ref(name)
