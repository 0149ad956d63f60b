"""What a marker's text is: the book asked at the marker's point, each point made once and each question answered once."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from symroof.embed.dialect import DIALECTS, Dialect, Grid
from symroof.embed.request import (
    Closed,
    Define,
    Formula,
    Plot,
    Request,
    Substituted,
    Table,
    Value,
    WhatIf,
    Where,
    local,
    read_request,
)
from symroof.errors import EvaluationError, RequestError, SymroofError
from symroof.humane import exact, plain, scaled, significant
from symroof.report.latex import PAGE, Side, derivation, equation, symbol_latex
from symroof.units import labels, parse_unit

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.point import Point
    from symroof.result import Result

# A closed form of more characters than this is not read by anybody.
_LONGEST_FORM = 1200
_LINE = float("inf")
# What the name of a file in a link or in TeX should not have; letters of all languages may stand in both.
_UNSAFE = re.compile(r"[^\w.+-]")
# Bytes of a name that leave room for a digest and an ending where a system takes 255, and for the part that is written beside.
_LONGEST_NAME = 160
# What the file of a picture ends with that a marker may write anew.
_MARKED = re.compile(rb"(?:%symroof [0-9a-f]{16}|\n<!-- symroof [0-9a-f]{16} -->)\n\Z")


@dataclass(frozen=True, slots=True)
class Drawing:
    """A picture file that stands beside a document.

    Attributes:
        file: its name. mark: the line that it ends with, which says what it shows.
        paint: what makes its bytes; raises RequestError where Matplotlib is not installed.
    """

    file: str
    mark: bytes
    paint: Callable[[], bytes]

    def stands(self, folder: Path) -> bool:
        """True where the file is there and shows just this."""
        path = folder / self.file
        return path.is_file() and path.read_bytes().endswith(self.mark)

    def spares(self, folder: Path) -> bool:
        """True where a file of this name is somebody else's: it does not end as one that a marker made."""
        path = folder / self.file
        return os.path.lexists(path) and not (path.is_file() and _MARKED.search(path.read_bytes()[-64:]))


@dataclass(frozen=True, slots=True)
class Answer:
    """What is filled in, and the picture that it refers to."""

    text: str
    drawing: Drawing | None = None


class Filler:
    """Answers the requests of documents from one book; everything is worked out once a run."""

    def __init__(self, book: Book, where: Where) -> None:
        """Answers at a preset and settings, where a document or marker names no other."""
        self._book, self._where = book, where
        self._points: dict[Where, Point | SymroofError] = {}
        self._answers: dict[tuple[object, ...], Answer | SymroofError] = {}

    def answer(self, text: str, document: Where, style: str, block: bool, path: Path) -> Answer:
        """What a request's marker is filled with.

        Args:
            text: the request.
            document: what the document says of all its markers.
            style: the dialect.
            block: True where the marker has lines of its own, False in a sentence.
            path: the document, beside which its pictures and presets are.

        Raises:
            SymroofError: the request cannot be read or answered.
        """
        # A document's name is part of an answer only where it names a picture or finds a preset beside it.
        key = (text, document, style, block, path if "plot" in text or ".toml" in text else None)
        if key not in self._answers:
            self._answers[key] = self._worked_out(text, document, style, block, path)
        found = self._answers[key]
        if isinstance(found, SymroofError):
            raise found
        return found

    def _worked_out(self, text: str, document: Where, style: str, block: bool, path: Path) -> Answer | SymroofError:
        under = document.over(self._where)
        try:
            with _faults_told(text):
                return _Asked(self, read_request(text), document, under, DIALECTS[style], block, path).answer()
        except SymroofError as error:
            return error

    def point(self, where: Where) -> Point:
        """The book at a preset with settings.

        Raises:
            SymroofError: there is no such point.
        """
        if where not in self._points:
            try:
                self._points[where] = self._book.at(where.preset, **dict(where.settings))
            except SymroofError as error:
                self._points[where] = error
        found = self._points[where]
        if isinstance(found, SymroofError):
            raise found
        return found


@contextlib.contextmanager
def _faults_told(text: str) -> Iterator[None]:
    """A fault of the program at one marker is a message of that marker: all others are still answered."""
    try:
        yield
    except SymroofError:
        raise
    except Exception as error:
        raise EvaluationError(f"{text!r} meets a fault of symroof itself ({type(error).__name__}: {error}): report it") from error


class _Asked:
    """One request, at one place, in one dialect."""

    def __init__(
        self, filler: Filler, request: Request, document: Where, under: Where, dialect: Dialect, block: bool, path: Path
    ) -> None:
        self._filler, self._request, self._dialect, self._block, self._path = filler, request, dialect, block, path
        self._document, self._under, self._at = document, under, local(request.where, path.parent).over(under)

    def answer(self) -> Answer:
        match self._request.ask:
            case Value() as value:
                return Answer(self._value(self._result(value.name), value))
            case Formula(name):
                return Answer(self._math(lambda width: self._formula(name, width)))
            case Closed(name, free):
                return Answer(self._math(lambda width: self._closed(name, free, width)))
            case Substituted(name):
                return Answer(self._math(lambda width: derivation(self._result(name), width)))
            case Table(items):
                return Answer(self._table(items))
            case WhatIf(changes, items):
                return Answer(self._what_if(dict(changes), items))
            case Define(items):
                return Answer(self._define(items))
            case Plot(name):
                return self._plot(name)

    @property
    def _point(self) -> Point:
        return self._filler.point(self._at)

    def _result(self, name: str) -> Result:
        point = self._point
        if name in point.book.conventions:
            choices = ", ".join(point.book.conventions[name].choices)
            raise RequestError(f"{name} is a convention, not a quantity: choose with `at {name}=...`, one of {choices}")
        return point[name]

    def _math(self, written: Callable[[float], str]) -> str:
        return self._dialect.display(written(PAGE)) if self._block else self._dialect.math(written(_LINE))

    def _formula(self, name: str, width: float) -> str:
        result = self._result(name)
        if result.formula is None:
            raise RequestError(f"{name} is given here, it has no formula in force: ask for its value")
        book = result.point.book
        return equation(symbol_latex(book, name), [Side("=", result.formula)], book, width)

    def _closed(self, name: str, free: tuple[str, ...], width: float) -> str:
        from symroof.passes.recover import from_sympy
        from symroof.text import formula_text

        result = self._result(name)
        form = from_sympy(result.closed_form(free or None).expression)
        size = len(formula_text(form))
        if size > _LONGEST_FORM:
            raise RequestError(
                f"the closed form of {name} has {size:,} characters: keep some symbols, `closed form {name} in EP`"
            )
        book = result.point.book
        return equation(symbol_latex(book, name), [Side("=", form)], book, width)

    def _value(self, result: Result, ask: Value) -> str:
        return self._figure(result.name, result.exact, result.unit, ask)

    def _figure(self, name: str, value: Fraction | str, unit: str, ask: Value) -> str:
        """A value as a marker asks for it."""
        if isinstance(value, str):
            if ask != Value(ask.name):
                raise RequestError(f"{name} is a name, not a number: it has no unit and no digits, ask for `{name}` alone")
            return ", ".join(self._dialect.name(n) for n in value.split(", "))
        number, shown = _scaled(name, value, unit, ask)
        return self._dialect.number(number, "" if ask.bare else shown)

    def _table(self, items: tuple[Value, ...]) -> str:
        self._refuse_inline("table")
        rows = [self._row(self._result(item.name), item) for item in items]
        titles = tuple(self._dialect.text(t) for t in ("quantity", "symbol", "value", "what it is"))
        return self._dialect.table(Grid(titles, "llrw", tuple(rows)))

    def _row(self, result: Result, ask: Value) -> tuple[str, ...]:
        symbol = symbol_latex(result.point.book, result.name)
        says = result.says.strip().partition("\n")[0]
        set_ = self._dialect
        return (set_.name(result.name), set_.math(symbol), self._value(result, ask), set_.text(says))

    def _what_if(self, changes: dict[str, str], items: tuple[Value, ...]) -> str:
        from symroof.passes.whatif import changed_point

        before = self._point
        after = changed_point(before, changes)
        pairs = [(item, self._result(item.name), after[item.name]) for item in items]
        if not self._block:
            return ", ".join(self._moved(*pair) for pair in pairs)
        rows = tuple((self._dialect.name(i.name), self._value(a, i), self._value(b, i), self._ratio(a, b)) for i, a, b in pairs)
        change = " ".join(f"{name}={value}" for name, value in changes.items())
        titles = tuple(self._dialect.text(t) for t in ("quantity", "now", f"with {change}", "ratio"))
        return self._dialect.table(Grid(titles, "lrrr", rows))

    def _moved(self, ask: Value, before: Result, after: Result) -> str:
        """A change in a sentence: `2.584 GiB → 2.543 GiB`."""
        return f"{self._value(before, ask)} {self._dialect.text('→')} {self._value(after, ask)}"

    def _ratio(self, before: Result, after: Result) -> str:
        a, b = before.exact, after.exact
        if isinstance(a, str) or isinstance(b, str) or a == 0:
            return ""
        return self._dialect.text(f"× {significant(b / a, 4)}")

    def _define(self, items: tuple[tuple[str, Request], ...]) -> str:
        self._refuse_inline("define")
        if not items:
            raise RequestError(r"`define` defines nothing: write `define \name = step_time` or `define |name| = step_time`")
        return "\n".join(self._defined(label, request) for label, request in items)

    def _defined(self, label: str, request: Request) -> str:
        inner = _Asked(self._filler, request, self._document, self._under, self._dialect, False, self._path)
        return self._dialect.define(label, inner.answer().text)

    def _refuse_inline(self, kind: str) -> None:
        if not self._block:
            raise RequestError(f"`{kind}` fills lines: put its opening and its closing comment on lines of their own")

    def _plot(self, name: str) -> Answer:
        from symroof.pictures import draw

        self._refuse_inline("plot")
        picture = draw(self._point, name)
        latex = self._dialect is DIALECTS["latex"]
        file = _picture_name(self._path.name, name, self._request.where.over(self._document)) + (".pdf" if latex else ".svg")
        digest = hashlib.blake2b(repr((picture.title, picture.alt, picture.scene)).encode(), digest_size=8).hexdigest()
        mark = (f"%symroof {digest}\n" if latex else f"\n<!-- symroof {digest} -->\n").encode()

        def paint() -> bytes:
            with _faults_told(f"plot {name}"):
                return (picture.pdf() if latex else picture.svg().encode()) + mark

        return Answer(self._dialect.picture(file, picture.alt), Drawing(file, mark, paint))


def _picture_name(document: str, picture: str, where: Where) -> str:
    """The name of a picture's file without its ending, which the document alone decides: `design.md` -> `design-md-roofline`.

    Where names of files cannot spell it all, or what is set goes into it, a digest tells it from all others.
    """
    stem, _, ending = document.rpartition(".")
    said = f"{stem}-{ending}-{picture}"
    settings = [*filter(None, [where.preset]), *(f"{n}-{v}" for n, v in where.settings)]
    name = _UNSAFE.sub("-", "-".join([said, *settings]))
    if name == said and len(name.encode()) <= _LONGEST_NAME:
        return name
    digest = hashlib.blake2b(repr((document, picture, where)).encode(), digest_size=4).hexdigest()
    return f"{name.encode()[:_LONGEST_NAME].decode(errors='ignore')}-{digest}"


def _scaled(name: str, value: Fraction, unit: str, ask: Value) -> tuple[str, str]:
    """The number and the unit that a marker asks for."""
    from symroof.literal import scale

    if ask.unit is not None:
        _check_labels(name, ask.unit, unit)
        number = value / scale(name, ask.unit, ask.unit, unit)
        return _number(number, ask), "" if ask.unit == "1" else ask.unit
    if ask.exactly:
        return exact(value), "" if unit == "1" else unit
    number_text, shown = scaled(value, unit)
    if ask.digits is None:
        return number_text, shown
    return significant(value / parse_unit(shown or "1").factor, ask.digits), shown


def _check_labels(name: str, asked: str, unit: str) -> None:
    """Refuse a unit that counts a value for something else than it is counted for; labels may be left out together.

    Raises:
        RequestError: some labels are others, or `1` is a part of a unit. UnitError: it is no unit.
    """
    found, own = labels(asked), labels(unit)
    if found not in ({}, own):
        raise RequestError(f"{name} is in {unit}, not in {asked}: write the labels of {unit}, or none")


def _number(value: Fraction, ask: Value) -> str:
    if ask.exactly:
        return exact(value)
    return plain(value) if ask.digits is None else significant(value, ask.digits)
