"""How does a program read as source code? What the languages share: formulas by precedence, helpers where they are used."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from types import MappingProxyType

from symroof.errors import EvaluationError
from symroof.passes.straighten import Assign, Each, Loop, Statement
from symroof.passes.substitute import chosen
from symroof.point import Point
from symroof.term import Add, Call, Div, Largest, Logic, Mul, Neg, Num, Pow, Ref, Rel, Term, Where, references
from symroof.text import formula_text

# The longest line of source code that is printed, in any language.
WIDTH = 110
_OPERATOR = re.compile(r" (\*\*|&&|\|\||[-+*/|&?:]|and|or|if|else) ")


class Printer:
    """Prints the statements of a program; a language says how it writes numbers, functions, cases and sums.

    Attributes:
        imports: the imports of a module.
        decorators: what stands above `compute`.
        helpers: the source of each helper that printed code may call, by name.
    """

    imports: str = ""
    decorators: tuple[str, ...] = ()
    helpers: Mapping[str, str] = MappingProxyType({})

    def __init__(self) -> None:
        self._used: dict[str, None] = {}

    def number(self, value: Fraction) -> str:
        """A number as a literal."""
        raise NotImplementedError

    def call(self, function: str, parts: tuple[Term, ...]) -> str:
        """One of the engine's functions."""
        raise NotImplementedError

    def case(self, condition: Term, then: Term, otherwise: Term) -> str:
        """One of two values, by a condition."""
        raise NotImplementedError

    def logic(self, op: str, parts: tuple[Term, ...]) -> str:
        """Conditions joined by `and` or `or`, in parentheses."""
        raise NotImplementedError

    def prepare(self, inputs: tuple[str, ...]) -> list[str]:
        """The lines that make numbers of this language of the arguments."""
        raise NotImplementedError

    def loop(self, point: Point, loop: Loop) -> list[str]:
        """The lines of a sum over whole numbers."""
        raise NotImplementedError

    def quotient(self, above: Term, below: Term) -> str:
        """A division."""
        return f"{self.operand(above)} / {self.operand(below)}"

    def power(self, base: Term, exponent: Term) -> str:
        """A power."""
        return f"{self.operand(base)} ** {self.operand(exponent)}"

    def largest(self, names: tuple[str, ...]) -> str:
        """The name of the largest of some values."""
        return f"{self.use('_largest')}({', '.join(f'{n}={n}' for n in names)})"

    def name(self, name: str) -> str:
        """A name of the program as this language may have it."""
        return name

    def comment(self, text: str) -> list[str]:
        """A comment, as many lines as it needs."""
        return comment(text)

    def assignment(self, target: str, text: str) -> list[str]:
        """The lines that give a value a name."""
        return assignment(target, text)

    def result(self, term: Term) -> str:
        """What a function returns for an output."""
        return self.text(term)

    def relation(self, op: str, left: Term, right: Term) -> str:
        """A comparison, in parentheses."""
        return f"({self.text(left)} {self.sign(op)} {self.text(right)})"

    def sign(self, op: str) -> str:
        """The sign of a comparison."""
        return op

    def use(self, helper: str) -> str:
        """The name of a helper, whose source the module then has."""
        self._used[helper] = None
        return helper

    def text(self, term: Term) -> str:
        """A formula, in parentheses wherever precedence could be misread."""
        match term:
            case Num(value):
                return self.number(value)
            case Ref(name):
                return self.name(name)
            case Neg(inner):
                return f"-{self.operand(inner)}"
            case Add(parts):
                return self._sum(parts)
            case Mul(parts):
                return " * ".join(self.operand(p) for p in parts)
            case Div(a, b):
                return self.quotient(a, b)
            case Pow(base, exponent):
                return self.power(base, exponent)
            case Where(condition, a, b):
                return self.case(condition, a, b)
            case Rel("divides", a, b):
                return self.call("divides", (a, b))
            case Rel(op, a, b):
                return self.relation(op, a, b)
            case Logic(op, parts):
                return self.logic(op, parts)
            case Call(function, parts):
                return self.call(function, parts)
            case Largest(names):
                return self.largest(names)
        raise EvaluationError(f"no code for {type(term).__name__}")

    def operand(self, term: Term) -> str:
        """A formula that stands between operators."""
        text = self.text(term)
        return f"({text})" if isinstance(term, Add | Mul | Div | Neg | Pow) or text.startswith("-") else text

    def arguments(self, parts: Iterable[Term]) -> str:
        """Formulas between commas."""
        return ", ".join(self.text(p) for p in parts)

    def lines(self, point: Point, statements: Iterable[Statement]) -> Iterator[str]:
        """The statements, each below its formula as a comment."""
        for statement in statements:
            if isinstance(statement, Loop):
                yield from self.loop(point, statement)
            elif isinstance(statement, Each):
                raise EvaluationError(f"{statement.over} is a list: code of its own is not printed for it")
            else:
                yield from self.comment(f"{_at(statement)}{_formula(point, statement)}")
                yield from self.assignment(statement.target, self.text(statement.term))

    def helper_sources(self) -> list[str]:
        """The source of the helpers that were used, each after those that it calls itself."""
        wanted = [name for name in self.helpers if name in self._used]
        called = [n for n in self.helpers if any(f"{n}(" in self.helpers[w] for w in wanted)]
        return [self.helpers[n] for n in self.helpers if n in wanted or n in called]

    def _sum(self, parts: tuple[Term, ...]) -> str:
        text = ""
        for part in parts:
            minus = isinstance(part, Neg)
            inner = part.term if isinstance(part, Neg) else part
            shown = f"({self.text(inner)})" if isinstance(inner, Add | Neg) else self.text(inner)
            text += f" {'-' if minus else '+'} {shown}" if text else f"{'-' if minus else ''}{shown}"
        return text


def _formula(point: Point, statement: Assign) -> str:
    """The author's formula of a line: with the choices in force, but all of a convention that is an input of the line."""
    unit, formula = point.book.quantities[statement.quantity].unit, point.book.formulas[statement.quantity]
    return f"{formula_text(chosen(point, formula, references(statement.term)))}  [{unit}]"


def _at(statement: Assign) -> str:
    if not statement.at:
        return ""
    return f"{statement.quantity} at {', '.join(f'{n} = {formula_text(t)}' for n, t in statement.at)}: "


def comment(text: str) -> list[str]:
    """A comment, as many lines as it needs."""
    return [f"# {line}" for line in textwrap.wrap(text, WIDTH, break_long_words=False, break_on_hyphens=False)]


def assignment(target: str, text: str) -> list[str]:
    """An assignment; a long formula is broken before its operators."""
    if len(target) + len(text) <= WIDTH:
        return [f"{target} = {text}"]
    return [f"{target} = (", *(f"    {line}" for line in wrapped(text, WIDTH - 4)), ")"]


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Code in lines that begin with their operators."""
    glued = _OPERATOR.sub(r" \1\0", text)
    lines = textwrap.wrap(glued, width, break_long_words=False, break_on_hyphens=False)
    return [line.replace("\0", " ") for line in lines]


def indented(lines: Iterable[str], by: int = 4) -> list[str]:
    """Lines moved to the right."""
    return [" " * by + line if line else "" for line in lines]


def converted(names: tuple[str, ...], helper: str) -> list[str]:
    """The line that passes every argument through a helper."""
    listed = ", ".join(names) + ("," if len(names) == 1 else "")
    if not names:
        return []
    if len(listed) <= WIDTH // 2:
        return [f"({listed}) = map({helper}, ({listed}))" if len(names) == 1 else f"{listed} = map({helper}, ({listed}))"]
    lines = [f"    {line}" for line in wrapped(listed, WIDTH - 4)]
    return ["(", *lines, f") = map({helper}, (", *lines, "))"]
