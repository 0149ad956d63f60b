"""What is the fastest function? Quantities as one straight-line NumPy function of arrays, written out as readable source.

The rule for numbers: everything is a 64-bit float. Whole numbers are exact below 2^53 and rounded to 53 bits above; nothing
wraps round, and a result too large for a float is inf. A formula that divides by zero gives nan or inf. At every point where
the run may exist a result is within 1e-12 of the exact value: differences are rewritten so that whole numbers are subtracted
(`steady`), and floor, ceiling, `divides` and comparisons take what is within rounding of an integer, or of the other side,
for that. A difference that no rewriting helps loses the digits that cancel, and is zero where only rounding is left of it.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from symroof.errors import EvaluationError, did_you_mean
from symroof.passes.module import module
from symroof.passes.numpy_code import NumpyPrinter
from symroof.passes.python_code import PythonPrinter
from symroof.passes.steady import steady
from symroof.passes.straighten import Program, straighten
from symroof.passes.whole import Wholes
from symroof.term import Term

if TYPE_CHECKING:
    from symroof.point import Point

# What an array of numbers may be given as.
Numbers = Any


@dataclass(frozen=True)
class Compiled:
    """A NumPy function of some free symbols. Call it with arrays by name; it returns an array for each quantity.

    A quantity that names something (the resource that binds) comes as an array of names.

    Attributes:
        free: the symbols it takes, each an array or a number in base units; they broadcast against each other.
        names: what it returns: the quantities, then the conditions.
        source: the whole module, free of symroof: imports, helpers and the function `compute`.
        function: `compute` itself.
        whole: the names of results that are whole numbers at every admissible point.
    """

    free: tuple[str, ...]
    names: tuple[str, ...]
    source: str
    function: Callable[..., dict[str, Any]]
    whole: frozenset[str] = frozenset()

    def __call__(self, **arrays: Numbers) -> dict[str, Any]:
        """The quantities, each in the broadcast shape of the symbols that it depends on.

        Raises:
            EvaluationError: a free symbol is left out, a name is none of them, or an array is none of numbers or does not
                fit the others.
        """
        for name in arrays:
            if name not in self.free:
                raise EvaluationError(f"{name} is not free here{did_you_mean(name, self.free) or f'; {self._takes}'}")
        if missing := [n for n in self.free if n not in arrays]:
            raise EvaluationError(f"no value for {', '.join(missing)}: {self._takes}")
        try:
            return self.function(**arrays)
        except (TypeError, ValueError) as error:
            raise EvaluationError(str(error)) from None

    @property
    def _takes(self) -> str:
        return f"the compiled form takes {', '.join(self.free) or 'no symbol'}"


def compile_quantities(
    point: Point, names: Iterable[str], free: Collection[str], conditions: Mapping[str, Term] | None = None
) -> Compiled:
    """Compile some quantities in some free symbols; every other symbol is a number of the point. Once for each point.

    Args:
        conditions: conditions and formulas to be answered beside the quantities, under their names: Boolean arrays and numbers.

    Raises:
        UnknownNameError, MissingValueError, EvaluationError: as `straighten`.
    """
    names, free, asked = tuple(names), tuple(free), tuple((conditions or {}).items())
    kept = _compiled.setdefault(point, {})
    key = (names, free, asked)
    if key not in kept:
        kept[key] = _compile(point, names, free, dict(asked))
    return kept[key]


_Key = tuple[tuple[str, ...], tuple[str, ...], tuple[tuple[str, Term], ...]]
_compiled: WeakKeyDictionary[Point, dict[_Key, Compiled]] = WeakKeyDictionary()


def _compile(point: Point, names: tuple[str, ...], free: tuple[str, ...], conditions: Mapping[str, Term]) -> Compiled:
    program, whole = numeric_program(point, names, free, conditions)
    source = module(point, program, NumpyPrinter(whole), [f"{point.title} at {point.label}."])
    wholes = frozenset(n for n, term in program.outputs.items() if n not in conditions and whole(term))
    return Compiled(free, tuple(program.outputs), source, _function(source), wholes)


def exact_function(point: Point, names: tuple[str, ...], free: tuple[str, ...]) -> Callable[..., dict[str, Any]]:
    """A function of exact numbers that returns exact ones, and names for quantities that name something.

    Raises:
        UnknownNameError, MissingValueError, EvaluationError: as `straighten`.
    """
    source = module(point, straighten(point, names, free), PythonPrinter(), [f"{point.title} at {point.label}."])
    return _function(source)


def numeric_program(
    point: Point, names: tuple[str, ...], free: tuple[str, ...], conditions: Mapping[str, Term]
) -> tuple[Program, Wholes]:
    """A program that is fit for floats, and what in it is whole at every admissible point.

    Raises:
        UnknownNameError, MissingValueError, EvaluationError: as `straighten`.
    """
    assumed = {f"{name} of the book": condition for name, condition in point.book.conditions.items()}
    program, whole = steady(point.book, straighten(point, names, free, {**conditions, **assumed}), assumed)
    return program.only([n for n in program.outputs if n not in assumed]), whole


@lru_cache(maxsize=256)
def _function(source: str) -> Callable[..., dict[str, Any]]:
    """The function that a source defines. The source is printed from a book, never taken from outside."""
    namespace: dict[str, Any] = {}
    exec(compile(_forgetful(ast.parse(source)), "<compiled by symroof>", "exec"), namespace)
    function: Callable[..., dict[str, Any]] = namespace["compute"]
    return function


def _forgetful(tree: ast.Module) -> ast.Module:
    """The same module, where `compute` lets go of every value after its last use.

    The next array is then made where that one was, which the processor's cache still has; in print it would be noise.
    """
    compute = next(n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "compute")
    uses = [{n.id for n in ast.walk(statement) if isinstance(n, ast.Name)} for statement in compute.body]
    # What is made inside a loop is not there where the loop has not run.
    assigns = [statement for statement in compute.body if isinstance(statement, ast.Assign)]
    made = {n.id for a in assigns for n in ast.walk(a) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    body: list[ast.stmt] = []
    later = set[str]()
    for statement, used in zip(reversed(compute.body), reversed(uses), strict=True):
        done = sorted((used & made) - later)
        if later and done:
            body.insert(0, ast.Delete([ast.Name(n, ast.Del()) for n in done]))
        body.insert(0, statement)
        later |= used
    compute.body = body
    return ast.fix_missing_locations(tree)
