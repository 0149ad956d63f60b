"""A program as JavaScript: an ES module of functions of numbers, which needs nothing, in browsers and elsewhere."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from types import MappingProxyType
from typing import TYPE_CHECKING

from symroof.limits import filled
from symroof.passes.code import WIDTH, indented
from symroof.passes.module import default, inputs_of, ordered, said
from symroof.passes.scalar_code import ScalarPrinter, block
from symroof.passes.straighten import Program
from symroof.term import Largest, Logic, Rel, Term

if TYPE_CHECKING:
    from symroof.point import Point


_CHECKED = """\
/** Throws where a value is no number, or belongs to no argument. */
function _checked(values, others) {
    for (const [name, value] of Object.entries(values)) {
        if (typeof value !== "number") {
            throw new TypeError(`${name} is ${typeof value === "string" ? JSON.stringify(value) : String(value)}: give a number`);
        }
    }
    for (const name of Object.keys(others)) {
        throw new TypeError(`${name} is no argument: arguments are ${Object.keys(values).join(", ") || "none"}`);
    }
}"""

_FLOOR = """\
/** The integer below x; a value that is within rounding of an integer is that integer. */
function _floor(x) {
    return Math.floor(x + Math.min($slack * Math.abs(x), $grain));
}"""

_CEILING = """\
/** The integer above x; a value that is within rounding of an integer is that integer. */
function _ceiling(x) {
    return 0 - _floor(-x);
}"""

_DIVIDES = """\
/** True where the whole number b is a multiple of the whole number a. */
function _divides(a, b) {
    return Math.floor(b / a) * a === b;
}"""

_MEASURES = """\
/** True where b is a whole multiple of a, within rounding. */
function _measures(a, b) {
    const times = b / a;
    return Math.abs(times - Math.round(times)) <= Math.min($slack * Math.abs(times), $grain);
}"""

_DIFFERENCE = """\
/** What a is more than b; zero where that is within rounding of a. */
function _difference(a, b) {
    return Math.abs(a - b) <= $slack * Math.abs(a) ? 0 : a - b;
}"""

_SAME = """\
/** True where a and b are equal within rounding. */
function _same(a, b) {
    return Math.abs(a - b) <= $slack * Math.abs(b);
}"""

_AT_MOST = """\
/** True where a is not above b, within rounding. */
function _at_most(a, b) {
    return a - b <= $slack * Math.abs(b);
}"""

_POWER = """\
/** A power; to a small whole number by multiplication, so that whole numbers stay whole. */
function _power(x, n) {
    if (!Number.isInteger(n) || Math.abs(n) > 64) {
        return Math.pow(x, n);
    }
    let product = 1;
    for (let i = 0; i < Math.abs(n); i += 1) {
        product *= x;
    }
    return n < 0 ? 1 / product : product;
}"""

_DRAWS = """\
/** True for a whole k from 0 to $said_draws: for another there is no binomial. */
function _draws(k) {
    return Number.isInteger(k) && k >= 0 && k <= $draws;
}"""

_CHOOSE = """\
/** The binomial coefficient, for whole k; each step is a binomial itself, so whole numbers stay whole. */
function _choose(n, k) {
    let found = _draws(k) ? 1 : NaN;
    for (let j = 0; j < k && found === found; j += 1) {
        found = found * (n - j) / (j + 1);
    }
    return found;
}"""

_HIT = """\
/** The chance 1 - binomial(a, k)/binomial(b, k), as a sum of what each draw adds, which loses no digits. */
function _hit(a, b, k) {
    let chance = _draws(k) ? 0 : NaN;
    for (let j = 0; j < k && chance === chance; j += 1) {
        chance += (1 - chance) * ((b - a) / (b - j));
    }
    return chance;
}"""

_NONE = """\
/** What a sum begins with: 0, or NaN where an end is NaN or there are more than $said_terms numbers between them. */
function _none(start, stop) {
    return stop - start <= $terms ? 0 : NaN;
}"""

_LARGEST = """\
/** The name of the largest value; names with a comma between them where values are the same within rounding. */
function _largest(values) {
    const top = Math.max(...Object.values(values));
    const tied = Object.entries(values).filter(([, v]) => v === top || top - v < $tie * Math.abs(top));
    return tied.map(([name]) => name).join(", ") || "none";
}"""

# Words of the language, and names that are there in every module and that printed code may call.
_WORDS = """
arguments async await break case catch class const continue debugger default delete do else enum eval export extends false
finally for from function get if implements import in instanceof interface let new null of package private protected public
return set static super switch this throw true try typeof var void while with yield undefined
Array Boolean Error Infinity JSON Math NaN Number Object String Symbol TypeError globalThis compute values others __proto__
"""


class JsPrinter(ScalarPrinter):
    """Prints JavaScript."""

    helpers = MappingProxyType(
        {
            name: filled(source, "2 ** {}")
            for name, source in {
                "_checked": _CHECKED,
                "_floor": _FLOOR,
                "_ceiling": _CEILING,
                "_divides": _DIVIDES,
                "_measures": _MEASURES,
                "_difference": _DIFFERENCE,
                "_same": _SAME,
                "_at_most": _AT_MOST,
                "_power": _POWER,
                "_draws": _DRAWS,
                "_choose": _CHOOSE,
                "_hit": _HIT,
                "_none": _NONE,
                "_largest": _LARGEST,
            }.items()
        }
    )
    reserved = frozenset(_WORDS.split()) | frozenset(helpers)
    rounding = ("Math.floor", "Math.ceil")
    declares = ("const", "let", "let")
    nan = "NaN"
    joins = MappingProxyType({"and": "&&", "or": "||", "==": "===", "!=": "!=="})

    def extreme(self, function: str, parts: tuple[Term, ...]) -> str:
        """JavaScript's own functions give NaN for a NaN."""
        return f"Math.{function.lower()}({self.arguments(parts)})"

    def largest(self, names: tuple[str, ...]) -> str:
        """The name of the largest of some values."""
        return f"{self.guard('largest')}({{ {', '.join(self.pair(n, self.name(n)) for n in names)} }})"

    def pair(self, name: str, text: str) -> str:
        """An entry of an object: the book's own name, and what it holds."""
        return name if name == text else f"{name}: {text}"

    def prepare(self, inputs: tuple[str, ...]) -> list[str]:
        """The line that refuses what is no number."""
        values = ", ".join(self.pair(n, self.name(n)) for n in inputs)
        return textwrap.wrap(
            f"{self.guard('checked')}({{ {values} }}, others);" if values else f"{self.guard('checked')}({{}}, others);",
            WIDTH,
            subsequent_indent="    ",
        )


def js_module(point: Point, program: Program, printer: JsPrinter, about: Iterable[str], names: Iterable[str] = ()) -> str:
    """The source of an ES module: `compute` with everything it returns, and a function for each quantity.

    Args:
        about: what stands at its top, a paragraph each.
        names: the outputs that get a function of their own, in the arguments on which they depend.
    """
    body = _compute(point, program, printer)
    own = [line for name in names for line in ("", *_function(point, program, printer, name))]
    helpers = [line for source in printer.helper_sources() for line in ("", source)]
    return "\n".join([*block(about), *helpers, "", *body, *own, ""])


def _compute(point: Point, program: Program, printer: JsPrinter) -> list[str]:
    inputs = ordered(point, program)
    given = _braced([f"{printer.pair(n, printer.name(n))}{_default(point, printer, n)}" for n in inputs] + ["...others"])
    body = [*printer.prepare(inputs), *printer.lines(point, program.statements)]
    results = [f"{printer.pair(name, printer.result(term))}," for name, term in program.outputs.items()]
    signature = [f"export function compute({given[0]}", *given[1:]]
    signature[-1] += " = {}) {"
    return [
        *block(_documented(point, program, printer, inputs), "/**"),
        *signature,
        *indented([*body, "return {", *indented(results), "};"]),
        "}",
    ]


def _documented(point: Point, program: Program, printer: JsPrinter, inputs: Iterable[str]) -> list[str]:
    """What `compute` takes and gives, in base units."""
    kinds = ", ".join(f"{n}: {_kind(t)}" for n, t in program.outputs.items())
    return [
        f"All results, by name, of arguments by name, in base units; the defaults are those of {point.label}.",
        "@param {object} [values]",
        *(f"@param {{number}} {_optional(point, printer, n, 'values.')} {said(point, n)}" for n in inputs),
        f"@returns {{{{{kinds}}}}}",
        *(f"    {n}: {_result(point, n)}" for n in program.outputs if n in point.book.quantities),
        "@throws {TypeError} a value that is no number, or that belongs to no argument",
    ]


def _result(point: Point, name: str) -> str:
    return f"{said(point, name)}. Source: {point.book.quantities[name].ref}."


def _kind(term: Term) -> str:
    return "string" if isinstance(term, Largest) else "boolean" if isinstance(term, Rel | Logic) else "number"


def _default(point: Point, printer: JsPrinter, name: str) -> str:
    value = default(point, name)
    return "" if value is None else f" = {printer.number(value)}"


def _optional(point: Point, printer: JsPrinter, name: str, of: str = "") -> str:
    """An argument as JSDoc has it: in brackets with its default, where it has one."""
    shown = f"{of}{name if of else printer.name(name)}"
    default = _default(point, printer, name).replace(" ", "")
    return f"[{shown}{default}]" if default else shown


def _function(point: Point, program: Program, printer: JsPrinter, name: str) -> list[str]:
    """A function of numbers in order; what its quantity does not depend on is nan."""
    inputs = inputs_of(point, program, name)
    rest = [n for n in program.inputs if n not in inputs and default(point, n) is None]
    passed = _braced([printer.pair(n, printer.name(n)) for n in inputs] + [f"{n}: {printer.nan}" for n in rest])
    parameters = [f"{printer.name(n)}{_default(point, printer, n)}" for n in inputs]
    says = [_result(point, name), *(f"@param {{number}} {_optional(point, printer, n)} {said(point, n)}" for n in inputs)]
    call = [f"return compute({passed[0]}", *passed[1:]]
    call[-1] += f").{name};"
    return [
        *block([*says, f"@returns {{{_kind(program.outputs[name])}}}"], "/**"),
        *_signature(printer.name(name), parameters),
        *indented(call),
        "}",
    ]


def _signature(name: str, parameters: list[str]) -> list[str]:
    line = f"export function {name}({', '.join(parameters)}) {{"
    if len(line) <= WIDTH:
        return [line]
    return [f"export function {name}(", *indented(_wrapped(parameters)), ") {"]


def _braced(entries: list[str]) -> list[str]:
    """Entries of an object, on a line or on as many as they need."""
    line = f"{{ {', '.join(entries)} }}" if entries else "{}"
    return [line] if len(line) < WIDTH - 30 else ["{", *indented(_wrapped(entries)), "}"]


def _wrapped(entries: list[str]) -> list[str]:
    glued = ", ".join(entry.replace(" ", "\0") for entry in entries)
    return [line.replace("\0", " ") for line in textwrap.wrap(glued, WIDTH - 8, break_long_words=False, break_on_hyphens=False)]
