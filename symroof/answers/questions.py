"""What the symbolic questions share: the changes and the hold of a request, and formulas and derivatives in words."""

from __future__ import annotations

from argparse import Namespace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.answers.answer import assignment
from symroof.errors import RequestError, SymroofError
from symroof.humane import humane, plain, scaled, significant
from symroof.passes.hold import Hold
from symroof.passes.recover import from_sympy
from symroof.sheet import Cell
from symroof.term import Term
from symroof.text import formula_text
from symroof.units import parse_unit

if TYPE_CHECKING:
    from symroof.book import Book


def changes(texts: list[str], command: str) -> dict[str, str]:
    """What a request changes, name -> value as it was given.

    Raises:
        RequestError: a text that is no change, or a name that is changed twice.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, value = assignment(text, f"{command}: {text!r} is no change: write NAME=VALUE")
        if name in found:
            raise RequestError(f"{command}: {name} is changed twice: {found[name]} and {value}")
        found[name] = value
    return found


def hold_of(options: Namespace) -> Hold | None:
    """What a request holds, and by which symbol; None where it holds nothing.

    Raises:
        RequestError: one of the two options stands without the other.
    """
    if (options.hold is None) != (options.by is None):
        given, missing = ("--hold", "--by SYMBOL") if options.by is None else ("--by", "--hold NAME")
        raise RequestError(f"{given} needs {missing} beside it, as in --hold NAME --by SYMBOL")
    return None if options.hold is None else Hold(options.hold, options.by)


def tree(expression: Any) -> Term | None:
    """A SymPy expression as a formula; None where there is none, or where it has a part that no formula has."""
    try:
        return None if expression is None else from_sympy(_fronted(expression))
    except SymroofError:
        return None


def _fronted(expression: Any) -> Any:
    """A sum with its common number in front, `20*(PP - 1)`: SymPy multiplies it in, and readers take it out again."""
    if not expression.is_Add:
        return expression
    import sympy

    number, rest = expression.primitive()
    return expression if number == 1 else sympy.Mul(number, rest, evaluate=False)


def cell(expression: Any) -> Cell:
    """A SymPy expression as a cell of a table; empty where there is none."""
    found = tree(expression)
    return "" if found is None else found


def text_of(expression: Any) -> str | None:
    """A SymPy expression as text in the names of the book; None where there is none."""
    found = tree(expression)
    return None if found is None else formula_text(found)


def condition_text(condition: Term) -> str:
    """A condition with its numbers as people write them."""
    return formula_text(condition, plain)


def unit_of(book: Book, name: str) -> str:
    """The declared unit of a symbol or quantity."""
    return book.declaration(name).unit


def ratio_text(before: Fraction | str | None, after: Fraction | str | None) -> str:
    """How many times as large: `x 0.5`; nothing where there is no such number."""
    if not isinstance(before, Fraction) or not isinstance(after, Fraction):
        return ""
    if before == 0:
        return "from 0"
    return f"x {significant(after / before, 4)}"


def signed(value: Fraction | None, unit: str) -> str:
    """A difference with its sign: `+1.2 GiB`."""
    if value is None:
        return ""
    return f"+{humane(value, unit)}" if value > 0 else humane(value, unit)


def rate_text(value: Fraction, unit: str, at: Fraction, per: str) -> str:
    """A derivative: `161.4 ms per microbatch`, `-9.1 ns per GB/s`: per unit in which the symbol's own value is shown."""
    _, shown = scaled(at, per)
    factor = parse_unit(shown or "1").factor
    return f"{humane(value * factor, unit)} per {shown or 'unit'}"


def number_text(value: Any, unit: str = "1") -> str:
    """A number of SymPy for people: exact where that is short, else five digits, with its unit."""
    from symroof.passes.search import fraction

    found = fraction(value)
    return plain(found) if unit == "1" else humane(found, unit)
