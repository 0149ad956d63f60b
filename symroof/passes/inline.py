"""What is a formula in plain names? One level deep, with nothing in it that only the book can read.

A quantity at other arguments becomes its definition there, along the path that depends on the arguments and no further;
a sum over a list is written out; conventions are chosen and units are gone. What is left is SymPy's syntax.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError
from symroof.passes.substitute import chosen
from symroof.term import Add, At, Largest, Num, RangeSum, Ref, Term, Total, rebuild, references

if TYPE_CHECKING:
    from symroof.point import Point

Bound = Mapping[str, Term]


def inlined(point: Point, formula: Term) -> Term:
    """A formula with no At, Choose, Total or Unit node in it, equal to the one given at this point's choices.

    Raises:
        EvaluationError: a sum over a list that has neither entries nor a stand-in.
    """
    return _inline(point, chosen(point, formula), {})


def _inline(point: Point, term: Term, bound: Bound) -> Term:
    match term:
        case Ref(name):
            return _name(point, name, bound)
        case At(name, pairs):
            return _name(point, name, {**bound, **{k: _inline(point, t, bound) for k, t in pairs}})
        case Total(over, variable, body):
            return _written_out(point, over, variable, body, bound)
        case RangeSum(variable, start, stop, body):
            index = _fresh(variable, bound)
            inner = _inline(point, body, {**bound, variable: Ref(index)})
            return RangeSum(index, _inline(point, start, bound), _inline(point, stop, bound), inner)
    return rebuild(term, lambda t: _inline(point, t, bound))


def _name(point: Point, name: str, bound: Bound) -> Term:
    """A name under bound arguments: the argument itself, a definition that depends on one, or the name as it is."""
    if name in bound:
        return bound[name]
    if name in point.given or not bound.keys() & point.book.inputs_of(name):
        return Ref(name)
    formula = point.book.formulas[name]
    return Ref(name) if isinstance(formula, Largest) else _inline(point, chosen(point, formula), bound)


def _written_out(point: Point, over: str, variable: str, body: Term, bound: Bound) -> Term:
    """A sum over a list: each different entry once, times how many there are."""
    terms: list[Term] = []
    for entry, count in _entries(point, over, bound):
        summand = _inline(point, body, {**bound, variable: entry})
        terms.append(summand if count == Num(Fraction(1)) else count * summand)
    return terms[0] if len(terms) == 1 else Add(tuple(terms))


def _entries(point: Point, over: str, bound: Bound) -> list[tuple[Term, Term]]:
    given = point.given.get(over)
    if given is not None and isinstance(given.value, tuple):
        return [(Num(entry), Num(Fraction(count))) for entry, count in Counter(given.value).items()]
    if over not in point.book.stand_ins:
        raise EvaluationError(f"{over} has no entries, and nothing stands in for it")
    entry, count = point.book.stand_ins[over]
    return [(_inline(point, entry, bound), _inline(point, count, bound))]


def _fresh(variable: str, bound: Bound) -> str:
    """An index that no bound argument speaks of already."""
    taken = {name for term in bound.values() for name in references(term)}
    while variable in taken:
        variable += "_"
    return variable
