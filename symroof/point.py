"""A point of the book: a preset with some values set. Every question is asked of a point; no question changes one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from symroof.definition import Argument
from symroof.errors import ConstraintError, PresetError
from symroof.passes.admit import broken_constraints, nearest_valid, stray
from symroof.passes.evaluate import Evaluator
from symroof.preset import Given, exact, read_choices

if TYPE_CHECKING:
    from symroof.book import Book
    from symroof.passes.compile import Compiled
    from symroof.passes.meet import Crossover, Regimes
    from symroof.passes.regime_map import RegimeMap
    from symroof.passes.solve import Solution
    from symroof.passes.sweep import Sweep
    from symroof.passes.whatif import WhatIf
    from symroof.result import Result


class Point:
    """Values for symbols and choices for conventions, all admissible. Immutable."""

    def __init__(
        self,
        book: Book,
        preset: str,
        given: Mapping[str, Given],
        choices: Mapping[str, str],
        parts: tuple[str, ...] = (),
        overrides: Mapping[str, str] | None = None,
        cautions: tuple[str, ...] = (),
    ) -> None:
        """A point as it is, unchecked; `Point.checked` and `Point.set` give admissible ones only."""
        self.book, self.preset, self.parts, self.cautions = book, preset, parts, cautions
        self.choices = MappingProxyType(dict(choices))
        self.overrides = MappingProxyType(dict(overrides or {}))
        # What a list replaces, name -> the list that replaces it.
        self.set_aside = MappingProxyType({r: n for n in given if _is_list(book, n) for r in book.rivals(n)})
        self.given = MappingProxyType({n: g for n, g in given.items() if n not in self.set_aside})
        self._known: Mapping[str, Fraction | str] = {}
        # True once every constraint was found to hold: what is no run promises nothing of its values.
        self.is_run = False

    @classmethod
    def checked(
        cls,
        book: Book,
        preset: str,
        given: Mapping[str, Given],
        choices: Mapping[str, str],
        parts: tuple[str, ...] = (),
        overrides: Mapping[str, str] | None = None,
        cautions: tuple[str, ...] = (),
    ) -> Point:
        """A point whose values are in their domains and meet every constraint.

        Raises:
            ConstraintError: a value outside its domain, or a broken constraint with the nearest values that meet all.
        """
        point = cls(book, preset, given, choices, parts, overrides, cautions)
        point._check()
        return point

    def set(self, **values: object) -> Point:
        """The same point with some symbols, conventions or derived quantities set; a derived quantity is pinned.

        Args:
            values: exact numbers (int, Fraction), texts as on the command line (`"50 GB/s"`, `"1/2"`), lists, or choices.

        Raises:
            UnknownNameError: a name that is neither symbol, quantity nor convention.
            PresetError, UnitError: a value that is none of that name.
            ConstraintError: the values do not fit together; the message has the nearest that do.
        """
        point = self.trial(**values)
        point._check()
        return point

    def trial(self, **values: object) -> Point:
        """The point that `set` would give, whether or not it may exist: ask its `admissible` before its quantities.

        Raises:
            UnknownNameError, PresetError, UnitError: as `set`.
        """
        given, choices, overrides = dict(self.given), dict(self.choices), dict(self.overrides)
        # A named set first: a convention that is set beside it is set on it.
        for name, value in sorted(values.items(), key=lambda setting: setting[0] not in self.book.named_sets):
            if name in self.book.named_sets or name in self.book.whole.conventions:
                choices.update(read_choices(self.book, name, str(value)))
                continue
            known = self.book.known(name)
            clash = [r for r in self.book.rivals(known) if r in values]
            if clash:
                raise PresetError(f"give {known} or {clash[0]}, not both")
            for rival in self.book.rivals(known):
                given.pop(rival, None)
                overrides.pop(rival, None)
            given[known] = Given(exact(self.book, known, value), "set by the reader", "--set")
        overrides |= {n: _text(v) for n, v in values.items()}
        found = Point(self.book, self.preset, given, choices, self.parts, overrides, self.cautions)
        found._known = self._unmoved(found)
        return found

    def _unmoved(self, other: Point) -> dict[str, Fraction | str]:
        """The values that have been computed here and that another point has as well: what it changes is no input of theirs."""
        given = self.given.keys() | other.given.keys()
        moved = {n for n in given if self.given.get(n) != other.given.get(n)}
        moved.update(u for c, choice in other.choices.items() if choice != self.choices.get(c) for u in self.book.users(c))
        return {n: v for n, v in self.evaluator.known.items() if moved.isdisjoint(self.book.inputs_of(n))}

    @property
    def admissible(self) -> bool:
        """True where every value is in its domain and every constraint holds."""
        return next(self._strays(), None) is None and next(broken_constraints(self), None) is None

    @property
    def title(self) -> str:
        """The book's title, or model and machine, where they are not those that the book's title names."""
        usual = self.book.presets.read(None, self.book.default).parts
        named = [kind for kind in ("model", "machine") if kind in usual]
        if all(usual[kind] in self.parts for kind in named):
            return self.book.title
        return " on ".join(self._part(kind) for kind in named)

    @property
    def model(self) -> str:
        """The name of the model's preset."""
        return self._part("model")

    def _part(self, kind: str) -> str:
        """The name of a part of the preset; a part that a file gives goes by the name of the preset."""
        return next((p for p in self.parts if p in self.book.presets.names(kind)), self.preset)

    @property
    def label(self) -> str:
        """The preset and what was set, as outputs name the point."""
        return " ".join([self.preset, *(f"{n}={v}" for n, v in self.overrides.items())])

    @cached_property
    def evaluator(self) -> Evaluator:
        """The exact values of this point, each computed once."""
        return Evaluator(self, known=self._known)

    def pinned(self, name: str) -> bool:
        """True where a derived quantity was given a value, so that its definition is not used."""
        quantity = self.book.quantities.get(name)
        return name in self.given and quantity is not None and not isinstance(quantity, Argument)

    @property
    def pins(self) -> tuple[str, ...]:
        """The derived quantities that were given a value."""
        return tuple(n for n in self.given if self.pinned(n))

    def __getitem__(self, name: str) -> Result:
        """A quantity or symbol at this point.

        Raises:
            UnknownNameError: the book has no such name.
        """
        from symroof.result import Result

        return Result(self, self.book.known(name))

    def get(self, names: Iterable[str]) -> list[Result]:
        """Several quantities at this point."""
        return [self[n] for n in names]

    def whatif(
        self, *, of: Iterable[str] | None = None, hold: str | None = None, by: str | None = None, **changes: object
    ) -> WhatIf:
        """What some changes do to every quantity: values before and after, and closed forms in what was changed.

        Args:
            of: the quantities to look at; by default all.
            hold, by: a quantity that keeps its value, and the symbol that gives way for it.
            changes: as `set` takes them; `model`, `machine`, `run` and `preset` exchange that part of the preset.

        Raises:
            ConstraintError: the changed run cannot exist; the message has the nearest values that work.
            UnknownNameError, PresetError, UnitError: as `set`.
        """
        from symroof.passes.hold import hold_of
        from symroof.passes.whatif import what_if

        return what_if(self, changes, of, hold_of(hold, by))

    def solve(self, condition: str, symbol: str) -> Solution:
        """Where a condition such as "bubble_overhead <= 5%" holds along a symbol, everything else as it is here.

        Raises:
            ExpressionError: the condition cannot be read. PresetError: it is no single relation, or does not move.
        """
        from symroof.expression import parse_condition
        from symroof.passes.solve import solve

        return solve(self, parse_condition(self.book, condition), symbol)

    def crossover(self, one: str, other: str, over: str) -> Crossover:
        """Where two quantities meet along a symbol.

        Raises:
            UnitError: they have different units. PresetError: neither depends on the symbol.
        """
        from symroof.passes.meet import crossover

        return crossover(self, one, other, over)

    def regimes(self, name: str, *over: str, **values: Sequence[int | Fraction]) -> Regimes | RegimeMap:
        """Which branch of a Max or Min binds along a symbol, or over two as a map.

        Args:
            name: the quantity, such as step_time.
            over: symbols that are looked at wherever they may be.
            values: symbols with the values to look at.

        Raises:
            PresetError: not one symbol or two, or nothing in the quantity turns with them.
        """
        from symroof.passes.meet import regimes
        from symroof.passes.regime_map import regime_map

        along = {**dict.fromkeys(over), **{n: [Fraction(v) for v in vs] for n, vs in values.items()}}
        if len(along) == 2:
            return regime_map(self, name, along)
        if len(along) != 1:
            raise PresetError("regimes are along one symbol, or two for a map")
        ((symbol, looked_at),) = along.items()
        return regimes(self, name, symbol, looked_at)

    def compile(self, names: Iterable[str], free: Iterable[str]) -> Compiled:
        """A NumPy function of some free symbols that returns arrays of some quantities; all other values are this point's.

        Everything is a 64-bit float: whole numbers are exact below 2^53, a result too large is inf, and at every point that
        may exist a result is within 1e-12 of the exact value.

        Raises:
            UnknownNameError: a name that the book does not have.
            MissingValueError: a symbol that is not free has no value here.
            EvaluationError: a quantity has no value, or a list is asked to be free.
        """
        from symroof.passes.compile import compile_quantities

        return compile_quantities(self, tuple(names), tuple(free))

    def sweep(self, over: Mapping[str, Sequence[object]], of: Iterable[str], where: str | None = None) -> Sweep:
        """The grid of some symbols and conventions around this point, and some quantities over it.

        Args:
            over: the values of each axis, as `set` takes them; the last axis varies fastest.
            of: the quantities.
            where: a condition; points that do not meet it are left out.

        Raises:
            RequestError, UnknownNameError, PresetError, UnitError, ConstraintError: an axis that is none.
            ExpressionError: the condition cannot be read.
            MissingValueError, EvaluationError: a quantity has no value, whatever the axes.
        """
        from symroof.expression import parse_condition
        from symroof.passes.sweep import Sweep

        return Sweep(self, over, of, None if where is None else parse_condition(self.book, where))

    def __repr__(self) -> str:
        return f"<{self.title} at {self.label}>"

    def _repr_html_(self) -> str:
        from symroof.notebook import point_sheet

        return point_sheet(self).html()

    def _repr_markdown_(self) -> str:
        from symroof.notebook import point_sheet

        return point_sheet(self).markdown()

    def _check(self) -> None:
        strayed = next(self._strays(), None)
        if strayed is not None:
            raise ConstraintError(strayed)
        broken = next(broken_constraints(self), None)
        if broken is not None:
            raise ConstraintError(broken.says, lambda: nearest_valid(self, broken))
        self.is_run = True

    def _strays(self) -> Iterator[str]:
        """Values outside their domains, in words."""
        for name, given in self.given.items():
            if says := stray(self.book, name, given.value):
                yield says if given.origin == "--set" else f"{says}, as preset {given.origin} has it"


def _is_list(book: Book, name: str) -> bool:
    return name in book.symbols and book.symbols[name].is_list


def _text(value: object) -> str:
    return "[" + ",".join(map(str, value)) + "]" if isinstance(value, list | tuple) else str(value)
