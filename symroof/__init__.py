"""symroof derives training rooflines symbolically: one function is a formula, a number, a closed form and a report entry.

    >>> import symroof
    >>> k3 = symroof.load().at("k3-gb200-4k")
    >>> k3["remote_copies"]
    remote_copies = top_k*(1 - 1/EP) = 15.75 copy/token

Importing symroof loads no algebra system; SymPy comes in with the first closed form.
"""

from symroof.book import Book, load
from symroof.definition import (
    COUNT,
    LENGTHS,
    POSITIVE,
    SHARE,
    SWITCH,
    TALLY,
    argument,
    constraint,
    convention,
    quantity,
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
    "POSITIVE",
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
    "nvlink",
    "quantity",
    "scaleout",
    "second",
    "symbol",
    "total",
    "total_range",
    "where",
]
