"""A program as a module of source code: helpers, `compute` with everything it returns, and a function for each quantity."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING

from symroof.passes.code import Printer, indented
from symroof.passes.straighten import Program

if TYPE_CHECKING:
    from symroof.point import Point

_WIDTH = 110


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
    needed = point.book.inputs_of(name)
    inputs = [n for n in program.inputs if n in needed]
    passed = ", ".join(f"{n}={n}" for n in inputs)
    says, unit = point.book.declared[name].says.splitlines()[0], point[name].unit
    return [
        *_signature(name, [_parameter(point, printer, n) for n in inputs]),
        *indented([*_docstring([f"{says.rstrip('.')} [{unit}]."]), f'return compute({passed})["{name}"]']),
    ]


def _parameter(point: Point, printer: Printer, name: str) -> str:
    given = point.given.get(name)
    return name if given is None or isinstance(given.value, tuple) else f"{name}={printer.number(given.value)}"


def _signature(name: str, parameters: list[str]) -> list[str]:
    """A signature whose parameters without a value come first, as Python wants them."""
    ordered = sorted(parameters, key=lambda p: "=" in p)
    line = f"def {name}({', '.join(ordered)}):"
    if len(line) <= _WIDTH:
        return [line]
    return [f"def {name}(", *indented(textwrap.wrap(", ".join(ordered) + ",", _WIDTH - 4)), "):"]


def _said(point: Point, program: Program) -> list[str]:
    """What the arguments and the results are."""
    book = point.book
    arguments = sorted(program.inputs, key=lambda n: n in point.given)
    named = [n for n in program.outputs if n in book.quantities or n in book.symbols]
    return [
        "All results, by name.",
        *([f"Args, in this order; the defaults are those of {point.label}:"] if arguments else []),
        *(f"    {n}: {_line(point, n)}" for n in arguments),
        "Returns:",
        *(f"    {n}: {_line(point, n)}" for n in named),
    ]


def _line(point: Point, name: str) -> str:
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
    return textwrap.wrap(paragraph, _WIDTH, initial_indent="", subsequent_indent=indent + "    " if indent else "") or [""]
