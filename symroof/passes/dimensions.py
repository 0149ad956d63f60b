"""Which dimension does a formula have? One walk over the author's tree, with bytes tagged by their carrier."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from symroof.errors import UnitError
from symroof.term import (
    Add,
    At,
    Call,
    Choose,
    Div,
    Largest,
    Logic,
    Mul,
    Neg,
    Num,
    Pow,
    RangeSum,
    Ref,
    Rel,
    Term,
    Total,
    Unit,
    Where,
)
from symroof.units import RESERVED_DIMENSIONS, Dimension

# The dimension of a name of the book.
Lookup = Callable[[str], Dimension]

PURE = Dimension()


def dimension_of(term: Term, lookup: Lookup) -> Dimension | None:
    """The dimension of a formula; None where it is zero, which has every dimension.

    Raises:
        UnitError: two parts that cannot be added, compared or raised to a power.
        CarrierError: bytes of one carrier meet the bytes or the bandwidth of another.
    """
    found = _walk(term, lookup)
    return found.check() if found is not None else None


def _walk(term: Term, lookup: Lookup) -> Dimension | None:
    match term:
        case Num(value):
            return None if value == 0 else PURE
        case Unit(name):
            return RESERVED_DIMENSIONS[name]
        case Ref(name):
            return lookup(name)
        case At(name, pairs):
            for argument, given in pairs:
                _agree(f"takes {name} at {argument} in", (Ref(argument), given), lookup)
            return lookup(name)
        case Neg(inner):
            return _walk(inner, lookup)
        case Add(parts):
            return _agree("adds", parts, lookup)
        case Mul(parts):
            return _product(parts, lookup)
        case Div(a, b):
            above, below = _walk(a, lookup), _walk(b, lookup)
            return None if above is None else above / (below or PURE)
        case Pow(base, exponent):
            return _power(_walk(base, lookup), exponent, lookup)
        case Call("binomial", parts) | Logic(_, parts):
            for part in parts:
                _pure(part, lookup)
            return PURE
        case Call(function, parts):
            return _agree(f"takes {function} of", parts, lookup)
        case Rel(_, a, b):
            _agree("compares", (a, b), lookup)
            return PURE
        case Where(condition, a, b):
            _walk(condition, lookup)
            return _agree("chooses between", (a, b), lookup)
        case Choose(name, pairs):
            return _agree(f"chooses by {name} between", [t for _, t in pairs], lookup)
        case Total(over, variable, body):
            return _walk(body, lambda n: lookup(over) if n == variable else lookup(n))
        case RangeSum(variable, start, stop, body):
            _pure(start, lookup)
            _pure(stop, lookup)
            return _walk(body, lambda n: PURE if n == variable else lookup(n))
        case Largest(names):
            _agree("compares", [Ref(n) for n in names], lookup)
            return PURE
    raise UnitError(f"no dimension for {term!r}")


def _product(parts: Iterable[Term], lookup: Lookup) -> Dimension | None:
    result = PURE
    for part in parts:
        factor = _walk(part, lookup)
        if factor is None:
            return None
        result = result * factor
    return result


def _agree(verb: str, parts: Iterable[Term], lookup: Lookup) -> Dimension | None:
    """The one dimension of all parts, each of them sound by itself."""
    first: Dimension | None = None
    for part in parts:
        here = dimension_of(part, lookup)
        if here is None or here == first:
            continue
        if first is not None:
            raise UnitError(f"{verb} {first} and {here}")
        first = here
    return first


def _pure(part: Term, lookup: Lookup) -> None:
    if (here := _walk(part, lookup)) not in (None, PURE):
        raise UnitError(f"a pure number is needed where {here} stands")


def _power(base: Dimension | None, exponent: Term, lookup: Lookup) -> Dimension | None:
    _pure(exponent, lookup)
    if base is None or base == PURE:
        return base
    if isinstance(exponent, Num) and exponent.value.denominator == 1:
        return base ** int(exponent.value)
    raise UnitError(f"{base} to a power that is no integer")
