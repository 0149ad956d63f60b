"""A quantity at a point: its value, its formula, its closed form, and how it shows itself in text, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.errors import EvaluationError, UnitError
from symroof.humane import humane
from symroof.literal import scale
from symroof.passes.evaluate import Evaluator
from symroof.passes.substitute import chosen, substituted
from symroof.sheet import inline_math
from symroof.term import Largest, Term
from symroof.text import formula_text

if TYPE_CHECKING:
    import sympy

    from symroof.passes.differentiate import Sensitivities
    from symroof.passes.shape import Limit, Shape
    from symroof.passes.simplify import Simplified
    from symroof.point import Point


@dataclass(frozen=True)
class Result:
    """What the book says of one name at one point. Shows itself in a notebook."""

    point: Point
    name: str
    evaluator: Evaluator | None = None

    @property
    def exact(self) -> Fraction | str:
        """The exact value in base units; a name where the quantity names something.

        Raises:
            MissingValueError: a symbol on the way has no value. EvaluationError: the formula has none here.
        """
        return (self.evaluator or self.point.evaluator).value(self.name)

    @property
    def value(self) -> int | float | str:
        """The value as Python likes it: an int where it is one, else the nearest float."""
        found = self.exact
        if isinstance(found, str):
            return found
        return int(found) if found.denominator == 1 else float(found)

    @property
    def unit(self) -> str:
        """The declared unit."""
        declared = self.point.book.declaration(self.name)
        return declared.unit

    @property
    def says(self) -> str:
        """What it is: the docstring of its definition."""
        return self.point.book.declared[self.name].says

    @property
    def source(self) -> str:
        """Where it comes from: the source of a given value, else the reference of the formula."""
        given = self.point.given.get(self.name)
        if given is not None:
            return given.source
        quantity = self.point.book.quantities.get(self.name)
        return quantity.ref if quantity is not None else ""

    @property
    def pinned(self) -> bool:
        """True where a derived quantity was given a value."""
        return self.point.pinned(self.name)

    @property
    def display(self) -> str:
        """The value with a unit at its scale: `840 MiB`."""
        return humane(self.exact, self.unit)

    def to(self, unit: str) -> Fraction:
        """The exact value in another unit of the same dimension.

        Raises:
            UnitError: the units do not fit together.
        """
        found = self.exact
        if isinstance(found, str):
            raise UnitError(f"{self.name} is a name ({found}), not a number of {unit}")
        return found / scale(self.name, unit, unit, self.unit)

    @property
    def formula(self) -> Term | None:
        """The definition one level deep, in the author's order, with the conventions in force; None where a value was given."""
        term = self.point.book.formulas.get(self.name)
        return None if term is None or self.name in self.point.given else chosen(self.point, term)

    @property
    def substituted(self) -> Term | None:
        """The formula with numbers in the place of names; None for a symbol or a quantity that was given."""
        if self.formula is None or isinstance(self.formula, Largest):
            return None
        return substituted(self.point, self.name)

    def closed_form(self, free: str | Collection[str] | None = None) -> Simplified:
        """The closed form in the symbols of the presets, or with only one or some left free, and the rules that shortened it.

        Raises:
            UnknownNameError: a free name that the book does not have.
        """
        from symroof.passes.expand import expand
        from symroof.passes.simplify import simplify

        free = (free,) if isinstance(free, str) else free
        for name in free or ():
            self.point.book.known(name)
        return simplify(expand(self.point, self.name, free))

    def sensitivity(self, *to: str, hold: str | None = None, by: str | None = None) -> Sensitivities:
        """Derivatives, elasticities, steps and doublings to some symbols; without names, to all that it depends on, ranked.

        Args:
            to: symbols that have a value.
            hold, by: a quantity that keeps its value, and the symbol that gives way for it.

        Raises:
            PresetError: a name that is no symbol with a value, or a hold that means nothing. UnknownNameError: no such name.
        """
        from symroof.passes.differentiate import sensitivity
        from symroof.passes.hold import hold_of

        return sensitivity(self.point, self.name, to or None, hold_of(hold, by))

    def limit(self, over: str) -> Limit:
        """Where it goes as a symbol alone grows without bound, formally, and which constraint stops the symbol before.

        Raises:
            PresetError: it does not depend on the symbol. UnsolvableError: the formula has no closed limit.
        """
        from symroof.passes.shape import limit

        return limit(self.point, self.name, over)

    def shape(self, over: str) -> Shape:
        """Whether it rises or falls along a symbol, where it turns and where it peaks.

        Raises:
            PresetError: it does not depend on the symbol. UnsolvableError: the formula has no closed pieces.
        """
        from symroof.passes.shape import shape

        return shape(self.point, self.name, over)

    @property
    def expr(self) -> sympy.Expr:
        """The closed form as a SymPy expression."""
        return self.closed_form().expression

    def __int__(self) -> int:
        found = self._number()
        if found.denominator != 1:
            raise EvaluationError(f"{self.name} = {found} is no integer")
        return int(found)

    def __float__(self) -> float:
        return float(self._number())

    def __str__(self) -> str:
        return f"{self.name} = {self.display}"

    def __repr__(self) -> str:
        formula = "" if self.formula is None else f" = {formula_text(self.formula)}"
        return f"{self.name}{formula} = {self.display}"

    def _repr_latex_(self) -> str:
        from symroof.report.latex import derivation

        return inline_math(derivation(self))

    def _repr_markdown_(self) -> str:
        from symroof.report.latex import derivation
        from symroof.report.markdown import markdown_text

        # No HTML beside it: a notebook would take that, and set no mathematics in it.
        source = f" *Source:* {markdown_text(self.source.rstrip('.'))}." if self.source else ""
        return f"{inline_math(derivation(self))}\n\n{markdown_text(self.says.splitlines()[0])}{source}"

    def _number(self) -> Fraction:
        found = self.exact
        if isinstance(found, str):
            raise EvaluationError(f"{self.name} is a name ({found}), not a number")
        return found
