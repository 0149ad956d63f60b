"""A program as a module of source code: helpers, `compute` with everything it returns, and a function for each quantity."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.passes.code import WIDTH, Printer, indented
from symroof.passes.straighten import Program

if TYPE_CHECKING:
    from symroof.point import Point


def module(point: Point, program: Program, printer: Printer, about: Iterable[str], functions: Iterable[str] = ()) -> str:
    """The source of a module.

    Args:
        about: its docstring, a paragraph each.
        functions: the outputs that get a function of their own, in the arguments on which they depend.
    """
    body = _compute(point, program, printer)
    own = [line for name in functions for line in ("", "", *_function(point, program, printer, name))]
    helpers = [line for source in printer.helper_sources() for line in ("", "", source)]
    return "\n".join([*_docstring(about), "", printer.imports, *helpers, "", "", *body, *own, ""])


def _compute(point: Point, program: Program, printer: Printer) -> list[str]:
    body = [*printer.prepare(program.inputs), *printer.lines(point, program.statements)]
    outputs = [f'"{name}": {printer.result(term)},' for name, term in program.outputs.items()]
    return [
        *printer.decorators,
        *_signature("compute", [_parameter(point, printer, n) for n in program.inputs]),
        *indented([*_docstring(_said(point, program)), *body, "return {", *indented(outputs), "}"]),
    ]


def _function(point: Point, program: Program, printer: Printer, name: str) -> list[str]:
    inputs = inputs_of(point, program, name)
    passed = ", ".join(f"{n}={n}" for n in inputs)
    needed = all(default(point, n) is not None or n in inputs for n in program.inputs)
    lines = [f'return compute({passed})["{name}"]'] if needed else _own_lines(point, program.only([name]), printer, inputs)
    return [
        *(printer.decorators if not needed else ()),
        *_signature(name, [_parameter(point, printer, n) for n in inputs]),
        *indented([*_docstring([f"{said(point, name)}."]), *lines]),
    ]


def _own_lines(point: Point, program: Program, printer: Printer, inputs: tuple[str, ...]) -> list[str]:
    """The lines of one quantity, where `compute` wants an argument without a value that this quantity has nothing to do with."""
    (term,) = program.outputs.values()
    return [*printer.prepare(inputs), *printer.lines(point, program.statements), f"return {printer.result(term)}"]


def _parameter(point: Point, printer: Printer, name: str) -> str:
    value = default(point, name)
    return name if value is None else f"{name}={printer.number(value)}"


def _signature(name: str, parameters: list[str]) -> list[str]:
    """A signature whose parameters without a value come first, as Python wants them."""
    ordered = sorted(parameters, key=lambda p: "=" in p)
    line = f"def {name}({', '.join(ordered)}):"
    if len(line) <= WIDTH:
        return [line]
    return [f"def {name}(", *indented(textwrap.wrap(", ".join(ordered) + ",", WIDTH - 4)), "):"]


def _said(point: Point, program: Program) -> list[str]:
    """What the arguments and the results are."""
    book = point.book
    arguments = ordered(point, program)
    named = [n for n in program.outputs if n in book.quantities or n in book.symbols]
    return [
        "All results, by name.",
        *([f"Args, in this order; the defaults are those of {point.label}:"] if arguments else []),
        *(f"    {n}: {said(point, n)}" for n in arguments),
        "Returns:",
        *(f"    {n}: {said(point, n)}" for n in named),
    ]


def ordered(point: Point, program: Program) -> tuple[str, ...]:
    """The arguments, those that have no value at the point first."""
    return tuple(sorted(program.inputs, key=lambda n: default(point, n) is not None))


def default(point: Point, name: str) -> Fraction | None:
    """The value of an argument at the point, a convention's as the number of its choice; None where it has none."""
    if name in point.choices and name in point.book.conventions:
        return Fraction(list(point.book.conventions[name].choices).index(point.choices[name]))
    given = point.given.get(name)
    return None if given is None or isinstance(given.value, tuple) else given.value


def inputs_of(point: Point, program: Program, name: str) -> tuple[str, ...]:
    """The arguments on which an output rests, in order."""
    used = program.only([name]).used
    return tuple(n for n in ordered(point, program) if n in used)


def said(point: Point, name: str) -> str:
    """What a name is, in a line, and its unit; of a convention the numbers of its choices."""
    if name in point.book.conventions:
        convention = point.book.conventions[name]
        return f"{convention.says}: {', '.join(f'{i} = {choice}' for i, choice in enumerate(convention.choices))}"
    return f"{point.book.declared[name].says.splitlines()[0].rstrip('.')} [{point[name].unit}]"


def _docstring(paragraphs: Iterable[str]) -> list[str]:
    """The first paragraph and, below an empty line, the others."""
    first, *rest = ([_quotable(line) for line in _wrapped(p)] for p in paragraphs)
    below = ["", *(line for lines in rest for line in lines)] if rest else []
    text = [*first, *below]
    return [f'"""{text[0]}"""'] if len(text) == 1 else [f'"""{text[0]}', *text[1:], '"""']


def _quotable(line: str) -> str:
    return line.replace("\\", "\\\\").replace('"""', "'''")


def _wrapped(paragraph: str) -> list[str]:
    indent = paragraph[: len(paragraph) - len(paragraph.lstrip())]
    return textwrap.wrap(paragraph, WIDTH, initial_indent="", subsequent_indent=indent + "    " if indent else "") or [""]
