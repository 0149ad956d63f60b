"""What a derivation may declare: quantities, arguments, symbols, conventions and constraints. (Claims are data: `claim.py`.)

A declaration knows nothing of the book it will join; `book.py` finds its dependencies, checks it and gives it its name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from symroof.errors import DefinitionError, did_you_mean
from symroof.term import Choose, Operand, Ref, Term, as_term


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file, as messages name it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, slots=True)
class Domain:
    """The set a value must be in, and what SymPy may assume of its symbol."""

    name: str
    says: str
    assumptions: tuple[str, ...]
    admits: Callable[[Fraction], bool] = field(compare=False)

    @property
    def whole(self) -> bool:
        """True where every member is an integer."""
        return "integer" in self.assumptions


COUNT = Domain("count", "a positive integer", ("integer", "positive"), lambda v: v.denominator == 1 and v >= 1)
TALLY = Domain("tally", "zero or a positive integer", ("integer", "nonnegative"), lambda v: v.denominator == 1 and v >= 0)
SWITCH = Domain("switch", "0 or 1", ("integer", "nonnegative"), lambda v: v in (0, 1))
POSITIVE = Domain("positive", "a positive number", ("positive",), lambda v: v > 0)
SHARE = Domain("share", "a number above 0 and at most 1", ("positive",), lambda v: 0 < v <= 1)
LENGTHS = Domain("lengths", "a list of positive integers", ("integer", "positive"), COUNT.admits)
DOMAINS = {d.name: d for d in (COUNT, TALLY, SWITCH, POSITIVE, SHARE, LENGTHS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What every declaration has: its meaning and the place where it stands."""

    says: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol(Declaration):
    """A named input of the book: its unit, its LaTeX symbol, its domain and, for a list, what stands in for it."""

    unit: str
    latex: str | None
    domain: Domain
    instead: Callable[..., Any] | None = None

    @property
    def is_list(self) -> bool:
        """True where its value is a list of numbers, such as the lengths of documents."""
        return self.domain is LENGTHS


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity(Declaration):
    """A derivation: the function of its symbols, with unit, LaTeX symbol, source and assumptions."""

    function: Callable[..., Any]
    unit: str
    latex: str | None
    ref: str
    assumes: tuple[str, ...]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """The plain function, at whatever it is given."""
        return self.function(*args, **kwargs)


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument(Quantity):
    """An input whose default is a derivation: setting it answers at another argument, and pins nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention(Declaration):
    """A named choice among definitions, for what people count differently."""

    default: str
    choices: dict[str, str]
    ref: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint(Declaration):
    """A condition without which a run cannot exist."""

    function: Callable[..., Any]


class Choice:
    """What a derivation receives for a convention that it names: it must give a formula for every choice."""

    def __init__(self, name: str, convention: Convention) -> None:
        self._name, self._convention = name, convention

    def __eq__(self, other: object) -> bool:
        raise DefinitionError(f"{self._name} is not compared while a formula is derived: write {self._name}.choose(...)")

    def choose(self, **options: Operand) -> Term:
        """The formula under the choice in force.

        Raises:
            DefinitionError: an option that the convention does not have, or one that is left out.
        """
        known = self._convention.choices
        for option in options:
            if option not in known:
                hint = did_you_mean(option, known) or f"; it has {', '.join(known)}"
                raise DefinitionError(f"convention {self._name} has no choice {option!r}{hint}")
        if missing := [c for c in known if c not in options]:
            raise DefinitionError(f"no formula for {self._name} = {', '.join(missing)}")
        return Choose(self._name, tuple((c, as_term(options[c])) for c in known))


_FIELDS: dict[str, object] = {"latex": None, "ref": None, "assumes": ()}


def quantity(unit: str, **fields: Any) -> Callable[[Callable[..., Any]], Quantity]:
    """Declare a function to be a quantity: its arguments name its dependencies, its docstring says what it is.

    Args:
        unit: such as `copy/token`, `byte@nvlink` or `FLOP/byte@hbm`; `1` for a pure number.
        latex: the symbol in print; by default the name in upright letters.
        ref: the source of the formula.
        assumes: what must be true for the formula to hold, a sentence or several.

    Raises:
        DefinitionError: an unknown field, no docstring, no source, or an argument that has no plain name.
    """
    return _declare(Quantity, unit, fields)


def argument(unit: str, **fields: Any) -> Callable[[Callable[..., Any]], Argument]:
    """Declare an input whose default is a formula; fields as for `quantity`."""
    return _declare(Argument, unit, fields)


def symbol(
    unit: str,
    says: str,
    *,
    latex: str | None = None,
    domain: Domain = COUNT,
    instead: Callable[..., Any] | None = None,
) -> Symbol:
    """Declare a named input; its name is the one that it is assigned to.

    Args:
        unit: as for `quantity`.
        says: what it is, in a line.
        latex: the symbol in print; by default the name in upright letters.
        domain: what values it may have.
        instead: for a list, a function from other symbols to the pair (entry, how many of them) that stands in where no
            list is given.
    """
    return Symbol(says=says, place=_caller(), unit=unit, latex=latex, domain=domain, instead=instead)


def convention(says: str, *, default: str, ref: str, **choices: str) -> Convention:
    """Declare a named choice among definitions; its name is the one that it is assigned to.

    Raises:
        DefinitionError: the default is none of the choices.
    """
    place = _caller()
    if default not in choices:
        raise DefinitionError(f"{place}: the default {default!r} is none of the choices {', '.join(choices)}")
    return Convention(says=says, place=place, default=default, choices=choices, ref=ref)


def constraint(function: Callable[..., Any]) -> Constraint:
    """Declare a function to be a condition that every run must meet; its docstring says it in words."""
    place = _place(function)
    return Constraint(says=_docstring(function, place), place=place, function=function)


def parameters(function: Callable[..., Any], place: Place) -> tuple[str, ...]:
    """The names that a function depends on.

    Raises:
        DefinitionError: a star argument or a default value, which would hide a dependency.
    """
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.default is not p.empty:
            raise DefinitionError(f"{place}: {function.__name__}: argument {p.name} must be a plain name of the book")
    return tuple(inspect.signature(function).parameters)


def reference(name: str) -> Ref:
    """The node that stands for a name of the book while a derivation is traced."""
    return Ref(name)


def _declare(kind: type[Any], unit: str, fields: dict[str, Any]) -> Callable[[Callable[..., Any]], Any]:
    if not isinstance(unit, str):
        raise DefinitionError(f'{_caller(3)}: the unit comes first: @{kind.__name__.lower()}("byte@hbm", ref=...)')

    def declare(function: Callable[..., Any]) -> Any:
        place = _place(function)
        where = f"{place}: {function.__name__}"
        for name in fields:
            if name not in _FIELDS:
                raise DefinitionError(
                    f"{where}: unknown field {name!r}{did_you_mean(name, _FIELDS) or '; fields are ' + ', '.join(_FIELDS)}"
                )
        if not fields.get("ref"):
            raise DefinitionError(f"{where}: no source: say where the formula comes from with ref=...")
        parameters(function, place)
        assumes = fields.get("assumes", ())
        return kind(
            says=_docstring(function, place),
            place=place,
            function=function,
            unit=unit,
            latex=fields.get("latex"),
            ref=fields["ref"],
            assumes=(assumes,) if isinstance(assumes, str) else tuple(assumes),
        )

    return declare


def _docstring(function: Callable[..., Any], place: Place) -> str:
    says = inspect.getdoc(function)
    if not says:
        raise DefinitionError(f"{place}: {function.__name__}: no docstring: say what it is")
    return says


def _place(function: Callable[..., Any]) -> Place:
    return Place(function.__code__.co_filename, function.__code__.co_firstlineno)


def _caller(depth: int = 2) -> Place:
    frame = sys._getframe(depth)
    return Place(frame.f_code.co_filename, frame.f_lineno)
