"""Numbers that people read: a prefix that fits, never a small value shown as 0.000, and the exact figure beside it."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import lru_cache

from symroof.units import Dimension, parse_unit

_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi")
_DECIMAL = ("", "k", "M", "G", "T", "P", "E")
_DIGITS = 5
# A value that ends here is shown whole: 0.109375 is not 0.10938.
_WHOLE_DIGITS = 6
# The time in a unit, alone or between others: s, s/document, GPU*s.
_SECOND = re.compile(r"(?<!\w)(?:s|second|min|h)(?!\w)")


class Shown(str):
    """A value as people read it, which still knows what it is exactly: `exact`, in base units, and the declared `unit`."""

    __slots__ = ("exact", "unit")
    exact: Fraction
    unit: str


def humane(value: Fraction | str, unit: str) -> str:
    """A value with a unit at the scale of its size: `840 MiB`, `900 GB/s`, `12.309 s`, `2.5 ms/document`, `0.0034` .

    Sizes in bytes take binary prefixes, as memory is counted; rates and FLOPs take decimal ones, as vendors count.
    """
    if isinstance(value, str):
        return value
    number, scale = scaled(value, unit)
    shown = Shown(f"{number} {scale}".strip())
    shown.exact, shown.unit = value, unit
    return shown


@lru_cache(4096)
def scaled(value: Fraction, unit: str) -> tuple[str, str]:
    """The number and the unit of `humane`, apart."""
    dimension = parse_unit(unit).dimension
    bare = dimension.uncarried
    size = abs(value)
    if bare.second == 1 and bare.byte == bare.flop == 0 and size:
        # What rounds up to the next prefix is shown with that one: 1 s, never 1,000 ms.
        power, prefix = next(((p, n) for p, n in ((0, ""), (3, "m"), (6, "µ")) if _rounded(size * 10**p) >= 1), (9, "n"))
        return plain(value * 10**power), _SECOND.sub(f"{prefix}s", unit, count=1)
    if bare == Dimension(byte=1):
        return _prefixed(value, unit, "byte", "B", 1024, _BINARY)
    if bare.byte == 1 and size:
        return _prefixed(value, unit, "byte", "B", 1000, _DECIMAL)
    if bare.flop == 1 and size >= 10**6:
        return _prefixed(value, unit, "FLOP", "FLOP", 1000, _DECIMAL)
    return plain(value), "" if unit == "1" else unit


def bytes_scaled(value: Fraction, unit: str, step: int) -> tuple[str, str]:
    """As `scaled`, with all bytes above the stroke in prefixes of `step`: 1000 as vendors count, 1024 as memory is."""
    if parse_unit(unit).dimension.uncarried.byte != 1 or not value:
        return scaled(value, unit)
    return _prefixed(value, unit, "byte", "B", step, _DECIMAL if step == 1000 else _BINARY)


def _rounded(value: Fraction) -> Fraction:
    """A number as it is shown."""
    return Fraction(plain(value).replace(",", ""))


def _prefixed(value: Fraction, unit: str, base: str, short: str, step: int, prefixes: tuple[str, ...]) -> tuple[str, str]:
    power = 0
    while power + 1 < len(prefixes) and _rounded(abs(value) / step**power) >= step:
        power += 1
    named = short if prefixes[power] else base
    head, _, rest = unit.partition(base)
    return plain(value / step**power), f"{head}{prefixes[power]}{named}{rest}"


def plain(value: Fraction) -> str:
    """A number without unit: all digits of an integer, else five significant ones; tiny and huge ones as powers of ten."""
    if value == 0:
        return "0"
    if value.denominator == 1 and abs(value) < 10**15:
        return f"{int(value):,}"
    whole = significant(value, _WHOLE_DIGITS)
    return whole if Fraction(whole.replace(",", "")) == value else significant(value)


def shows_exactly(value: Fraction, unit: str) -> bool:
    """True where `humane` rounds nothing: what it prints, read back, is the value."""
    number, shown = scaled(value, unit)
    return Fraction(number.replace(",", "")) * parse_unit(shown or "1").factor == value


def significant(value: Fraction, digits: int = _DIGITS) -> str:
    """A number to so many significant digits, rounded in exact arithmetic: `0.098592`, `2.5e15`, `1.2e-5`."""
    if value == 0:
        return "0"
    exponent = magnitude(value)
    if -5 <= exponent < 9:
        return _trim(f"{_decimal(value, max(0, digits - 1 - exponent))}")
    mantissa = _decimal(value / Fraction(10) ** exponent, digits - 1)
    if mantissa.lstrip("-").startswith("10"):
        mantissa, exponent = mantissa.replace("10", "1", 1), exponent + 1
    return f"{_trim(mantissa)}e{exponent}"


def magnitude(value: Fraction) -> int:
    """The power of ten of the leading digit of a number other than zero."""
    size = abs(value)
    guess = len(str(size.numerator)) - len(str(size.denominator))
    return guess if size >= Fraction(10) ** guess else guess - 1


def terminates(value: Fraction, places: int) -> bool:
    """True where the decimal form ends within so many places."""
    return bool((value * 10**places).denominator == 1)


def exact(value: Fraction) -> str:
    """The exact value: an integer with its digits in groups, or `p/q`."""
    return f"{value.numerator:,}" if value.denominator == 1 else f"{value.numerator:,}/{value.denominator:,}"


def _decimal(value: Fraction, places: int) -> str:
    scaled_up = round(value * 10**places)
    whole, part = divmod(abs(scaled_up), 10**places)
    sign = "-" if scaled_up < 0 else ""
    return f"{sign}{whole:,}.{part:0{places}d}" if places else f"{sign}{whole:,}"


def _trim(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
