r"""Formulas as LaTeX: one printer for what the author wrote, for the line with numbers in and for closed forms.

Names come from the declarations' `latex`, never from SymPy, which turns the end of a name into an accent. The printer builds
boxes, each with an estimate of its width, and breaks what is too wide: at sums, then at products, then inside fractions,
Max and Min. What it prints is read alike by pdflatex with amsmath and by the MathJax of GitHub, which refuses `\operatorname`.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import inf
from typing import TYPE_CHECKING, NamedTuple

from symroof.errors import EvaluationError, MissingValueError
from symroof.humane import scaled, shows_exactly, significant, terminates
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
    Where,
    rebuild,
    walk,
    without_units,
)

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.result import Result

# The width in ems of a line of a report.
PAGE = 45.0

_SUM, _SERIES, _PRODUCT, _FRACTION, _ATOM = range(5)
_INDENT = 1.0
# What an equals sign takes, with the room on both its sides.
_RELATION = 1.4
# Digits of a rounded number, and the most places of a decimal that is printed whole.
_DIGITS, _PLACES = 6, 6
# An integer longer than this is rounded where it is a value.
_LONGEST_INTEGER = 15
# A sum of numbers longer than this, such as one over the hops of a long pipeline, shows its ends only.
_LONGEST_SUM = 16
_DOTS = Ref("...")

_RELATIONS = {"<=": r"\le", "<": "<", ">=": r"\ge", ">": ">", "==": "=", "!=": r"\ne", "divides": r"\mid"}
_DELIMITERS = {"ceiling": (r"\lceil", r"\rceil"), "floor": (r"\lfloor", r"\rfloor")}
_DISPLAY = r"\displaystyle "
_ENTRIES = ("x", "y", "z", "u")


@dataclass(frozen=True, slots=True)
class Box:
    """A printed part of a formula: its LaTeX, its width in ems, how tightly it binds, and what a product must know of it.

    `tall` asks for delimiters that grow; `digits` is true where it starts with a digit, `numeric` where it has no name in it.
    """

    tex: str
    width: float
    level: int = _ATOM
    tall: bool = False
    digits: bool = False
    numeric: bool = False


class Side(NamedTuple):
    """One side of a chain of equations: the relation before it, and a formula or a box that is printed already."""

    relation: str
    content: Term | Box
    values: bool = False


def formula_latex(term: Term, book: Book, *, values: bool = False, width: float = inf) -> str:
    """A formula as LaTeX, for display style.

    Args:
        term: any tree; reserved unit symbols are left out.
        book: where the names' symbols come from.
        values: print numbers as values, rounded to six digits where they are long, and not as exact fractions.
        width: in ems; what is wider is broken into lines.
    """
    return _Printer(book, values).fit_side(term, width).tex


def derivation(result: Result, width: float = PAGE) -> str:
    """Symbol = formula = substituted = value, as far as the result has them, broken to a width in ems."""
    book = result.point.book
    # What was given has no formula in force, be it pinned or an argument.
    formula = None if result.name in result.point.given else result.formula
    sides = formula_sides(formula)
    with contextlib.suppress(MissingValueError, EvaluationError):
        numbers = None if formula is None else result.substituted
        sides += value_sides(book, numbers, result.exact, result.unit)
    return equation(symbol_latex(book, result.name), sides, book, width)


def formula_sides(*formulas: Term | None) -> list[Side]:
    """The first sides of a chain: those formulas that there are, unless one is a number and so says what the value will."""
    return [Side("=", f) for f in formulas if f is not None and not isinstance(f, Num)]


def value_sides(book: Book, numbers: Term | None, value: Fraction | str, unit: str) -> list[Side]:
    """The last sides of a chain: the formula with its numbers in, where there is one, and the value at the scale of its size.

    The value stands after an equals sign only where nothing was rounded on the way to it.
    """
    numbers = None if isinstance(numbers, Num) else numbers
    sides = [] if numbers is None else [Side("=", numbers, values=True)]
    if isinstance(value, str):
        names = ", ".join(symbol_latex(book, n) for n in value.split(", "))
        return [*sides, Side("=", Box(names, ems(names)))]
    exact = shows_exactly(value, unit) and not _rounds(numbers)
    tex = value_latex(value, unit)
    return [*sides, Side("=" if exact else r"\approx", Box(tex, ems(tex)))]


def value_latex(value: Fraction, unit: str) -> str:
    r"""A value with its unit at the scale of its size: `840\,\mathrm{MiB}`."""
    number, scale = scaled(value, unit)
    return number_text_latex(number) + (rf"\,{unit_latex(scale)}" if scale else "")


def equation(symbol: str, sides: Sequence[Side], book: Book, width: float = PAGE) -> str:
    """A chain of equations in one line where it fits, else one line or more a side, aligned at the relations."""
    head = Box(symbol, ems(symbol))
    whole = [_Printer(book, s.values).fit_side(s.content, inf) for s in sides]
    # What follows a brace of cases would read as part of its last case.
    closed = [r"\end{cases}" not in box.tex for box in whole]
    if all(closed[:-1]) and head.width + sum(b.width + _RELATION for b in whole) <= width:
        return " ".join([symbol, *(f"{s.relation} {b.tex}" for s, b in zip(sides, whole, strict=True))])
    long = head.width > width / 3
    room = width - _RELATION - (2 * _INDENT if long else head.width)
    lines: list[Box] = []
    for index, (side, box) in enumerate(zip(sides, whole, strict=True)):
        first, *rest = _Printer(book, side.values).side_rows(side.content, box, room)
        if index and index == len(sides) - 1 and closed[index - 1] and lines[-1].width + first.width + _RELATION <= room:
            lines[-1] = _joined([lines[-1], first], [(side.relation, _RELATION)], _SUM)
            continue
        lines.append(_prefix(side.relation, first, 0, _SUM))
        lines.extend(_prefix(r"\quad", row, _INDENT, _SUM) for row in rest)
    start = f"& {symbol} \\\\\n& \\quad " if long else f"{symbol} & "
    between = " \\\\\n& " + (r"\quad " if long else "")
    return "\\begin{aligned}\n" + start + between.join(b.tex for b in lines) + "\n\\end{aligned}"


def symbol_latex(book: Book, name: str) -> str:
    """The LaTeX symbol of a name of the book; by default the name itself in upright letters."""
    return getattr(book.declared.get(name), "latex", None) or _upright(name)


def unit_latex(unit: str) -> str:
    r"""A unit in upright letters, its carrier below: `\mathrm{GB_{nvlink}/s}`."""
    tagged = re.sub(r"@(\w+)", r"_{\1}", unit.replace("%", r"\%"))
    upright = re.sub(r"[ ·]", r"\\,", tagged)
    return rf"\mu\mathrm{{{upright[1:]}}}" if upright[:1] == "µ" else rf"\mathrm{{{upright}}}"


def number_latex(value: Fraction) -> str:
    """A value: integers and short decimals in full, round ones as a power of ten, all else to six significant digits."""
    if not _prints_whole(value):
        return number_text_latex(significant(value, _DIGITS))
    if value.denominator != 1:
        return number_text_latex(_decimal(value))
    return _integer(int(value))


def number_text_latex(text: str) -> str:
    r"""A number in text, `12,345.6`, `1.2e-5` or `3/8`, as LaTeX: `12{,}345.6`, `1.2 \times 10^{-5}`, `\frac{3}{8}`."""
    above, stroke, below = text.partition("/")
    if stroke:
        sign, above = ("-", above[1:]) if above[:1] == "-" else ("", above)
        return rf"{sign}\frac{{{number_text_latex(above)}}}{{{number_text_latex(below)}}}"
    mantissa, _, exponent = text.replace(",", "").partition("e")
    sign, mantissa = ("-", mantissa[1:]) if mantissa[:1] == "-" else ("", mantissa)
    whole, point, part = mantissa.partition(".")
    grouped = f"{sign}{_grouped(whole)}{point}{part}"
    return rf"{grouped} \times 10^{{{exponent}}}" if exponent else grouped


@lru_cache(maxsize=4096)
def ems(tex: str) -> float:
    """An estimate, rather too large than too small, of the width in ems of LaTeX without fractions and environments."""
    return _run_width(_TOKEN.findall(tex), 0, 1.0)[0]


class _Printer:
    """The walk from a tree to boxes, for one book and one way to print numbers."""

    def __init__(self, book: Book, values: bool) -> None:
        self._book, self._values = book, values
        self._bound: dict[str, str] = {}
        # True inside fractions, binomials and exponents, where a simple quotient reads better in a line: a / b.
        self._inline = False
        # What was fitted already, by everything that a box depends on. The term is kept, so that its identity stays its own.
        self._fitted: dict[tuple[object, ...], tuple[Term, Box]] = {}

    def fit_side(self, content: Term | Box, width: float) -> Box:
        return content if isinstance(content, Box) else self.fit(self._clean(content), width)

    def side_rows(self, content: Term | Box, whole: Box, width: float) -> list[Box]:
        return [whole] if isinstance(content, Box) or whole.width <= width else self.rows(self._clean(content), width)

    def _clean(self, term: Term) -> Term:
        return _abridged(term) if self._values else without_units(term)

    def fit(self, term: Term, width: float) -> Box:
        """One box, broken inside where it would be wider than `width`; each is made once, however often it is tried."""
        key = (id(term), width, self._inline, *self._bound.items())
        if key not in self._fitted:
            self._fitted[key] = term, self._fit(term, width)
        return self._fitted[key][1]

    def _fit(self, term: Term, width: float) -> Box:
        match term:
            case Num(value):
                return self._number(value)
            case Ref(name):
                return self._name(name)
            case Add() | Mul() | Neg():
                row = self._row(term)
                return row if row.width <= width else _stack(self.rows(term, width - _INDENT), row.level)
            case Div(a, b):
                return self._quotient(a, b, width)
            case Pow(base, exponent):
                return self._power(base, exponent, width)
            case Call(function, parts):
                return self._call(function, parts, width)
            case Rel() | Logic():
                return self._condition(term, width)
            case Where():
                return self._cases(list(self._branches(term)), width)
            case Choose(_, pairs):
                return self._cases([(t, Box(_upright(label), ems(_upright(label)))) for label, t in pairs], width)
            case At(name, pairs):
                return self._application(name, pairs, width)
            case Total(over, variable, body):
                return self._total(over, variable, body, width)
            case RangeSum(variable, start, stop, body):
                return self._range(variable, start, stop, body, width)
            case Largest(names):
                return self._largest(names)
        raise TypeError(f"no LaTeX for {type(term).__name__}")

    def rows(self, term: Term, width: float) -> list[Box]:
        """The lines of a formula that is wider than one line: those of a sum, of a product, or one box broken inside."""
        match term:
            case Add(parts):
                return self._sum_rows(parts, width)
            case Mul(parts):
                return self._product_rows(parts, width)
            case Neg(inner) if not isinstance(inner, Add):
                first, *rest = self.rows(inner, width - 0.8)
                return [_prefix("-", first, 0.8, _SUM), *rest]
            case Neg(inner):
                return [_prefix("-", _delimited(self.fit(inner, width - 2)), 0.8, _SUM)]
        return [self.fit(term, width)]

    def _row(self, term: Add | Mul | Neg) -> Box:
        if isinstance(term, Mul):
            boxes = [self._factor(p, inf, last=p is term.factors[-1]) for p in term.factors]
            return _joined(boxes, [_product_sign(a, b) for a, b in pairwise(boxes)], _PRODUCT)
        parts = term.terms if isinstance(term, Add) else (term,)
        boxes = [self._summand(p, inf) for p in parts]
        signs = [("-" if isinstance(p, Neg) else "+", 1.25) for p in parts]
        row = _joined(boxes, signs[1:], _SUM)
        return _prefix("-", row, 0.8, _SUM) if signs[0][0] == "-" else row

    def _sum_rows(self, parts: Sequence[Term], width: float) -> list[Box]:
        lines: list[Box] = []
        for index, part in enumerate(parts):
            sign = "-" if isinstance(part, Neg) else "+"
            room = width - 1.3
            first, *rest = self._summand_rows(part, room)
            if index and not rest and lines[-1].width + 1.3 + first.width <= width:
                lines[-1] = _joined([lines[-1], first], [(sign, 1.25)], _SUM)
                continue
            lead = ("-" if sign == "-" else "") if not index else f"{{}} {sign}"
            lines.append(_prefix(lead, first, 1.25, _SUM) if lead else first)
            lines.extend(_prefix(r"\quad", row, 1.0, _SUM) for row in rest)
        return lines

    def _summand(self, part: Term, width: float) -> Box:
        inner = part.term if isinstance(part, Neg) else part
        box = self.fit(inner, width)
        return box if box.level >= _SERIES else _delimited(self.fit(inner, width - 1.2))

    def _summand_rows(self, part: Term, width: float) -> list[Box]:
        inner = part.term if isinstance(part, Neg) else part
        box = self._summand(part, inf)
        if box.width <= width:
            return [box]
        return self._product_rows(inner.factors, width - 1) if isinstance(inner, Mul) else [self._summand(part, width)]

    def _product_rows(self, parts: Sequence[Term], width: float) -> list[Box]:
        lines: list[Box] = []
        for index, part in enumerate(parts):
            last = index == len(parts) - 1
            box = self._factor(part, width - 1, last=last)
            if not lines:
                lines.append(box)
                continue
            sign = _product_sign(lines[-1], box)
            room = width - lines[-1].width - sign[1]
            # A short line is not left alone: what follows is rather broken inside.
            if box.width > room > width / 2:
                box = self._factor(part, room, last=last)
            if box.width <= room:
                lines[-1] = _joined([lines[-1], box], [_product_sign(lines[-1], box)], _PRODUCT)
            else:
                lines.append(_prefix(r"{} \cdot", box, 0.8, _PRODUCT))
        return lines

    def _factor(self, part: Term, width: float, *, last: bool) -> Box:
        box = self.fit(part, width)
        return box if box.level >= (_SERIES if last else _PRODUCT) else _delimited(self.fit(part, width - 1.2))

    def _quotient(self, above: Term, below: Term, width: float) -> Box:
        if isinstance(above, Div):
            return self._quotient(above.numerator, Mul((above.denominator, *_factors(below))), width)
        a, b = self._inner(above, width - 0.3), self._inner(below, width - 0.3)
        if self._inline and a.level >= _PRODUCT and not a.tall and not b.tall:
            b = b if b.level >= _FRACTION else _delimited(b)
            return Box(f"{a.tex} / {b.tex}", a.width + b.width + 0.6, _SERIES, digits=a.digits, numeric=a.numeric and b.numeric)
        return _fraction(a, b)

    def _inner(self, term: Term, width: float) -> Box:
        outer, self._inline = self._inline, True
        box = self.fit(term, width)
        self._inline = outer
        return box

    def _power(self, base: Term, exponent: Term, width: float) -> Box:
        inner = self.fit(base, width - 2)
        if exponent == Num(Fraction(1, 2)):
            return Box(rf"\sqrt{{{inner.tex}}}", inner.width + 1, _ATOM, True)
        below = inner if inner.level == _ATOM else _delimited(inner)
        above = self._inner(exponent, inf)
        return replace(below, tex=f"{below.tex}^{{{above.tex}}}", width=below.width + 0.75 * above.width, level=_FRACTION)

    def _call(self, function: str, parts: Sequence[Term], width: float) -> Box:
        if function == "binomial":
            n, k = (self._inner(p, inf) for p in parts)
            tex, room = rf"\binom{{{n.tex}}}{{{k.tex}}}", max(n.width, k.width) + 1.4
            return Box(tex, room, tall=True, numeric=n.numeric and k.numeric)
        if function in _DELIMITERS:
            return _delimited(self.fit(parts[0], width - 1), *_DELIMITERS[function])
        boxes = [self.fit(p, inf) for p in parts]
        if sum(b.width + 0.5 for b in boxes) + 3.2 <= width:
            inner = _joined(boxes, [(",", 0.5)] * (len(boxes) - 1), _SUM)
        else:
            lines = [self.fit(p, width - 4) for p in parts]
            inner = _stack([_suffix(b, ",") for b in lines[:-1]] + lines[-1:], _SUM)
        return _prefix(rf"\{function.lower()}", _delimited(inner), 2.0, _ATOM)

    def _condition(self, term: Term, width: float) -> Box:
        if isinstance(term, Logic):
            boxes = [_delimited(self.fit(p, width)) if isinstance(p, Logic) else self.fit(p, width) for p in term.args]
            return _joined(boxes, [(rf"\text{{ {term.op} }}", 2.2)] * (len(boxes) - 1), _SUM)
        assert isinstance(term, Rel)
        return _joined([self.fit(term.left, inf), self.fit(term.right, inf)], [(_RELATIONS[term.op], 1.4)], _SUM)

    def _cases(self, branches: Sequence[tuple[Term, Box]], width: float) -> Box:
        labels = max(label.width for _, label in branches) + 3.0
        pairs = [(self.fit(term, width - labels), label) for term, label in branches]
        # Cases are set in text style, which makes fractions and sums small.
        tex = r" \\ ".join(f"{_DISPLAY if value.tall else ''}{value.tex} & {label.tex}" for value, label in pairs)
        return Box(rf"\begin{{cases}} {tex} \end{{cases}}", max(v.width for v, _ in pairs) + labels, _SERIES, True)

    def _branches(self, term: Term) -> Iterable[tuple[Term, Box]]:
        while isinstance(term, Where):
            yield term.then, _prefix(r"\text{if }", self._condition(term.condition, inf), 1.0, _SUM)
            term = term.otherwise
        yield term, Box(r"\text{otherwise}", 4.2)

    def _application(self, name: str, pairs: Sequence[tuple[str, Term]], width: float) -> Box:
        symbol = self._name(name)
        boxes = [self.fit(t, width) for _, t in pairs]
        if len(pairs) > 1:
            names = [self._name(k) for k, _ in pairs]
            boxes = [_joined([n, b], [("=", 1.4)], _SUM) for n, b in zip(names, boxes, strict=True)]
        inner = _delimited(_joined(boxes, [(",", 0.5)] * (len(boxes) - 1), _SUM))
        return Box(symbol.tex + inner.tex, symbol.width + inner.width, _ATOM, inner.tall)

    def _total(self, over: str, variable: str, body: Term, width: float) -> Box:
        taken = {*self._bound.values(), *_symbols(self._book)}
        letter = next((e for e in _ENTRIES if e not in taken), _upright(variable))
        limits = rf"{letter} \in {self._name(over).tex}"
        return self._series(rf"\sum_{{{limits}}}", 0.72 * (ems(limits) + 1.2), {variable: letter}, body, width)

    def _range(self, variable: str, start: Term, stop: Term, body: Term, width: float) -> Box:
        letter = variable if len(variable) == 1 else symbol_latex(self._book, variable)
        first, last = self.fit(start, inf), self.fit(stop, inf)
        below = 0.72 * (ems(letter) + 1.0 + first.width)
        sign = rf"\sum_{{{letter} = {first.tex}}}^{{{last.tex}}}"
        return self._series(sign, max(below, 0.72 * last.width), {variable: letter}, body, width)

    def _series(self, sign: str, limits: float, bound: dict[str, str], body: Term, width: float) -> Box:
        outer, self._bound = self._bound, {**self._bound, **bound}
        space = max(1.5, limits) + 0.2
        inner = self.fit(body, width - space)
        if inner.level < _SERIES:
            inner = _delimited(self.fit(body, width - space - 1.2))
        self._bound = outer
        return Box(f"{sign} {inner.tex}", space + inner.width, _SERIES, True)

    def _largest(self, names: Sequence[str]) -> Box:
        boxes = [self._name(n) for n in names]
        inner = _delimited(_joined(boxes, [(",", 0.5)] * (len(boxes) - 1), _SUM))
        return _prefix(r"\mathop{\mathrm{arg\,max}}", inner, 4.0, _ATOM)

    def _name(self, name: str) -> Box:
        if name == _DOTS.name:
            return Box(r"\cdots", 1.2, _ATOM, numeric=True)
        tex = self._bound.get(name) or symbol_latex(self._book, name)
        # A symbol with a superscript of its own cannot take a power without parentheses.
        return Box(tex, ems(tex), _FRACTION if "^" in tex else _ATOM)

    def _number(self, value: Fraction) -> Box:
        size = abs(value)
        if self._values or value.denominator == 1:
            tex = number_latex(size) if self._values else _integer(int(size))
            box = Box(tex, ems(tex), _PRODUCT if r"\times" in tex else _ATOM, digits=True, numeric=True)
        else:
            sides = [_integer(n) for n in size.as_integer_ratio()]
            box = _fraction(*(Box(tex, ems(tex), digits=True, numeric=True) for tex in sides))
        return _prefix("-", box, 0.8, _SUM) if value < 0 else box


def _rounds(numbers: Term | None) -> bool:
    """True where a number of the formula is rounded when it is printed as a value."""
    return numbers is not None and any(isinstance(n, Num) and not _prints_whole(n.value) for n in walk(numbers))


def _abridged(term: Term) -> Term:
    """The same formula, with the middle of a long sum of numbers left out."""
    if isinstance(term, Add) and len(term.terms) > _LONGEST_SUM:
        term = Add((*term.terms[:3], _DOTS, term.terms[-1]))
    return rebuild(term, _abridged)


def _fraction(above: Box, below: Box) -> Box:
    tex, width = rf"\frac{{{above.tex}}}{{{below.tex}}}", max(above.width, below.width) + 0.3
    return Box(tex, width, _FRACTION, tall=True, digits=above.digits, numeric=above.numeric and below.numeric)


def _factors(term: Term) -> tuple[Term, ...]:
    return term.factors if isinstance(term, Mul) else (term,)


def _joined(boxes: Sequence[Box], signs: Sequence[tuple[str, float]], level: int) -> Box:
    if len(boxes) == 1:
        return boxes[0]
    tex = boxes[0].tex
    for (sign, _), box in zip(signs, boxes[1:], strict=True):
        tex += f"{sign} {box.tex}" if sign in (",", r"\,") else f" {sign} {box.tex}" if sign else f" {box.tex}"
    width = sum(b.width for b in boxes) + sum(w for _, w in signs)
    return Box(tex, width, level, any(b.tall for b in boxes), boxes[0].digits, all(b.numeric for b in boxes))


def _product_sign(left: Box, right: Box) -> tuple[str, float]:
    """Numbers that meet need a dot; a name after a factor needs only a little room, a growing delimiter brings its own."""
    if right.digits or (left.numeric and right.numeric):
        return r"\cdot", 0.75
    grows = right.tex.startswith((r"\left", r"\max", r"\min")) or left.tex.endswith(r"\right)")
    return ("", 0.2) if grows else (r"\,", 0.2)


def _prefix(sign: str, box: Box, width: float, level: int) -> Box:
    glue = "" if sign == "-" or (sign.startswith("\\m") and box.tex[:1] in "(\\") else " "
    return replace(box, tex=f"{sign}{glue}{box.tex}", width=box.width + width, level=level, digits=False)


def _suffix(box: Box, mark: str) -> Box:
    return replace(box, tex=f"{box.tex}{mark}", width=box.width + 0.3)


def _delimited(box: Box, left: str = "(", right: str = ")") -> Box:
    if box.tall:
        return Box(rf"\left{left} {box.tex} \right{right}", box.width + 1.5, _ATOM, True, numeric=box.numeric)
    gap = " " if left != "(" else ""
    return Box(f"{left}{gap}{box.tex}{gap}{right}", box.width + 0.9, _ATOM, numeric=box.numeric)


def _stack(lines: Sequence[Box], level: int) -> Box:
    if len(lines) == 1:
        return lines[0]
    indented = [lines[0], *(_prefix(r"\quad", b, _INDENT, b.level) if b.tex.startswith("{}") else b for b in lines[1:])]
    tex = r" \\ ".join(f"& {line.tex}" for line in indented)
    width, numeric = max(b.width for b in indented), all(b.numeric for b in lines)
    return Box(rf"\begin{{aligned}} {tex} \end{{aligned}}", width + 0.3, level, True, numeric=numeric)


def _upright(name: str) -> str:
    return r"\mathrm{" + name.replace("_", r"\_") + "}"


@lru_cache(maxsize=8)
def _symbols(book: Book) -> frozenset[str]:
    return frozenset(symbol_latex(book, n) for n in book.declared)


def _prints_whole(value: Fraction) -> bool:
    """True where the value is printed with all its digits: the integers that are not too long, and short decimals."""
    if value.denominator == 1:
        return len(str(abs(int(value)))) <= _LONGEST_INTEGER or _is_round(int(value))
    return terminates(value, _PLACES) and abs(value) < 10**9


def _is_round(value: int) -> bool:
    return abs(value) >= 10**9 and len(str(abs(value)).rstrip("0")) <= 4


def _integer(value: int) -> str:
    if not _is_round(value):
        return ("-" if value < 0 else "") + _grouped(str(abs(value)))
    digits = str(abs(value))
    kept, exponent = digits.rstrip("0"), len(digits) - 1
    mantissa = kept[0] + (f".{kept[1:]}" if kept[1:] else "")
    power = f"10^{{{exponent}}}"
    return ("-" if value < 0 else "") + (power if mantissa == "1" else rf"{mantissa} \times {power}")


def _grouped(digits: str) -> str:
    """Groups of three from five digits on, as the SI writes them; the braces keep TeX from spacing after the comma."""
    return f"{int(digits):,}".replace(",", "{,}") if len(digits) > 4 else digits


def _decimal(value: Fraction) -> str:
    scaled_up = abs(value) * 10**_PLACES
    whole, part = divmod(int(scaled_up), 10**_PLACES)
    return f"{'-' if value < 0 else ''}{whole}.{part:0{_PLACES}d}".rstrip("0")


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[^\s]")
# Control words that take no room themselves: fonts, accents, sizes.
_WEIGHTLESS = {
    r"\mathrm", r"\mathbf", r"\mathit", r"\mathop", r"\text", r"\bar", r"\hat", r"\tilde", r"\dot", r"\left", r"\right", r"\vec",
    r"\overline", r"\widehat", r"\widetilde",
}  # fmt: skip
_WORDS = {
    r"\times": 1.25, r"\cdot": 0.75, r"\quad": 1.0, r"\qquad": 2.0, r"\cdots": 1.2, r"\in": 1.3, r"\approx": 1.4, r"\max": 1.9,
    r"\min": 1.8, r"\triangle": 1.0,
}  # fmt: skip
_NARROW = dict.fromkeys("ijlI.,;:'|!()[]/", 0.4) | dict.fromkeys("rts", 0.47)
_WIDE = dict.fromkeys("mwMWQ@%", 1.1) | dict.fromkeys("+-=<>", 1.25)


def _run_width(tokens: Sequence[str], start: int, scale: float) -> tuple[float, int]:
    """The width of tokens up to the brace that closes them, and where they end; a subscript stands below a superscript."""
    total, scripts, at = 0.0, [0.0], start
    while at < len(tokens) and tokens[at] != "}":
        if tokens[at] in "^_":
            width, at = _atom_width(tokens, at + 1, scale * 0.72)
            scripts.append(width + 0.05)
        else:
            width, at = _atom_width(tokens, at, scale)
            total, scripts = total + max(scripts) + width, [0.0]
    return total + max(scripts), at + 1


def _atom_width(tokens: Sequence[str], at: int, scale: float) -> tuple[float, int]:
    if at >= len(tokens):
        return 0.0, at
    return _run_width(tokens, at + 1, scale) if tokens[at] == "{" else (scale * _token_width(tokens[at]), at + 1)


def _token_width(token: str) -> float:
    if token.isspace():
        return 0.0
    if token.startswith("\\"):
        return 0.0 if token in _WEIGHTLESS else _WORDS.get(token, 0.75 if token[1:].isalpha() else 0.5 if token == r"\_" else 0.3)
    if token in _NARROW:
        return _NARROW[token]
    if token in _WIDE:
        return _WIDE[token]
    return 0.9 if token.isupper() else 0.52 if token.isdigit() else 0.62
