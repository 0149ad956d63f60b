"""Everything that can go wrong in front of a user: one base class, one class a phase, one short message each."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable


class SymroofError(Exception):
    """The base of every error that symroof raises on purpose; its text is the whole message."""


class DefinitionError(SymroofError):
    """A derivation says something that it may not say; the message names its file and line."""


class BookError(SymroofError):
    """A folder is not a book: a module or a data file in it is missing, broken or contradictory."""


class UnitError(SymroofError):
    """A unit is unknown, or two of them do not fit together."""


class UnknownUnitError(UnitError):
    """A part of a unit is none that anybody knows; it may be meant as a label, which a book declares."""


class CarrierError(UnitError):
    """Bytes that one resource moves were mixed with the bytes or the bandwidth of another."""


class PresetError(SymroofError):
    """A preset, or a value given beside it, cannot be used."""


class ConstraintError(SymroofError):
    """A run that cannot exist: a value outside its domain, or values that do not fit together.

    The search for values that do fit is long, and is made when somebody reads the message: many runs are tried and dropped.
    """

    def __init__(self, says: str, nearest: Callable[[], str] | None = None) -> None:
        super().__init__(says)
        self._says, self._nearest = says, nearest

    def __str__(self) -> str:
        if self._nearest is not None:
            self._says, self._nearest = f"{self._says}{self._nearest()}", None
        return self._says


class MissingValueError(SymroofError):
    """A quantity was asked for whose symbols have no value."""


class UnknownNameError(SymroofError):
    """A name that the book does not have."""


class EvaluationError(SymroofError):
    """A formula has no value at this point, such as a division by zero."""


class DomainError(EvaluationError):
    """A formula has a value that the declaration of its quantity says it cannot have."""

    def __init__(self, quantity: str, says: str) -> None:
        super().__init__(says)
        self.quantity = quantity


class RequestError(SymroofError):
    """A command line that asks for nothing that can be answered."""


class UnsolvableError(SymroofError):
    """A question that has no closed answer; the message says which part stands in the way."""


class ExpressionError(SymroofError):
    """A condition or formula that somebody typed cannot be read; the message has a caret under the token."""


class OutputError(SymroofError):
    """A file could not be written."""


def nearest(name: str, known: Iterable[str], count: int = 3) -> list[str]:
    """The known names closest in spelling to a wrong one, best first; case does not count."""
    by_lower = {k.lower(): k for k in known}
    lowered = name.lower()
    contained = sorted((k for k in by_lower if lowered in k and len(lowered) > 2), key=len)
    close = difflib.get_close_matches(lowered, by_lower, n=count, cutoff=0.6)
    return [by_lower[k] for k in dict.fromkeys(close + contained)][:count]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A clause that offers the nearest known spellings, or nothing where none is near."""
    found = nearest(name, known)
    return f"; did you mean {' or '.join(found)}?" if found else ""
