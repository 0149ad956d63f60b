"""What C and JavaScript share: one number at a time, in 64-bit floats, conditions that take one branch, loops that add."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from fractions import Fraction

from symroof.errors import EvaluationError
from symroof.passes.code import WIDTH, indented, wrapped
from symroof.passes.float_code import FloatPrinter
from symroof.passes.module import default, said
from symroof.passes.straighten import Loop, Program
from symroof.passes.whole import Wholes
from symroof.point import Point
from symroof.term import Num, Term
from symroof.text import formula_text


class ScalarPrinter(FloatPrinter):
    """Prints code of plain numbers.

    Attributes:
        reserved: words that mean something else in the language or in what it comes with.
        declares: what stands before a name that keeps its value, one that is summed up, and an index.
        nan: what stands for a value that there is none of.
        joins: how `and` and `or` are written, and comparisons that are not written as in formulas.
    """

    reserved: frozenset[str] = frozenset()
    declares: tuple[str, str, str]
    nan: str
    joins: Mapping[str, str]

    def __init__(self, whole: Wholes) -> None:
        super().__init__(whole)
        self._names: dict[str, str] = {}

    def name(self, name: str) -> str:
        """The name itself, or with strokes behind it where it is reserved or taken."""
        if name not in self._names:
            found = self.letters(name)
            while found in self.reserved or found in self._names.values():
                found += "_"
            self._names[name] = found
        return self._names[name]

    def letters(self, name: str) -> str:
        """A name in letters that the language knows."""
        return name

    def prepare(self, inputs: tuple[str, ...]) -> list[str]:
        """Numbers are numbers already."""
        return []

    def quotient(self, above: Term, below: Term) -> str:
        """A division; one by zero, in a branch that is never taken, is nan."""
        return self.nan if below == Num(Fraction(0)) else super().quotient(above, below)

    def power(self, base: Term, exponent: Term) -> str:
        """A power; whole ones by multiplication, so that whole numbers stay whole."""
        return f"{self.guard('power')}({self.arguments((base, exponent))})"

    def call(self, function: str, parts: tuple[Term, ...]) -> str:
        """A function, as the language has it."""
        match function:
            case "Max" | "Min":
                return self.extreme(function, parts)
            case "floor" | "ceiling":
                return self.rounded(function, parts[0])
            case "divides":
                return self.divides(parts)
            case "binomial" | "hit" | "difference":
                return f"{self.guard('choose' if function == 'binomial' else function)}({self.arguments(parts)})"
        raise EvaluationError(f"no code for {function}")

    def extreme(self, function: str, parts: tuple[Term, ...]) -> str:
        """The largest or smallest of some numbers; nan where one is nan."""
        raise NotImplementedError

    def case(self, condition: Term, then: Term, otherwise: Term) -> str:
        """One of two values, by a condition."""
        return f"({self.text(condition)} ? {self.text(then)} : {self.text(otherwise)})"

    def logic(self, op: str, parts: tuple[Term, ...]) -> str:
        """Conditions joined."""
        return f"({f' {self.joins[op]} '.join(self.text(p) for p in parts)})"

    def sign(self, op: str) -> str:
        """The sign of a comparison."""
        return self.joins.get(op, op)

    def loop(self, point: Point, loop: Loop) -> list[str]:
        """A loop that adds; none where an end is nan or there are too many numbers between them."""
        _, summed, index = self.declares
        name, target = self.name(loop.index), self.name(loop.target)
        start, stop = self.text(loop.start), self.text(loop.stop)
        first = start if self.whole(loop.start) else f"{self.rounding[1]}({start})"
        says = f"{loop.target}: the sum for {loop.index} from {formula_text(loop.start)} to {formula_text(loop.stop)}"
        return [
            *self.comment(says),
            f"{summed} {target} = {self.guard('none')}({start}, {stop});",
            f"for ({index} {name} = {first}; {name} <= {stop} && {target} {self.sign('==')} {target}; {name} += 1) {{",
            *indented([*self.lines(point, loop.body), *_broken(f"{target} += ", self.text(loop.summand))]),
            "}",
        ]

    def assignment(self, target: str, text: str) -> list[str]:
        """A value that has a name and keeps it."""
        return _broken(f"{self.declares[0]} {self.name(target)} = ", text)

    def comment(self, text: str) -> list[str]:
        """A comment in one block."""
        lines = textwrap.wrap(harmless(text), WIDTH, break_long_words=False, break_on_hyphens=False)
        return [f"{'/*' if i == 0 else '  '} {line}{' */' if i == len(lines) - 1 else ''}" for i, line in enumerate(lines)]


def listed(point: Point, program: Program, printer: ScalarPrinter, inputs: Iterable[str]) -> list[str]:
    """What each argument is, a paragraph each: its meaning, its unit, and its value at the point."""
    return [f"    {printer.name(n)}: {said(point, n)}{_valued(point, n)}" for n in inputs]


def _valued(point: Point, name: str) -> str:
    value = default(point, name)
    return "" if value is None else f"; {brief(value)}"


def brief(value: Fraction) -> str:
    """A number in base units, as short as it can be without being another one."""
    if value.denominator == 1 and abs(value) < 10**6:
        return str(value.numerator)
    number = float(value)
    return next(text for digits in range(18) if float(text := f"{number:.{digits}g}") == number)


def harmless(text: str) -> str:
    """A text on one line that neither ends a comment nor begins one in it."""
    return " ".join(text.split()).replace("*/", "* /").replace("/*", "/ *").replace("??", "? ?")


def block(paragraphs: Iterable[str], opening: str = "/*") -> list[str]:
    """A comment that stands above what it describes. A paragraph that begins with blanks keeps them on each of its lines."""
    lines = [line for paragraph in paragraphs for line in _paragraph(paragraph)]
    return [opening, *(f" * {line}".rstrip() for line in lines), " */"]


def _paragraph(text: str) -> list[str]:
    indent = text[: len(text) - len(text.lstrip())]
    below = f"{indent}    " if indent else ""
    return textwrap.wrap(f"{indent}{harmless(text)}", WIDTH, subsequent_indent=below, break_on_hyphens=False) or [""]


def _broken(head: str, text: str) -> list[str]:
    """A statement; a long formula is broken before its operators."""
    if len(head) + len(text) < WIDTH:
        return [f"{head}{text};"]
    lines = wrapped(text, WIDTH - 4)
    return [head.rstrip(), *(f"    {line}" for line in lines[:-1]), f"    {lines[-1]};"]
