"""What if, with something kept? A change of some symbols while a quantity keeps its value, because another symbol gives way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import ConstraintError, EvaluationError, PresetError
from symroof.passes.depend import dependencies
from symroof.passes.evaluate import Arithmetic
from symroof.passes.expand import expand, symbols_of
from symroof.passes.recover import from_sympy

if TYPE_CHECKING:
    from symroof.point import Point

# How many values below and above the one asked for are tried when it has no valid answer.
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
            PresetError: the symbol is derived, is a list or has no value, or the quantity does not depend on it.
        """
        book = point.book
        book.known(self.quantity)
        if self.by not in book.symbols:
            raise PresetError(f"{book.known(self.by)} is derived: a held quantity is kept by a symbol")
        if self.by not in dependencies(point, self.quantity):
            raise PresetError(f"{self.quantity} does not depend on {self.by}, so {self.by} cannot keep it")
        if not isinstance(point.given[self.by].value if self.by in point.given else None, Fraction):
            raise PresetError(f"{self.by} is no number here, so it cannot give way")


def hold_of(quantity: str | None, by: str | None) -> Hold | None:
    """A hold out of two names, None where there are none.

    Raises:
        PresetError: one name without the other.
    """
    if quantity is None and by is None:
        return None
    if quantity is None or by is None:
        raise PresetError("a held quantity goes with the symbol that gives way for it: hold=..., by=...")
    return Hold(quantity, by)


def held_point(point: Point, changes: Mapping[str, object], hold: Hold) -> Point:
    """The point after some changes at which the held quantity has the value that it had before.

    Raises:
        PresetError: a hold that means nothing.
        UnsolvableError: the quantity is none that can be solved exactly for the symbol that gives way.
        ConstraintError: no value of the symbol that gives way keeps the quantity, or only one that may not be; the message
            has the nearest changes that work.
    """
    values, found = _kept(point, changes, hold)
    if found is None:
        raise ConstraintError(_refusal(point, changes, hold, values))
    return found


def kept_point(point: Point, changes: Mapping[str, object], hold: Hold) -> Point | None:
    """The point of `held_point`, or None where there is none that may exist.

    Raises:
        PresetError, UnsolvableError: as `held_point`.
    """
    return _kept(point, changes, hold)[1]


def _kept(point: Point, changes: Mapping[str, object], hold: Hold) -> tuple[list[Fraction], Point | None]:
    """The values at which the quantity is kept, and the first admissible point among them."""
    hold.check(point)
    for name in (hold.by, hold.quantity):
        if name in changes:
            raise PresetError(f"{name} is changed, but {hold.quantity} is held and {hold.by} gives way")
    moved = point.trial(**changes)
    values = _solutions(moved, hold, point.evaluator.number(hold.quantity))
    points = (moved.trial(**{hold.by: v}) for v in values)
    return values, next((p for p in points if p.admissible), None)


def _solutions(moved: Point, hold: Hold, target: Fraction) -> list[Fraction]:
    """The exact rational values of the symbol that gives way, the nearest to its value first."""
    import sympy as sp

    from symroof.passes.pieces import pieces, zeros

    plain = sp.Symbol(hold.by, positive=True)  # not whole: SymPy must not throw away a half where a whole number is wanted
    form = expand(moved, hold.quantity, {hold.by}).xreplace({symbols_of(moved.book)[hold.by]: plain})
    equation = form - sp.Rational(target.numerator, target.denominator)
    found = [r for p in pieces(equation, plain, sp.S.Zero, sp.oo) for r in _ends(p, plain) + zeros(p.form, plain, p.low, p.high)]
    before = moved.given[hold.by].value
    assert isinstance(before, Fraction)
    rational = {Fraction(int(r.p), int(r.q)) for r in found if r.is_Rational}
    return sorted(rational, key=lambda r: (abs(r - before), r))


def _ends(piece: Any, symbol: Any) -> list[Any]:
    """The ends of a piece at which its form is zero: a root where two branches meet."""
    return [e for e in (piece.low, piece.high) if e.is_Rational and e > 0 and piece.form.subs(symbol, e) == 0]


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
    """The nearest value below and above of the first changed whole symbol for which the symbol that gives way has one.

    The value that the symbol has already is no change.
    """
    name = next((n for n in changes if n in point.book.symbols and point.book.symbols[n].domain.whole), None)
    asked = None if name is None else point.trial(**changes).given[name].value
    if name is None or not isinstance(asked, Fraction):
        return
    now = point.given[name].value if name in point.given else None
    give_way = _give_way(point.trial(**changes), name, hold, point.evaluator.number(hold.quantity))
    others = {n: v for n, v in changes.items() if n != name}
    centre = int(asked)
    for values in (range(centre - 1, max(-1, centre - _REACH), -1), range(centre + 1, centre + _REACH)):
        found = _first(point, others, name, (v for v in values if v != now), hold, give_way)
        if found:
            yield found


def _first(
    point: Point,
    others: Mapping[str, object],
    name: str,
    values: Iterable[int],
    hold: Hold,
    give_way: Callable[[Fraction], Fraction | None],
) -> str:
    domain = point.book.symbols[hold.by].domain
    for value in values:
        by = give_way(Fraction(value))
        if by is not None and domain.admits(by) and point.trial(**{**others, name: value, hold.by: by}).admissible:
            return f"{name} = {value} with {hold.by} = {by}"
    return ""


def _give_way(moved: Point, name: str, hold: Hold, target: Fraction) -> Callable[[Fraction], Fraction | None]:
    """The value of the symbol that gives way as a function of the changed one, where there is a single closed one."""
    import sympy as sp

    table = symbols_of(moved.book)
    plain = sp.Symbol(hold.by)
    form = expand(moved, hold.quantity, {hold.by, name}).xreplace({table[hold.by]: plain})
    numerator, _ = sp.fraction(sp.together(form - sp.Rational(target.numerator, target.denominator)))
    polynomial = numerator.is_polynomial(plain) and sp.Poly(numerator, plain)
    if not polynomial or polynomial.degree() != 1:
        return lambda value: None
    slope, rest = polynomial.all_coeffs()
    closed = from_sympy(-rest / slope)

    def at(value: Fraction) -> Fraction | None:
        try:
            return _At(value).term(closed)
        except (EvaluationError, ZeroDivisionError):
            return None

    return at


@dataclass(frozen=True)
class _At(Arithmetic):
    """Arithmetic in a formula with one name."""

    value: Fraction

    def number(self, name: str) -> Fraction:
        return self.value
