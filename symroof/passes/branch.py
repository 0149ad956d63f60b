"""Which branch is in force? A closed form with every Max, Min and case replaced by what holds at a point, and their names.

What comes out is smooth near the point: a quotient of polynomials with roundings (floor, ceiling) that stand still. That is
what can be differentiated and solved. A tie is reported, because there the two sides have different derivatives; all ties
of one form are broken by one step to one side, so that what comes out is the form of that side and no mixture of both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import sympy as sp

from symroof.errors import EvaluationError
from symroof.passes.depend import under
from symroof.passes.evaluate import Evaluator
from symroof.passes.expand import Expander
from symroof.passes.recover import from_sympy
from symroof.passes.substitute import chosen
from symroof.passes.tidy import gathered
from symroof.term import Add, Call, Ref, Term, Where, walk, without_units
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Branch:
    """One choice: the quantity whose Max or Min it is, which argument is in force, and those that tie with it."""

    quantity: str
    function: str
    binding: str
    ties: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Smooth:
    """A closed form without branches, true near the point, and the choices that led to it, the outermost first."""

    expression: Any
    branches: tuple[Branch, ...]

    @property
    def tied(self) -> bool:
        """True where another branch has the same value here, so that the form holds on one side only."""
        return any(b.ties for b in self.branches)


def smooth(point: Point, name: str, moving: Collection[str], beside: Point | None = None) -> Smooth:
    """The formula of a quantity on the branch that is in force at a point, opened as far as some symbols move it.

    Names that none of the moving symbols reaches stay as they are: they are constants here, and known by their names.

    Args:
        beside: a point a small step away, at which ties are broken; by default the first of those that tie is taken.

    Raises:
        MissingValueError, EvaluationError: a value that decides a branch does not exist.
    """
    expander = _Branching(point, frozenset(moving), beside)
    return Smooth(expander.name(name), tuple(dict.fromkeys(expander.branches)))


def smooth_term(point: Point, term: Term, moving: Collection[str]) -> Any:
    """A formula in names of the book on the branch that is in force at a point, as `smooth` gives that of a quantity."""
    return _Branching(point, frozenset(moving), None).term(term)


class _Branching(Expander):
    """Expands what moves, and at every branch takes the one whose value at the point is in force.

    Values come from an evaluator that knows the same bound arguments, so that what is not taken is never expanded.
    """

    def __init__(self, point: Point, moving: frozenset[str], beside: Point | None) -> None:
        super().__init__(point, moving)
        self.branches: list[Branch] = []
        self._moving, self._beside = moving, beside
        self._evaluator = point.evaluator
        self._open: list[str] = []

    def _expand(self, name: str) -> Any:
        formula = self._point.book.formulas.get(name)
        if formula is None or name in self._point.given or name in self._moving or not self._moves(name):
            return self._table[name]
        self._open.append(name)
        try:
            return self.term(formula)
        finally:
            self._open.pop()

    def _moves(self, name: str) -> bool:
        return bool(self._point.book.inputs_of(name) & (self._moving | self._bound.keys()))

    def inner(self, bound: Mapping[str, Any]) -> _Branching:
        """The same expansion with more names bound, and with their values known."""
        found = _Branching(self._point, self._moving, self._beside)
        found._bound = {**self._bound, **bound}
        values = {n: self._point.evaluator.term(from_sympy(sp.sympify(e))) for n, e in bound.items()}
        found._evaluator = Evaluator(self._point, values, self._evaluator)
        found.branches, found._open = self.branches, self._open
        return found

    def term(self, term: Term) -> Any:
        match term:
            case Call("Max" | "Min" as function, parts):
                return self._extreme(function, parts)
            case Where(condition, a, b):
                return self.term(a if self._evaluator.holds(condition) else b)
            case Call("floor" | "ceiling" as function, (part,)):
                # SymPy would drop the rounding of a whole symbol, and with it the step that it takes.
                inner = self.term(part)
                return getattr(sp, function)(inner, evaluate=inner.is_number)
            case Add(parts):
                return gathered(self.term(p) for p in parts)
        return super().term(term)

    def range_sum(self, variable: str, start: Any, stop: Any, body: Term) -> Any:
        """The sum written out; one whose ends move is none that could be smooth."""
        first, last = (self._fixed(end) for end in (start, stop))
        return sp.Add(*(self.inner({variable: sp.Integer(i)}).term(body) for i in range(first, last + 1)))

    def _fixed(self, end: Any) -> int:
        if {s.name for s in end.free_symbols} & self._moving:
            raise EvaluationError("a sum whose ends move has differences, not a derivative")
        return int(self._point.evaluator.term(from_sympy(end)))

    def _extreme(self, function: str, parts: tuple[Term, ...]) -> Any:
        values = [self._evaluator.term(p) for p in parts]
        best = (max if function == "Max" else min)(values)
        tied = [p for p, v in zip(parts, values, strict=True) if v == best]
        place = len(self.branches)
        forms: dict[Any, Term] = {}
        for part in tied:
            forms.setdefault(self.term(part), part)
        order = list(forms)
        if len(order) > 1 and self._beside is not None:
            order.sort(key=self._ahead, reverse=function == "Max")
        names = [self._label(forms[f]) for f in order]
        self.branches.insert(place, Branch(self._open[-1] if self._open else "", function, names[0], tuple(names[1:])))
        return order[0]

    def _ahead(self, form: Any) -> Any:
        """The value of a form a small step away."""
        assert self._beside is not None
        return self._beside.evaluator.term(from_sympy(form))

    def _label(self, part: Term) -> str:
        return label(chosen(self._point, without_units(part)))


def label(part: Term) -> str:
    """How an argument of a Max or Min is called: by its name, else by its formula."""
    return part.name if isinstance(part, Ref) else formula_text(part)


def branches_under(point: Point, name: str) -> Iterator[tuple[str, Call]]:
    """Every Max and Min on the way from a quantity to what is given, with the quantity whose formula has it, nearest first."""
    for here in under(point, name):
        for node in walk(chosen(point, point.book.formulas[here])):
            if isinstance(node, Call) and node.function in ("Max", "Min"):
                yield here, node
