"""How is it computed, step by step? Some quantities as one straight line of assignments, each name once, inputs first.

Every language that formulas are printed to is printed from this program, so none of them sees the book: conventions are
chosen, parts that depend on no free name are exact numbers, and a quantity at other arguments is a name of its own.
A convention may be free as well: it is then an input, the number of the choice in the order of declaration, from zero.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import count
from typing import TYPE_CHECKING, TypeAlias

from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.evaluate import Arithmetic
from symroof.term import (
    Add,
    At,
    Choose,
    Div,
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
    walk,
    without_units,
)

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Assign:
    """One line: a name, the formula in earlier names, the quantity it stands for, and the arguments it is taken at."""

    target: str
    term: Term
    quantity: str
    at: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True, slots=True)
class Loop:
    """A sum over whole numbers: `target` is the sum of `summand` for the index from start to stop, both in."""

    target: str
    index: str
    start: Term
    stop: Term
    body: tuple[Statement, ...]
    summand: Term


@dataclass(frozen=True, slots=True)
class Each:
    """A sum over a list that is given when the program runs, as pairs (entry, how many of them): `summand` times how many.

    Where no list is given, `instead` is the one pair that stands in for it.
    """

    target: str
    over: str
    entry: str
    instead: tuple[Term, Term]
    body: tuple[Statement, ...]
    summand: Term


Statement: TypeAlias = Assign | Loop | Each


@dataclass(frozen=True, slots=True)
class Program:
    """Inputs, statements in order, and the outputs: the name of a quantity or condition to what holds it.

    An output is a value (a name or a number), a condition, or `Largest` over names of values.
    """

    inputs: tuple[str, ...]
    statements: tuple[Statement, ...]
    outputs: Mapping[str, Term]

    @property
    def used(self) -> tuple[str, ...]:
        """The inputs on which an output rests, in order."""
        names = {n for s in self.statements for n in _uses(s)} | {n for t in self.outputs.values() for n in references(t)}
        return tuple(n for n in self.inputs if n in names)

    def only(self, names: Collection[str]) -> Program:
        """The same program for some of its outputs: statements on which none of them rests are left out."""
        outputs = {n: t for n, t in self.outputs.items() if n in names}
        return Program(self.inputs, tuple(_needed(self.statements, outputs.values())), outputs)


# What printed code calls by these names; no line and no argument may have one.
CODE_NAMES = frozenset(
    ("np", "math", "Fraction", "compute", "int", "float", "str", "range", "max", "min", "sum", "isinstance", "zip", "ValueError")
)
# A condition that holds nowhere: one that cannot be evaluated counts as broken.
NEVER = Rel("<", Num(Fraction(1)), Num(Fraction(0)))
# A value that exists nowhere, for a formula that cannot be evaluated.
NOWHERE = Div(Num(Fraction(1)), Num(Fraction(0)))


def straighten(
    point: Point,
    names: Iterable[str],
    free: Collection[str],
    conditions: Mapping[str, Term] | None = None,
    lists: Collection[str] = (),
) -> Program:
    """The program of some quantities in the free symbols and conventions; everything else is a number of the point.

    Args:
        free: symbols, each an input that has its value, and conventions, each an input that has the number of the choice.
        conditions: conditions, and formulas, to be answered beside the quantities, by name; one whose symbols have no value is
            left out.
        lists: lists that are inputs as well, each with what stands in for it where it is not given.

    Raises:
        UnknownNameError: a name that the book does not have.
        MissingValueError: a symbol that is not free has no value.
        EvaluationError: a quantity has no value at the point, a list is asked for or asked to be free, or a quantity that
            names something is used in a formula. Under one choice of a free convention a quantity may lack a value: there the
            program divides by zero.
    """
    inputs = tuple(n if n in point.book.conventions else point.book.known(n) for n in free)
    for name in inputs:
        _refuse_list(point, name, "to vary")
        if name in CODE_NAMES:
            raise EvaluationError(f"{name} cannot be an argument of compiled code, which has that name for something else")
    inputs += tuple(lists)
    writer = _Writer(_without_rivals(point, inputs), frozenset(inputs), _moved(point, inputs))
    outputs = {name: writer.output(point.book.known(name)) for name in names}
    for name, condition in (conditions or {}).items():
        try:
            outputs[name] = writer.condition(condition) if _is_condition(condition) else writer.term(condition)
        except MissingValueError:
            continue
        except (EvaluationError, ZeroDivisionError):
            outputs[name] = NEVER if _is_condition(condition) else NOWHERE
    return Program(inputs, tuple(writer.statements), outputs).only(outputs)


def _moved(point: Point, inputs: tuple[str, ...]) -> frozenset[str]:
    """The names whose own formulas an input moves: the free symbols, and what a free convention chooses in."""
    conventions = point.book.conventions.keys() & set(inputs)
    if not conventions:
        return frozenset(inputs)
    formulas = [*point.book.formulas.items(), *((n, t) for n, pair in point.book.stand_ins.items() for t in pair)]
    chooses = (n for n, t in formulas if any(isinstance(p, Choose) and p.convention in conventions for p in walk(t)))
    return frozenset((*inputs, *chooses))


def _is_condition(term: Term) -> bool:
    return isinstance(term, Rel | Logic)


def _refuse_list(point: Point, name: str, what_for: str) -> None:
    if name in point.book.symbols and point.book.symbols[name].is_list:
        raise EvaluationError(f"{name} is a list, not a number {what_for}")


def _without_rivals(point: Point, inputs: tuple[str, ...]) -> Point:
    """The point without a list that a free symbol stands in for: varying the symbol replaces the list, as setting it does."""
    from symroof.point import Point

    replaced = {r for n in inputs for r in point.book.rivals(n)} & point.given.keys()
    if not replaced:
        return point
    given = {n: g for n, g in point.given.items() if n not in replaced}
    return Point(point.book, point.preset, given, point.choices, point.parts, point.overrides, point.cautions)


def _needed(statements: Iterable[Statement], outputs: Iterable[Term]) -> list[Statement]:
    """The statements on which an output rests, in order."""
    wanted = {name for term in outputs for name in references(term)}
    kept: list[Statement] = []
    for statement in reversed(list(statements)):
        if statement.target in wanted:
            kept.insert(0, statement)
            wanted.update(_uses(statement))
    return kept


def _uses(statement: Statement) -> Iterator[str]:
    if isinstance(statement, Assign):
        yield from references(statement.term)
        return
    if isinstance(statement, Each):
        yield statement.over
    ends = statement.instead if isinstance(statement, Each) else (statement.start, statement.stop)
    for term in (*ends, statement.summand):
        yield from references(term)
    for inner in statement.body:
        yield from _uses(inner)


class _Names:
    """Names of lines: each given once, and none that the book has for something else."""

    def __init__(self, book_names: Iterable[str]) -> None:
        self._taken = {*book_names, *CODE_NAMES}

    def fresh(self, base: str) -> str:
        """The base itself, or with the first number that makes it new."""
        tried = (f"{base}_{number}" if number > 1 else base for number in count(1))
        name = next(n for n in tried if n not in self._taken)
        self._taken.add(name)
        return name

    def own(self, name: str) -> str:
        """The name of the book's own quantity, unless printed code means something else by it."""
        return self.fresh(name) if name in CODE_NAMES else name


@dataclass
class _Writer:
    """Writes statements; `bound` holds the arguments that an `At` or a sum gave, seen from inside it.

    `moved` has the names whose formulas the free ones move directly; what depends on none of them is a number.
    """

    point: Point
    free: frozenset[str]
    moved: frozenset[str]
    bound: Mapping[str, Term] = field(default_factory=dict)
    outer: _Writer | None = None
    statements: list[Statement] = field(default_factory=list)
    names: _Names = field(default_factory=lambda: _Names(()))
    done: dict[str, Term] = field(default_factory=dict)
    applied: dict[tuple[tuple[str, Term], ...], _Writer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.outer is None:
            book = self.point.book
            self.names = _Names((*book.symbols, *book.quantities, *book.conventions, *book.conditions))

    def output(self, name: str) -> Term:
        """What holds the value of a quantity that is asked for; `Largest` over such where it names something."""
        _refuse_list(self.point, name, "to compile")
        formula = self.point.book.formulas.get(name)
        if isinstance(formula, Largest) and name not in self.free and name not in self.point.given:
            return Largest(tuple(self._line(n) for n in formula.names))
        return self.name(name)

    def _line(self, name: str) -> str:
        """The name of a line or input that holds a quantity, also where it is a number or another quantity as it is."""
        found = self.name(name)
        if found == Ref(name):
            return name
        target = self.names.own(name)
        self.statements.append(Assign(target, found, name))
        self.done[name] = Ref(target)
        return target

    def name(self, name: str) -> Term:
        """What holds the value of a name: itself where it is an input, an earlier line, or a number."""
        if name in self.bound:
            return self.bound[name]
        if self.outer is not None and not self.point.book.inputs_of(name) & self.bound.keys():
            return self.outer.name(name)
        if name not in self.done:
            self.done[name] = self._write(name)
        return self.done[name]

    def _write(self, name: str) -> Term:
        if name in self.free:
            return Ref(name)
        formula = self.point.book.formulas.get(name)
        inputs = self.point.book.inputs_of(name)
        if name in self.point.given or formula is None or not (inputs & self.moved or self._varies(inputs)):
            return Num(self.point.evaluator.number(name))  # says which symbol is missing
        if isinstance(formula, Largest):
            raise EvaluationError(f"{name} names something: it is no number to compile")
        term = self.term(formula)
        if isinstance(term, Num | Ref):
            return term
        # The plain name is for the quantity itself; at other arguments it gets a number.
        at = self._arguments(inputs)
        target = self.names.fresh(name) if at else self.names.own(name)
        self.statements.append(Assign(target, term, name, at))
        return Ref(target)

    def _arguments(self, inputs: frozenset[str]) -> tuple[tuple[str, Term], ...]:
        """The arguments in force on which a name with these inputs depends."""
        outer = dict(self.outer._arguments(inputs)) if self.outer is not None else {}
        return tuple((outer | {k: v for k, v in self.bound.items() if k in inputs}).items())

    def _varies(self, inputs: frozenset[str]) -> bool:
        """True where an argument is in force, so that the value is not the one that the point has."""
        return bool(self._arguments(inputs))

    def term(self, term: Term) -> Term:
        """A formula in names that are there: everything it needs has been written before."""
        match without_units(term):
            case Ref(name):
                return self.name(name)
            case Choose() as choice:
                return self._choice(choice)
            case At(name, pairs):
                return self._apply(tuple(sorted((k, self.term(t)) for k, t in pairs))).name(name)
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
        return rebuild(condition, lambda t: self.condition(t) if _is_condition(t) else self.term(t))

    def _choice(self, choice: Choose) -> Term:
        """The option that is chosen or, where the convention is free, a case for each number of a choice."""
        if choice.convention not in self.free:
            return self.term(choice.option(self.point.choices))
        *before, last = (self._option(option) for _, option in choice.options)
        for number, option in reversed(list(enumerate(before))):
            if option != last:
                last = Where(Rel("==", Ref(choice.convention), Num(Fraction(number))), option, last)
        return last

    def _option(self, option: Term) -> Term:
        """What one choice gives; nothing where it has no value at the point."""
        try:
            return self.term(option)
        except (MissingValueError, EvaluationError):
            return NOWHERE

    def _branch(self, condition: Term, then: Term, otherwise: Term) -> Term:
        if references(condition):
            return Where(condition, self.term(then), self.term(otherwise))
        return self.term(then if Arithmetic().holds(condition) else otherwise)

    def _apply(self, bindings: tuple[tuple[str, Term], ...]) -> _Writer:
        if bindings not in self.applied:
            self.applied[bindings] = self._inner(dict(bindings), self.statements)
        return self.applied[bindings]

    def _total(self, over: str, variable: str, body: Term) -> Term:
        if over in self.free:
            return self._each(over, variable, body)
        given = self.point.given.get(over)
        if given is not None and isinstance(given.value, tuple):
            pairs: list[tuple[Term, Term]] = [(Num(v), Num(Fraction(n))) for v, n in Counter(given.value).items()]
        elif over in self.point.book.stand_ins:
            entry, count = self.point.book.stand_ins[over]
            pairs = [(self.term(entry), self.term(count))]
        else:
            self.point.evaluator.entries(over)  # says that the list is missing
            raise MissingValueError(f"{over} has no value")
        terms = tuple(fold(Mul((n, self._inner({variable: e}, self.statements).term(body)))) for e, n in pairs)
        return terms[0] if len(terms) == 1 else fold(Add(terms))

    def _each(self, over: str, variable: str, body: Term) -> Term:
        """The sum over a list that is an input."""
        entry, count = (self.term(t) for t in self.point.book.stand_ins[over])
        inside: list[Statement] = []
        name = self.names.fresh(variable)
        summand = self._inner({variable: Ref(name)}, inside).term(body)
        target = self.names.fresh(f"sum_over_{over}")
        self.statements.append(Each(target, over, name, (entry, count), tuple(inside), summand))
        return Ref(target)

    def _range(self, index: str, start: Term, stop: Term, body: Term) -> Term:
        inside: list[Statement] = []
        name = self.names.fresh(index)
        summand = self._inner({index: Ref(name)}, inside).term(body)
        target = self.names.fresh(f"sum_over_{index}")
        self.statements.append(Loop(target, name, start, stop, tuple(inside), summand))
        return Ref(target)

    def _inner(self, bound: Mapping[str, Term], statements: list[Statement]) -> _Writer:
        return _Writer(self.point, self.free, self.moved, bound, self, statements, self.names)


def fold(term: Term) -> Term:
    """What is known is computed before the program runs, exactly: a node over numbers, and the numbers of a product or a sum.

    A division by zero stays as it is: it may stand in a branch that is never taken.
    """
    try:
        if not references(term):
            return Num(Arithmetic().term(term))
        if isinstance(term, Mul):
            return _gathered(Mul, term.factors, Fraction(1))
        if isinstance(term, Add):
            return _gathered(Add, term.terms, Fraction(0))
    except ZeroDivisionError:
        pass
    return term


def _gathered(kind: type[Mul] | type[Add], parts: tuple[Term, ...], neutral: Fraction) -> Term:
    """A product or sum with all its numbers as one, which stands where the first of them stood."""
    numbers = [p for p in parts if not references(p)]
    known = Arithmetic().term(kind(tuple(numbers)))
    rest = [p for p in parts if references(p)]
    if kind is Mul and known == 0:
        return Num(known)
    if numbers and known != neutral:
        number: Term = Neg(Num(-known)) if kind is Add and known < 0 else Num(known)
        rest.insert(0 if kind is Mul else parts.index(numbers[0]), number)
    return rest[0] if len(rest) == 1 else kind(tuple(rest))
