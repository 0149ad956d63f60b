"""How is a difference computed without losing its digits? With whole numbers to subtract, over one denominator.

In floats 1 - 1/EP rounds twice before it subtracts, and two nearly equal shares lose what they differ by; (EP - 1)/EP
subtracts whole numbers, which is exact. Every sum with something to subtract is put over one denominator, opening the
lines it rests on as far as that leaves whole numbers to subtract; what is shared comes out in front, and what cancels goes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symroof.passes.straighten import Assign, Each, Loop, Program, Statement
from symroof.passes.whole import Definitions, Wholes
from symroof.term import Add, Call, Div, Mul, Neg, Num, Pow, Ref, Term, rebuild

if TYPE_CHECKING:
    from symroof.book import Book

# Exponents of the factors of a product, in the order in which they were met.
Factors: TypeAlias = dict[Term, int]

# A form with more products than this is no better than what it replaces.
_MOST = 24
_MOST_OPENED = 6


@dataclass(frozen=True)
class _Over:
    """Products, each with its number, over one product of divisors."""

    products: tuple[tuple[Fraction, Factors], ...]
    below: Factors = field(default_factory=dict)


def steady(book: Book, program: Program, conditions: Iterable[str]) -> tuple[Program, Wholes]:
    """The program with every difference in a form that keeps its digits in floating point, and what in it is whole.

    Args:
        conditions: its outputs that hold wherever it is asked.
    """
    definitions = Definitions.of(program)
    whole = Wholes(book, definitions, [program.outputs[n] for n in conditions if n in program.outputs])
    return replace(program, statements=tuple(_statement(s, _Steady(definitions, whole)) for s in program.statements)), whole


def _statement(statement: Statement, steadied: Callable[[Term], Term]) -> Statement:
    if isinstance(statement, Assign):
        return replace(statement, term=steadied(statement.term))
    body = tuple(_statement(s, steadied) for s in statement.body)
    if isinstance(statement, Each):
        entry, count = map(steadied, statement.instead)
        return replace(statement, instead=(entry, count), body=body, summand=steadied(statement.summand))
    return Loop(
        statement.target, statement.index, steadied(statement.start), steadied(statement.stop), body, steadied(statement.summand)
    )


class _Steady:
    """Rewrites terms; `definitions` says what a line stands for, `whole` which terms are exact in a float."""

    def __init__(self, definitions: Definitions, whole: Wholes) -> None:
        self._definitions, self._whole = definitions, whole

    def __call__(self, term: Term) -> Term:
        if isinstance(term, Add) and _subtracts(term) and not self._whole(term):
            return self._difference(term)
        return rebuild(term, self)

    def _difference(self, term: Add) -> Term:
        chance = _chance(term)
        if chance is not None:
            return chance
        opened: frozenset[Term] = frozenset()
        while True:
            found = self._over(term, opened)
            shared, products = _shared(found)
            risky = [a for _, factors in products for a in factors if not self._sound(a)]
            openable = [a for a in risky if a not in opened and self._opens(a)]
            if not openable or len(opened) == _MOST_OPENED or len(products) > _MOST:
                break
            opened |= {openable[0]}
        if len(products) > _MOST or any(not self._sound(a) for _, factors in products for a in factors):
            return self._apart(rebuild(term, self))
        if not products:
            return Num(Fraction(0))
        if len(products) == 1:
            return _quotient(_times(products[0][0], _joined(shared, products[0][1])), found.below)
        return _quotient(_in_front(shared, _sum(products)), found.below)

    def _opens(self, atom: Term) -> bool:
        """True for a line that is a product, a quotient or a difference: a mere sum shares nothing with what is around it."""
        definition = self._definitions.lines.get(atom.name) if isinstance(atom, Ref) else None
        return isinstance(definition, Mul | Div | Neg) or (isinstance(definition, Add) and _subtracts(definition))

    def _sound(self, atom: Term) -> bool:
        """True where a factor of a subtracted product is exact where it is whole: a whole number, or one rounded once."""
        if self._whole(atom):
            return True
        match atom:
            case Ref(name) if name in self._definitions.lines:
                inner = self._definitions.lines[name]
                return isinstance(inner, Call) and self._sound(inner)
            case Call("Max" | "Min", parts):
                return all(self._rounded_once(p) for p in parts)
        return False

    def _rounded_once(self, term: Term) -> bool:
        match term:
            case Div(a, b):
                return self._whole(a) and self._whole(b)
        return self._sound(term)

    def _apart(self, term: Term) -> Term:
        """A sum as it is where all its parts are sound; else with what is subtracted apart, to be compared with it."""
        if not isinstance(term, Add):
            return term
        plus = [p for p in term.terms if not isinstance(p, Neg)]
        minus = [p.term for p in term.terms if isinstance(p, Neg)]
        if not plus or all(all(map(self._sound, _factors(p))) for p in (*plus, *minus)):
            return term
        return Call("difference", (_added(plus), _added(minus)))

    def _over(self, term: Term, opened: frozenset[Term]) -> _Over:
        """A term as products over one product of divisors."""
        match term:
            case Num(value):
                return _Over(((value, {}),) if value else ())
            case Neg(inner):
                return _scaled(self._over(inner, opened), Fraction(-1))
            case Add(parts) if _subtracts(term):
                return _total([self._over(p, opened) for p in parts])
            case Mul(parts):
                return _product([self._over(p, opened) for p in parts])
            case Div(a, b):
                return _product([self._over(a, opened), _inverse(self._over(b, opened))])
            case Pow(base, Num(exponent)) if exponent.denominator == 1 and 1 <= exponent <= 3:
                return _product([self._over(base, opened)] * int(exponent))
            case Ref(name) if term in opened:
                return self._over(self(self._definitions.lines[name]), opened)
        return _Over(((Fraction(1), {rebuild(term, self): 1}),))


def _subtracts(term: Add) -> bool:
    return any(isinstance(p, Neg) for p in term.terms)


def _chance(term: Add) -> Term | None:
    """One minus a quotient of binomials of one k, which has a form without a difference."""
    match term.terms:
        case (Num(one), Neg(Div(Call("binomial", (a, k)), Call("binomial", (b, j))))) if one == 1 and j == k:
            return Call("hit", (a, b, k))
    return None


def _total(parts: Iterable[_Over]) -> _Over:
    """A sum over the least common divisors."""
    parts = list(parts)
    below: Factors = {}
    for part in parts:
        below |= {atom: max(e, below.get(atom, 0)) for atom, e in part.below.items()}
    products = [(n, _joined(f, _less(below, part.below))) for part in parts for n, f in part.products]
    return _cancelled(_Over(_merged(products), below))


def _product(parts: Iterable[_Over]) -> _Over:
    found = _Over(((Fraction(1), {}),))
    for part in parts:
        products = [(n * m, _joined(f, g)) for n, f in found.products for m, g in part.products]
        found = _cancelled(_Over(_merged(products), _joined(found.below, part.below)))
    return found


def _merged(products: Iterable[tuple[Fraction, Factors]]) -> tuple[tuple[Fraction, Factors], ...]:
    """Like products as one, without those that cancel."""
    found: dict[frozenset[tuple[Term, int]], tuple[Fraction, Factors]] = {}
    for number, factors in products:
        key = frozenset(factors.items())
        found[key] = (number + found[key][0] if key in found else number, factors)
    return tuple(p for p in found.values() if p[0])


def _scaled(over: _Over, number: Fraction) -> _Over:
    return _Over(tuple((number * n, f) for n, f in over.products), over.below)


def _inverse(over: _Over) -> _Over:
    """One over a term; a sum to divide by stays one factor."""
    if len(over.products) == 1:
        number, factors = over.products[0]
        return _Over(((1 / number, over.below),), factors)
    return _Over(((Fraction(1), over.below),), {_sum(over.products): 1})


def _cancelled(over: _Over) -> _Over:
    """Factors that stand in every product and below are gone from both."""
    common = {a: min([e, *(f.get(a, 0) for _, f in over.products)]) for a, e in over.below.items()} if over.products else {}
    if not any(common.values()):
        return over
    products = tuple((n, _less(f, common)) for n, f in over.products)
    return _Over(products, _less(over.below, common))


def _shared(over: _Over) -> tuple[Factors, tuple[tuple[Fraction, Factors], ...]]:
    """The factors that all products share, and what is left of each."""
    if not over.products:
        return {}, ()
    first = over.products[0][1]
    shared = {a: e for a, e in first.items() if all(f.get(a, 0) >= e for _, f in over.products)}
    return shared, tuple((n, _less(f, shared)) for n, f in over.products)


def _joined(a: Factors, b: Factors) -> Factors:
    found = dict(a)
    for atom, exponent in b.items():
        found[atom] = found.get(atom, 0) + exponent
    return found


def _less(a: Factors, b: Factors) -> Factors:
    return {atom: e - b.get(atom, 0) for atom, e in a.items() if e > b.get(atom, 0)}


def _factors(term: Term) -> tuple[Term, ...]:
    return term.factors if isinstance(term, Mul) else (term,)


def _times(number: Fraction, factors: Factors) -> Term:
    """A product with its number in front."""
    atoms = [a if e == 1 else Pow(a, Num(Fraction(e))) for a, e in factors.items()]
    parts = ([Num(abs(number))] if abs(number) != 1 or not atoms else []) + atoms
    product = parts[0] if len(parts) == 1 else Mul(tuple(parts))
    return Neg(product) if number < 0 else product


def _sum(products: Iterable[tuple[Fraction, Factors]]) -> Term:
    """The products added, one that is not subtracted first."""
    terms = [_times(n, f) for n, f in products]
    terms.sort(key=lambda t: isinstance(t, Neg))
    return _added(terms)


def _added(terms: list[Term]) -> Term:
    return Num(Fraction(0)) if not terms else terms[0] if len(terms) == 1 else Add(tuple(terms))


def _in_front(shared: Factors, term: Term) -> Term:
    return Mul((*_factors(_times(Fraction(1), shared)), term)) if shared else term


def _quotient(above: Term, below: Factors) -> Term:
    return Div(above, _times(Fraction(1), below)) if below else above
