"""How sensitive is it? Exact derivatives on the branch in force, elasticities, and what a whole step or a doubling does.

Rounded parts (floor, ceiling) stand still under a derivative; for symbols that are whole numbers the finite difference and
the doubling ratio say what really happens. A derivative along a held quantity is the total one: the symbol that gives way
moves so that the held quantity keeps its value. Where branches tie, the derivative is the one from below, and the one from
above stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError, PresetError, UnsolvableError
from symroof.passes.admit import holds, stray
from symroof.passes.branch import Branch, Smooth, smooth
from symroof.passes.depend import dependencies
from symroof.passes.expand import symbols_of
from symroof.passes.hold import Hold, kept_point
from symroof.passes.recover import from_sympy
from symroof.passes.tidy import gathered, reduced, tidy
from symroof.sheet import Shown
from symroof.term import references

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.sheet import Sheet

# How small a step beside a point is, relative to the symbol: ties are broken there.
_STEP = Fraction(1, 2**64)


@dataclass(frozen=True, slots=True)
class Slope:
    """A derivative on one side of a point: its closed form in names of the book, and its exact value."""

    form: Any
    value: Fraction


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What one symbol does to a quantity at a point.

    Attributes:
        derivative: the partial (or, along a held quantity, total) derivative as a closed form; None where there is none but
            differences, as in a binomial's lower index or in the ends of a sum.
        value: its exact value, in units of the quantity per unit of the symbol.
        elasticity_form, elasticity: derivative times symbol over quantity, as a form and as a number; None where the quantity
            is zero.
        step: the quantity at symbol + 1 less the quantity here; None where the symbol is not whole or that is no valid run.
        doubling: the quantity at twice the symbol over the quantity here; None where that is no valid run.
        branches: the branches in force on which the derivative was taken, the outermost first.
        above: where branches tie, the derivative from above, if it is another than the one from below.
        rounded: the roundings of the symbol that stood still under the derivative, as closed forms.
    """

    of: str
    to: str
    derivative: Any
    value: Fraction | None
    elasticity_form: Any
    elasticity: Fraction | None
    step: Fraction | None
    doubling: Fraction | None
    branches: tuple[Branch, ...]
    above: Slope | None
    rounded: tuple[Any, ...] = ()

    @property
    def deciding(self) -> Branch | None:
        """The Max that decides, the outermost; where there is none, the Min."""
        return next((b for b in self.branches if b.function == "Max"), self.branches[0] if self.branches else None)


@dataclass(frozen=True)
class Sensitivities(Shown):
    """The sensitivity of one quantity to several symbols. Shows itself in a notebook."""

    point: Point
    of: str
    hold: Hold | None
    to: tuple[Sensitivity, ...]

    def __iter__(self) -> Iterator[Sensitivity]:
        return iter(self.to)

    def __len__(self) -> int:
        return len(self.to)

    def __getitem__(self, name: str) -> Sensitivity:
        """The sensitivity to one symbol.

        Raises:
            KeyError: it is not among those that were asked for.
        """
        return {s.to: s for s in self.to}[name]

    def sheet(self) -> Sheet:
        """What it shows."""
        from symroof.answers.sensitivity import sheet

        return sheet(self)


def sensitivity(point: Point, of: str, to: Iterable[str] | None = None, hold: Hold | None = None) -> Sensitivities:
    """The sensitivity of a quantity to some symbols; without names, to every one it depends on, ranked by elasticity.

    Raises:
        UnknownNameError: a name that the book does not have.
        PresetError: a name that is no symbol with a value, or a hold by a symbol that its quantity does not depend on.
        MissingValueError, EvaluationError: the quantity has no value here, or is no number.
    """
    point.evaluator.number(point.book.known(of))
    if hold:
        hold.check(point)
    if to is not None:
        return Sensitivities(point, of, hold, tuple(_one(point, of, name, hold) for name in dict.fromkeys(to)))
    found = [_one(point, of, name, hold) for name in _dependencies(point, of, hold)]
    return Sensitivities(point, of, hold, tuple(sorted(found, key=lambda s: -abs(s.elasticity or Fraction(0)))))


def derivative(expression: Any, symbol: Any) -> Any:
    """The derivative of a smooth form, by its structure: roundings stand still, and products stay factored.

    Raises:
        EvaluationError: the symbol enters a binomial's lower index, an exponent or a sum, where it has no such derivative.
    """
    if expression == symbol:
        return sp.S.One
    if not expression.args or isinstance(expression, (sp.floor, sp.ceiling)):
        return sp.S.Zero
    if expression.is_Add:
        return gathered(derivative(a, symbol) for a in expression.args)
    if expression.is_Mul:
        slopes = [(a, derivative(a, symbol)) for a in expression.args]
        return gathered(slope * expression / a for a, slope in slopes if slope != 0)
    if expression.is_Pow and expression.exp.is_Integer:
        return expression.exp * expression.base ** (expression.exp - 1) * derivative(expression.base, symbol)
    if isinstance(expression, sp.binomial):
        return _binomial_slope(expression, symbol)
    if symbol in expression.free_symbols:
        raise EvaluationError(f"{symbol} enters {type(expression).__name__}, which has no derivative by it")
    return sp.S.Zero


def _binomial_slope(expression: Any, symbol: Any) -> Any:
    """The derivative by the upper index n, the sum of (-1)^(k-1-j) C(n, j)/(k - j): it has a value at every n."""
    n, k = expression.args
    if symbol in k.free_symbols:
        raise EvaluationError("a binomial's lower index is whole: it has differences, not a derivative")
    slope = derivative(n, symbol)
    if slope == 0:
        return slope
    name = "j"
    while name in {s.name for s in expression.free_symbols}:
        name += "_"
    j = sp.Symbol(name, integer=True, nonnegative=True)
    return slope * sp.Sum((-1) ** (k - 1 - j) * sp.binomial(n, j) / (k - j), (j, 0, k - 1))


def _dependencies(point: Point, of: str, hold: Hold | None) -> list[str]:
    """The symbols that move the quantity, or that move what is held, in the order of the book."""
    names = dependencies(point, of)
    if hold and hold.by in names:
        names |= dependencies(point, hold.quantity)
    book = point.book
    kept = [n for n in book.symbols if n in names and n in point.given and not book.symbols[n].is_list]
    return [n for n in kept if hold is None or n != hold.by]


def _one(point: Point, of: str, to: str, hold: Hold | None) -> Sensitivity:
    at, here = _value_of(point, to, hold), point.evaluator.number(of)
    form, below = _side(point, of, to, hold, -1)
    above = _side(point, of, to, hold, 1)[1] if below is not None and form is not None and form.tied else None
    table = symbols_of(point.book)
    symbol = table[to]
    return Sensitivity(
        of=of,
        to=to,
        derivative=None if below is None else below.form,
        value=None if below is None else below.value,
        elasticity_form=None
        if below is None or form is None or here == 0
        else reduced(tidy(below.form * symbol / form.expression)),
        elasticity=None if below is None or here == 0 else below.value * at / here,
        step=_difference(point, of, to, at + 1, hold, here) if _whole(point, to) else None,
        doubling=_ratio(point, of, to, 2 * at, hold, here),
        branches=() if form is None else form.branches,
        above=above if above is not None and below is not None and above.value != below.value else None,
        rounded=() if form is None else _rounded(form.expression, {symbol} if hold is None else {symbol, table[hold.by]}),
    )


def _rounded(expression: Any, moving: set[Any]) -> tuple[Any, ...]:
    """The outermost roundings in a form that some symbols move."""
    if isinstance(expression, (sp.floor, sp.ceiling)) and expression.free_symbols & moving:
        return (expression,)
    return tuple(dict.fromkeys(r for a in expression.args for r in _rounded(a, moving)))


def _value_of(point: Point, to: str, hold: Hold | None) -> Fraction:
    given = point.given.get(point.book.known(to))
    if given is None:
        kind = "derived" if to in point.book.quantities else f"without a value in {point.label}"
        raise PresetError(f"{to} is {kind}: a sensitivity is to a symbol that has one")
    if not isinstance(given.value, Fraction):
        raise PresetError(f"{to} is a list: a sensitivity is to a number")
    if hold and to in (hold.by, hold.quantity):
        raise PresetError(f"{to} cannot move by itself: {hold.quantity} is held, and {hold.by} gives way")
    return given.value


def _side(point: Point, of: str, to: str, hold: Hold | None, direction: int) -> tuple[Smooth | None, Slope | None]:
    """The smooth form and the derivative on one side of the point; None for what does not exist."""
    try:
        if hold is None:
            form = smooth(point, of, {to}, _beside(point, {to: Fraction(1)}, to, direction))
            slope = derivative(form.expression, symbols_of(point.book)[to])
        else:
            form, slope = _along(point, of, to, hold, direction)
    except EvaluationError:
        return None, None
    tidied = tidy(slope)
    return form, Slope(tidied, point.evaluator.term(from_sympy(tidied)))


def _along(point: Point, of: str, to: str, hold: Hold, direction: int) -> tuple[Smooth, Any]:
    """The total derivative: the symbol that gives way moves by the implicit function along the held quantity."""
    table = symbols_of(point.book)
    symbol, by = table[to], table[hold.by]
    kept = smooth(point, hold.quantity, {to, hold.by}, _beside(point, {to: Fraction(1)}, to, direction)).expression
    resists = derivative(kept, by)
    if resists == 0:
        raise PresetError(f"{hold.quantity} does not move with {hold.by} here, so {hold.by} cannot keep it")
    rate = tidy(-derivative(kept, symbol) / resists)
    rates = {to: Fraction(1), hold.by: point.evaluator.term(from_sympy(rate))}
    form = smooth(point, of, {to, hold.by}, _beside(point, rates, to, direction))
    return form, derivative(form.expression, symbol) + derivative(form.expression, by) * rate


def _beside(point: Point, rates: dict[str, Fraction], to: str, direction: int) -> Point:
    """The point a small step away, where a symbol moves and others follow at their rates."""
    step = point.evaluator.number(to) * _STEP * direction
    return point.trial(**{n: point.evaluator.number(n) + rate * step for n, rate in rates.items()})


def _whole(point: Point, name: str) -> bool:
    symbol = point.book.symbols.get(name)
    return symbol is not None and symbol.domain.whole


def _difference(point: Point, of: str, to: str, value: Fraction, hold: Hold | None, here: Fraction) -> Fraction | None:
    there = _elsewhere(point, of, to, value, hold)
    return None if there is None else there - here


def _ratio(point: Point, of: str, to: str, value: Fraction, hold: Hold | None, here: Fraction) -> Fraction | None:
    there = _elsewhere(point, of, to, value, hold)
    return None if there is None or here == 0 else there / here


def _elsewhere(point: Point, of: str, to: str, value: Fraction, hold: Hold | None) -> Fraction | None:
    """The quantity at another value of a symbol, the held quantity kept; None where that is no valid run."""
    try:
        if hold is not None:
            kept = kept_point(point, {to: value}, hold)
            return None if kept is None else kept.evaluator.number(of)
        there = point.trial(**{to: value})
        return there.evaluator.number(of) if _may_be(there, to) else None
    except (EvaluationError, UnsolvableError):
        return None


def _may_be(there: Point, name: str) -> bool:
    """True where a changed name has an admissible value: what it does not reach is as it was, and held before."""
    book = there.book
    given = there.given[name].value
    if stray(book, name, given):
        return False
    touched = (c for c in book.conditions.values() if any(name in book.inputs_of(n) for n in references(c)))
    return all(holds(there.evaluator, c) is not False for c in touched)
