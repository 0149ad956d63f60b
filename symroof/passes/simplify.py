"""Can it be said shorter? Named rules, tried in order, kept where they shorten, with a history of what they did.

There is no blanket `simplify` here: on an expanded form it takes minutes and says nothing of what it did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import sympy as sp


def _cancelled(expression: Any) -> Any:
    """As `sympy.cancel`, which would factor first what a rule before it has factored already."""
    if not _rational(expression):
        return expression
    number, above, below = sp.cancel(expression.as_numer_denom())
    return number * (above / below)


# The rules by name; each is exact, whatever the signs of the symbols.
RULES: dict[str, Callable[[Any], Any]] = {
    "together": sp.together,
    "factor_terms": sp.factor_terms,
    "cancel": _cancelled,
    "factor": lambda e: sp.factor(e) if _rational(e) else e,
}
# What is tried unless a caller says otherwise. Full factoring takes ten times as long as the others together, and on the
# closed forms of the first book it never came out shorter than they do.
USUAL = ("together", "factor_terms", "cancel")
# What has so few operations is short enough.
SHORT = 3
# Above this many operations a closed form is not read, and polynomial algebra on it does not end soon.
LARGEST = 120


@dataclass(frozen=True, slots=True)
class Step:
    """One rule that shortened an expression, and the operation counts before and after."""

    rule: str
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class Simplified:
    """A shorter form of an expression, equal to it, and the rules that led there."""

    expression: sp.Expr
    history: tuple[Step, ...]


def simplify(expression: sp.Expr, rules: tuple[str, ...] = USUAL) -> Simplified:
    """The shortest form that the named rules reach, each applied where it lowers the operation count.

    Args:
        expression: any closed form; beyond 120 operations it comes back as it is.
        rules: names out of `RULES`, in the order of trial.
    """
    size, history = _size(expression), []
    # Every rule is about sums.
    if size > LARGEST or not expression.has(sp.Add):
        return Simplified(expression, ())
    for rule in rules:
        if size <= SHORT:
            break
        shorter = RULES[rule](expression)
        if shorter == expression:
            continue
        after = _size(shorter)
        if after < size:
            history.append(Step(rule, size, after))
            expression, size = shorter, after
    return Simplified(expression, tuple(history))


def _size(expression: Any) -> int:
    return int(sp.count_ops(expression))


def _rational(expression: Any) -> bool:
    """True for a quotient of polynomials in the symbols: the field where cancel and factor are exact and quick."""
    return bool(expression.is_rational_function(*expression.free_symbols)) and not expression.has(sp.Max, sp.Min, sp.Piecewise)
