"""Which values may a whole symbol have? Every admissible integer of a range, found with the compiled constraints."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from symroof.errors import PresetError
from symroof.passes.compile import compile_quantities

if TYPE_CHECKING:
    from symroof.point import Point

# Integers up to here are looked at where nobody gives a range: degrees and counts of today's runs are far below.
FAR = 65_536


def admissible_integers(point: Point, symbol: str, values: Iterable[int] | None = None) -> list[int]:
    """The values of a whole symbol, by default out of 1 .. 65,536, at which the run may exist; all else stays as it is.

    Raises:
        PresetError: the symbol is not a whole number.
    """
    declaration = point.book.symbols.get(symbol)
    if declaration is None or not declaration.domain.whole:
        raise PresetError(f"{point.book.known(symbol)} is no whole number")
    domain = declaration.domain
    tried = np.array(range(FAR + 1) if values is None else sorted(values), dtype=float)
    tried = tried[(tried >= _float(domain.low, -np.inf)) & (tried <= _float(domain.high, np.inf))]
    conditions = compile_quantities(point, (), (symbol,), point.book.conditions)
    holds = np.ones(tried.shape, dtype=bool)
    for truth in conditions(**{symbol: tried}).values():
        holds &= np.asarray(truth, dtype=bool)
    return [*map(int, tried[holds].tolist())]


def _float(end: Fraction | None, where_none: float) -> float:
    return where_none if end is None else float(end)
