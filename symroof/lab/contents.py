"""What does the page know? The whole book as data: names and texts, structures, formulas, presets, and what is shown where.

The table `[lab]` of book.toml says which names the page treats in a way of its own; the engine knows none.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from symroof.definition import Argument, Domain, Quantity
from symroof.errors import BookError, did_you_mean
from symroof.expression import parse_formula
from symroof.lab.formulas import Formulas, hole_name, holes
from symroof.lab.program import Slots, Structure, structure
from symroof.limits import GRAIN, LONGEST_SUM, MOST_DRAWS, SLACK, TIE
from symroof.pictures.declare import declared
from symroof.pictures.reading import dimension, has
from symroof.preset import KINDS, read_choices
from symroof.ranges import read_values
from symroof.report.latex import symbol_latex
from symroof.report.model import left_out, measurement_reports
from symroof.term import Add, Call, Logic, Num, Ref, Rel, Term, Total, walk
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.preset import Given

Json = Any
# More values than a slider can have.
_MOST_VALUES = 400


def contents(book: Book) -> tuple[dict[str, Json], Slots, list[str]]:
    """The data of a book's page, the slots with their lines, and the printed predicates.

    Raises:
        BookError: the table `[lab]` is missing, or names something that the book has not.
    """
    return _Gathering(book).gathered()


class _Texts:
    """Texts that many names share, each once."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        return self.numbers.setdefault(text, len(self.numbers))


class _Gathering:
    """Collects everything, for each different set of blocks once."""

    def __init__(self, book: Book) -> None:
        self._book, self._lab = book.whole, _lab(book)
        self._slots, self._texts, self._chosen = Slots(), _Texts(), _Texts()
        self._formulas = Formulas(self._slots.of)
        self._predicates: dict[str, int] = {}
        self._domains: dict[str, Json] = {}
        for name in (*self._book.symbols, *self._book.quantities, *self._book.conventions):
            self._slots.of(name)

    def gathered(self) -> tuple[dict[str, Json], Slots, list[str]]:
        book = self._book
        blocks = {m: book.presets.read("model", m).blocks or () for m in book.presets.names("model")}
        sets = list(dict.fromkeys(frozenset(b) for b in blocks.values()))
        structures = [self._structure(book.having(b)) for b in sets]
        data = {
            "title": book.title,
            "start": dict(book.presets.read(None, book.default).parts),
            "alias": book.default,
            "names": {n: self._name(n) for n in (*book.symbols, *book.quantities)},
            "domains": self._domains,
            "limits": {"slack": 2.0**SLACK, "grain": 2.0**GRAIN, "tie": 2.0**TIE, "draws": MOST_DRAWS, "terms": LONGEST_SUM},
            "conventions": {n: self._convention(n) for n in book.conventions},
            "sets": {n: self._named(n) for n in book.named_sets},
            "chapters": [c.title for c in book.numbered],
            "structures": structures,
            "presets": {k: {n: self._preset(k, n) for n in book.presets.names(k)} for k in KINDS},
            "model_structure": {m: sets.index(frozenset(b)) for m, b in blocks.items()},
            "lab": self._lab_table(),
            "measured": self._measured(),
            "sources": book.about.get("sources", {}),
        }
        data["tags"], data["formulas"] = self._formulas.packed
        data["texts"] = [*self._texts.numbers]
        data["choices"] = [json.loads(chosen) for chosen in self._chosen.numbers]
        return data, self._slots, [*self._predicates]

    def _name(self, name: str) -> Json:
        """Slot, unit, chapter, symbol, and texts; of a symbol its domain."""
        declared = self._book.declaration(name)
        chapter = self._book.chapter_of(name)
        numbered = [c.name for c in self._book.numbered]
        found: dict[str, Json] = {
            "i": self._slots.of(name),
            "u": declared.unit,
            "c": numbered.index(chapter.name) if chapter.name in numbered else -1,
            "y": self._formulas.symbol(symbol_latex(self._book, name)),
            "s": self._texts(declared.says),
        }
        if not isinstance(declared, Quantity) or isinstance(declared, Argument):
            found["d"] = self._domain(declared.domain)
        if isinstance(declared, Quantity):
            found |= {"r": self._texts(declared.ref), "a": [self._texts(a) for a in declared.assumes]}
        return found

    def _domain(self, domain: Domain) -> str:
        """The name of a domain, which is kept as data: nothing on the page knows one by its name."""
        low, high = (None if end is None else _exact(end) for end in (domain.low, domain.high))
        self._domains[domain.name] = {
            "says": domain.says, "low": low, "high": high, "whole": domain.whole, "open": domain.open, "many": domain.many,
        }  # fmt: skip
        return domain.name

    def _convention(self, name: str) -> Json:
        declared = self._book.conventions[name]
        return {
            "i": self._slots.of(name), "says": declared.says, "default": declared.default, "choices": declared.choices,
            "ref": declared.ref, "mistaken": declared.mistaken,
        }  # fmt: skip

    def _named(self, title: str) -> Json:
        """Named sets: whose each is, which kinds of model it is for, and at which models it was checked."""
        declared, models = self._book.named_sets[title], self._book.presets.names("model")
        return {
            "says": declared.says, "sources": declared.sources, "kinds": {n: s.kinds for n, s in declared.sets.items()},
            "checked": {n: [m for m in models if s.covers(m)] for n, s in declared.sets.items()},
        }  # fmt: skip

    def _structure(self, book: Book) -> Json:
        held = {hole_name(h): h for f in book.formulas.values() for h in holes(f)}
        constraints = {n: list(_leaves(t)) for n, t in book.conditions.items()}
        leaves = {f"{n} {i}": leaf for n, found in constraints.items() for i, leaf in enumerate(found)}
        sides = {
            f"{n} {s}": t for n, leaf in leaves.items() if isinstance(leaf, Rel) for s, t in (("l", leaf.left), ("r", leaf.right))
        }
        pictured = self._pictured(book)
        found = structure(book, self._slots, {**held, **leaves, **sides, **pictured})
        return {
            "lines": found.lines,
            "checks": found.checks,
            "names": found.names,
            "of": _pairs({s: self._slots.of(q) for s, q in found.quantities.items() if s != self._slots.of(q)}),
            "symbols": list(book.symbols),
            "quantities": [self._slots.of(n) for n in book.quantities],
            "formulas": [self._formulas.choices(f, book, found.asked) for f in book.formulas.values()],
            "conventions": list(book.conventions),
            "sets": {
                n: {s: self._chosen(json.dumps(read_choices(book, n, s))) for s in named.sets}
                for n, named in book.named_sets.items()
            },
            "lists": {n: [_alone(pair[0]), formula_text(pair[1])] for n, pair in book.stand_ins.items()},
            "holes": _pairs({found.asked[n]: self._formulas.hole(h) for n, h in held.items()}),
            "constraints": {
                n: {"says": book.declared[n].says.rstrip("."), "test": self._test(n, t, found, constraints[n])}
                for n, t in book.conditions.items()
            },
            "pictures": self._pictures(book, found),
            "omits": list(left_out(book)),
        }

    def _test(self, name: str, term: Term, found: Structure, leaves: list[Term]) -> Json:
        """A constraint as a tree of predicates, each with the texts and slots of its sides."""
        if isinstance(term, Logic):
            return [term.op, [self._test(name, part, found, leaves) for part in term.args]]
        key = f"{name} {leaves.index(term)}"
        predicate = self._predicates.setdefault(found.conditions[key], len(self._predicates))
        assert isinstance(term, Rel)
        over_list = any(isinstance(n, Total) for n in walk(term))
        whole = term.op == "divides" and term.left == Num(Fraction(1))
        return [
            "whole" if whole else term.op, predicate, formula_text(term.left), found.asked[f"{key} l"], formula_text(term.right),
            found.asked[f"{key} r"], int(over_list),
        ]  # fmt: skip

    def _pictured(self, book: Book) -> dict[str, Term]:
        """The formulas of the pictures that the page moves, as far as the book has their names."""
        texts = [t for table in _moved(book).values() for t in _texts_of(table)]
        return {f"picture {t}": parse_formula(book, t) for t in texts if has(book, t)}

    def _pictures(self, book: Book, found: Structure) -> Json:
        """For each kind its table, with slots for formulas."""
        tables = _moved(book)

        def slot(text: str) -> int | None:
            return found.asked.get(f"picture {text}")

        drawn: dict[str, Json] = {}
        if (table := tables.get("roofline")) and has(book, table["peak"]):
            drawn["roofline"] = _roofline(book, table, slot)
        if (table := tables.get("schedule")) and has(book, *_texts_of(table)):
            drawn["schedule"] = {"title": table["title"], **{k: slot(table[k]) for k in _SCHEDULE if k in table}}
        if (table := tables.get("elasticity")) and has(book, table["of"]):
            drawn["elasticity"] = {
                "title": table["title"],
                "of": table["of"],
                "to": [n for n in table.get("to", ()) if has(book, n)],
            }
        if (table := tables.get("composition")) and has(book, table["total"]):
            drawn["composition"] = {
                "title": table["title"],
                "total": table["total"],
                "rows": _composed(book, table["total"]),
                "labels": table.get("labels", {}),
            }
        return drawn

    def _preset(self, kind: str, name: str) -> Json:
        preset = self._book.presets.read(kind, name)
        found: dict[str, Json] = {"says": preset.says, "values": {n: self._given(g) for n, g in preset.values.items()}}
        if preset.choices:
            said = (read_choices(self._book, n, c, preset.blocks or ()) for n, c in preset.choices.items())
            found["choices"] = {c: choice for choices in said for c, choice in choices.items()}
        if preset.usual_run:
            found["run"] = preset.usual_run
        if preset.cautions:
            found["cautions"] = preset.cautions
        return found

    def _given(self, given: Given) -> Json:
        values = given.value if isinstance(given.value, tuple) else (given.value,)
        exact = [_exact(v) for v in values]
        shown = exact if isinstance(given.value, tuple) else exact[0]
        return [shown, self._texts(given.source), *([given.note] if given.note else [])]

    def _lab_table(self) -> Json:
        """The table of the book, with every range as its values, and every name known."""
        lab = dict(self._lab)
        lab["values"] = {
            n: [_exact(v) for v in read_values(self._book, n, t)][:_MOST_VALUES] for n, t in lab.get("values", {}).items()
        }
        for name in _named_in(lab):
            if name not in self._book.declared:
                raise BookError(f"{self._book.folder.name}/book.toml: [lab]: no {name!r} in this book")
        return lab

    def _measured(self) -> Json:
        reports = [r for chapter in self._lab.get("measurements", ()) for r in measurement_reports(self._book, chapter)]
        return [
            {"name": r.name, "says": r.says, "source": r.source, "caution": r.caution, "at": r.label, "facts": r.facts,
             "columns": r.table.columns, "rows": [[n, *map(str, row)] for n, row in r.table.rows]}
            for r in reports
        ]  # fmt: skip


# The kinds of pictures that the page draws anew.
_MOVED = ("roofline", "schedule", "elasticity", "composition")
_SCHEDULE = ("stages", "microbatches", "forward", "backward", "recompute", "bubble")


def _lab(book: Book) -> Mapping[str, Any]:
    found = book.about.get("lab")
    if not isinstance(found, dict):
        raise BookError(f"{book.folder.name}/book.toml has no table [lab], which says what the page shows")
    return found


def _moved(book: Book) -> dict[str, Mapping[str, Any]]:
    """The pictures that the page draws anew, one of each kind: where the book has several, those that [lab] names."""
    where, chosen = f"{book.folder.name}/book.toml: [lab]", _lab(book).get("pictures")
    tables = declared(book)
    for name in chosen or ():
        if name not in tables:
            raise BookError(f"{where}: no picture {name!r}{did_you_mean(name, tables)}")
    found: dict[str, Mapping[str, Any]] = {}
    for name, table in tables.items():
        if table["kind"] not in _MOVED or (chosen is not None and name not in chosen):
            continue
        if table["kind"] in found:
            other = found[table["kind"]]["name"]
            raise BookError(
                f"{where}: {other} and {name} are both of kind {table['kind']}, of which the page moves one: "
                f"name the pictures that it has, pictures = [...]"
            )
        found[table["kind"]] = table
    return found


def _named_in(lab: Mapping[str, Any]) -> Iterator[str]:
    """Every name of the book that the table has."""
    yield from (lab["step"], lab["binding"], lab["hold"], lab["swept"], *lab["headline"], *lab["hold_by"], *lab["values"])
    yield from lab.get("budget", {}).values()
    for group in lab["controls"]:
        yield from group["names"]
    for section in lab["sections"]:
        yield from section["quantities"]
        yield from (section[k] for k in ("under", "over") if k in section)


def _leaves(term: Term) -> Iterator[Term]:
    if isinstance(term, Logic):
        for part in term.args:
            yield from _leaves(part)
    else:
        yield term


def _alone(term: Term) -> str:
    assert isinstance(term, Ref)
    return term.name


def _pairs(found: Mapping[int, int]) -> list[int]:
    """A mapping as a flat list, which is shorter than one with keys in quotes."""
    return [n for pair in sorted(found.items()) for n in pair]


def _exact(value: Fraction) -> Json:
    """A number as JSON has it where that is exact, else as a text."""
    return int(value) if value.denominator == 1 and abs(value) < 2**53 else str(value)


def _texts_of(table: Mapping[str, Any]) -> list[str]:
    """The formulas of a picture that the page draws anew."""
    if table["kind"] == "roofline":
        kernels = [k[key] for k in table.get("kernels", ()) for key in ("intensity", "flops", "bytes") if key in k]
        return [table["peak"], *(r["bandwidth"] for r in table["roofs"]), *kernels]
    return [table[k] for k in _SCHEDULE if k in table] if table["kind"] == "schedule" else []


def _roofline(book: Book, table: Mapping[str, Any], slot: Any) -> Json:
    roofs = [r for r in table["roofs"] if has(book, r["bandwidth"])]
    carriers = ["".join(dimension(book, r["bandwidth"]).carriers) for r in roofs]
    kernels = []
    for kernel in table.get("kernels", ()):
        texts = [kernel[k] for k in ("intensity", "flops", "bytes") if k in kernel]
        carrier = "".join(dimension(book, texts[-1]).carriers) if has(book, *texts) else ""
        if carrier in carriers:
            kernels.append([kernel["label"], carriers.index(carrier), *(slot(t) for t in texts)])
    shown = [[r["label"], slot(r["bandwidth"]), r["bandwidth"]] for r in roofs]
    return {"title": table["title"], "peak": slot(table["peak"]), "roofs": shown, "kernels": kernels}


def _composed(book: Book, total: str) -> Json:
    """The summands of a total: each a name, or the names of a Max that the name is."""
    formula = book.formulas[total]
    found = []
    for part in formula.terms if isinstance(formula, Add) else (Ref(total),):
        if not isinstance(part, Ref):
            raise BookError(f"{book.folder.name}/book.toml: the composition of {total} on the page needs a sum of names")
        inner = book.formulas.get(part.name)
        contest = (
            [t.name for t in inner.args if isinstance(t, Ref)] if isinstance(inner, Call) and inner.function == "Max" else []
        )
        found.append([part.name, contest])
    return found
