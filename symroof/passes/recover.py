"""From SymPy back to a tree: closed forms and derivatives join the one printer that formulas have."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from symroof.errors import DefinitionError
from symroof.term import Add, Call, Div, Largest, Logic, Mul, Neg, Num, Pow, RangeSum, Ref, Rel, Term, Where

_CALLS = {"Max": "Max", "Min": "Min", "ceiling": "ceiling", "floor": "floor", "binomial": "binomial"}


def from_sympy(expression: Any) -> Term:
    """A SymPy expression as a tree: quotients as quotients, numbers first, symbols in SymPy's order.

    Raises:
        DefinitionError: a part that the tree has no node for.
    """
    if isinstance(expression, sp.Rational):
        return _rational(expression)
    if isinstance(expression, sp.Symbol):
        return Ref(expression.name)
    if isinstance(expression, sp.Add):
        return Add(tuple(_signed(t) for t in _ordered(expression)))
    if isinstance(expression, (sp.Mul, sp.Pow)):
        return _product(expression)
    if isinstance(expression, sp.Piecewise):
        return _piecewise(list(expression.args))
    if isinstance(expression, sp.Sum):
        return _sum(expression)
    name = type(expression).__name__
    if name in _CALLS:
        return Call(_CALLS[name], tuple(from_sympy(a) for a in _sorted(expression)))
    if name == "ArgMax":
        return Largest(tuple(a.name for a in expression.args))
    raise DefinitionError(f"{name} is no part of a formula")


def _sum(expression: Any) -> Term:
    body = from_sympy(expression.function)
    for index, start, stop in expression.limits:
        body = RangeSum(index.name, from_sympy(start), from_sympy(stop), body)
    return body


def _rational(number: Any) -> Term:
    value = Fraction(int(number.p), int(number.q))
    return Neg(Num(-value)) if value < 0 else Num(value)


def _ordered(expression: Any) -> list[Any]:
    terms = list(expression.as_ordered_terms())
    positive = [t for t in terms if not t.could_extract_minus_sign()]
    return positive + [t for t in terms if t.could_extract_minus_sign()]


def _signed(term: Any) -> Term:
    return Neg(from_sympy(-term)) if term.could_extract_minus_sign() and not term.is_Add else from_sympy(term)


def _sorted(expression: Any) -> list[Any]:
    if type(expression).__name__ in ("Max", "Min"):
        return sorted(expression.args, key=sp.default_sort_key)
    return list(expression.args)


def _product(expression: Any) -> Term:
    if expression.is_Pow and not _negative(expression.exp):
        return Pow(from_sympy(expression.base), from_sympy(expression.exp))
    above, below = [], []
    for factor in sp.Mul.make_args(expression):
        if isinstance(factor, sp.Rational):
            above.extend([] if factor.p == 1 else [sp.Integer(factor.p)])
            below.extend([] if factor.q == 1 else [sp.Integer(factor.q)])
        elif factor.is_Pow and _negative(factor.exp):
            below.append(factor.base ** (-factor.exp))
        else:
            above.append(factor)
    if above and above[0].is_Integer and above[0] < 0:
        size = [] if above[0] == -1 else [-above[0]]
        return Neg(_quotient([*size, *above[1:]], below))
    return _quotient(above, below)


def _negative(exponent: Any) -> bool:
    return (
        bool(exponent.could_extract_minus_sign())
        if exponent.is_number
        else bool(exponent.is_Mul and exponent.args[0].is_negative)
    )


def _quotient(above: list[Any], below: list[Any]) -> Term:
    numerator = _factors(above)
    return Div(numerator, _factors(below)) if below else numerator


def _factors(parts: list[Any]) -> Term:
    terms = tuple(from_sympy(p) for p in parts)
    return Num(Fraction(1)) if not terms else terms[0] if len(terms) == 1 else Mul(terms)


def _piecewise(pairs: list[Any]) -> Term:
    value, condition = pairs[0].args
    if condition == sp.true or len(pairs) == 1:
        return from_sympy(value)
    return Where(_condition(condition), from_sympy(value), _piecewise(pairs[1:]))


def _condition(condition: Any) -> Term:
    if isinstance(condition, (sp.And, sp.Or)):
        return Logic("and" if isinstance(condition, sp.And) else "or", tuple(_condition(a) for a in condition.args))
    left, right = condition.lhs, condition.rhs
    if isinstance(condition, (sp.Eq, sp.Ne)) and isinstance(left, sp.Mod) and right == 0 and isinstance(condition, sp.Eq):
        return Rel("divides", from_sympy(left.args[1]), from_sympy(left.args[0]))
    return Rel(condition.rel_op, from_sympy(left), from_sympy(right))
