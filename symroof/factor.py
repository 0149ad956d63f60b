"""Plain factors by which people misprint a number, as data of the book: a node's figure for a GPU's, bits for bytes.

[[factor]]
name = "per_node_of_8"
says = "of a node of eight GPUs, printed as of one"
by = "8"                    # the printed number over the right one: a formula in names of the book
units = ["*/GPU", "FLOP/s"] # of which quantities: patterns of their declared units
needs = "peak_flops"        # optional: only of quantities that depend on it
"""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.claim import entries
from symroof.errors import BookError, EvaluationError, MissingValueError, SymroofError
from symroof.term import Term, references

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from symroof.book import Book
    from symroof.point import Point

_FIELDS = ("name", "says", "by", "units", "needs")


@dataclass(frozen=True, slots=True)
class Factor:
    """A misprint: what it is, the printed number over the right one, and which quantities it happens to."""

    name: str
    says: str
    by: Term
    units: tuple[str, ...]
    needs: str | None

    def concerns(self, point: Point, name: str) -> bool:
        """True for a quantity to which it can happen."""
        unit = point.book.declaration(name).unit
        depends = self.needs is None or self.needs in point.book.inputs_of(name)
        return depends and any(fnmatchcase(unit, pattern) for pattern in self.units)


def factors_of(point: Point, name: str) -> Iterator[tuple[Factor, Fraction]]:
    """The misprints that can happen to a quantity at a point, each with its factor there; those of one are left out.

    Raises:
        BookError: factors.toml is broken.
    """
    for factor in read_factors(point.book.whole):
        known = all(n in point.book.symbols or n in point.book.quantities for n in references(factor.by))
        if not known or not factor.concerns(point, name):
            continue
        try:
            by = point.evaluator.term(factor.by)
        except (MissingValueError, EvaluationError, ZeroDivisionError):
            continue
        if by not in (0, 1):
            yield factor, by


@lru_cache(maxsize=16)
def read_factors(book: Book) -> tuple[Factor, ...]:
    """The misprints that a book knows; none where it has no factors.toml.

    Raises:
        BookError: the file is broken, or names what the book does not have.
    """
    file = book.folder / "factors.toml"
    return tuple(_factor(entry, file, book) for entry in entries(file, "factor", _FIELDS))


def _factor(entry: Mapping[str, Any], file: Path, book: Book) -> Factor:
    from symroof.expression import parse_formula

    where = f"{file.parent.name}/{file.name}: factor {entry.get('name', '?')!r}"
    for field in ("name", "says", "by"):
        if not isinstance(entry.get(field), str):
            raise BookError(f"{where}: {field} must be a text")
    units = entry.get("units")
    if not isinstance(units, list) or not all(isinstance(u, str) for u in units):
        raise BookError(f"{where}: units must be a list of patterns, such as ['FLOP/token']")
    try:
        needs = book.known(entry["needs"]) if "needs" in entry else None
        return Factor(entry["name"], entry["says"], parse_formula(book, entry["by"]), tuple(units), needs)
    except (SymroofError, TypeError) as error:
        raise BookError(f"{where}: {error}") from None
