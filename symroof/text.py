"""Formulas as plain text in SymPy's syntax and the book's names, in the author's order: for terminals and for JSON."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from symroof.term import (
    Add,
    At,
    Call,
    Choose,
    Div,
    Largest,
    Logic,
    Mul,
    Neg,
    Num,
    Pow,
    RangeSum,
    Ref,
    Rel,
    Term,
    Total,
    Unit,
    Where,
)

_SUM, _PRODUCT, _POWER, _ATOM = range(4)


def formula_text(term: Term, number: Callable[[Fraction], str] = str) -> str:
    """A formula as text; `number` says how numbers are written."""
    return _text(term, number)[0]


def _text(term: Term, number: Callable[[Fraction], str]) -> tuple[str, int]:
    def inner(part: Term, least: int) -> str:
        text, level = _text(part, number)
        return text if level >= least else f"({text})"

    match term:
        case Num(value):
            text = number(value)
            return text, _SUM if text[:1] == "-" else _PRODUCT if "/" in text else _ATOM
        case Ref(name) | Unit(name):
            return name, _ATOM
        case Neg(part):
            return f"-{inner(part, _PRODUCT)}", _SUM
        case Add(parts):
            return _signed(parts, lambda t: inner(t, _PRODUCT)), _SUM
        case Mul(parts):
            return "*".join(inner(p, _PRODUCT) for p in parts), _PRODUCT
        case Div(a, b):
            return f"{inner(a, _PRODUCT)}/{inner(b, _POWER)}", _PRODUCT
        case Pow(base, exponent):
            return f"{inner(base, _ATOM)}**{inner(exponent, _ATOM)}", _POWER
        case Call(function, parts):
            return f"{function}({', '.join(inner(p, _SUM) for p in parts)})", _ATOM
        case Rel("divides", a, b):
            return f"Eq(Mod({inner(b, _SUM)}, {inner(a, _SUM)}), 0)", _ATOM
        case Rel("==", a, b):
            return f"Eq({inner(a, _SUM)}, {inner(b, _SUM)})", _ATOM
        case Rel(op, a, b):
            return f"{inner(a, _SUM)} {op} {inner(b, _SUM)}", _SUM
        case Logic(op, parts):
            return f"{'And' if op == 'and' else 'Or'}({', '.join(inner(p, _SUM) for p in parts)})", _ATOM
        case Where(condition, a, b):
            return f"Piecewise(({inner(a, _SUM)}, {inner(condition, _SUM)}), ({inner(b, _SUM)}, True))", _ATOM
        case At(name, pairs):
            return f"{name}({', '.join(f'{k}={inner(t, _SUM)}' for k, t in pairs)})", _ATOM
        case Choose(name, pairs):
            return f"choose({name}, {', '.join(f'{k}={inner(t, _SUM)}' for k, t in pairs)})", _ATOM
        case Total(over, variable, body):
            return f"sum({inner(body, _SUM)} for {variable} in {over})", _ATOM
        case RangeSum(variable, start, stop, body):
            return f"Sum({inner(body, _SUM)}, ({variable}, {inner(start, _SUM)}, {inner(stop, _SUM)}))", _ATOM
        case Largest(names):
            return f"ArgMax({', '.join(names)})", _ATOM
    raise TypeError(f"no text for {type(term).__name__}")


def _signed(parts: tuple[Term, ...], inner: Callable[[Term], str]) -> str:
    text = ""
    for part in parts:
        minus = isinstance(part, Neg)
        shown = inner(part.term if isinstance(part, Neg) else part)
        text += f" {'-' if minus else '+'} {shown}" if text else f"{'-' if minus else ''}{shown}"
    return text
