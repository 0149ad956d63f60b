"""What is the sign of a closed form at an algebraic number? Exactly, through every Max, Min, case and rounding.

At an irrational root the value of a form is a polynomial in that root; it is zero where the root's minimal polynomial divides
it, and no rounding can tell. Where it is not zero, enough digits show its sign.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from symroof.errors import UnsolvableError
from symroof.passes.pieces import multiplied

_COMPARED = {sp.Gt: (1,), sp.Ge: (0, 1), sp.Lt: (-1,), sp.Le: (-1, 0), sp.Eq: (0,), sp.Ne: (-1, 1)}
# Digits that are tried at first to see the sign of what is not zero, and that must be enough.
_FIRST, _MOST = 30, 4000


def sign_at(form: Any, symbol: Any, root: Any) -> int | None:
    """The sign of a form in one symbol at a real algebraic number; None where it has no value there.

    Raises:
        UnsolvableError: a part of it that is algebraic in no closed way.
    """
    return _Field(symbol, root).sign(sp.sympify(form))


class _Field:
    """The numbers that quotients of polynomials have at one root."""

    def __init__(self, symbol: Any, root: Any) -> None:
        self._symbol, self._root = symbol, root
        self._minimal = sp.Poly(sp.minimal_polynomial(root, symbol), symbol, domain="QQ")

    def sign(self, form: Any) -> int | None:
        """The sign of a form; None where it has no value."""
        value = self._value(form)
        return None if value is None else self._sign(*value)

    def _value(self, form: Any) -> tuple[Any, Any] | None:
        """A form at the root as numerator and denominator, reduced by the minimal polynomial; None where it has no value."""
        if isinstance(form, (sp.Max, sp.Min)):
            return self._extreme(form)
        if isinstance(form, sp.Piecewise):
            return next((self._value(f) for f, condition in form.args if self._holds(condition)), None)
        if isinstance(form, (sp.floor, sp.ceiling)):
            return self._rounded(form)
        if form.is_number or form == self._symbol:
            return self._quotient(form)
        if isinstance(form, sp.binomial) and form.args[1].is_Integer:
            return self._value(multiplied(*form.args))
        if not (isinstance(form, (sp.Add, sp.Mul)) or (form.is_Pow and form.exp.is_Integer)):
            raise UnsolvableError(f"{type(form).__name__} of {self._symbol} is no algebraic number")
        parts = [self._value(part) for part in form.args]
        known = [p for p in parts if p is not None]
        return None if len(known) < len(parts) else self._quotient(form.func(*(a / b for a, b in known)))

    def _quotient(self, form: Any) -> tuple[Any, Any] | None:
        if form.has(sp.zoo, sp.nan):
            return None
        above, below = (self._reduced(part) for part in sp.fraction(sp.together(form)))
        return None if below == 0 else (above, below)

    def _reduced(self, form: Any) -> Any:
        return sp.Poly(form, self._symbol, domain="QQ").rem(self._minimal).as_expr()

    def _sign(self, above: Any, below: Any) -> int:
        """The sign of a quotient whose parts are reduced, so that they are zero only where they are 0."""
        return self._of(above) * self._of(below)

    def _of(self, reduced: Any) -> int:
        if reduced.is_Rational:
            return int(sp.sign(reduced))
        digits = _FIRST
        while digits <= _MOST:
            at = self._root.evalf(digits)
            found = reduced.evalf(digits, subs={self._symbol: at})
            if found.is_comparable and abs(found) > sp.Float(10) ** (-digits // 2):
                return int(sp.sign(found))
            digits *= 2
        raise UnsolvableError(f"the sign of a form at {self._symbol} = {self._root} takes more than {_MOST} digits")

    def _difference(self, one: tuple[Any, Any], other: tuple[Any, Any]) -> int:
        quotient = self._quotient(one[0] / one[1] - other[0] / other[1])
        assert quotient is not None
        return self._sign(*quotient)

    def _extreme(self, form: Any) -> tuple[Any, Any] | None:
        parts = [self._value(part) for part in form.args]
        wanted = 1 if isinstance(form, sp.Max) else -1
        best = parts[0]
        for part in parts[1:]:
            if best is None or part is None:
                return None
            best = part if self._difference(part, best) == wanted else best
        return best

    def _holds(self, condition: Any) -> bool:
        if condition in (sp.true, sp.false):
            return bool(condition)
        if isinstance(condition, (sp.And, sp.Or)):
            return (all if isinstance(condition, sp.And) else any)(self._holds(part) for part in condition.args)
        if type(condition) not in _COMPARED or condition.has(sp.Mod):
            raise UnsolvableError(f"a condition in {self._symbol} is no comparison")
        return self.sign(condition.lhs - condition.rhs) in _COMPARED[type(condition)]

    def _rounded(self, form: Any) -> tuple[Any, Any] | None:
        """The whole number beside a value: the one that floats find, moved until it is the right one."""
        value = self._value(form.args[0])
        if value is None:
            return None
        up = 1 if isinstance(form, sp.ceiling) else -1
        near = sp.Integer(sp.floor((value[0] / value[1]).evalf(_FIRST, subs={self._symbol: self._root.evalf(_FIRST)})))
        beside = ((near + step, sp.S.One) for step in (-up, 0, up))
        return next(n for n in beside if self._difference(n, value) * up >= 0)
