"""What if, with something kept? A change of some symbols while a quantity keeps its value, because another symbol gives way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import ConstraintError, EvaluationError, PresetError, UnsolvableError
from symroof.passes.admit import broken_constraints
from symroof.passes.depend import dependencies
from symroof.passes.evaluate import Arithmetic
from symroof.passes.expand import expand, symbols_of
from symroof.passes.recover import from_sympy
from symroof.term import Num, Ref

if TYPE_CHECKING:
    from symroof.point import Point

# How many values below and above the one asked for are tried when it has no valid answer.
_REACH = 4096
# So many values that keep a quantity are named in a message.
_NAMED = 3


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
    kept, found = _kept(point, changes, hold)
    if found is None:
        raise ConstraintError(_refusal(point, changes, hold, kept))
    return found


def kept_point(point: Point, changes: Mapping[str, object], hold: Hold) -> Point | None:
    """The point of `held_point`, or None where there is none that may exist.

    Raises:
        PresetError, UnsolvableError: as `held_point`.
    """
    return _kept(point, changes, hold)[1]


@dataclass(frozen=True, slots=True)
class _Kept:
    """Where the quantity is kept: single values, the nearest first, and whole ranges of the symbol that gives way.

    `looked` is True where only the admissible values were looked at.
    """

    values: tuple[Fraction, ...]
    ranges: tuple[tuple[Any, Any], ...] = ()
    looked: bool = False


def _kept(point: Point, changes: Mapping[str, object], hold: Hold) -> tuple[_Kept, Point | None]:
    """Where the quantity is kept, and the first admissible point there: with the value as it is, if that keeps it."""
    hold.check(point)
    for name in (hold.by, hold.quantity):
        if name in changes:
            raise PresetError(f"{name} is changed, but {hold.quantity} is held and {hold.by} gives way")
    moved = point.trial(**changes)
    target = point.evaluator.number(hold.quantity)
    if moved.admissible and _is_kept(moved, hold, target):
        return _Kept((moved.evaluator.number(hold.by),)), moved
    kept = _solutions(moved, hold, target)
    points = (moved.trial(**{hold.by: v}) for v in kept.values)
    return kept, next((p for p in points if p.admissible and _is_kept(p, hold, target)), None)


def _is_kept(there: Point, hold: Hold, target: Fraction) -> bool:
    try:
        return there.evaluator.number(hold.quantity) == target
    except (EvaluationError, ZeroDivisionError):
        return False


def _solutions(moved: Point, hold: Hold, target: Fraction) -> _Kept:
    """The exact rational values of the symbol that gives way; without closed pieces those that a whole symbol may have."""
    import sympy as sp

    from symroof.passes.pieces import pieces, vanishes, zeros
    from symroof.passes.search import SECONDS, fraction
    from symroof.passes.timelimit import time_limit

    plain = sp.Symbol(hold.by, positive=True)  # not whole: SymPy must not throw away a half where a whole number is wanted
    form = expand(moved, hold.quantity, {hold.by}).xreplace({symbols_of(moved.book)[hold.by]: plain})
    equation = form - sp.Rational(target.numerator, target.denominator)
    try:
        with time_limit(SECONDS):
            cut = pieces(equation, plain, sp.S.Zero, sp.oo)
            found = [r for p in cut for r in _ends(p, plain) + zeros(p.form, plain, p.low, p.high)]
            ranges = tuple((p.low, p.high) for p in cut if vanishes(p.form))
    except UnsolvableError as reason:
        return _Kept(tuple(_nearest_first(moved, hold.by, _by_looking(moved, hold, target, reason))), looked=True)
    before = moved.evaluator.number(hold.by)
    rational = {fraction(r) for r in found if r.is_Rational}
    within = {v for low, high in ranges for v in _within(before, low, high)}
    return _Kept(tuple(_nearest_first(moved, hold.by, rational | within)), ranges)


def _nearest_first(moved: Point, name: str, values: Iterable[Fraction]) -> list[Fraction]:
    before = moved.evaluator.number(name)
    return sorted(values, key=lambda v: (abs(v - before), v))


def _by_looking(moved: Point, hold: Hold, target: Fraction, reason: UnsolvableError) -> set[Fraction]:
    """The admissible values of a whole symbol at which the quantity is kept, by looking at all of them."""
    from symroof.passes.search import SECONDS, search, signs
    from symroof.passes.timelimit import time_limit

    if not moved.book.symbols[hold.by].domain.whole:
        raise UnsolvableError(f"{hold.quantity} has no exact solution for {hold.by} here") from reason
    try:
        field = search(moved, hold.by)
    except EvaluationError:
        return set()
    with time_limit(SECONDS):
        found = signs(moved, hold.by, Ref(hold.quantity), Num(target), field.candidates)
    return {Fraction(v) for v, sign in zip(field.candidates, found, strict=True) if sign == 0}


def _within(before: Fraction, low: Any, high: Any) -> list[Fraction]:
    """Values inside an open range: the nearest to another value, the nearest whole ones, and one that is there for certain."""
    import sympy as sp

    from symroof.passes.pieces import between, inside
    from symroof.passes.search import fraction

    here = sp.Rational(before.numerator, before.denominator)
    first, last = sp.floor(low) + 1, here if high == sp.oo else sp.ceiling(high) - 1
    tried = (here, first, last, between(low, high))
    return [fraction(v) for v in tried if inside(v, low, high)]


def _ends(piece: Any, symbol: Any) -> list[Any]:
    """The ends of a piece at which its form is zero: a root where two branches meet."""
    return [e for e in (piece.low, piece.high) if e.is_Rational and e > 0 and piece.form.subs(symbol, e) == 0]


def _refusal(point: Point, changes: Mapping[str, object], hold: Hold, kept: _Kept) -> str:
    asked = ", ".join(f"{n} = {v}" for n, v in changes.items())
    near = _nearest_changes(point, changes, hold)
    if near is None:
        return f"with {asked}, {_reason(point.trial(**changes), hold, kept)}; no change near it is known to work"
    then = f"nearest changes that work: {' or '.join(near)}" if near else "no change near it works"
    return f"with {asked}, {_reason(point.trial(**changes), hold, kept)}; {then}"


def _reason(moved: Point, hold: Hold, kept: _Kept) -> str:
    """Why no value that keeps the quantity may be: none exists, none is of the right kind, or a constraint is broken."""
    if not kept.values:
        broken = next(broken_constraints(moved), None)
        also = "" if broken is None else f", and the change breaks {broken.name}: {broken.says}"
        return f"no {'admissible' if kept.looked else 'rational'} value of {hold.by} keeps {hold.quantity}{also}"
    nearest = kept.values[0]
    domain = moved.book.symbols[hold.by].domain
    where = _where(hold.by, kept)
    if not any(domain.admits(v) for v in kept.values):
        return f"{hold.quantity} is kept {'only ' if not kept.ranges else ''}by {where}, which must be {domain.says}"
    value = next((v for v in kept.values if domain.admits(v)), nearest)
    broken = next(broken_constraints(moved.trial(**{hold.by: value})), None)
    says = "which makes no valid run" if broken is None else f"which breaks {broken.name}: {broken.says}"
    if kept.ranges or len(kept.values) > 1:
        says = f"and the nearest that may be, {value}, {says.removeprefix('which ')}"
    return f"{hold.quantity} is kept by {where}, {says}"


def _where(name: str, kept: _Kept) -> str:
    """The values that keep the quantity, in words."""
    if kept.ranges:
        return " or ".join(_range(name, low, high) for low, high in kept.ranges[:_NAMED])
    shown = " or ".join(str(v) for v in kept.values[:_NAMED])
    return f"{name} = {shown}{' and others' if len(kept.values) > _NAMED else ''}"


def _range(name: str, low: Any, high: Any) -> str:
    """A range in words; an end that is no short fraction is rounded to six digits."""
    ends = [str(e) if e.is_Rational and len(str(e)) <= 24 else f"{float(e):.6g}" for e in (low, high)]
    if not high.is_finite:
        return f"every {name} from {ends[0]} on"
    return f"every {name} up to {ends[1]}" if low == 0 else f"every {name} from {ends[0]} to {ends[1]}"


def _nearest_changes(point: Point, changes: Mapping[str, object], hold: Hold) -> list[str] | None:
    """The nearest value below and above of the first changed whole symbol for which the symbol that gives way has one.

    The value that the symbol has already is no change. None where none can be looked for: no whole symbol is changed, or
    the symbol that gives way has no single closed form.
    """
    name = next((n for n in changes if n in point.book.symbols and point.book.symbols[n].domain.whole), None)
    asked = None if name is None else point.trial(**changes).given[name].value
    if name is None or not isinstance(asked, Fraction):
        return None
    now = point.given[name].value if name in point.given else None
    give_way = _give_way(point.trial(**changes), name, hold, point.evaluator.number(hold.quantity))
    if give_way is None:
        return None
    others = {n: v for n, v in changes.items() if n != name}
    centre = int(asked)
    sides = (range(centre - 1, max(-1, centre - _REACH), -1), range(centre + 1, centre + _REACH))
    found = (_first(point, others, name, (v for v in values if v != now), hold, give_way) for values in sides)
    return [f for f in found if f]


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


def _give_way(moved: Point, name: str, hold: Hold, target: Fraction) -> Callable[[Fraction], Fraction | None] | None:
    """The value of the symbol that gives way as a function of the changed one; None where there is no single closed one."""
    import sympy as sp

    table = symbols_of(moved.book)
    plain = sp.Symbol(hold.by)
    form = expand(moved, hold.quantity, {hold.by, name}).xreplace({table[hold.by]: plain})
    numerator, _ = sp.fraction(sp.together(form - sp.Rational(target.numerator, target.denominator)))
    polynomial = numerator.is_polynomial(plain) and sp.Poly(numerator, plain)
    if not polynomial or polynomial.degree() != 1:
        return None
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
