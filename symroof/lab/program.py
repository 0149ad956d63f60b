"""What does the page compute? The book's lines as JavaScript, each once for all models, and which of them a model has.

A line is a function of an arithmetic: `a => a.d(a.r(3), a.r(5))` divides what the slots 3 and 5 hold. One printed line so serves
floats that know whether they were rounded, derivatives, and exact fractions. Every name has a slot of its own, the same for all
models; a quantity at other arguments has one for each formula of its arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial

from symroof.book import Book
from symroof.definition import Argument
from symroof.errors import EvaluationError
from symroof.passes.steady import steady
from symroof.passes.straighten import Assign, Each, Loop, Program, Statement, straighten
from symroof.point import Point
from symroof.term import Add, Call, Div, Largest, Logic, Mul, Neg, Num, Pow, Ref, Rel, Term, Where

# The methods of an arithmetic, by what they do.
_CALLS = {"Max": "x", "Min": "i", "floor": "f", "ceiling": "c", "binomial": "b", "hit": "h", "difference": "g"}
_QUOTIENTS = {"floor": "F", "ceiling": "C"}
_RELATIONS = {"<=": "l({},{})", ">=": "l({1},{0})", "<": "t({},{})", ">": "t({1},{0})", "==": "e({},{})", "divides": "v({},{})"}
_DEFAULT = "default of "


@dataclass
class Slots:
    """A number for every name and line of the page, and the printed lines, each once."""

    numbers: dict[str, int] = field(default_factory=dict)
    lines: dict[tuple[int, str], int] = field(default_factory=dict)

    def of(self, key: str) -> int:
        """The slot of a name, or of what a key describes."""
        return self.numbers.setdefault(key, len(self.numbers))

    def line(self, slot: int, code: str) -> int:
        """The place of a line among all lines."""
        return self.lines.setdefault((slot, code), len(self.lines))


@dataclass(frozen=True)
class Structure:
    """The book as it stands for the models with some blocks.

    Attributes:
        lines: the lines in an order in which each comes after those it rests on.
        conditions: for each condition that was asked for its printed predicate.
        checks: the lines on which those predicates rest.
        names: for each quantity that names something the slots of the candidates.
        asked: the slots of what was asked for beside the quantities.
        quantities: for each slot that is a quantity at some arguments, the quantity.
    """

    book: Book
    lines: tuple[int, ...]
    conditions: Mapping[str, str]
    checks: tuple[int, ...]
    names: Mapping[str, tuple[int, ...]]
    asked: Mapping[str, int]
    quantities: Mapping[int, str]


@dataclass(frozen=True)
class _Line:
    slot: int
    code: str
    uses: frozenset[int]


def free_names(book: Book) -> tuple[str, ...]:
    """What the page may set: symbols, and arguments that have a formula as their default."""
    arguments = (n for n, q in book.quantities.items() if isinstance(q, Argument))
    return (*(n for n, s in book.symbols.items() if not s.is_list), *arguments)


def structure(book: Book, slots: Slots, asked: Mapping[str, Term]) -> Structure:
    """The lines of a settled book.

    Args:
        asked: formulas and conditions whose values the page needs beside the quantities, by a name of their own.
    """
    free = free_names(book)
    lists = tuple(n for n, s in book.symbols.items() if s.is_list and n in book.stand_ins)
    defaults = {f"{_DEFAULT}{n}": book.formulas[n] for n in free if n in book.formulas}
    program = _numeric(book, free, lists, {**book.conditions, **asked, **defaults})
    return _Printing(book, slots, program, asked).structure()


def _numeric(book: Book, free: tuple[str, ...], lists: tuple[str, ...], conditions: Mapping[str, Term]) -> Program:
    """The program of every quantity that is not an input, fit for floats."""
    point = Point(book, "", {}, {n: c.default for n, c in book.conventions.items()})
    quantities = [n for n in book.quantities if n not in free]
    program = straighten(point, quantities, (*free, *book.conventions), conditions, lists)
    return steady(book, program, book.conditions)[0]


class _Printing:
    """Prints one program; names inside sums are variables of JavaScript, all others are slots."""

    def __init__(self, book: Book, slots: Slots, program: Program, asked: Mapping[str, Term]) -> None:
        self._book, self._slots, self._program, self._asked = book, slots, program, asked
        self._place: dict[str, int] = {n: slots.of(n) for n in program.inputs}
        self._local: dict[str, str] = {}
        self._used: set[int] = set()
        self._lines: dict[int, _Line] = {}
        self._quantity: dict[int, str] = {}

    def structure(self) -> Structure:
        for statement in self._program.statements:
            self._statement(statement)
        names: dict[str, tuple[int, ...]] = {}
        conditions: dict[str, tuple[str, frozenset[int]]] = {}
        found: dict[str, int] = {}
        for name, term in self._program.outputs.items():
            if isinstance(term, Largest):
                names[name] = tuple(self._place[n] for n in term.names)
            elif name in self._asked and isinstance(term, Rel | Logic):
                conditions[name] = self._printed(partial(self._condition, term))
            elif name in self._book.conditions:
                continue
            elif name in self._asked:
                found[name] = self._held(term)
            else:
                self._keep(self._slots.of(name.removeprefix(_DEFAULT)), term, name.removeprefix(_DEFAULT))
        ordered = self._ordered(self._lines)
        needed = self._ordered({u for _, uses in conditions.values() for u in uses})
        return Structure(
            self._book,
            tuple(self._slots.line(line.slot, line.code) for line in ordered),
            {n: code for n, (code, _) in conditions.items()},
            tuple(self._slots.line(line.slot, line.code) for line in needed),
            names,
            found,
            self._quantity,
        )

    def _statement(self, statement: Statement) -> None:
        if isinstance(statement, Assign):
            code, uses = self._printed(lambda: self._text(statement.term))
            key = statement.target if not statement.at else f"{statement.quantity} at {self._at(statement)}"
            # Two lines of one quantity at like arguments are one.
            slot = self._slots.of(key if statement.at else statement.quantity)
            self._place[statement.target] = slot
            self._quantity[slot] = statement.quantity
        else:
            code, uses = self._printed(lambda: self._series(statement))
            slot = self._place[statement.target] = self._slots.of(code)
        self._lines[slot] = _Line(slot, code, uses)

    def _at(self, statement: Assign) -> str:
        return ", ".join(f"{n}={self._printed(partial(self._text, t))[0]}" for n, t in sorted(statement.at))

    def _keep(self, slot: int, term: Term, quantity: str) -> None:
        """A line for a quantity that has none of its own: a number, or another one as it is."""
        if slot not in self._lines:
            self._quantity[slot] = quantity
            code, uses = self._printed(lambda: self._text(term))
            self._lines[slot] = _Line(slot, code, uses)

    def _held(self, term: Term) -> int:
        """The slot that holds the value of a formula."""
        if isinstance(term, Ref):
            return self._place[term.name]
        code, uses = self._printed(lambda: self._text(term))
        slot = self._slots.of(code)
        self._lines.setdefault(slot, _Line(slot, code, uses))
        return slot

    def _printed(self, printer: Callable[[], str]) -> tuple[str, frozenset[int]]:
        self._used = set()
        return printer(), frozenset(self._used)

    def _ordered(self, slots: Iterable[int]) -> list[_Line]:
        """Lines and all that they rest on, each after what it uses."""
        done: dict[int, _Line] = {}
        open_ = [*reversed([*slots])]
        while open_:
            line = self._lines.get(open_[-1])
            if line is None or line.slot in done:
                open_.pop()
            elif waiting := [u for u in sorted(line.uses) if u in self._lines and u not in done]:
                open_ += waiting
            else:
                done[line.slot] = line
                open_.pop()
        return [*done.values()]

    def _series(self, statement: Loop | Each) -> str:
        name = self._local[statement.index if isinstance(statement, Loop) else statement.entry] = f"i{len(self._local)}"
        inside: list[str] = []
        for inner in statement.body:
            text = self._text(inner.term) if isinstance(inner, Assign) else self._series(inner)
            self._local[inner.target] = f"i{len(self._local)}"
            inside.append(f"{self._local[inner.target]}={text}")
        summand = self._text(statement.summand)
        body = f"{name}=>{{const {','.join(inside)};return {summand}}}" if inside else f"{name}=>{summand}"
        if isinstance(statement, Loop):
            return f"a.z({self._text(statement.start)},{self._text(statement.stop)},{body})"
        self._used.add(self._place[statement.over])
        entry, count = map(self._text, statement.instead)
        return f"a.o({self._place[statement.over]},()=>[{entry},{count}],{body})"

    def _text(self, term: Term) -> str:
        match term:
            case Num(value):
                return _number(value)
            case Ref(name) if name in self._local:
                return self._local[name]
            case Ref(name):
                self._used.add(self._place[name])
                return f"a.r({self._place[name]})"
            case Neg(inner):
                return f"a.n({self._text(inner)})"
            case Add(parts):
                return self._sum(parts)
            case Mul(parts):
                return self._folded("m", parts)
            case Div(a, b):
                return f"a.d({self._text(a)},{self._text(b)})"
            case Pow(base, exponent):
                return f"a.w({self._text(base)},{self._text(exponent)})"
            case Where(condition, a, b):
                return f"({self._condition(condition)}?{self._text(a)}:{self._text(b)})"
            case Call(function, (Div(a, b),)) if function in _QUOTIENTS:
                return f"a.{_QUOTIENTS[function]}({self._text(a)},{self._text(b)})"
            case Call("Max" | "Min" as function, parts):
                return self._folded(_CALLS[function], parts)
            case Call(function, parts):
                return f"a.{_CALLS[function]}({','.join(map(self._text, parts))})"
        raise EvaluationError(f"no code for {type(term).__name__}")

    def _sum(self, parts: tuple[Term, ...]) -> str:
        first, *rest = parts
        text = self._text(first)
        for part in rest:
            text = f"a.s({text},{self._text(part.term)})" if isinstance(part, Neg) else f"a.p({text},{self._text(part)})"
        return text

    def _folded(self, method: str, parts: tuple[Term, ...]) -> str:
        first, *rest = map(self._text, parts)
        for text in rest:
            first = f"a.{method}({first},{text})"
        return first

    def _condition(self, term: Term) -> str:
        match term:
            case Logic(op, parts):
                return f"({('&&' if op == 'and' else '||').join(map(self._condition, parts))})"
            case Rel("!=", left, right):
                return f"!{self._condition(Rel('==', left, right))}"
            case Rel(op, left, right):
                return "a." + _RELATIONS[op].format(self._text(left), self._text(right))
        raise EvaluationError(f"no code for {type(term).__name__}")


def _number(value: Fraction) -> str:
    """A number as an arithmetic reads it: a whole one as it is, another as its two whole parts, in quotes where they are long."""
    above, below = (str(n) if abs(n) < 2**53 else f'"{n}"' for n in value.as_integer_ratio())
    return f"a.k({above})" if below == "1" and above[0] != '"' else f"a.q({above},{below})"
