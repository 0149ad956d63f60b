"""`export`: quantities as code or formulas to use elsewhere."""

from __future__ import annotations

import contextlib
import json
from argparse import Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from symroof import __version__
from symroof.answers.answer import Answer, notes_of, point_of, result_of, split
from symroof.errors import EvaluationError, MissingValueError, OutputError, RequestError, did_you_mean
from symroof.limits import LONGEST_SUM, MOST_DRAWS
from symroof.passes.depend import conventions_of

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.term import Term

_ENDINGS = {"python": ".py", "numpy": "_numpy.py", "c": ".c", "js": ".mjs", "latex": ".tex", "json": ".json"}
# The formats that have formulas, which have no arguments.
_FORMULAS = ("latex", "json")
_DOUBLES = (
    "Everything is a 64-bit float: whole numbers are exact below 2^53, a value too large is inf, one that divides by zero is nan "
    "or inf."
)
# What arrays cannot be asked for one by one, plain numbers can.
_ONE_BY_ONE = (
    "Where a nan is compared, either branch may be taken. A binomial of a k that is no whole number from 0 to "
    f"{MOST_DRAWS:,} is nan, and so is a sum over more than {LONGEST_SUM:,} numbers."
)


def answer(options: Namespace) -> Answer:
    """The quantities in each format that a request names, printed or written."""
    point = point_of(options)
    names = list(dict.fromkeys(options.names))
    for name in names:
        result_of(point, name)
        if name in point.book.symbols:
            raise RequestError(f"{name} is a symbol: there is nothing to compute")
    formats = _formats(options.formats)
    free = _free(point, names, options.free)
    for name in free:
        if name in point.book.conventions and set(_FORMULAS) & set(formats):
            raise RequestError(f"--free {name}: a convention can be an argument of code, not of {' or '.join(_FORMULAS)}")
    texts = {form: _PRINTERS[form](point, names, free) for form in formats}
    data = {"preset": point.preset, "set": dict(point.overrides), "names": names, "formats": texts}
    if options.output is None:
        return Answer(data, lambda: "\n".join(texts.values()).rstrip("\n"), notes_of(options, point))
    written = _write(Path(options.output), names, texts)
    return Answer(data, lambda: "\n".join(written), notes_of(options, point))


def _formats(text: str) -> list[str]:
    found = list(dict.fromkeys(split(text, "--format") or []))
    for form in found:
        if form not in _PRINTERS:
            known = ", ".join(_PRINTERS)
            raise RequestError(f"no format {form!r}{did_you_mean(form, _PRINTERS) or f'; formats are {known}'}")
    return found


def _free(point: Point, names: list[str], text: str | None) -> tuple[str, ...]:
    """The arguments: those that were named, else every symbol that the quantities rest on here, in reading order."""
    from symroof.passes.straighten import straighten

    named = split(text, "--free")
    if named is not None:
        inputs = {i for n in names for i in (*point.book.inputs_of(n), *conventions_of(point, n))}
        for name in named:
            if name not in point.book.conventions:
                point.book.known(name)
            if name not in inputs:
                raise RequestError(f"--free {name}: {' and '.join(names)} {'do' if len(names) > 1 else 'does'} not depend on it")
        return tuple(dict.fromkeys(named))
    reached = frozenset().union(*(point.book.inputs_of(n) for n in names))
    symbols = tuple(n for n, s in point.book.symbols.items() if n in reached and not s.is_list and n not in point.set_aside)
    return straighten(point, names, symbols).used


def _python(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    from symroof.passes.module import module
    from symroof.passes.python_code import PythonPrinter
    from symroof.passes.straighten import straighten

    rule = (
        "Exact: arguments are integers, Fractions or texts such as '1/20', in base units (bytes, seconds, FLOPs); so are results."
    )
    return module(point, straighten(point, names, free), PythonPrinter(), [*_about(point, names, free), rule], names)


def _numpy(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    from symroof.passes.compile import numeric_program
    from symroof.passes.module import module
    from symroof.passes.numpy_code import NumpyPrinter

    program, whole = numeric_program(point, tuple(names), free, {})
    rule = f"Arguments are numbers or arrays that broadcast, in base units (bytes, seconds, FLOPs). {_DOUBLES}"
    return module(point, program, NumpyPrinter(whole), [*_about(point, names, free), rule], names)


def _c(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    from symroof.passes.c_code import CPrinter, c_module
    from symroof.passes.compile import numeric_program

    program, whole = numeric_program(point, tuple(names), free, {})
    rule = f"C99, with math.h (link with -lm, and without -ffast-math, which forgets nan and inf). {_DOUBLES} {_ONE_BY_ONE}"
    return c_module(point, program, CPrinter(whole), [*_about(point, names, free), rule], names)


def _js(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    from symroof.passes.compile import numeric_program
    from symroof.passes.js_code import JsPrinter, js_module

    program, whole = numeric_program(point, tuple(names), free, {})
    rule = f"An ES module for browsers and Node.js, which imports nothing. {_DOUBLES} {_ONE_BY_ONE}"
    return js_module(point, program, JsPrinter(whole), [*_about(point, names, free), rule], names)


def _latex(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    return "".join(f"% {n}: {point[n].says.splitlines()[0]}\n\\[ {_equation(point, n, free)} \\]\n" for n in names)


def _equation(point: Point, name: str, free: tuple[str, ...]) -> str:
    """The derivation of a quantity; where only some of its symbols are free, its closed form in them instead, and its value."""
    from symroof.report.latex import derivation, equation, formula_sides, symbol_latex, value_sides

    result = point[name]
    if {n for n in point.book.inputs_of(name) if n in point.book.symbols and n in point.given} <= {*free}:
        return derivation(result)
    from symroof.passes.recover import from_sympy

    sides = formula_sides(from_sympy(result.closed_form(free).expression))
    with contextlib.suppress(MissingValueError, EvaluationError):
        sides += value_sides(point.book, None, result.exact, result.unit)
    return equation(symbol_latex(point.book, name), sides, point.book)


def _json(point: Point, names: list[str], free: tuple[str, ...]) -> str:
    from symroof.passes.inline import inlined
    from symroof.passes.recover import from_sympy
    from symroof.text import formula_text

    found = {
        name: {
            "unit": point[name].unit,
            "says": point[name].says,
            "ref": point[name].source,
            "formula": formula_text(inlined(point, _formula(point, name))),
            "closed_form": formula_text(from_sympy(point[name].closed_form(free).expression)),
            "arguments": {n: point[n].unit for n in free},
        }
        for name in names
    }
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


def _formula(point: Point, name: str) -> Term:
    from symroof.term import Ref

    found = point[name].formula
    return Ref(name) if found is None else found


def _about(point: Point, names: Iterable[str], free: tuple[str, ...]) -> list[str]:
    chosen = {c: point.choices[c] for n in names for c in conventions_of(point, n) if c not in free}
    said = ", ".join(f"{c} = {choice}" for c, choice in chosen.items())
    fixed = _fixed(point, list(names), free)
    return [
        f"{', '.join(names)}, from {point.title}. Printed by symroof {__version__}.",
        f"Whatever is no argument has its value of {point.label}{f'; conventions: {said}' if said else ''}.",
        *([f"Fixed at {point.label}, with their sources:", *fixed] if fixed else []),
        *(f"{n} is pinned at {point[n].display}: its definition is not used." for n in point.pins),
        "Constraints are not checked: arguments of a run that may not exist give numbers all the same.",
    ]


def _fixed(point: Point, names: list[str], free: tuple[str, ...]) -> list[str]:
    """The values that are part of the code, by source."""
    from symroof.passes.straighten import straighten

    book = point.book
    symbols = [n for n, s in book.symbols.items() if n in point.given or n in free]
    numbers = [n for n in symbols if not book.symbols[n].is_list]
    reached = frozenset().union(*(book.inputs_of(n) for n in names))
    chosen = [n for n in free if n in book.conventions]
    used = straighten(point, names, [*(n for n in numbers if n in reached), *chosen]).used
    lists = [n for n in symbols if book.symbols[n].is_list and n in reached]
    by_source: dict[str, list[str]] = {}
    for name in (n for n in (*used, *lists) if n not in free):
        by_source.setdefault(point[name].source, []).append(f"{name} = {_shown(point, name)} [{point[name].unit}]")
    return [f"    {', '.join(values)}: {source}" for source, values in by_source.items()]


def _shown(point: Point, name: str) -> str:
    from symroof.passes.scalar_code import brief

    value = point.given[name].value
    return f"[{', '.join(map(str, value))}]" if isinstance(value, tuple) else brief(value)


_PRINTERS: dict[str, Callable[[Point, list[str], tuple[str, ...]], str]] = {
    "python": _python,
    "numpy": _numpy,
    "c": _c,
    "js": _js,
    "latex": _latex,
    "json": _json,
}


def _write(path: Path, names: list[str], texts: dict[str, str]) -> list[str]:
    """Write each text, into a folder under the first name, or the only one into a file."""
    from symroof.wholefile import write_text

    if path.is_dir():
        places = {form: path / f"{names[0]}{_ENDINGS[form]}" for form in texts}
    elif len(texts) == 1:
        places = dict.fromkeys(texts, path)
    else:
        raise OutputError(f"{path}: several formats need a folder that exists")
    for form, text in texts.items():
        write_text(places[form], text)
    return [str(place) for place in places.values()]
