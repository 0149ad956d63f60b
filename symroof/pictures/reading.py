"""What the kinds of pictures ask of a point: values of formulas that a table names, at the scale of the largest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.errors import EvaluationError
from symroof.expression import parse_formula
from symroof.humane import humane, plain, scaled
from symroof.passes.dimensions import dimension_of
from symroof.passes.substitute import chosen
from symroof.term import Term
from symroof.units import Dimension, parse_unit

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point

Table = Mapping[str, Any]
_NAME = re.compile(r"[A-Za-z_]\w*")


def has(book: Book, *formulas: str) -> bool:
    """True where the book, as it stands for the point's model, has every name of some formulas."""
    return all(n in book.declared for formula in formulas for n in names_of(formula))


def names_of(formula: str) -> list[str]:
    """The names in a formula of a table."""
    return _NAME.findall(formula)


def formula_of(point: Point, text: str) -> Term:
    """A formula of a table, with the conventions in force: a name's own, so that its parts are seen, else what is written."""
    book = point.book
    return chosen(point, book.formulas[text]) if text in book.formulas else parse_formula(book, text)


def number(point: Point, text: str) -> Fraction:
    """The exact value of a formula of a table.

    Raises:
        MissingValueError, EvaluationError: it has none here. ExpressionError, UnitError: it is none.
    """
    if text in point.book.declared:
        return point.evaluator.number(text)
    return term_value(point, parse_formula(point.book, text))


def term_value(point: Point, term: Term) -> Fraction:
    """The exact value of a tree at a point.

    Raises:
        MissingValueError, EvaluationError: it has none here.
    """
    try:
        return point.evaluator.term(term)
    except ZeroDivisionError:
        raise EvaluationError("a formula of the picture divides by zero here") from None


def unit(book: Book, text: str) -> str:
    """The unit of a name, or of a formula the dimension that the walk over it finds."""
    if text in book.symbols or text in book.quantities:
        return book.declaration(text).unit
    return str(dimension(book, text))


def dimension(book: Book, text: str) -> Dimension:
    """The dimension of a formula of a table."""
    if text in book.symbols or text in book.quantities:
        return book.dimension(text)
    return dimension_of(parse_formula(book, text), book.dimension) or Dimension()


def scale(values: Iterable[Fraction], of: str) -> tuple[Fraction, str]:
    """The factor and name of the unit in which the largest of some values is read easily: (2^30, GiB)."""
    largest = max((abs(v) for v in values), default=Fraction(0))
    _, shown = scaled(largest, of)
    return parse_unit(shown).factor if shown else Fraction(1), shown


def bare(of: str) -> str:
    """A unit without the carrier that its axis or bar names."""
    return re.sub(r"@\w+", "", of)


def shown(value: Fraction, of: str) -> str:
    """A value as people read it, without the carrier that its place in the picture says."""
    return plain(value) if parse_unit(of).dimension == Dimension() else bare(humane(value, of))


def listed(pairs: Iterable[tuple[str, str]]) -> str:
    """Names and values in words: `a 1 s, b 2 s`."""
    return ", ".join(f"{name} {value}" for name, value in pairs)
