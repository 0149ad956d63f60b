"""What a report says, whatever it is printed as: an immutable description of a point of the book, with its mathematics in LaTeX.

Besides its title and default preset, a book.toml may say what its report has:

    leaves_out = ["...", "..."]            # what the sketch of a run does not price; { says = "...", block = "moe" } for models
                                           # that have a block, { says = "...", unless = "moe" } for those that lack it

    [sources]                              # what a source is in full, where references name it in short
    "the article" = "..."

    [[summary]]                            # a table of the page that sums the run up
    title = "Times of an update"
    quantities = ["compute_time", "step_time"]

    [[differences]]                        # where two readings differ, with the values of both
    title = "Blocks of six layers or of twelve"
    says = "..."
    rows = [{ label = "released", preset = "kimi-k3-released", set = { EP = 32 }, quantity = "step_time" }]

Questions that the report asks and answers, `[[questions]]`, are described in `questions.py`, pictures, `[[pictures]]`, in
`symroof.pictures.declare`, and the page, `[lab]`, in `symroof.lab`.

A row's `preset` is the book's default where it names none; `set` has values as on the command line. A key that is left out
leaves its section out; a key that is none of these is refused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.definition import COUNT, LENGTHS
from symroof.errors import BookError, SymroofError, did_you_mean
from symroof.humane import exact, humane, scaled, shows_exactly, significant, terminates
from symroof.passes.check import Verdict
from symroof.passes.once import own_claims_once, set_once
from symroof.passes.substitute import chosen
from symroof.preset import KINDS
from symroof.report.latex import equation, formula_sides, symbol_latex, value_sides
from symroof.report.pictures import PictureReport
from symroof.report.questions import Question, questions
from symroof.term import Add, At, Div, Largest, Mul, Num, RangeSum, Ref, Term, Total, Unit, children, references

if TYPE_CHECKING:
    from symroof.book import Book, Chapter
    from symroof.claim import Measurement
    from symroof.point import Point

# A closed form is made where the names written out take this many operations at most, and shown where it has so few.
LARGEST_EXPANSION, LARGEST_CLOSED_FORM = 32, 24
# A closed form with more quotients inside one another is not read.
DEEPEST_QUOTIENT = 2
# An exact value with more digits than this says nothing to a reader.
LONGEST_EXACT = 40
# A relative tolerance that allows for nothing but the digits which a figure was written with.
_ROUNDING = Fraction(1, 10**6)

_ABOUT = {
    "title",
    "subtitle",
    "default",
    "labels",
    "leaves_out",
    "sources",
    "summary",
    "differences",
    "questions",
    "pictures",
    "lab",
}
_SUMMARY = {"title", "quantities"}
_DIFFERENCE = {"title", "says", "rows"}
_ROW = {"label", "preset", "set", "quantity"}


@dataclass(frozen=True, slots=True)
class Entry:
    """A name in a table: its symbol, its unit, what it is in a line, and its value, None where it has none here."""

    name: str
    symbol: str
    unit: str
    says: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Table:
    """A title, what it says, and named rows over named columns."""

    title: str
    says: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class GivenValue:
    """A value of the preset: where it comes from, unless its origin says that for all, and what there is to know about it."""

    entry: Entry
    source: str
    note: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The values that one preset gave, or the reader; `source` is that of every value that names no other."""

    name: str
    says: str
    source: str
    values: tuple[GivenValue, ...]


@dataclass(frozen=True, slots=True)
class ConventionInForce:
    """A convention: its choices, the one in force, and under each the values of the quantities that mention it."""

    name: str
    says: str
    source: str
    choice: str
    choices: tuple[tuple[str, str], ...]
    values: Table


@dataclass(frozen=True, slots=True)
class QuantityReport:
    """A quantity at the point: its mathematics, its value, and all that makes the two believable.

    `math` is a chain of equations in LaTeX; `rules` shortened the closed form in it; `missing` are the symbols without which
    there is no value, and `tables` the values over the ones that a missing symbol is tabulated for.
    """

    entry: Entry
    paragraphs: tuple[str, ...]
    math: str
    exact: str
    source: str
    assumes: tuple[str, ...]
    uses: tuple[str, ...]
    rules: tuple[str, ...]
    set_here: bool
    missing: tuple[str, ...]
    table: Table | None


@dataclass(frozen=True, slots=True)
class ClaimReport:
    """A stated figure beside the derived one, at the values `at`; a ratio to the value at `over` where that is not empty."""

    says: str
    quantity: str
    at: str
    over: str
    claimed: str
    derived: str
    tolerance: str
    origin: str
    place: str
    holds: bool


@dataclass(frozen=True, slots=True)
class MeasurementReport:
    """A measured run: its facts, and the quantities of the book beside it, at its own preset."""

    name: str
    says: str
    source: str
    caution: str
    label: str
    facts: tuple[tuple[str, str], ...]
    table: Table


@dataclass(frozen=True, slots=True)
class ChapterReport:
    """A chapter: its number in the book, its text, its quantities in reading order, and the figures set beside them."""

    number: int
    name: str
    title: str
    introduction: tuple[str, ...]
    quantities: tuple[QuantityReport, ...]
    claims: tuple[ClaimReport, ...]
    measurements: tuple[MeasurementReport, ...]


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report says. `names` are those that it has an entry for, so that a link to one leads somewhere."""

    title: str
    subtitle: str
    preset: str
    says: str
    label: str
    cautions: tuple[str, ...]
    default: str
    claims_label: str
    parts: tuple[tuple[str, str, str], ...]
    pins: tuple[str, ...]
    summary: tuple[tuple[str, tuple[Entry, ...]], ...]
    leaves_out: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    given: tuple[Origin, ...]
    conventions: tuple[ConventionInForce, ...]
    chapters: tuple[ChapterReport, ...]
    differences: tuple[Table, ...]
    questions: tuple[Question, ...]
    pictures: tuple[PictureReport, ...]
    symbols: tuple[Entry, ...]
    names: frozenset[str]


def report(
    point: Point,
    chapters: Iterable[str] | None = None,
    pictures: Iterable[PictureReport] = (),
    answers: Callable[[Point], tuple[Question, ...]] = questions,
) -> Report:
    """The report of a point, of all chapters or of some, by name or number, in the order of the book, with pictures.

    Args:
        point: what it is of.
        chapters: their names or numbers; all where left out.
        pictures: those that it shows.
        answers: what answers the questions of the book, which a report of all chapters has; asked when all else is done.

    Raises:
        UnknownNameError: there is no such chapter. BookError: book.toml, claims.toml or measurements.toml is broken.
    """
    book = point.book
    about, points, home = _about(book), _Points(book), _Home(point)
    wanted = book.numbered if chapters is None else {book.chapter(c) for c in chapters}
    shown = tuple(c for c in book.numbered if c in wanted)
    verdicts = own_claims_once(point)
    names = [*book.symbols, *book.conventions, *(n for c in shown for n in c.names if n in book.quantities)]
    return Report(
        title=point.title,
        subtitle=str(about.get("subtitle", "")),
        preset=point.preset,
        says=_preset_says(book, None, point.preset),
        label=point.label,
        cautions=point.cautions,
        default=book.default,
        claims_label=_claims_label(point, verdicts),
        parts=tuple((kind, part, _preset_says(book, kind, part)) for kind, part in _parts(point)),
        pins=point.pins,
        summary=tuple(_summary(point, t) for t in about.get("summary", ())),
        leaves_out=left_out(book),
        sources=tuple((short, str(full)) for short, full in about.get("sources", {}).items() if home.names_source(short)),
        given=_given(point),
        conventions=_conventions(point),
        chapters=tuple(_chapter(point, c, verdicts, points, home) for c in shown),
        differences=tuple(_difference(points, d) for d in about.get("differences", ())) if home.native else (),
        pictures=tuple(pictures),
        symbols=tuple(_entry(point, n) for n in book.symbols),
        names=frozenset(names),
        questions=answers(point) if chapters is None else (),
    )


class _Home:
    """The model and machine that a book's texts are about, and what of those texts is about a point as well."""

    def __init__(self, point: Point) -> None:
        self._point = point
        # Differences and measured runs are about models that are made of the same blocks.
        self.native = point.book is point.book.at().book

    def names_source(self, short: str) -> bool:
        """True where something in the report of this model names a source."""
        book, given = self._point.book, self._point.given.values()
        derived, counted = [q.ref for q in book.quantities.values()], [c.ref for c in book.conventions.values()]
        said = [*derived, *counted, *(g.source for g in given), *(c.introduction for c in book.numbered)]
        return self.native or any(short in text for text in said)


def _summary(point: Point, table: Mapping[str, Any]) -> tuple[str, tuple[Entry, ...]]:
    return table["title"], tuple(_entry(point, n) for n in table["quantities"] if n in point.book.declared)


def left_out(book: Book) -> tuple[str, ...]:
    """What the sketch leaves out; an entry may be for models that have a block, or lack it."""
    entries = book.about.get("leaves_out", ())
    tables: list[Mapping[str, str]] = [{"says": e} if isinstance(e, str) else e for e in entries]
    return tuple(e["says"] for e in tables if e.get("block") in (None, *book.blocks) and e.get("unless") not in book.blocks)


def _about(book: Book) -> Mapping[str, Any]:
    """book.toml, every key of it known and every name in it one of the book's.

    Raises:
        BookError: an unknown key, with the nearest known ones, a key that is left out, or a name that the book does not have.
    """
    about, where = book.about, f"{book.folder.name}/book.toml"
    _refuse_unknown(about, _ABOUT, where)
    for table in about.get("summary", ()):
        _refuse_unknown(table, _SUMMARY, f"{where}: summary", required=_SUMMARY)
        for name in table["quantities"]:
            _known(book, name, f"{where}: summary")
    for difference in about.get("differences", ()):
        _refuse_unknown(difference, _DIFFERENCE, f"{where}: differences", required=_DIFFERENCE)
        for row in difference["rows"]:
            _refuse_unknown(row, _ROW, f"{where}: differences: rows", required={"label", "quantity"})
            _known(book, row["quantity"], f"{where}: differences")
    return about


def _refuse_unknown(table: Mapping[str, Any], known: set[str], where: str, required: Iterable[str] = ()) -> None:
    for key in table:
        if key not in known:
            raise BookError(f"{where}: unknown key {key!r}{did_you_mean(key, known)}")
    for key in sorted(required):
        if key not in table:
            raise BookError(f"{where}: no {key}")


def _known(book: Book, name: str, where: str) -> None:
    try:
        book.whole.known(name)
    except SymroofError as error:
        raise BookError(f"{where}: {error}") from None


def _claims_label(point: Point, verdicts: Sequence[Verdict]) -> str:
    """The presets at which the claims were derived, where they are not those of the report."""
    label = " and ".join(dict.fromkeys(v.claim.preset or point.book.default for v in verdicts))
    return "" if label == point.label else label


def _parts(point: Point) -> Iterator[tuple[str, str]]:
    """The model, machine and run that a point is composed of."""
    for part in point.parts:
        kind = next((k for k in KINDS if part in point.book.presets.names(k)), None)
        if kind is not None:
            yield kind, part


def _preset_says(book: Book, kind: str | None, name: str) -> str:
    return book.presets.read(kind, name).says if name in book.presets.names(kind) else ""


def _entry(point: Point, name: str) -> Entry:
    result = point[name]
    return Entry(name, symbol_latex(point.book, name), result.unit, _paragraphs(result.says)[0], _display(point, name))


def _display(point: Point, name: str) -> str | None:
    unit = point[name].unit
    try:
        if name in point.book.symbols and point.book.symbols[name].domain == LENGTHS:
            return _list_display(point, name, unit)
        return humane(point.evaluator.value(name), unit)
    except SymroofError:
        return None


def _list_display(point: Point, name: str, unit: str) -> str:
    """A list, each different entry once, with how many there are: `2 x 1,024 + 2,048 token`."""
    counts: dict[Fraction, Fraction] = {}
    for entry, count in point.evaluator.entries(name):
        counts[entry] = counts.get(entry, Fraction(0)) + count
    return f"{' + '.join(exact(e) if n == 1 else f'{exact(n)} x {exact(e)}' for e, n in counts.items())} {unit}"


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(p.split()) for p in text.split("\n\n") if p.strip())


def _given(point: Point) -> tuple[Origin, ...]:
    groups: dict[str, list[str]] = {}
    for name, given in point.given.items():
        groups.setdefault(given.origin, []).append(name)
    return tuple(_origin(point, origin, names) for origin, names in groups.items())


def _origin(point: Point, origin: str, names: Sequence[str]) -> Origin:
    given = point.given
    source, count = Counter(given[n].source for n in names).most_common(1)[0]
    common = source if 2 * count > len(names) else ""
    sources = {n: "" if given[n].source == common else given[n].source for n in names}
    values = tuple(GivenValue(_entry(point, n), sources[n], given[n].note) for n in names)
    return Origin(origin, _origin_says(point.book, origin), common, values)


def _origin_says(book: Book, origin: str) -> str:
    return next((says for kind in (*KINDS, None) if (says := _preset_says(book, kind, origin))), "")


def _conventions(point: Point) -> tuple[ConventionInForce, ...]:
    return tuple(_convention(point, name, point.book.users(name)) for name in point.book.conventions)


def _convention(point: Point, name: str, users: Iterable[str]) -> ConventionInForce:
    declared = point.book.conventions[name]
    points = [point if c == point.choices[name] else point.set(**{name: c}) for c in declared.choices]
    rows = tuple((q, tuple(_display(p, q) or "no value" for p in points)) for q in users)
    values = Table(name, declared.says, tuple(declared.choices), rows)
    return ConventionInForce(name, declared.says, declared.ref, point.choices[name], tuple(declared.choices.items()), values)


def _chapter(point: Point, chapter: Chapter, verdicts: Sequence[Verdict], points: _Points, home: _Home) -> ChapterReport:
    book = point.book
    operations = _Operations(point)
    return ChapterReport(
        number=book.number(chapter),
        name=chapter.name,
        title=chapter.title,
        introduction=_paragraphs(chapter.introduction),
        quantities=tuple(_quantity(point, n, operations) for n in chapter.names if n in book.quantities),
        claims=tuple(_claim(book, v) for v in verdicts if v.claim.quantity in chapter.names),
        measurements=tuple(_measurement(points, m) for m in book.measurements if home.native and m.chapter == chapter.name),
    )


def _quantity(point: Point, name: str, operations: _Operations) -> QuantityReport:
    declared, entry = point.book.quantities[name], _entry(point, name)
    given = point.given.get(name)
    formula = None if given is not None else point[name].formula
    closed, rules = _closed_form(point, name, formula, operations)
    missing = () if entry.value is not None else _missing(point, name)
    return QuantityReport(
        entry=entry,
        paragraphs=_paragraphs(declared.says)[1:],
        math=_math(point, entry, formula, closed),
        exact=_exact(point, entry),
        source=given.source if given is not None else declared.ref,
        assumes=declared.assumes,
        uses=() if formula is None else tuple(n for n in references(formula) if n in point.book.declared),
        rules=rules,
        set_here=given is not None,
        missing=missing,
        table=_tabulated(point, entry, missing),
    )


def _math(point: Point, entry: Entry, formula: Term | None, closed: Term | None) -> str:
    sides = formula_sides(formula, closed)
    if entry.value is not None:
        numbers = None if formula is None else point[entry.name].substituted
        sides += value_sides(point.book, numbers, point.evaluator.value(entry.name), entry.unit)
    return equation(entry.symbol, sides, point.book)


def _exact(point: Point, entry: Entry) -> str:
    """The exact value in base units, where the value that is shown is rounded or has a prefix."""
    if entry.value is None:
        return ""
    value = point.evaluator.value(entry.name)
    if isinstance(value, str):
        return ""
    base = "" if entry.unit == "1" else entry.unit
    if shows_exactly(value, entry.unit) and scaled(value, entry.unit)[1] == base:
        return ""
    whole = exact(value)
    return f"{whole} {base}".strip() if len(whole) <= LONGEST_EXACT else ""


def _closed_form(point: Point, name: str, formula: Term | None, operations: _Operations) -> tuple[Term | None, tuple[str, ...]]:
    """The closed form and the rules that shortened it, where it says more than the formula and can be read."""
    book = point.book
    if formula is None or isinstance(formula, Largest):
        return None, ()
    if not any(n in book.quantities or n in book.stand_ins for n in references(formula)):
        return None, ()
    if operations.of(name) > LARGEST_EXPANSION:
        return None, ()
    # The algebra system is loaded by the first closed form and by nothing else of a report.
    from symroof.passes.recover import from_sympy

    try:
        found = point[name].closed_form()
        term = from_sympy(found.expression)
    except SymroofError:
        return None, ()
    if term == formula or operations.count(term, deep=False) > LARGEST_CLOSED_FORM or _quotients(term) > DEEPEST_QUOTIENT:
        return None, ()
    return term, tuple(dict.fromkeys(step.rule for step in found.history))


def _quotients(term: Term) -> int:
    """How many quotients stand inside one another."""
    return max((_quotients(part) for part in children(term)), default=0) + isinstance(term, Div)


class _Operations:
    """How many operations a formula takes, counted on the tree: names written out (`deep`), or as they stand."""

    def __init__(self, point: Point) -> None:
        self._point = point
        self._memo: dict[str, int] = {}

    def of(self, name: str) -> int:
        """The operations of a name with every derived name in it written out."""
        if name not in self._memo:
            formula = None if self._point.pinned(name) else self._point.book.formulas.get(name)
            self._memo[name] = 0 if formula is None else self.count(chosen(self._point, formula), deep=True)
        return self._memo[name]

    def count(self, term: Term, *, deep: bool) -> int:
        """The operations of a formula."""
        parts = children(term)
        inside = sum(self.count(p, deep=deep) for p in parts)
        match term:
            case Num() | Unit():
                return 0
            case Ref(name) | At(name, _):
                return inside + (self.of(name) if deep else 0)
            case Add() | Mul():
                return inside + len(parts) - 1
        return inside + 1


def _missing(point: Point, name: str) -> tuple[str, ...]:
    """The symbols without a value that a quantity depends on."""
    found: dict[str, None] = {}
    seen: set[tuple[str, frozenset[str]]] = set()

    def visit(used: str, bound: frozenset[str]) -> None:
        if used in bound or used in point.given or (used, bound) in seen:
            return
        seen.add((used, bound))
        book = point.book
        terms = [chosen(point, book.formulas[used])] if used in book.formulas else list(book.stand_ins.get(used, ()))
        if not terms:
            found[used] = None
        for term in terms:
            descend(term, bound)

    def descend(term: Term, bound: frozenset[str]) -> None:
        match term:
            case Ref(used):
                visit(used, bound)
            case At(used, pairs):
                visit(used, bound | {k for k, _ in pairs})
            case Total(over, variable, _):
                visit(over, bound)
                bound = bound | {variable}
            case RangeSum(variable, _, _, _):
                bound = bound | {variable}
            case Largest(names):
                for used in names:
                    visit(used, bound)
        for child in children(term):
            descend(child, bound)

    visit(name, frozenset())
    return tuple(found)


def _tabulated(point: Point, entry: Entry, missing: Sequence[str]) -> Table | None:
    """The quantity over the values for which a claim tabulates the one count that it misses."""
    if len(missing) != 1 or point.book.symbols[missing[0]].domain != COUNT:
        return None
    values = next((c.at_each[missing[0]] for c in point.book.claims if missing[0] in c.at_each), ())
    found = [(str(v), d) for v in values if (d := _at(point, missing[0], v, entry.name)) is not None]
    if not found:
        return None
    return Table(missing[0], "", tuple(v for v, _ in found), ((entry.name, tuple(d for _, d in found)),))


def _at(point: Point, symbol: str, value: object, name: str) -> str | None:
    """The value of a name where a run with a value of a symbol can exist."""
    try:
        return _display(set_once(point, symbol, value), name)
    except SymroofError:
        return None


def _claim(book: Book, verdict: Verdict) -> ClaimReport:
    claim = verdict.claim
    unit = "" if claim.ratio_to is not None else book.declaration(claim.quantity).unit
    at = _settings({**claim.at, **{n: ", ".join(map(_text, v)) for n, v in claim.at_each.items()}})
    return ClaimReport(
        says=claim.says,
        quantity=claim.quantity,
        at=at,
        over="" if claim.ratio_to is None else _settings(claim.ratio_to) or book.default,
        claimed=_figures(claim.expect, unit) if claim.printed is None else claim.printed.text,
        derived=verdict.error or _figures(verdict.got, unit),
        tolerance=_tolerance(claim.within) if claim.printed is None else "rounds to it",
        origin=claim.origin,
        place=claim.place,
        holds=verdict.holds,
    )


def _tolerance(within: Fraction | None) -> str:
    if within is None:
        return "exact"
    return f"within {_figure(within * 100)}%" if within > _ROUNDING else "to all digits"


def _figures(values: Sequence[Fraction | None], unit: str) -> str:
    numbers = ", ".join("no value" if v is None else _figure(v) for v in values)
    return numbers if unit in ("", "1") else f"{numbers} {unit}"


def _figure(value: Fraction) -> str:
    """A figure as a text prints it: in full where it is short, else to an integer or to six digits."""
    if terminates(value, 6) and value.denominator != 1:
        whole, part = divmod(abs(value), 1)
        return f"{'-' if value < 0 else ''}{int(whole):,}.{int(part * 10**6):06d}".rstrip("0")
    return exact(Fraction(round(value))) if value.denominator == 1 or abs(value) >= 10**6 else significant(value, 6)


def _settings(values: Mapping[str, object]) -> str:
    return ", ".join(f"{n} = {_text(v)}" for n, v in values.items())


def _text(value: object) -> str:
    return f"[{', '.join(map(_text, value))}]" if isinstance(value, list | tuple) else str(value)


def _measurement(points: _Points, measured: Measurement) -> MeasurementReport:
    base = points.at(measured.preset, measured.at)
    variants = [base.set(**v) if v else base for v in measured.variants]
    rows = tuple((n, tuple(_display(p, n) or "no value" for p in variants)) for n in measured.shows)
    columns = tuple(_settings(v) or "value" for v in measured.variants)
    return MeasurementReport(
        name=measured.name,
        says=measured.says,
        source=measured.source,
        caution=measured.caution,
        label=base.label,
        facts=tuple(measured.facts.items()),
        table=Table(measured.name, "", columns, rows),
    )


class _Points:
    """The points of a book that a table needs, each made once: reading presets is slower than evaluating them."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._memo: dict[str, Point] = {}

    def at(self, preset: str | None, values: Mapping[str, object]) -> Point:
        """The book at a preset, its default for None, with some values set."""
        key = f"{preset} {sorted(values.items())}"
        if key not in self._memo:
            self._memo[key] = self.at(preset, {}).set(**values) if values else self._book.at(preset)
        return self._memo[key]


def _difference(points: _Points, difference: Mapping[str, Any]) -> Table:
    rows = tuple((row["label"], _difference_cells(points, row)) for row in difference["rows"])
    return Table(difference["title"], difference["says"], ("quantity", "value", "at"), rows)


def _difference_cells(points: _Points, row: Mapping[str, Any]) -> tuple[str, ...]:
    point = points.at(row.get("preset"), row.get("set", {}))
    return row["quantity"], _display(point, row["quantity"]) or "no value", point.label


def measurement_reports(book: Book, chapter: str) -> tuple[MeasurementReport, ...]:
    """The measured runs of a chapter, each with the quantities of the book beside it.

    Raises:
        BookError: measurements.toml is broken.
    """
    points = _Points(book)
    return tuple(_measurement(points, m) for m in book.measurements if m.chapter == chapter)
