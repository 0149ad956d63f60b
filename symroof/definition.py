"""What a derivation may declare: quantities, arguments, symbols, blocks, conventions, sets of their choices, and constraints.

Claims are data: `claim.py`.

A declaration knows nothing of the book it will join; `book.py` finds its dependencies, checks it and gives it its name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
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
    """The set that a value must be in: the numbers between two ends, which belong to it, or the whole ones among them.

    Attributes:
        name: what it goes by.
        says: what a member is, in words.
        low, high: its ends, None where there is none.
        whole: True where every member is an integer.
        open: True where the low end is no member.
        many: True where a value is a list of such numbers.
    """

    name: str
    says: str
    low: Fraction | None = None
    high: Fraction | None = None
    whole: bool = False
    open: bool = False
    many: bool = False

    def admits(self, value: Fraction) -> bool:
        """True for a member."""
        if self.whole and value.denominator != 1:
            return False
        above = self.low is None or (self.low < value if self.open else self.low <= value)
        return above and (self.high is None or value <= self.high)

    @property
    def sign(self) -> str | None:
        """What is true of every member: that it is positive or nonnegative; None where it may be negative."""
        if self.low is None or self.low < 0:
            return None
        return "positive" if self.low > 0 or self.open else "nonnegative"

    @property
    def assumptions(self) -> dict[str, bool]:
        """What SymPy may assume of a member."""
        facts = [fact for fact in ("integer" if self.whole else None, self.sign) if fact is not None]
        return dict.fromkeys(facts or ["real"], True)


_ZERO, _ONE = Fraction(0), Fraction(1)
COUNT = Domain("count", "a positive integer", _ONE, whole=True)
TALLY = Domain("tally", "zero or a positive integer", _ZERO, whole=True)
SWITCH = Domain("switch", "0 or 1", _ZERO, _ONE, whole=True)
POSITIVE = Domain("positive", "a positive number", _ZERO, open=True)
NONNEGATIVE = Domain("nonnegative", "zero or a positive number", _ZERO)
SHARE = Domain("share", "a number above 0 and at most 1", _ZERO, _ONE, open=True)
REAL = Domain("real", "a number")
LENGTHS = Domain("lengths", "a list of positive integers", _ONE, whole=True, many=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What every declaration has: its meaning and the place where it stands."""

    says: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Declaration):
    """A part that a model may have or lack, such as routed experts. What belongs to a block that is lacking is not there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol(Declaration):
    """A named input of the book: its unit, its LaTeX symbol, its domain and, for a list, what stands in for it.

    `otherwise` is the formula that takes its place in a model that lacks its block.
    """

    unit: str
    latex: str | None
    domain: Domain
    instead: Callable[..., Any] | None = None
    block: str | None = None
    otherwise: Callable[..., Any] | None = None

    @property
    def is_list(self) -> bool:
        """True where its value is a list of numbers, such as the lengths of documents."""
        return self.domain.many


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity(Declaration):
    """A derivation: the function of its symbols, with unit, LaTeX symbol, source, assumptions and the domain of its values."""

    function: Callable[..., Any]
    unit: str
    latex: str | None
    ref: str
    assumes: tuple[str, ...]
    block: str | None = None
    domain: Domain = NONNEGATIVE

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
    mistaken: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """One named set: its source and its choices, those that it makes for models with a block, and where it was checked."""

    source: str
    choices: dict[str, str]
    having: dict[str, dict[str, str]] = field(default_factory=dict)
    kinds: str = ""
    checked: tuple[str, ...] = ()

    def choices_for(self, blocks: Collection[str]) -> dict[str, str]:
        """Its choices for a model that has these blocks."""
        return self.choices | {c: choice for block, more in self.having.items() if block in blocks for c, choice in more.items()}

    def covers(self, model: str) -> bool:
        """True where it was checked at a model, or is nobody's code that it could be checked against."""
        return not self.checked or any(fnmatchcase(model, pattern) for pattern in self.checked)


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSet(Declaration):
    """Named sets of conventions, one of which somebody uses together: each a choice of some conventions, and its source."""

    sets: dict[str, Rules]

    @property
    def sources(self) -> dict[str, str]:
        """The source of each set."""
        return {name: rules.source for name, rules in self.sets.items()}

    @property
    def governed(self) -> frozenset[str]:
        """The conventions that any of the sets makes a choice of, for any model."""
        made = (m for rules in self.sets.values() for m in (rules.choices, *rules.having.values()))
        return frozenset(convention for choices in made for convention in choices)


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


class HasBlock:
    """What a derivation receives for a block that it names: it must give a formula for models with it and without."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __bool__(self) -> bool:
        raise DefinitionError(
            f"{self._name} is no condition while a formula is derived: write {self._name}.either(there, lacking)"
        )

    def either(self, there: Operand, lacking: Operand) -> Term:
        """The formula for a model that has the block, and the one for a model that lacks it."""
        return Choose(self._name, ((THERE, as_term(there)), (LACKING, as_term(lacking))))

    def only(self, there: Operand) -> Term:
        """The formula for a model that has the block; one that lacks it has nothing here."""
        return Choose(self._name, ((THERE, as_term(there)),))

    def unless(self, lacking: Operand) -> Term:
        """The formula for a model that lacks the block; one that has it has nothing here."""
        return Choose(self._name, ((LACKING, as_term(lacking)),))


# The options of a formula that depends on a block.
THERE, LACKING = "there", "lacking"
_FIELDS = ("latex", "ref", "assumes", "block", "domain")


def quantity(unit: str, **fields: Any) -> Callable[[Callable[..., Any]], Quantity]:
    """Declare a function to be a quantity: its arguments name its dependencies, its docstring says what it is.

    Args:
        unit: such as `copy/token`, `byte@nvlink` or `FLOP/byte@hbm`; `1` for a pure number.
        latex: the symbol in print; by default the name in upright letters.
        ref: the source of the formula.
        assumes: what must be true for the formula to hold, a sentence or several.
        block: the name of the block that it belongs to, where its formula does not tell.
        domain: what its values may be: zero or positive numbers, unless it says REAL. SymPy is told so, and a value outside it
            is an error.

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
    block: str | None = None,
    otherwise: Callable[..., Any] | None = None,
) -> Symbol:
    """Declare a named input; its name is the one that it is assigned to.

    Args:
        unit: as for `quantity`.
        says: what it is, in a line.
        latex: the symbol in print; by default the name in upright letters.
        domain: what values it may have; none of an input is negative.
        instead: for a list, a function from other symbols to the pair (entry, how many of them) that stands in where no
            list is given.
        block: the name of the block that it belongs to.
        otherwise: a function from other names to what takes its place in a model that lacks the block.
    """
    place = _caller()
    if otherwise is not None and block is None:
        raise DefinitionError(f"{place}: {says}: otherwise is for a symbol of a block")
    _refuse_domain(f"{place}: {says}", domain, given=True)
    return Symbol(
        says=says, place=place, unit=unit, latex=latex, domain=domain, instead=instead, block=block, otherwise=otherwise
    )


def block(says: str) -> Block:
    """Declare a part that a model may have or lack; its name is the one that it is assigned to.

    A symbol or a quantity of a block that a model lacks is not there for it, and neither is what is left of a formula with
    nothing in it: a lacking term leaves a sum, and takes a product, a quotient or a function with it. A derivation that names
    the block as an argument gives a formula for either case.
    """
    return Block(says=says, place=_caller())


def named_sets(says: str, **sets: tuple[str, dict[str, str]] | Rules) -> NamedSet:
    """Declare named sets of conventions: choosing a set makes all of its choices; its name is the one that it is assigned to.

    Args:
        says: what the sets are of.
        sets: for each its source and its choices, convention -> choice; what it does not name is left as it is by default. A set
            that does not choose the same for every model is given with `rules`.
    """
    found = {n: said if isinstance(said, Rules) else Rules(*said) for n, said in sets.items()}
    return NamedSet(says=says, place=_caller(), sets=found)


def rules(
    source: str,
    choices: dict[str, str],
    *,
    kinds: str,
    checked: tuple[str, ...],
    having: dict[str, dict[str, str]] | None = None,
) -> Rules:
    """One of several named sets, as a tool has it that does not treat every model alike.

    Args:
        source: whose set it is, and what marks it.
        choices: convention -> choice.
        kinds: the kinds of model that these are the tool's rules for, in words.
        checked: the models at which the set was held against the tool's own code, by the names of their presets; a star stands
            for any ending. Where the set is applied to another, outputs say so.
        having: block -> the choices that the set makes for models with that block, instead of or beside the others.
    """
    return Rules(source, choices, having or {}, kinds, checked)


def convention(says: str, *, default: str, ref: str, mistaken: tuple[str, ...] = (), **choices: str) -> Convention:
    """Declare a named choice among definitions; its name is the one that it is assigned to.

    Args:
        says: what people count differently.
        default: the choice in force where nobody chooses.
        ref: where the choices are in use.
        mistaken: choices that are known mistakes, kept so that a number that was counted so can be recognized.
        choices: name -> what it means.

    Raises:
        DefinitionError: the default or a mistaken choice is none of the choices.
    """
    place = _caller()
    for choice in (default, *mistaken):
        if choice not in choices:
            what = "the default" if choice is default else "the mistaken choice"
            raise DefinitionError(f"{place}: {what} {choice!r} is none of the choices {', '.join(choices)}")
    return Convention(says=says, place=place, default=default, choices=choices, ref=ref, mistaken=tuple(mistaken))


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
        assumes, domain = fields.get("assumes", ()), fields.get("domain", NONNEGATIVE)
        _refuse_domain(where, domain, given=issubclass(kind, Argument))
        return kind(
            says=_docstring(function, place),
            place=place,
            function=function,
            unit=unit,
            latex=fields.get("latex"),
            ref=fields["ref"],
            assumes=(assumes,) if isinstance(assumes, str) else tuple(assumes),
            block=fields.get("block"),
            domain=domain,
        )

    return declare


def _refuse_domain(where: str, domain: object, *, given: bool) -> None:
    """Refuse what is no domain, and negative values of what is given: every search along an input is one of positive numbers."""
    if not isinstance(domain, Domain):
        raise DefinitionError(f"{where}: domain={domain!r} is no domain: say TALLY, POSITIVE, REAL or another of symroof's")
    if given and domain.sign is None:
        raise DefinitionError(f"{where}: an input may not be negative: let it say how much less something is")


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
