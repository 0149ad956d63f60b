"""What a notebook shows of a point, of its claims and of a closed form; every other answer has its own sheet."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.humane import humane
from symroof.sheet import LONGEST_ALONE, Block, Sheet, Shown, inline_math

if TYPE_CHECKING:
    from symroof.passes.check import Verdict
    from symroof.passes.simplify import Simplified
    from symroof.point import Point
    from symroof.result import Result


@dataclass(frozen=True)
class Claims(Shown):
    """What the text claims and what the book derives. Shows itself in a notebook.

    Attributes:
        point: whose book it is; claims are about the book's default preset.
        verdicts: one for each claim, in order.
    """

    point: Point
    verdicts: tuple[Verdict, ...]

    def __bool__(self) -> bool:
        return all(v.holds for v in self.verdicts)

    def sheet(self) -> Sheet:
        """What it shows: those that do not hold first."""
        rows = [self._row(v) for v in sorted(self.verdicts, key=lambda v: v.holds)]
        held = sum(v.holds for v in self.verdicts)
        head = f"{self.point.title}: {held} of {len(rows)} claims hold"
        columns = ("claim", "quantity", "claimed>", "derived>", "holds")
        return Sheet(self.point.book, head, columns, (Block("", tuple(rows)),))

    def _row(self, verdict: Verdict) -> tuple[str, ...]:
        claim = verdict.claim
        unit = "1" if claim.ratio_to is not None else self.point.book.whole.declaration(claim.quantity).unit
        derived = verdict.error or _figures(verdict.got, unit)
        return claim.says, claim.quantity, _figures(claim.expect, unit), derived, "yes" if verdict.holds else "no"


def _figures(values: tuple[Fraction | None, ...], unit: str) -> str:
    return ", ".join("none" if v is None else humane(v, unit) for v in values)


def claims(point: Point) -> Claims:
    """Every claim of the book, checked with what is set at a point.

    Raises:
        ConstraintError: the default preset with those settings is no admissible run.
    """
    from symroof.passes.check import check_claims

    return Claims(point, check_claims(point))


@dataclass(frozen=True)
class ClosedForm:
    """A closed form and the rules that shortened it. Shows itself in a notebook, as mathematics."""

    result: Result
    free: tuple[str, ...]
    found: Simplified

    @property
    def latex(self) -> str:
        """The equation, without dollar signs."""
        from symroof.passes.recover import from_sympy
        from symroof.report.latex import equation, formula_sides, symbol_latex

        book = self.result.point.book
        sides = formula_sides(from_sympy(self.found.expression)) or formula_sides(self.result.formula)
        return equation(symbol_latex(book, self.result.name), sides, book)

    def __str__(self) -> str:
        from symroof.passes.recover import from_sympy
        from symroof.text import formula_text

        return f"{self.result.name} = {formula_text(from_sympy(self.found.expression))}"

    def __repr__(self) -> str:
        return str(self)

    def _repr_latex_(self) -> str:
        return inline_math(self.latex)


def closed_form(result: Result, *free: str) -> ClosedForm:
    """The closed form of a quantity in the symbols of the presets, or with only some left free.

    Raises:
        UnknownNameError: a free name that the book does not have.
    """
    return ClosedForm(result, free, result.closed_form(free or None))


def point_sheet(point: Point) -> Sheet:
    """What a point is: every given value with its source, by the preset that it comes from, and the choices in force."""
    origins: dict[str, list[tuple[str, str, str, str]]] = {}
    for name, given in point.given.items():
        says = point.book.whole.declaration(name).says.splitlines()[0]
        shown = point[name].display if not isinstance(given.value, tuple) else ", ".join(map(str, given.value))
        source = f"{given.source}; {given.note}" if given.note else given.source
        origins.setdefault("set here" if given.origin == "--set" else given.origin, []).append((name, shown, says, source))
    blocks = [Block(origin, tuple(rows)) for origin, rows in origins.items()]
    chosen = [(n, point.choices[n], c.says.splitlines()[0], c.ref) for n, c in point.book.conventions.items()]
    blocks += [Block("conventions", tuple(chosen))] if chosen else []
    head = f"{point.title} at {point.label}"
    return Sheet(point.book, head, ("name", "value", "what it is", "source"), tuple(blocks), point.cautions, LONGEST_ALONE)
