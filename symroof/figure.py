"""A figure that somebody printed: `192.86 GFLOP`, `2.4B`, `~17.5%`, `645,209,985,600`: its value and how far it was rounded."""

from __future__ import annotations

import re
from fractions import Fraction

from symroof.claim import Printed
from symroof.errors import PresetError, UnitError
from symroof.literal import scale
from symroof.units import Dimension, parse_unit

_LONGEST = 200
_MOST_DIGITS = 100
_FLOAT_DIGITS = 16
_FIGURE = re.compile(
    r"\s*[~≈]?\s*([+-]?)(\d{1,3}(?:,\d{3})+|\d+(?:_\d+)*|(?=\.\d))(?:\.(\d+))?(?:[eE]([+-]?\d{1,2})(?!\d))?"
    r"(?:\s*/\s*(\d+)(?![\d.]))?\s*((?![eE][+-]?\d)[^\d\s.,].*?)?\s*",
    re.ASCII,
)
# As people abbreviate counts: 2.4B parameters.
_COUNTS = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "B": 10**9, "T": 10**12, "P": 10**15}
_COUNT = re.compile(r"([kKMGBTP])(?:\s+(.+))?")


def read_figure(name: str, text: str, unit: str) -> Printed:
    """A printed figure of a quantity declared in `unit`, in base units, and half a unit of its last printed digit.

    A whole number or a fraction in base units is taken to be given in full: nothing was rounded.

    Raises:
        PresetError: the text is no figure.
        UnitError: its unit is not that of the quantity.
    """
    match = _FIGURE.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None or sum(map(str.isdigit, text)) > _MOST_DIGITS:
        shown = text if len(text) <= 40 else f"{text[:37]}..."
        raise PresetError(f"{shown!r} is no figure of {name}: write it as it was printed, such as {_example(unit)}")
    sign, whole, places, exponent, below, given = match.groups()
    digits = Fraction(f"{sign}{re.sub('[,_]', '', whole) or '0'}.{places or '0'}")
    if below is not None and int(below) == 0:
        raise PresetError(f"{text.strip()!r} divides by zero")
    step = Fraction(10) ** (int(exponent or 0) - len(places or ""))
    factor = _factor(name, text, given, unit) if given else Fraction(1)
    value = digits * Fraction(10) ** int(exponent or 0) / int(below or 1) * factor
    if (step == 1 and factor == 1 and exponent is None) or below is not None:
        return Printed(text.strip(), value, Fraction(0))
    # As many digits as a float has were not rounded by a person: they are as near as a float is.
    a_float = abs(value) * Fraction(1, 2**52) if len(whole + (places or "")) >= _FLOAT_DIGITS else 0
    return Printed(text.strip(), value, max(step * factor / 2, Fraction(a_float)))


def bare_decimal(text: str) -> bool:
    """True for a decimal without a unit or an exponent, whose prefix may have been left out."""
    match = _FIGURE.fullmatch(text)
    return match is not None and match[3] is not None and not any((match[4], match[5], match[6]))


def _factor(name: str, text: str, given: str, unit: str) -> Fraction:
    """How many base units a printed unit is: as presets have it, and as people abbreviate."""
    count = _COUNT.fullmatch(given)
    if count is not None and parse_unit(unit).dimension == Dimension():
        rest = scale(name, text, count[2], unit) if count[2] else 1
        return _COUNTS[count[1]] * Fraction(rest)
    plain = re.sub(r"FLOPs?\b|FLOPS\b|flops?\b", "FLOP", given)
    try:
        return scale(name, text, plain, unit)
    except UnitError:
        # FLOPS is often FLOP/s.
        if plain == given or parse_unit(unit).dimension.second != -1:
            raise
        return scale(name, text, f"{plain}/s", unit)


def _example(unit: str) -> str:
    dimension = parse_unit(unit).dimension
    if dimension.flop:
        return "192856412160 or '192.86 GFLOP'"
    if dimension.byte:
        return "2730491904 or '2.543 GiB'"
    return "0.4245 or 42.45%" if unit == "1" else "2661023744 or 2.4B"
