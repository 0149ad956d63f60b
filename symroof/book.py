"""A folder of derivations becomes one Book: the named DAG in reading order, every dependency found or refused.

Loading a book runs the Python modules of its folder; nothing else in symroof runs code that comes from outside.
"""

from __future__ import annotations

import ast
import contextlib
import importlib.machinery
import importlib.util
import re
import sys
import time
import tomllib
import traceback
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from symroof.claim import Claim, Measurement, read_claims, read_measurements
from symroof.definition import (
    Argument,
    Block,
    Choice,
    Constraint,
    Convention,
    Declaration,
    Domain,
    HasBlock,
    NamedSet,
    Place,
    Quantity,
    Symbol,
    parameters,
    reference,
)
from symroof.errors import BookError, DefinitionError, SymroofError, UnitError, UnknownNameError, UnknownUnitError, did_you_mean
from symroof.passes.dimensions import dimension_of
from symroof.passes.passages import blocks_named, passages_about
from symroof.passes.settle import Settler
from symroof.preset import Presets
from symroof.term import DEEPEST, FUNCTIONS, LARGEST, RESERVED, At, Choose, Logic, Rel, Term, as_term, measure, references, walk
from symroof.units import LABELS, Dimension, declare_label, labels, parse_unit

if TYPE_CHECKING:
    from symroof.passes.compile import Compiled
    from symroof.point import Point

_CHAPTER = re.compile(r"ch(\d+)_(\w+)")


@dataclass(frozen=True, slots=True)
class Chapter:
    """A module of the book: its name, its title and introduction, and the names it declares, in reading order.

    In the whole book an introduction has every passage, marked as its author wrote it (`passes/passages.py`); in the book of a
    model it has those that are about it.
    """

    name: str
    title: str
    introduction: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Traits:
    """What a formula mentions: names and conventions. The formula is held, so that its identity is nobody else's."""

    formula: Term
    references: tuple[str, ...]
    conventions: tuple[str, ...]


class Book:
    """Declarations of a folder, found, ordered and checked. Immutable: questions are asked of a point (`Book.at`).

    Where a book has blocks, `Book.having` is the book as it stands for a model that has some of them: what belongs to the others
    is not in it, and the rest of its interface is the same. A point's book is one of these.
    """

    def __init__(self, folder: Path) -> None:
        """Load and check a folder.

        Raises:
            BookError: the folder is no book.
            DefinitionError: a declaration that may not stand as it does, with its file and line.
            UnitError, CarrierError: a formula whose dimension is not the one declared, with its file and line.
            UnknownNameError: an argument that names nothing, with the nearest names.
        """
        folder = folder.resolve()
        self.folder, self._read_at = folder, time.time()
        self.about = _about(folder)
        self.labels = frozenset((*LABELS, *_labels(folder, self.about.get("labels", []))))
        declared, self.chapters = _declarations(folder)
        self.declared: Mapping[str, Declaration] = MappingProxyType(declared)
        self.symbols: Mapping[str, Symbol] = _only(declared, Symbol)
        self.quantities: Mapping[str, Quantity] = _only(declared, Quantity)
        self.conventions: Mapping[str, Convention] = _only(declared, Convention)
        self.blocks: Mapping[str, Block] = _only(declared, Block)
        self.named_sets: Mapping[str, NamedSet] = _only(declared, NamedSet)
        self.whole = self
        self._having: dict[frozenset[str], Book] = {}
        self._known: dict[int, _Traits] = {}
        self.formulas: Mapping[str, Term] = MappingProxyType({n: self._trace(n, q) for n, q in self.quantities.items()})
        self.conditions: Mapping[str, Term] = MappingProxyType(
            {n: self._condition(n, c) for n, c in _only(declared, Constraint).items()}
        )
        self.stand_ins: Mapping[str, tuple[Term, Term]] = MappingProxyType(
            {n: self._stand_in(n, s) for n, s in self.symbols.items() if s.instead}
        )
        self._otherwise: Mapping[str, Term] = MappingProxyType(
            {n: self._run(n, s.otherwise) for n, s in self.symbols.items() if s.otherwise}
        )
        self._dimensions = {n: self._declared_dimension(n) for n in (*self.symbols, *self.quantities)}
        self._order_names()
        self._check_arguments()
        for name in self.quantities:
            self._check_dimension(name)
        for name, term in (*self.conditions.items(), *self._otherwise.items()):
            self._dimension_found(name, term)
        self._check_named_sets()
        self._check_blocks()
        self.presets = Presets(folder / "presets", self)

    def __repr__(self) -> str:
        chapters = ", ".join(c.name for c in self.numbered)
        return f"<{self.title}: {len(self.quantities)} quantities in {chapters}; ask it at a preset, book.at({self.default!r})>"

    @property
    def title(self) -> str:
        """The book's title."""
        return str(self.about["title"])

    @property
    def default(self) -> str:
        """The name of the preset that a question is about where it names none."""
        return str(self.about["default"])

    @property
    def changed(self) -> bool:
        """True where a file of the folder was written since the book was read, so that reading it again may give another one."""
        return any(f.stat().st_mtime > self._read_at for f in self.folder.glob("*.*"))

    @cached_property
    def claims(self) -> tuple[Claim, ...]:
        """The figures that the book must reproduce.

        Raises:
            BookError: claims.toml is broken, or claims something of a name that the book does not have.
        """
        return read_claims(self.folder / "claims.toml", self.whole)

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """The measured runs that the book sets its quantities beside.

        Raises:
            BookError: measurements.toml is broken.
        """
        return read_measurements(self.folder / "measurements.toml", self.whole)

    def at(self, preset: str | None = None, **overrides: object) -> Point:
        """The book at a preset (by default its own), with some values or choices set.

        Raises:
            PresetError, ConstraintError, UnknownNameError: as `Presets.compose` and `Point.set` say.
        """
        from symroof.point import Point

        whole = self.presets.compose(preset or self.default)
        book = self.having(whole.blocks)
        given = {n: g for n, g in whole.given.items() if n in book.symbols or n in book.quantities}
        choices = {n: c for n, c in whole.choices.items() if n in book.conventions}
        point = Point.checked(book, whole.name, given, choices, whole.parts, cautions=whole.cautions)
        return point.set(**overrides) if overrides else point

    def having(self, blocks: Iterable[str]) -> Book:
        """The book as it stands for a model that has these blocks and lacks the others.

        Raises:
            UnknownNameError: a block that the book has not, with the nearest names.
        """
        wanted = frozenset(blocks)
        for name in wanted - self.whole.blocks.keys():
            raise UnknownNameError(f"no block {name!r}{did_you_mean(name, self.whole.blocks)}")
        if not self.whole.blocks:
            return self
        if wanted not in self.whole._having:
            self.whole._having[wanted] = self.whole._settled(wanted)
        return self.whole._having[wanted]

    def _settled(self, having: frozenset[str]) -> Book:
        """A copy of the whole book from which everything of the lacking blocks is gone."""
        settled = copy(self)
        settled.__dict__.pop("claims", None)
        settled.__dict__.pop("measurements", None)
        settled.__dict__.pop("_users", None)
        settled._having, settled._ordered = {}, {}
        settled.blocks = MappingProxyType({n: b for n, b in self.blocks.items() if n in having})
        formulas: dict[str, Term] = {}
        symbols = {n: s for n, s in self.symbols.items() if not s.block or s.block in having}
        settler = Settler(
            {n: n in having for n in self.blocks},
            lambda n: n not in symbols and n not in formulas and n in self.declared,
            {n: t for n, t in self._otherwise.items() if n not in symbols},
        )
        for name in self._order:
            quantity = self.quantities.get(name)
            if quantity is None or (quantity.block and quantity.block not in having):
                continue
            if (formula := settler.settle(self.formulas[name])) is not None:
                formulas[name] = formula
            elif isinstance(quantity, Argument):
                symbols[name] = _without_default(quantity)
        settled._take(symbols, formulas, settler)
        return settled

    def _take(self, symbols: Mapping[str, Symbol], formulas: Mapping[str, Term], settler: Settler) -> None:
        """Hold what is left of a book, everything in the order in which it is declared."""
        names = [n for n in self.declared if n in symbols or n in formulas]
        self.symbols = MappingProxyType({n: symbols[n] for n in names if n in symbols})
        self.quantities = MappingProxyType({n: self.quantities[n] for n in names if n in formulas})
        self.formulas = MappingProxyType({n: formulas[n] for n in names if n in formulas})
        conditions = {n: settler.settle(t) for n, t in self.conditions.items()}
        self.conditions = MappingProxyType({n: t for n, t in conditions.items() if t is not None})
        self.stand_ins = MappingProxyType({n: pair for n, pair in self.stand_ins.items() if n in self.symbols})
        self.conventions = MappingProxyType({n: c for n, c in self.conventions.items() if n in self._users})
        kept = {*names, *self.conditions, *self.conventions, *self.blocks, *self.named_sets}
        self.declared = MappingProxyType({n: symbols.get(n, d) for n, d in self.declared.items() if n in kept})
        self.chapters = tuple(
            replace(c, names=tuple(n for n in c.names if n in kept), introduction=passages_about(c.introduction, self.blocks))
            for c in self.chapters
        )
        self._order_names()

    def compile(self, names: Iterable[str], free: Iterable[str], preset: str | None = None, **overrides: object) -> Compiled:
        """Quantities as a NumPy function of free symbols; all other values are those of a preset, as `Point.compile`.

        Raises:
            SymroofError: as `at` and `Point.compile`.
        """
        return self.at(preset, **overrides).compile(names, free)

    def users(self, convention: str) -> tuple[str, ...]:
        """The quantities whose own formulas have a choice of a convention, in the order of the book."""
        return tuple(self._users.get(convention, ()))

    @cached_property
    def _users(self) -> Mapping[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, formula in self.formulas.items():
            for convention in self._traits(formula).conventions:
                found.setdefault(convention, []).append(name)
        return found

    def inputs_in_order(self, name: str) -> tuple[str, ...]:
        """What `inputs_of` has, each name after everything that it depends on."""
        if name not in self._ordered:
            self._ordered[name] = tuple(sorted(self.inputs_of(name), key=self._order.__getitem__))
        return self._ordered[name]

    def inputs_of(self, name: str) -> frozenset[str]:
        """The name itself and every name that its value can depend on."""
        return self._inputs.get(name, frozenset((name,)))

    def domain(self, name: str) -> Domain:
        """What values a symbol or a quantity that the book has may have."""
        return self.declaration(name).domain

    def declaration(self, name: str) -> Symbol | Quantity:
        """The declaration of a symbol or a quantity that the book has."""
        return self.symbols.get(name) or self.quantities[name]

    def rivals(self, name: str) -> tuple[str, ...]:
        """The names that say in another way what this one says: a list, and the symbol that stands in for it."""
        if name in self.stand_ins:
            return tuple(n for n in self.symbols if self.stand_ins[name][0] == reference(n))
        return tuple(n for n in self.stand_ins if self.stand_ins[n][0] == reference(name))

    def dimension(self, name: str) -> Dimension:
        """The declared dimension of a symbol or quantity."""
        return self._dimensions[name]

    def derived_dimension(self, name: str) -> Dimension | None:
        """The dimension that the walk over a quantity's formula finds; None where the formula is zero."""
        return self._dimension_found(name, self.formulas[name])

    def chapter_of(self, name: str) -> Chapter:
        """The chapter that declares a name."""
        return next(c for c in self.chapters if name in c.names)

    def chapter(self, name: str) -> Chapter:
        """A chapter by its name or its number.

        Raises:
            UnknownNameError: there is none, with the nearest names.
        """
        for chapter in self.numbered:
            if name in (chapter.name, str(self.number(chapter))):
                return chapter
        names = [c.name for c in self.numbered]
        raise UnknownNameError(f"no chapter {name!r}{did_you_mean(name, names) or '; chapters are ' + ', '.join(names)}")

    @property
    def numbered(self) -> tuple[Chapter, ...]:
        """The chapters that derive something, in reading order."""
        return tuple(c for c in self.chapters if any(n in self.quantities for n in c.names))

    def number(self, chapter: Chapter) -> int:
        """A chapter's number: its place in the whole book, so that it is the same for every model."""
        return next(n for n, c in enumerate(self.whole.numbered, 1) if c.name == chapter.name)

    def known(self, name: str) -> str:
        """The name itself, where it is a symbol or a quantity.

        Raises:
            UnknownNameError: it is neither, with the nearest names.
        """
        if name in self.quantities or name in self.symbols:
            return name
        if name in self.whole.quantities or name in self.whole.symbols:
            raise UnknownNameError(f"{name} is nothing that this model has: it lacks {self._lacking(name)}")
        raise UnknownNameError(f"no quantity or symbol {name!r}{did_you_mean(name, [*self.quantities, *self.symbols])}")

    def _lacking(self, name: str) -> str:
        """The blocks for want of which a name of the whole book is not in this one, in words."""
        used = self.whole.inputs_of(name)
        missing = [n for n in used if n not in self.declared and (n == name or n not in self._otherwise)]
        named = {self.whole.declaration(n).block for n in missing}
        blocks = {n: b for n, b in self.whole.blocks.items() if n in named and n not in self.blocks} or {
            n: b for n, b in self.whole.blocks.items() if n not in self.blocks
        }
        if len(blocks) > 2:
            return f"some of {', '.join(blocks)}, or has a block that rules it out"
        return " and ".join(f"{b.says} (block {n})" for n, b in blocks.items())

    def _where(self, name: str) -> str:
        return f"{_shown(self.declared[name].place, self.folder)}: {name}"

    def _trace(self, name: str, quantity: Quantity) -> Term:
        found = self._run(name, quantity.function)
        if isinstance(found, Rel | Logic):
            raise DefinitionError(f"{self._where(name)}: a condition is no value: write where(condition, 1, 0)")
        return found

    def _condition(self, name: str, declaration: Constraint) -> Term:
        found = self._run(name, declaration.function)
        settled = [t for _, t in found.options] if isinstance(found, Choose) and found.convention in self.blocks else [found]
        if not all(isinstance(t, Rel | Logic) for t in settled):
            raise DefinitionError(f"{self._where(name)}: a constraint returns a condition, such as divides(a, b)")
        return found

    def _stand_in(self, name: str, declaration: Symbol) -> tuple[Term, Term]:
        assert declaration.instead is not None
        pair = declaration.instead(*self._arguments(name, declaration.instead))
        return as_term(pair[0]), as_term(pair[1])

    def _run(self, name: str, function: Any) -> Term:
        arguments = self._arguments(name, function)
        try:
            # Standard output belongs to answers: what a formula prints goes to standard error.
            with contextlib.redirect_stdout(sys.stderr):
                found = as_term(function(*arguments))
        except DefinitionError as error:
            raise DefinitionError(f"{self._where(name)}: {error}") from None
        except (Exception, SystemExit) as error:
            raise DefinitionError(f"{self._where(name)}: the formula raises {type(error).__name__}: {error}") from None
        self._refuse_formula(name, found)
        return found

    def _refuse_formula(self, name: str, found: Term) -> None:
        """Refuse what no walk could end on, and names that came in past the arguments."""
        depth, size = measure(found)
        if depth > DEEPEST or size > LARGEST:
            raise DefinitionError(
                f"{self._where(name)}: a formula may be {DEEPEST} levels deep and have {LARGEST:,} parts, "
                f"this one has {depth:,} levels and {size:,} parts"
            )
        for used in references(found):
            if used not in self.symbols and used not in self.quantities:
                known = [*self.symbols, *self.quantities]
                raise UnknownNameError(f"{self._where(name)}: unknown name {used!r}{did_you_mean(used, known)}")

    def _arguments(self, name: str, function: Any) -> list[Any]:
        found: list[Any] = []
        for p in parameters(function, self.declared[name].place):
            if p in self.conventions:
                found.append(Choice(p, self.conventions[p]))
            elif p in self.blocks:
                found.append(HasBlock(p))
            elif p in self.symbols or p in self.quantities:
                found.append(reference(p))
            else:
                known = [*self.symbols, *self.quantities, *self.conventions, *self.blocks]
                raise UnknownNameError(f"{self._where(name)}: unknown name {p!r}{did_you_mean(p, known)}")
        return found

    def _declared_dimension(self, name: str) -> Dimension:
        unit = self.declaration(name).unit
        try:
            dimension = parse_unit(unit).dimension.check()
            # What is one only because another book that was read declares it is none here.
            for label in labels(unit).keys() - self.labels - {"1"}:
                raise UnknownUnitError(f"unit {unit!r}: {label!r} is no unit{did_you_mean(label, self.labels)}")
        except UnknownUnitError as error:
            hint = f'a label of your own goes into {self.folder.name}/book.toml: labels = ["..."]'
            raise UnknownUnitError(f"{self._where(name)}: {error} ({hint})") from None
        except UnitError as error:
            raise type(error)(f"{self._where(name)}: {error}") from None
        return dimension

    def _check_dimension(self, name: str) -> None:
        declared, found = self._dimensions[name], self.derived_dimension(name)
        if found not in (None, declared):
            raise UnitError(f"{self._where(name)}: declared in {declared}, but its formula is in {found}")

    def _dimension_found(self, name: str, term: Term) -> Dimension | None:
        try:
            return dimension_of(term, self._dimensions.__getitem__)
        except UnitError as error:
            raise type(error)(f"{self._where(name)}: {error}") from None

    def _close(self) -> dict[str, frozenset[str]]:
        """The inputs of every quantity, transitively; refuses cycles and arguments that do not reach their quantity."""
        closed: dict[str, frozenset[str]] = {}
        for start in (*self.symbols, *self.quantities):
            path: dict[str, Iterator[str]] = {} if start in closed else {start: iter(self._uses(start))}
            while path:
                name, uses = next(reversed(path.items()))
                used = next((u for u in uses if u not in closed), None)
                if used is None:
                    closed[name] = frozenset((name,)).union(*(closed[u] for u in self._uses(name)))
                    del path[name]
                elif used in path:
                    loop = [*list(path)[list(path).index(used) :], used]
                    raise DefinitionError(f"{self._where(used)}: cycle: {' -> '.join(loop)}")
                else:
                    path[used] = iter(self._uses(used))
        return closed

    def _order_names(self) -> None:
        """Know the inputs of every name, and put each name after what it depends on."""
        self._inputs = self._close()
        self._order = {name: place for place, name in enumerate(self._inputs)}
        self._ordered: dict[str, tuple[str, ...]] = {}

    def _check_arguments(self) -> None:
        for name, formula in (*self.formulas.items(), *self.conditions.items()):
            for node in walk(formula):
                if isinstance(node, At):
                    self._check_bindings(name, node, self._inputs)

    def _check_blocks(self) -> None:
        for name in (*self.symbols, *self.quantities):
            block = self.declaration(name).block
            if block is not None and block not in self.blocks:
                raise DefinitionError(f"{self._where(name)}: no block {block!r}{did_you_mean(block, self.blocks)}")
        for chapter in self.chapters if self.blocks else ():
            for block in blocks_named(chapter.introduction):
                if block not in self.blocks:
                    hint = did_you_mean(block, self.blocks) or f"; blocks are {', '.join(self.blocks)}"
                    where = f"{self.folder.name}: introduction of chapter {chapter.name}"
                    raise DefinitionError(f"{where}: no block {block!r}{hint}")

    def _check_named_sets(self) -> None:
        """Every set chooses what there is to choose."""
        for name, declared in self.named_sets.items():
            for title, rules in declared.sets.items():
                for block in rules.having:
                    if block not in self.blocks:
                        raise DefinitionError(
                            f"{self._where(name)}: {title}: no block {block!r}{did_you_mean(block, self.blocks)}"
                        )
                for choices in (rules.choices, *rules.having.values()):
                    self._check_choices(f"{self._where(name)}: {title}", choices)

    def _check_choices(self, where: str, choices: Mapping[str, str]) -> None:
        for convention, choice in choices.items():
            if convention not in self.conventions:
                raise DefinitionError(f"{where}: no convention {convention!r}{did_you_mean(convention, self.conventions)}")
            if choice not in self.conventions[convention].choices:
                hint = did_you_mean(choice, self.conventions[convention].choices)
                raise DefinitionError(f"{where}: convention {convention} has no choice {choice!r}{hint}")

    def _uses(self, name: str) -> tuple[str, ...]:
        """The names that the formula of a name, or what stands in for a list, uses."""
        terms = [self.formulas[name]] if name in self.formulas else list(self.stand_ins.get(name, ()))
        if self is self.whole and name in self._otherwise:
            terms.append(self._otherwise[name])
        return tuple(dict.fromkeys(r for t in terms for r in self._traits(t).references))

    def _traits(self, term: Term) -> _Traits:
        """What a formula mentions, found once: most formulas are the same ones whatever blocks there are."""
        if id(term) not in self._known:
            conventions = dict.fromkeys(t.convention for t in walk(term) if isinstance(t, Choose))
            self._known[id(term)] = _Traits(term, references(term), tuple(conventions))
        return self._known[id(term)]

    def _check_bindings(self, name: str, node: At, closed: Mapping[str, frozenset[str]]) -> None:
        for bound, _ in node.bindings:
            if bound not in closed[node.name]:
                inputs = [n for n in closed[node.name] if n != node.name]
                raise DefinitionError(
                    f"{self._where(name)}: {node.name} does not depend on {bound!r}{did_you_mean(bound, inputs)}"
                )


def load(folder: str | Path | None = None) -> Book:
    """The book of a folder; without one, the book that symroof carries (Kimi K3 on GB200).

    Raises:
        SymroofError: the folder is no sound book; the message says what, where, and what would be valid.
    """
    return Book(Path(folder) if folder is not None else carried_book())


def carried_book() -> Path:
    """Where the book that symroof carries is: inside an installed package, beside it in a checkout."""
    inside = Path(__file__).parent / "derivations"
    return inside if inside.is_dir() else Path(__file__).parent.parent / "derivations"


def _about(folder: Path) -> dict[str, Any]:
    if not folder.is_dir():
        raise BookError(f"{folder}: no such folder")
    file = folder / "book.toml"
    try:
        about = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BookError(f"{folder} is no book: it has no book.toml") from None
    except (ValueError, OSError, RecursionError) as error:
        raise BookError(f"{file}: {error}") from None
    for key in ("title", "default"):
        if not isinstance(about.get(key), str):
            raise BookError(f"{file}: no {key}")
    return about


def _labels(folder: Path, declared: object) -> tuple[str, ...]:
    """The labels that a book declares beside those that every book has; from here on they are known."""
    where = f"{folder.name}/book.toml: labels"
    if not isinstance(declared, list) or not all(isinstance(name, str) for name in declared):
        raise BookError(f'{where} is a list of words, such as ["sample"]')
    for name in declared:
        try:
            declare_label(name)
        except UnitError as error:
            raise BookError(f"{where}: {error}") from None
    return tuple(declared)


def _declarations(folder: Path) -> tuple[dict[str, Declaration], tuple[Chapter, ...]]:
    declared: dict[str, Declaration] = {}
    chapters: list[Chapter] = []
    for file in sorted(folder.glob("*.py")):
        module = _module(file)
        names: list[str] = []
        for name, value in vars(module).items():
            if isinstance(value, Declaration) and value.place.file == str(file):
                _refuse_name(name, value, declared, folder)
                declared[name] = value
                names.append(name)
        chapters.append(_chapter(file, module, tuple(names)))
    if not declared:
        raise BookError(f"{folder} is no book: no module in it declares anything")
    return declared, tuple(chapters)


def _refuse_name(name: str, value: Declaration, declared: Mapping[str, Declaration], folder: Path) -> None:
    here = _shown(value.place, folder)
    if name in declared:
        raise DefinitionError(f"{here}: {name} is declared already at {_shown(declared[name].place, folder)}")
    if name in RESERVED:
        raise DefinitionError(f"{here}: {name} is a reserved unit symbol")
    if name in FUNCTIONS:
        raise DefinitionError(f"{here}: {name} is the name of a function of formulas")


def _module(file: Path) -> ModuleType:
    """Run one module of a book. Modules are not registered, so that two books can be open at once."""
    _refuse_redefinition(file)
    loader = importlib.machinery.SourceFileLoader(f"symroof_book_{file.stem}", str(file))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            loader.exec_module(module)
    except SymroofError as error:
        raise type(error)(str(error).replace(f"{file.parent}/", f"{file.parent.name}/")) from None
    except SyntaxError as error:
        raise BookError(f"{file.parent.name}/{file.name}:{error.lineno}: {error.msg}") from None
    except (Exception, SystemExit) as error:
        lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if f.filename == str(file)]
        at = f":{lines[-1]}" if lines else ""
        raise BookError(f"{file.parent.name}/{file.name}{at}: loading it raises {type(error).__name__}: {error}") from None
    return module


def _refuse_redefinition(file: Path) -> None:
    """Python lets a module define a name twice and keeps the last; a book must not lose a formula that way."""
    shown = f"{file.parent.name}/{file.name}"
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except SyntaxError as error:
        raise BookError(f"{shown}:{error.lineno}: {error.msg}") from None
    except (OSError, ValueError) as error:
        raise BookError(f"{shown}: {error}") from None
    lines: dict[str, int] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        names = [t.id for t in targets if isinstance(t, ast.Name)]
        if isinstance(node, ast.FunctionDef):
            names = [node.name]
        for name in names:
            if name in lines:
                raise DefinitionError(f"{shown}:{node.lineno}: {name} is declared already at {shown}:{lines[name]}")
            lines[name] = node.lineno


def _chapter(file: Path, module: ModuleType, names: tuple[str, ...]) -> Chapter:
    match = _CHAPTER.fullmatch(file.stem)
    title, _, introduction = (module.__doc__ or file.stem).strip().partition("\n")
    return Chapter(match[2] if match else file.stem, title.strip().rstrip("."), introduction.strip(), names)


def _shown(place: Place, folder: Path) -> str:
    """A place as a message names it: relative to the book's parent, so that it reads the same on every machine."""
    try:
        return f"{Path(place.file).relative_to(folder.parent)}:{place.line}"
    except ValueError:
        return str(place)


def _without_default(argument: Argument) -> Symbol:
    """An argument whose default names what a model lacks: an input like any other."""
    return Symbol(says=argument.says, place=argument.place, unit=argument.unit, latex=argument.latex, domain=argument.domain)


def _only(declared: Mapping[str, Declaration], kind: type[Any]) -> Mapping[str, Any]:
    return MappingProxyType({n: d for n, d in declared.items() if isinstance(d, kind)})


__all__ = ["Argument", "Book", "Chapter", "carried_book", "load"]
