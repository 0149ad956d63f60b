"""What is the fastest function? Quantities as one straight-line NumPy function of arrays, written out as readable source.

The rule for numbers: everything is a 64-bit float, so integers are exact below 2^53 and rounded to 53 bits above; a result
is within 1e-12 of the exact value, and floor and ceiling take a value within 1e-11 of an integer for that integer. Nothing
wraps round: a result too large for a float is inf.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from symroof.errors import EvaluationError
from symroof.passes.straighten import Assign, Program, Statement, straighten
from symroof.report.text import formula_text
from symroof.term import Add, Call, Div, Logic, Mul, Neg, Num, Pow, Ref, Rel, Term, Where, without_units

if TYPE_CHECKING:
    from symroof.point import Point

# Helpers that printed functions use; each stands in the written source exactly as it is here.
HELPERS = '''\
import numpy as np


def _floor(x):
    """The integer below x; a value within 1e-11 of an integer is that integer."""
    near = np.rint(x)
    return np.where(np.abs(x - near) <= 1e-11 * np.maximum(1.0, np.abs(near)), near, np.floor(x))


def _divides(a, b):
    """True where b is a whole multiple of a."""
    return _floor(b / a) * a == b


def _choose(n, k):
    """The binomial coefficient in product form, for whole k."""
    n, k = np.asarray(n, dtype=float), np.asarray(k, dtype=float)
    result = np.ones(np.broadcast_shapes(n.shape, k.shape))
    for j in range(int(k.max(initial=0.0))):
        result = np.where(j < k, result * ((n - j) / (j + 1)), result)
    return result
'''


@dataclass(frozen=True)
class Compiled:
    """A NumPy function of some free symbols. Call it with arrays by name; it returns an array for each quantity.

    Attributes:
        free: the symbols it takes, each an array or a number; they broadcast against each other.
        names: the quantities it returns.
        source: the whole module, free of symroof: imports, helpers and the function `compute`.
    """

    free: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    function: Callable[..., dict[str, Any]]

    def __call__(self, **arrays: Any) -> dict[str, np.ndarray]:
        """The quantities, each in the broadcast shape of the symbols that it depends on.

        Raises:
            EvaluationError: a free symbol is left out, or a name is none of them.
        """
        if set(arrays) != set(self.free):
            raise EvaluationError(
                f"compiled for {', '.join(self.free) or 'no symbol'}, but called with {', '.join(arrays) or 'none'}"
            )
        given = {n: np.asarray(a, dtype=float) for n, a in arrays.items()}
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return self.function(**given)


def compile_quantities(
    point: Point, names: Iterable[str], free: Collection[str], conditions: Mapping[str, Term] | None = None
) -> Compiled:
    """Compile some quantities in some free symbols; every other symbol is a number of the point.

    Args:
        conditions: conditions to be answered beside the quantities, as Boolean arrays under their names.

    Raises:
        UnknownNameError, MissingValueError, EvaluationError: as `straighten`.
    """
    names, free = tuple(names), tuple(free)
    program = straighten(point, names, free, conditions)
    source = numpy_source(point, program)
    return Compiled(free, tuple(program.outputs), source, _function(source))


@lru_cache(maxsize=256)
def _function(source: str) -> Callable[..., dict[str, Any]]:
    """The function that a source defines. The source is printed from a book, never taken from outside."""
    namespace: dict[str, Any] = {}
    exec(compile(source, "<compiled by symroof>", "exec"), namespace)
    function: Callable[..., dict[str, Any]] = namespace["compute"]
    return function


def numpy_source(point: Point, program: Program) -> str:
    """A module with one function `compute(...)`, a line for each quantity, the formula above it as a comment."""
    lines = [HELPERS, "", f"def compute({', '.join(program.inputs)}):"]
    lines += [f'    """{point.book.title} at {point.label}: {", ".join(program.outputs)}."""']
    for statement in program.statements:
        lines += ["    " + line for line in _statement(point, statement)]
    outputs = ", ".join(f'"{name}": {numpy_text(term)}' for name, term in program.outputs.items())
    return "\n".join([*lines, f"    return {{{outputs}}}", ""])


def _statement(point: Point, statement: Statement) -> list[str]:
    if isinstance(statement, Assign):
        book = point.book
        formula = formula_text(without_units(book.formulas[statement.quantity]))
        return [
            f"# {formula}  [{book.quantities[statement.quantity].unit}]",
            f"{statement.target} = {numpy_text(statement.term)}",
        ]
    start, stop = numpy_text(statement.start), numpy_text(statement.stop)
    lines = [f"{statement.target} = 0.0", f"for {statement.index} in range(int(np.min({start})), int(np.max({stop})) + 1):"]
    for inner in statement.body:
        lines += ["    " + line for line in _statement(point, inner)]
    inside = f"({start} <= {statement.index}) & ({statement.index} <= {stop})"
    return [*lines, f"    {statement.target} = {statement.target} + np.where({inside}, {numpy_text(statement.summand)}, 0.0)"]


_RELATIONS: Mapping[str, str] = {"==": "==", "!=": "!=", "<=": "<=", "<": "<", ">=": ">=", ">": ">"}


def numpy_text(term: Term) -> str:
    """A formula in NumPy, fully parenthesized where precedence could be misread."""
    match term:
        case Num(value):
            return _float(value)
        case Ref(name):
            return name
        case Neg(inner):
            return f"-{_operand(inner)}"
        case Add(parts):
            return _sum(parts)
        case Mul(parts):
            return " * ".join(_operand(p) for p in parts)
        case Div(a, b):
            return f"{_operand(a)} / {_operand(b)}"
        case Pow(base, exponent):
            return f"{_operand(base)} ** {_operand(exponent)}"
        case Where(condition, a, b):
            return f"np.where({numpy_text(condition)}, {numpy_text(a)}, {numpy_text(b)})"
        case Rel("divides", a, b):
            return f"_divides({numpy_text(a)}, {numpy_text(b)})"
        case Rel(op, a, b):
            return f"({numpy_text(a)} {_RELATIONS[op]} {numpy_text(b)})"
        case Logic(op, parts):
            return "(" + (" & " if op == "and" else " | ").join(numpy_text(p) for p in parts) + ")"
        case Call(function, parts):
            return _call(function, [numpy_text(p) for p in parts])
    raise EvaluationError(f"no NumPy for {type(term).__name__}")


def _call(function: str, args: list[str]) -> str:
    if function in ("Max", "Min"):
        name = "np.maximum" if function == "Max" else "np.minimum"
        nested = args[0]
        for arg in args[1:]:
            nested = f"{name}({nested}, {arg})"
        return nested
    if function == "ceiling":
        return f"-_floor(-({args[0]}))"
    return {"floor": "_floor", "binomial": "_choose"}[function] + f"({', '.join(args)})"


def _operand(term: Term) -> str:
    text = numpy_text(term)
    return f"({text})" if isinstance(term, Add | Mul | Div | Neg | Pow) or text.startswith("-") else text


def _sum(parts: tuple[Term, ...]) -> str:
    text = ""
    for part in parts:
        inner = part.term if isinstance(part, Neg) else part
        shown = f"({numpy_text(inner)})" if isinstance(inner, Add | Neg) else numpy_text(inner)
        text += f" {'-' if isinstance(part, Neg) else '+'} {shown}" if text else f"{'-' if isinstance(part, Neg) else ''}{shown}"
    return text


def _float(value: Fraction) -> str:
    try:
        return repr(float(value))
    except OverflowError:
        raise EvaluationError(f"{value.numerator.bit_length()} bits: a number too large for a float") from None
