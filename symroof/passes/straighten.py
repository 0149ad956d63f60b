"""How is it computed, step by step? Some quantities as one straight line of assignments, each name once, inputs first.

Every language that formulas are printed to is printed from this program, so none of them sees the book: conventions are
chosen, parts that depend on no free symbol are exact numbers, and a quantity at other arguments is a name of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.evaluate import Arithmetic
from symroof.term import (
    Add,
    At,
    Choose,
    Largest,
    Logic,
    Mul,
    Neg,
    Num,
    RangeSum,
    Ref,
    Rel,
    Term,
    Total,
    Where,
    rebuild,
    references,
    replace,
    without_units,
)

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Assign:
    """One line: a name, the formula in earlier names, and the quantity it stands for."""

    target: str
    term: Term
    quantity: str


@dataclass(frozen=True, slots=True)
class Loop:
    """A sum whose bounds are not numbers: `target` is the sum of `summand` for the index from start to stop."""

    target: str
    index: str
    start: Term
    stop: Term
    body: tuple[Statement, ...]
    summand: Term


Statement: TypeAlias = Assign | Loop


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs, statements in order, and the outputs: the name of a quantity or condition to what holds it."""

    inputs: tuple[str, ...]
    statements: tuple[Statement, ...]
    outputs: Mapping[str, Term]


def straighten(
    point: Point, names: Iterable[str], free: Collection[str], conditions: Mapping[str, Term] | None = None
) -> Program:
    """The program of some quantities in the free symbols; everything else is a number of the point.

    Args:
        conditions: conditions to be answered beside the quantities, by name; one whose symbols have no value is left out.

    Raises:
        UnknownNameError: a name that the book does not have.
        MissingValueError: a symbol that is not free has no value.
        EvaluationError: a quantity names something and is no number, or a list is asked to be free.
    """
    book = point.book
    inputs = tuple(book.known(n) for n in free)
    for name in inputs:
        if name in book.symbols and book.symbols[name].is_list:
            raise EvaluationError(f"{name} is a list, not a number to vary")
    writer = _Writer(point, frozenset(inputs))
    outputs = {name: writer.name(book.known(name)) for name in names}
    for name, condition in (conditions or {}).items():
        with suppress(MissingValueError):
            outputs[name] = writer.condition(condition)
    return Program(inputs, tuple(writer.statements), outputs)


@dataclass
class _Writer:
    """Writes statements; `bound` holds arguments that an `At` gave, `suffix` tells their names apart."""

    point: Point
    free: frozenset[str]
    bound: Mapping[str, Term] = field(default_factory=dict)
    suffix: str = ""
    outer: _Writer | None = None
    statements: list[Statement] = field(default_factory=list)
    done: dict[str, Term] = field(default_factory=dict)
    applied: dict[tuple[object, ...], _Writer] = field(default_factory=dict)

    def name(self, name: str) -> Term:
        """What holds the value of a name: itself where it is an input, an earlier line, or a number."""
        if name in self.bound:
            return self.bound[name]
        inputs = self.point.book.inputs_of(name)
        if self.outer is not None and not inputs & self.bound.keys():
            return self.outer.name(name)
        if name not in self.done:
            self.done[name] = self._write(name, inputs)
        return self.done[name]

    def _write(self, name: str, inputs: frozenset[str]) -> Term:
        if name in self.free:
            return Ref(name)
        if not inputs & self.free and not self._varies(inputs):
            return self._number(name)
        if name in self.point.given:
            return self._number(name)
        formula = self.point.book.formulas.get(name)
        if formula is None:
            self.point.evaluator.value(name)  # says which symbol is missing
            raise MissingValueError(f"{name} has no value")
        if isinstance(formula, Largest):
            raise EvaluationError(f"{name} names something: it is no number to compile")
        term = self.term(formula)
        if isinstance(term, Num | Ref):
            return term
        target = f"{name}{self.suffix}"
        self.statements.append(Assign(target, term, name))
        return Ref(target)

    def _varies(self, inputs: frozenset[str]) -> bool:
        """True where an argument in force is not a plain number, so that the value is not one either."""
        writer: _Writer | None = self
        while writer is not None:
            if any(n in inputs for n in writer.bound):
                return True
            writer = writer.outer
        return False

    def _number(self, name: str) -> Term:
        return Num(self.point.evaluator.number(name))

    def term(self, term: Term) -> Term:
        """A formula in names that are there: everything it needs has been written before."""
        match without_units(term):
            case Ref(name):
                return self.name(name)
            case Choose(convention, pairs):
                return self.term(dict(pairs)[self.point.choices[convention]])
            case At(name, pairs):
                return self._apply(name, {k: self.term(t) for k, t in pairs})
            case Total(over, variable, body):
                return self._total(over, variable, body)
            case RangeSum(index, start, stop, body):
                return self._range(index, self.term(start), self.term(stop), body)
            case Where(condition, a, b):
                return self._branch(self.condition(condition), a, b)
            case plain:
                return fold(rebuild(plain, self.term))

    def condition(self, condition: Term) -> Term:
        """A condition in names that are there."""
        return rebuild(condition, lambda t: self.condition(t) if isinstance(t, Rel | Logic) else self.term(t))

    def _branch(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if references(condition):
            return Where(condition, self.term(then), self.term(otherwise))
        return self.term(then if Arithmetic().holds(condition) else otherwise)

    def _apply(self, name: str, bindings: Mapping[str, Term]) -> Term:
        key = tuple(sorted(bindings.items(), key=lambda b: b[0]))
        if key not in self.applied:
            self.applied[key] = _Writer(self.point, self.free, bindings, f"{self.suffix}_{self._count()}", self, self.statements)
        return self.applied[key].name(name)

    def _count(self) -> int:
        root = self
        while root.outer is not None:
            root = root.outer
        return sum(1 for _ in _all(root)) + 1

    def _total(self, over: str, variable: str, body: Term) -> Term:
        given = self.point.given.get(over)
        if given is not None and isinstance(given.value, tuple):
            pairs: list[tuple[Term, Term]] = [(Num(v), Num(Fraction(1))) for v in given.value]
        else:
            entry, count = self.point.book.stand_ins[over]
            pairs = [(self.term(entry), self.term(count))]
        terms = tuple(fold(Mul((n, self.term(_entered(body, variable, e))))) for e, n in pairs)
        return terms[0] if len(terms) == 1 else fold(Add(terms))

    def _range(self, index: str, start: Term, stop: Term, body: Term) -> Term:
        if isinstance(start, Num) and isinstance(stop, Num):
            values = range(int(start.value), int(stop.value) + 1)
            terms = tuple(self._inner(index, Num(Fraction(i)), self.statements)[1].term(body) for i in values)
            return fold(Add(terms)) if terms else Num(Fraction(0))
        inside: list[Statement] = []
        name, writer = self._inner(index, None, inside)
        summand = writer.term(body)
        target = f"sum_{name}"
        self.statements.append(Loop(target, name, start, stop, tuple(inside), summand))
        return Ref(target)

    def _inner(self, index: str, value: Term | None, statements: list[Statement]) -> tuple[str, _Writer]:
        number = self._count()
        name = f"{index}_{number}"
        writer = _Writer(
            self.point, self.free, {index: Ref(name) if value is None else value}, f"{self.suffix}_{number}", self, statements
        )
        self.applied[("index", index, number)] = writer
        return name, writer


def fold(term: Term) -> Term:
    """What is known is computed before the program runs, exactly: a node over numbers, and the numbers of a product or a sum."""
    if not references(term):
        return Num(Arithmetic().term(term))
    if isinstance(term, Mul):
        return _gathered(Mul, term.factors, Fraction(1))
    if isinstance(term, Add):
        return _gathered(Add, term.terms, Fraction(0))
    return term


def _gathered(kind: type[Mul] | type[Add], parts: tuple[Term, ...], neutral: Fraction) -> Term:
    known = Arithmetic().term(kind(tuple(p for p in parts if not references(p))))
    rest = tuple(p for p in parts if references(p))
    if kind is Mul and known == 0:
        return Num(known)
    if known == neutral:
        return rest[0] if len(rest) == 1 else kind(rest)
    if kind is Add:
        return Add((*rest, Num(known) if known > 0 else Neg(Num(-known))))
    return Mul((Num(known), *rest))


def _entered(body: Term, variable: str, entry: Term) -> Term:
    return replace(body, {variable: entry})


def _all(writer: _Writer) -> Iterable[_Writer]:
    yield writer
    for inner in writer.applied.values():
        yield from _all(inner)
