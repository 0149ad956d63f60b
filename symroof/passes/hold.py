"""What if, with something kept? A change of some symbols while a quantity keeps its value, because another symbol gives way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import ConstraintError, PresetError
from symroof.passes.expand import expand, symbols_of

if TYPE_CHECKING:
    from symroof.point import Point

# How many changes around the one asked for are tried when it has no valid answer.
_REACH = 4096


@dataclass(frozen=True, slots=True)
class Hold:
    """A quantity that keeps its value while something changes, because a symbol that it depends on gives way."""

    quantity: str
    by: str

    def check(self, point: Point) -> None:
        """Refuse a hold that means nothing.

        Raises:
            UnknownNameError: a name that the book does not have.
            PresetError: the symbol is derived, or the quantity does not depend on it.
        """
        book = point.book
        book.known(self.quantity)
        if self.by not in book.symbols:
            raise PresetError(f"{book.known(self.by)} is derived: a held quantity is kept by a symbol")
        if self.by not in book.inputs_of(self.quantity):
            raise PresetError(f"{self.quantity} does not depend on {self.by}, so {self.by} cannot keep it")


def held_point(point: Point, changes: Mapping[str, object], hold: Hold) -> Point:
    """The point after some changes at which the held quantity has the value that it had before.

    Raises:
        PresetError: a hold that means nothing.
        ConstraintError: no value of the symbol that gives way keeps the quantity, or only one that may not be; the message
            has the nearest changes that work.
    """
    hold.check(point)
    if hold.by in changes:
        raise PresetError(f"{hold.by} is changed and is to give way: it cannot do both")
    moved = point.trial(**changes)
    values = _solutions(moved, hold, point.evaluator.number(hold.quantity))
    for value in values:
        found = moved.trial(**{hold.by: value})
        if found.admissible:
            return found
    raise ConstraintError(_refusal(point, changes, hold, values))


def _solutions(moved: Point, hold: Hold, target: Fraction) -> list[Fraction]:
    """The exact rational values of the symbol that gives way, the nearest to its value first."""
    symbol = symbols_of(moved.book)[hold.by]
    form = expand(moved, hold.quantity, {hold.by})
    plain = sp.Symbol(hold.by)  # without assumptions: SymPy must not throw away a half where a whole number is wanted
    equation = form.xreplace({symbol: plain}) - sp.Rational(target.numerator, target.denominator)
    roots = _rational_roots(equation, plain)
    before = moved.given[hold.by].value
    assert isinstance(before, Fraction)
    return sorted(roots, key=lambda r: abs(r - before))


def _rational_roots(equation: Any, symbol: Any) -> list[Fraction]:
    numerator, _ = sp.fraction(sp.together(equation))
    if not numerator.is_polynomial(symbol):
        raise PresetError(
            "the held quantity is no quotient of polynomials in the symbol that gives way, so it cannot be re-solved exactly"
        )
    roots = sp.roots(sp.Poly(numerator, symbol))
    return [Fraction(int(r.p), int(r.q)) for r in roots if r.is_Rational]


def _refusal(point: Point, changes: Mapping[str, object], hold: Hold, values: list[Fraction]) -> str:
    asked = ", ".join(f"{n} = {v}" for n, v in changes.items())
    domain = point.book.symbols[hold.by].domain
    if not values:
        reason = f"no rational value of {hold.by} keeps {hold.quantity}"
    elif not domain.admits(values[0]):
        reason = f"{hold.quantity} is kept only by {hold.by} = {values[0]}, which must be {domain.says}"
    else:
        reason = f"{hold.quantity} is kept by {hold.by} = {values[0]}, which breaks a constraint"
    near = list(_nearest_changes(point, changes, hold))
    return f"with {asked}, {reason}" + (f"; nearest changes that work: {' or '.join(near)}" if near else "")


def _nearest_changes(point: Point, changes: Mapping[str, object], hold: Hold) -> Iterator[str]:
    """The nearest value below and above of the first changed whole symbol for which the symbol that gives way has one."""
    name = next((n for n in changes if n in point.book.symbols and point.book.symbols[n].domain.whole), None)
    if name is None:
        return
    asked = point.trial(**changes).given[name].value
    if not isinstance(asked, Fraction):
        return
    give_way = _give_way(point.trial(**changes), name, hold, point.evaluator.number(hold.quantity))
    for values in (range(int(asked) - 1, max(0, int(asked) - _REACH), -1), range(int(asked) + 1, int(asked) + _REACH)):
        for value in values:
            by = give_way(Fraction(value))
            if by is None or not point.book.symbols[hold.by].domain.admits(by):
                continue
            if point.trial(**{**changes, name: value, hold.by: by}).admissible:
                yield f"{name} = {value} with {hold.by} = {by}"
                break


def _give_way(moved: Point, name: str, hold: Hold, target: Fraction) -> Any:
    """The value of the symbol that gives way as a function of the changed one, where there is a single closed one."""
    table = symbols_of(moved.book)
    plain, changed = sp.Symbol(hold.by), table[name]
    form = expand(moved, hold.quantity, {hold.by, name}).xreplace({table[hold.by]: plain})
    numerator, _ = sp.fraction(sp.together(form - sp.Rational(target.numerator, target.denominator)))
    solutions = sp.solve(numerator, plain) if numerator.is_polynomial(plain) else []
    if len(solutions) != 1:
        return lambda value: None

    def at(value: Fraction) -> Fraction | None:
        number = solutions[0].xreplace({changed: sp.Rational(value.numerator, value.denominator)}).doit()
        return Fraction(int(number.p), int(number.q)) if number.is_Rational else None

    return at
