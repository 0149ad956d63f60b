"""`show`: what is a quantity, as formula, closed form and number?"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, point_of, result_of, split
from symroof.answers.shapes import Show, Value, value
from symroof.errors import MissingValueError, SymroofError
from symroof.humane import exact, plain
from symroof.passes.depend import conventions_of
from symroof.passes.inline import inlined
from symroof.passes.recover import from_sympy
from symroof.passes.sets import sets_of, shortest
from symroof.report.latex import formula_latex
from symroof.term import Largest, Num, Ref, Term
from symroof.terminal import bold, dim, fields, plain_symbol
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.passes.simplify import Simplified
    from symroof.result import Result

# A closed form of more characters than this is for --expand and for programs.
_READABLE = 320
# The most digits of an exact fraction that a reader is shown.
_DIGITS = 40


def answer(options: Namespace) -> Answer:
    """A quantity's definition and value; one whose value is missing is shown without it, and a message says what is missing."""
    point = point_of(options)
    result = result_of(point, options.name)
    closed = result.closed_form(_free(result, split(options.free, "--in")))
    found, substituted, note = _numbers(result)
    data = _data(result, closed, found, substituted)
    notes = (*notes_of(options, point), *((note,) if note else ()))
    return Answer(dict(data), lambda: _text(result, closed, data, substituted, options.expand), notes)


def _free(result: Result, named: list[str] | None) -> list[str] | None:
    """The symbols that stay free: those that were named, and those that have no value to put in their place."""
    if named is None:
        return None
    book, given = result.point.book, result.point.given
    missing = [n for n in book.inputs_of(result.name) if n in book.symbols and n not in given and n not in book.stand_ins]
    return named + sorted(missing)


def _numbers(result: Result) -> tuple[Value | None, Term | None, str]:
    """The value and the formula with numbers in, or the message that says why there are none."""
    try:
        found = value(result)
        substituted = result.substituted
        return found, _itself(result) if substituted is None else substituted, ""
    except SymroofError as error:
        return None, None, str(error)


def _itself(result: Result) -> Term:
    found = result.exact
    return Ref(found) if isinstance(found, str) else Num(found)


def _data(result: Result, closed: Simplified, found: Value | None, substituted: Term | None) -> Show:
    book = result.point.book
    formula = Ref(result.name) if result.formula is None else result.formula
    shortest = from_sympy(closed.expression)
    return {
        "name": result.name,
        "chapter": book.chapter_of(result.name).name,
        "unit": result.unit,
        "says": result.says,
        "ref": result.source,
        "formula": formula_text(inlined(result.point, formula)),
        "closed_form": formula_text(shortest),
        "latex": {
            "formula": formula_latex(formula, book),
            "closed_form": formula_latex(shortest, book),
            "substituted": None if substituted is None else formula_latex(substituted, book, values=True),
        },
        "symbols": sorted(s.name for s in closed.expression.free_symbols),
        "value": found,
    }


def _text(result: Result, closed: Simplified, data: Show, substituted: Term | None, expand: bool) -> str:
    declaration = result.point.book.declaration(result.name)
    head = f"{bold(result.name)}  {plain_symbol(declaration.latex, result.name)}  {dim(data['chapter'])}"
    pairs = [
        *_formulas(result, closed, data, substituted, expand),
        ("value", _value(result, data)),
        ("unit", data["unit"]),
        ("assumes", "\n".join(getattr(declaration, "assumes", ()))),
        ("source", data["ref"]),
        ("preset", result.point.label),
        *(("convention", text) for text in _conventions(result)),
    ]
    return "\n".join([head, data["says"], "", *fields(pairs)])


def _formulas(result: Result, closed: Simplified, data: Show, substituted: Term | None, expand: bool) -> list[tuple[str, str]]:
    if result.pinned:
        definition = formula_text(inlined(result.point, result.point.book.formulas[result.name]))
        return [("pinned", f"its definition is not used: {definition}")]
    if result.formula is None:
        return []
    numbers = _candidates(result) or ("" if substituted is None else formula_text(substituted, _number))
    return [("formula", formula_text(result.formula)), ("closed form", _closed(closed, data, expand)), ("numbers", numbers)]


def _candidates(result: Result) -> str:
    """What a quantity that names the largest of some chooses from, each with its value."""
    if not isinstance(result.formula, Largest):
        return ""
    return ", ".join(f"{name} = {result.point[name].display}" for name in result.formula.names)


def _closed(closed: Simplified, data: Show, expand: bool) -> str:
    text = data["closed_form"]
    if len(text) > _READABLE and not expand:
        return f"{len(text):,} characters in {len(data['symbols'])} symbols; --expand prints it"
    rules = ", ".join(step.rule for step in closed.history)
    return f"{text}\n{dim(f'by {rules}')}" if rules else text


def _value(result: Result, data: Show) -> str:
    if data["value"] is None:
        return "none here"
    found = result.exact
    if isinstance(found, str):
        return bold(found)
    whole = f"{exact(found)} {'' if result.unit == '1' else result.unit}".strip()
    if whole == result.display:
        return bold(whole)
    digits = len(str(found.numerator)) + len(str(found.denominator))
    said = whole if digits <= _DIGITS else f"a number of {digits:,} digits, in --json"
    return f"{bold(result.display)}  exactly {said}"


def _conventions(result: Result) -> Iterator[str]:
    """Each convention that the value depends on, or the named set of them: what is in force, and the value under every other."""
    book = result.point.book
    for name, here in shortest(result.point, conventions_of(result.point, result.name)).items():
        choices = book.named_sets[name].sources if name in book.named_sets else book.conventions[name].choices
        others = [f"{choice}: {_under(result, name, choice)}  {dim(says)}" for choice, says in choices.items() if choice != here]
        yield "\n".join([f"{name} = {here}  {dim(choices[here])}", *(f"  {line}" for line in others)])


def _under(result: Result, name: str, choice: str) -> str:
    point = result.point
    try:
        choices = sets_of(point, name)[choice] if name in point.book.named_sets else {name: choice}
        return point.set(**choices)[result.name].display
    except MissingValueError:
        # What is missing has been said once, on standard error, or is missing for this choice alone.
        return "none here"
    except SymroofError as error:
        return f"none ({error})"


def _number(figure: Fraction) -> str:
    return plain(figure).replace(",", "")
