"""What does the formula look like with its numbers in? The line between formula and value, in the author's order."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from symroof.passes.evaluate import Evaluator
from symroof.point import Point
from symroof.term import Add, At, Choose, Largest, Mul, Neg, Num, RangeSum, Ref, Term, Total, Unit, Where, rebuild, replace


def chosen(point: Point, term: Term, free: Collection[str] = ()) -> Term:
    """A formula with each convention's choice made and the unit symbols left out: what the report prints as the formula.

    Args:
        free: conventions that keep all of their choices.
    """
    if isinstance(term, Choose) and term.convention not in free:
        return chosen(point, term.option(point.choices), free)
    if isinstance(term, Add):
        return _sum(point, term, free)
    if isinstance(term, Unit):
        return Num(Fraction(1))
    if isinstance(term, Mul):
        factors = tuple(chosen(point, f, free) for f in term.factors if not isinstance(f, Unit))
        return factors[0] if len(factors) == 1 else Mul(factors) if factors else Num(Fraction(1))
    return rebuild(term, lambda t: chosen(point, t, free))


def _sum(point: Point, term: Add, free: Collection[str]) -> Term:
    """A sum without the terms that a convention leaves out of it, by choosing zero for them."""
    kept = tuple(c for t in term.terms for c in [chosen(point, t, free)] if not (_is_zero(c) and not _is_zero(t)))
    return Num(Fraction(0)) if not kept else kept[0] if len(kept) == 1 else Add(kept)


def _is_zero(term: Term) -> bool:
    return _is_zero(term.term) if isinstance(term, Neg) else term == Num(Fraction(0))


def substituted(point: Point, name: str) -> Term | None:
    """The formula of a quantity with every name replaced by its value at the point; None where it has no formula.

    Raises:
        MissingValueError, EvaluationError: a value on the way does not exist.
    """
    if name not in point.book.formulas or name in point.given:
        return None
    return _numbers(point, point.evaluator, chosen(point, point.book.formulas[name]))


def _numbers(point: Point, evaluator: Evaluator, term: Term) -> Term:
    match term:
        case Ref() | At():
            return Num(evaluator.term(term))
        case Where(condition, a, b):
            return _numbers(point, evaluator, a if evaluator.holds(condition) else b)
        case Total(over, variable, body):
            return _entries(point, evaluator, over, variable, body)
        case RangeSum(variable, start, stop, body):
            first, last = evaluator.term(start), evaluator.term(stop)
            inner = [Evaluator(point, {variable: Fraction(i)}, evaluator) for i in range(int(first), int(last) + 1)]
            return Add(tuple(_numbers(point, e, body) for e in inner)) if inner else Num(Fraction(0))
        case Largest():
            return term
    return rebuild(term, lambda t: _numbers(point, evaluator, t))


def _entries(point: Point, evaluator: Evaluator, over: str, variable: str, body: Term) -> Term:
    """A sum over a list, written out: each different entry once, times how many there are."""
    counts: dict[Fraction, Fraction] = {}
    for entry, count in evaluator.entries(over):
        counts[entry] = counts.get(entry, Fraction(0)) + count
    terms = []
    for entry, count in counts.items():
        here = _numbers(point, evaluator, replace(body, {variable: Num(entry)}))
        terms.append(here if count == 1 else Num(count) * here)
    return terms[0] if len(terms) == 1 else Add(tuple(terms)) if terms else Num(Fraction(0))
