"""symroof derives training rooflines symbolically: one function is a formula, a number, a closed form and a report entry.

    >>> import symroof
    >>> k3 = symroof.load().at("k3-gb200-4k")
    >>> k3["remote_copies"]
    remote_copies = top_k*(1 - 1/EP) = 15.75 copy/token

Importing symroof loads nothing: each name comes from its module when it is first used, SymPy with the first closed form.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symroof.book import Book, load
    from symroof.definition import (
        COUNT,
        LENGTHS,
        NONNEGATIVE,
        POSITIVE,
        REAL,
        SHARE,
        SWITCH,
        TALLY,
        argument,
        block,
        constraint,
        convention,
        named_sets,
        quantity,
        rules,
        symbol,
    )
    from symroof.errors import SymroofError
    from symroof.point import Point
    from symroof.result import Result
    from symroof.term import (
        FLOP,
        Max,
        Min,
        binomial,
        both,
        byte,
        ceiling,
        divides,
        either,
        equal,
        floor,
        hbm,
        largest,
        nvlink,
        scaleout,
        second,
        total,
        total_range,
        where,
    )

__version__ = "0.1.0"

__all__ = [
    "COUNT",
    "FLOP",
    "LENGTHS",
    "NONNEGATIVE",
    "POSITIVE",
    "REAL",
    "SHARE",
    "SWITCH",
    "TALLY",
    "Book",
    "Max",
    "Min",
    "Point",
    "Result",
    "SymroofError",
    "argument",
    "binomial",
    "block",
    "both",
    "byte",
    "ceiling",
    "constraint",
    "convention",
    "divides",
    "either",
    "equal",
    "floor",
    "hbm",
    "largest",
    "load",
    "named_sets",
    "nvlink",
    "quantity",
    "rules",
    "scaleout",
    "second",
    "symbol",
    "total",
    "total_range",
    "where",
]

# The modules that the names above come from, each after those that it imports.
_HOMES = ("errors", "term", "definition", "book", "point", "result")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        """A public name, from its module: a command that only prints its help must not load the engine."""
        if name in __all__:
            for home in _HOMES:
                module = importlib.import_module(f"symroof.{home}")
                if name in vars(module):
                    return globals().setdefault(name, vars(module)[name])
        raise AttributeError(f"module 'symroof' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
