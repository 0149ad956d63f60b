"""The author's tree: a formula exactly as it was written, before any algebra touches it.

A derivation is called once with the nodes of this module, and Python's operators build the tree. SymPy sorts factors,
distributes numbers over sums and cannot hold a carrier or a choice; a report has to show what the author wrote, a unit
has to be checked against it, and a number has to be had without loading an algebra system. SymPy takes over where
algebra starts: `passes/expand.py` turns trees into SymPy expressions, `passes/recover.py` turns expressions back for printing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias, Union

from symroof.errors import DefinitionError

Operand: TypeAlias = Union["Term", int, Fraction]


class Term:
    """A node of a formula. Immutable; compared by structure; arithmetic builds larger nodes."""

    __slots__ = ()
    # SymPy's operators give way to ours when the other side has a higher priority, so an expression
    # of an author who uses SymPy directly joins the tree instead of swallowing it.
    _op_priority = 1000.0

    def __add__(self, other: Operand) -> Term:
        return _sum(self, as_term(other))

    def __radd__(self, other: Operand) -> Term:
        return _sum(as_term(other), self)

    def __sub__(self, other: Operand) -> Term:
        return _sum(self, Neg(as_term(other)))

    def __rsub__(self, other: Operand) -> Term:
        return _sum(as_term(other), Neg(self))

    def __mul__(self, other: Operand) -> Term:
        return _product(self, as_term(other))

    def __rmul__(self, other: Operand) -> Term:
        return _product(as_term(other), self)

    def __truediv__(self, other: Operand) -> Term:
        return Div(self, as_term(other))

    def __rtruediv__(self, other: Operand) -> Term:
        return Div(as_term(other), self)

    def __pow__(self, other: Operand) -> Term:
        return Pow(self, as_term(other))

    def __rpow__(self, other: Operand) -> Term:
        return Pow(as_term(other), self)

    def __neg__(self) -> Term:
        return Neg(self)

    def __le__(self, other: Operand) -> Rel:
        return Rel("<=", self, as_term(other))

    def __lt__(self, other: Operand) -> Rel:
        return Rel("<", self, as_term(other))

    def __ge__(self, other: Operand) -> Rel:
        return Rel(">=", self, as_term(other))

    def __gt__(self, other: Operand) -> Rel:
        return Rel(">", self, as_term(other))

    def __bool__(self) -> bool:
        raise DefinitionError("a formula has no truth value while it is derived: write where(condition, then, otherwise)")

    def _sympy_(self) -> Any:
        from symroof.passes.expand import to_sympy

        return to_sympy(self)


@dataclass(frozen=True, slots=True)
class Num(Term):
    """An exact number."""

    value: Fraction


@dataclass(frozen=True, slots=True)
class Ref(Term):
    """A symbol or a quantity of the book, by name. Calling it asks for the quantity at other arguments."""

    name: str

    def __call__(self, **bindings: Operand) -> At:
        """The quantity with some of its inputs bound to other terms."""
        return At(self.name, tuple((k, as_term(v)) for k, v in bindings.items()))


@dataclass(frozen=True, slots=True)
class Unit(Term):
    """One of the reserved unit symbols, equal to one: seen by the dimension walk and by nothing else."""

    name: str


@dataclass(frozen=True, slots=True)
class Add(Term):
    """A sum, in the author's order; what is subtracted stands as `Neg`."""

    terms: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Neg(Term):
    """The negative of a term."""

    term: Term


@dataclass(frozen=True, slots=True)
class Mul(Term):
    """A product, in the author's order."""

    factors: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Div(Term):
    """A quotient."""

    numerator: Term
    denominator: Term


@dataclass(frozen=True, slots=True)
class Pow(Term):
    """A power."""

    base: Term
    exponent: Term


@dataclass(frozen=True, slots=True)
class Call(Term):
    """One of the functions that the engine knows: Max, Min, ceiling, floor, binomial."""

    function: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Rel(Term):
    """A relation between two terms: <=, <, >=, >, ==, != or `divides`."""

    op: str
    left: Term
    right: Term


@dataclass(frozen=True, slots=True)
class Logic(Term):
    """Conditions joined by `and` or `or`."""

    op: str
    args: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Where(Term):
    """One of two terms, by a condition."""

    condition: Term
    then: Term
    otherwise: Term


@dataclass(frozen=True, slots=True)
class At(Term):
    """A quantity at arguments of its own: `packet_bytes` where `stage` is `PP - 1`."""

    name: str
    bindings: tuple[tuple[str, Term], ...]


@dataclass(frozen=True, slots=True)
class Choose(Term):
    """The definitions among which a convention chooses."""

    convention: str
    options: tuple[tuple[str, Term], ...]

    def option(self, choices: Mapping[str, str]) -> Term:
        """The definition that is chosen where these choices are in force."""
        return dict(self.options)[choices[self.convention]]


@dataclass(frozen=True, slots=True)
class Total(Term):
    """A sum over a list of the run, such as the lengths of its documents."""

    over: str
    variable: str
    body: Term


@dataclass(frozen=True, slots=True)
class RangeSum(Term):
    """A sum over whole numbers, both ends in, such as the hops of a pipeline."""

    variable: str
    start: Term
    stop: Term
    body: Term


@dataclass(frozen=True, slots=True)
class Largest(Term):
    """The name of the largest of some quantities."""

    names: tuple[str, ...]


def as_term(value: object) -> Term:
    """A node for a value that an author wrote. A float is refused: it is not the number that it was written as."""
    if isinstance(value, Term):
        return value
    if isinstance(value, bool):
        raise DefinitionError("a truth value stands where a number belongs")
    if isinstance(value, (int, Fraction)):
        return Num(Fraction(value))
    if isinstance(value, float):
        raise DefinitionError(f"the float {value!r} is not exact: write a fraction of integers, such as Fraction(1, 2)")
    sympy = sys.modules.get("sympy")
    if sympy is not None and isinstance(value, sympy.Basic):
        from symroof.passes.recover import from_sympy

        return from_sympy(value)
    raise DefinitionError(f"{value!r} is no part of a formula")


def Max(*args: Operand) -> Term:
    """The largest of the arguments."""
    return Call("Max", tuple(as_term(a) for a in args))


def Min(*args: Operand) -> Term:
    """The smallest of the arguments."""
    return Call("Min", tuple(as_term(a) for a in args))


def ceiling(x: Operand) -> Term:
    """The least integer that is not below x."""
    return Call("ceiling", (as_term(x),))


def floor(x: Operand) -> Term:
    """The greatest integer that is not above x."""
    return Call("floor", (as_term(x),))


def binomial(n: Operand, k: Operand) -> Term:
    """The number of ways to choose k of n."""
    return Call("binomial", (as_term(n), as_term(k)))


def divides(divisor: Operand, number: Operand) -> Rel:
    """True where the number is a whole multiple of the divisor."""
    return Rel("divides", as_term(divisor), as_term(number))


def equal(left: Operand, right: Operand) -> Rel:
    """True where both sides have the same value (`==` compares formulas, not values)."""
    return Rel("==", as_term(left), as_term(right))


def either(*conditions: Term) -> Logic:
    """True where at least one condition is."""
    return Logic("or", tuple(_condition(c) for c in conditions))


def both(*conditions: Term) -> Logic:
    """True where every condition is."""
    return Logic("and", tuple(_condition(c) for c in conditions))


def where(condition: Term, then: Operand, otherwise: Operand) -> Term:
    """`then` where the condition holds, else `otherwise`."""
    return Where(_condition(condition), as_term(then), as_term(otherwise))


def total(over: Operand, of: Callable[[Ref], Operand]) -> Term:
    """The sum, over the entries of a list of the run, of a formula in one entry."""
    if not isinstance(over, Ref):
        raise DefinitionError("total() runs over a list of the run, given by its name")
    entry = Ref(f"{over.name}_entry")
    body = as_term(of(entry))
    if any(isinstance(node, Total) and node.over == over.name for node in walk(body)):
        raise DefinitionError(f"a sum over {over.name} stands inside a sum over {over.name}: make the inner one a quantity")
    return Total(over.name, entry.name, body)


def total_range(start: Operand, stop: Operand, of: Callable[[Ref], Operand]) -> Term:
    """The sum of a formula over the whole numbers from start to stop, both in; the function's argument names the index."""
    index = Ref(of.__code__.co_varnames[0])
    return RangeSum(index.name, as_term(start), as_term(stop), as_term(of(index)))


def largest(**quantities: Operand) -> Term:
    """The name of the largest of the given quantities, each passed under its own name."""
    for name, value in quantities.items():
        if not (isinstance(value, Ref) and value.name == name):
            raise DefinitionError(f"largest() compares quantities by their names: {name} stands for something else")
    return Largest(tuple(quantities))


byte, FLOP, second = Unit("byte"), Unit("FLOP"), Unit("second")
hbm, nvlink, scaleout = Unit("hbm"), Unit("nvlink"), Unit("scaleout")
RESERVED = ("byte", "FLOP", "second", "hbm", "nvlink", "scaleout")
# Names that stand for functions where formulas are printed, so that no quantity may have them.
FUNCTIONS = ("Max", "Min", "ceiling", "floor", "binomial", "Sum", "Piecewise", "Eq", "Ne", "Mod", "And", "Or", "ArgMax", "Symbol")
# A formula that is deeper or larger than this, written out, is a mistake or a trap: nobody reads it, and walks take as long.
DEEPEST, LARGEST = 100, 20_000


def _condition(value: object) -> Term:
    """A condition that an author wrote. `a == b` is none: Python has made a truth value of it already."""
    if isinstance(value, Rel | Logic):
        return value
    raise DefinitionError(f"{value!r} is no condition: write equal(a, b), divides(a, b) or a <= b")


def _sum(left: Term, right: Term) -> Term:
    return Add((left.terms if isinstance(left, Add) else (left,)) + (right,))


def _product(left: Term, right: Term) -> Term:
    return Mul((left.factors if isinstance(left, Mul) else (left,)) + (right.factors if isinstance(right, Mul) else (right,)))


def children(term: Term) -> tuple[Term, ...]:
    """The nodes directly below a node."""
    match term:
        case Add(parts) | Mul(parts) | Call(_, parts) | Logic(_, parts):
            return parts
        case Neg(inner):
            return (inner,)
        case Div(a, b) | Pow(a, b) | Rel(_, a, b):
            return (a, b)
        case Where(c, a, b):
            return (c, a, b)
        case At(_, pairs) | Choose(_, pairs):
            return tuple(t for _, t in pairs)
        case Total(_, _, body):
            return (body,)
        case RangeSum(_, start, stop, body):
            return (start, stop, body)
    return ()


def rebuild(term: Term, change: Callable[[Term], Term]) -> Term:
    """The same node over changed children."""
    match term:
        case Add(parts):
            return Add(tuple(change(p) for p in parts))
        case Mul(parts):
            return Mul(tuple(change(p) for p in parts))
        case Call(function, parts):
            return Call(function, tuple(change(p) for p in parts))
        case Logic(op, parts):
            return Logic(op, tuple(change(p) for p in parts))
        case Neg(inner):
            return Neg(change(inner))
        case Div(a, b):
            return Div(change(a), change(b))
        case Pow(a, b):
            return Pow(change(a), change(b))
        case Rel(op, a, b):
            return Rel(op, change(a), change(b))
        case Where(c, a, b):
            return Where(change(c), change(a), change(b))
        case At(name, pairs):
            return At(name, tuple((k, change(t)) for k, t in pairs))
        case Choose(name, pairs):
            return Choose(name, tuple((k, change(t)) for k, t in pairs))
        case Total(over, variable, body):
            return Total(over, variable, change(body))
        case RangeSum(variable, start, stop, body):
            return RangeSum(variable, change(start), change(stop), change(body))
    return term


def walk(term: Term) -> Iterator[Term]:
    """Every node, parents before children, in reading order."""
    yield term
    for child in children(term):
        yield from walk(child)


def measure(term: Term) -> tuple[int, int]:
    """How deep a formula is and how many nodes it has, written out; a part that is used twice counts twice.

    Works on any tree, however deep, and in one visit of each different part.
    """
    sizes: dict[int, tuple[int, int]] = {}
    open_ = [term]
    while open_:
        here = open_[-1]
        parts = children(here)
        if waiting := [p for p in parts if id(p) not in sizes]:
            open_ += waiting
            continue
        open_.pop()
        below = [sizes[id(p)] for p in parts]
        sizes[id(here)] = (1 + max((d for d, _ in below), default=0), 1 + sum(n for _, n in below))
    return sizes[id(term)]


def references(term: Term) -> tuple[str, ...]:
    """The names of symbols and quantities that a formula uses, in the order in which they appear."""
    return tuple(dict.fromkeys(_free(term, frozenset())))


def _free(term: Term, bound: frozenset[str]) -> Iterator[str]:
    """The names that no sum around them binds."""
    match term:
        case Ref(name):
            yield from () if name in bound else (name,)
        case Total(over, variable, body):
            yield over
            yield from _free(body, bound | {variable})
        case RangeSum(variable, start, stop, body):
            yield from _free(start, bound)
            yield from _free(stop, bound)
            yield from _free(body, bound | {variable})
        case Largest(names):
            yield from names
        case _:
            if isinstance(term, At):
                yield term.name
            for child in children(term):
                yield from _free(child, bound)


def without_units(term: Term) -> Term:
    """The formula as a reader sees it: reserved unit symbols, equal to one, left out."""
    if isinstance(term, Mul):
        kept = tuple(without_units(f) for f in term.factors if not isinstance(f, Unit))
        return kept[0] if len(kept) == 1 else Mul(kept) if kept else Num(Fraction(1))
    if isinstance(term, Unit):
        return Num(Fraction(1))
    return rebuild(term, without_units)


def replace(term: Term, mapping: Mapping[str, Term]) -> Term:
    """The formula with some names replaced by other terms."""
    if isinstance(term, Ref) and term.name in mapping:
        return mapping[term.name]
    return rebuild(term, lambda t: replace(t, mapping))
