"""Values that people write: `64`, `0.7`, `1/2`, `5%`, `50 GB/s`, `1.029 ms`, `3.5 MiB`. Read exactly, never run."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

from symroof.errors import PresetError, UnitError
from symroof.units import Dimension, parse_unit

_DECIMAL = r"[+-]?(?:\d+(?:_\d+)*(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,2}(?!\d))?"
_NUMBER = re.compile(rf"\s*({_DECIMAL})(?:\s*/\s*(\d+)(?![\d.]))?\s*((?![eE][+-]?\d)[^\d\s].*)?", re.ASCII)
_LONGEST = 200
_MOST_DIGITS = 100


def read_value(name: str, text: str, unit: str) -> Fraction:
    """The exact number, in base units, of a text given for a symbol or quantity declared in `unit`.

    Raises:
        PresetError: the text is no number with an optional unit.
        UnitError: its unit is not that of the name; the message has both.
    """
    match = _NUMBER.fullmatch(text) if len(text) <= _LONGEST else None
    if match is None:
        shown = text if len(text) <= 40 else text[:37] + "..."
        raise PresetError(
            f"{name} = {shown!r} is no value: write an integer, a decimal, a fraction 1/2 or a quantity {_example(unit)}"
        )
    number = Fraction(Decimal(match[1].replace("_", "")))
    if match[2]:
        if int(match[2]) == 0:
            raise PresetError(f"{name} = {text.strip()!r} divides by zero")
        number /= int(match[2])
    if not match[3]:
        return number
    return number * scale(name, text, match[3], unit)


def scale(name: str, text: str, given: str, unit: str) -> Fraction:
    """How many base units of `unit` one `given` unit is.

    Raises:
        UnitError: the two do not fit together.
    """
    declared = parse_unit(unit).dimension
    try:
        found = parse_unit(given)
    except UnitError as error:
        raise UnitError(f"{name} = {text.strip()!r}: {error}") from None
    if found.dimension not in (declared, declared.uncarried):
        raise UnitError(
            f"{name} is in {declared if declared != Dimension() else unit}, but {text.strip()!r} is in {found.dimension}"
        )
    return found.factor


def within_reason(name: str, value: int | Fraction | Decimal) -> Fraction:
    """A number of a program or a file, exact, where it has a size that a run can have.

    Raises:
        PresetError: it has more digits than any figure of a run.
    """
    if isinstance(value, Decimal) and abs(value.adjusted()) > _MOST_DIGITS:
        raise PresetError(f"{name} is no number of at most {_MOST_DIGITS} digits")
    found = Fraction(value)
    if max(found.numerator.bit_length(), found.denominator.bit_length()) > _MOST_DIGITS * 10 // 3:
        raise PresetError(f"{name} is no number of at most {_MOST_DIGITS} digits")
    return found


def read_list(name: str, text: str, unit: str) -> tuple[Fraction, ...]:
    """The entries of a list such as `[1024, 3072]` or `1 GiB, 2 GiB`, in base units of the `unit` that the list is declared in.

    Raises:
        PresetError: an entry is no value. UnitError: its unit is not that of the list.
    """
    inner = text.strip()
    if inner.startswith("[") != inner.endswith("]"):
        raise PresetError(f"{name} = {text!r} is no list: write [1024, 3072] or 1024,3072")
    return tuple(read_value(name, entry, unit) for entry in inner.removeprefix("[").removesuffix("]").split(","))


def _example(unit: str) -> str:
    examples = {"1": f"64 {unit}", "s": "1.029 ms", "byte": "3.5 MiB", "byte/s": "50 GB/s", "FLOP/s": "2.5 PFLOP/s"}
    return "5%" if unit == "1" else examples.get(str(parse_unit(unit).dimension.uncarried), f"64 {unit}")
