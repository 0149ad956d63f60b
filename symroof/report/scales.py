"""A value in each way that a reader may ask for: at the scale of its size, exact, in SI prefixes, in binary ones."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from symroof.humane import bytes_scaled, exact, scaled, significant
from symroof.units import parse_unit

# An exact value of more characters says nothing to a reader: it is rounded here, and says so.
LONGEST, DIGITS = 40, 15


class Scales(NamedTuple):
    """The same value four times, each a number and its unit as text, and which of the four are rounded."""

    fitting: str
    exact: str
    si: str
    binary: str
    rounded: tuple[int, ...]

    @property
    def alike(self) -> bool:
        """True where every scale shows the same text."""
        return len({self.fitting, self.exact, self.si, self.binary}) == 1


def scales(value: Fraction, unit: str) -> Scales:
    """A value under every scale: `fitting` is that of `humane`, `exact` is in base units, the others prefix bytes and rates."""
    base = "" if unit == "1" else unit
    whole = exact(value)
    exactly = whole if len(whole) <= LONGEST else f"≈ {significant(value, DIGITS)}"
    found = (scaled(value, unit), (exactly, base), bytes_scaled(value, unit, 1000), bytes_scaled(value, unit, 1024))
    first, second, third, fourth = (f"{number} {scale}".strip() for number, scale in found)
    rounded = tuple(place for place, (number, scale) in enumerate(found) if _rounds(number, scale, value))
    return Scales(first, second, third, fourth, rounded)


def _rounds(number: str, scale: str, value: Fraction) -> bool:
    return "≈" in number or Fraction(number.replace(",", "")) * parse_unit(scale or "1").factor != value
