"""Units: what may be computed with (FLOP, byte on a carrier, second), what is only a label, and the prefixes of input.

A dimension is a vector of exponents. Bytes that a resource moves carry its name; a dimension is sound only when the
carrier's exponent equals that of byte, so bytes of one carrier cannot meet the bandwidth of another.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from symroof.errors import CarrierError, UnitError, UnknownUnitError, did_you_mean

CARRIERS = ("hbm", "nvlink", "scaleout")
# Labels that every book has, and those that books which were read declare beside them. A label has no dimension, and none is
# a unit that means something else, so that no unit means another thing once a label is declared.
LABELS = (
    "token", "parameter", "copy", "rank", "layer", "microbatch", "update", "GPU", "expert", "matrix", "row", "document",
    "block", "stream", "exchange", "collective", "stage", "hop", "head", "channel", "key", "domain", "iteration", "NIC",
    "traversal", "name", "replica", "run",
)  # fmt: skip
_known = set(LABELS)
_LABEL = re.compile(r"[A-Za-z]\w*", re.ASCII)

_SIZES = {"byte": Fraction(1), "B": Fraction(1)}
_BITS = {"bit": Fraction(1, 8), "b": Fraction(1, 8)}
_TIMES = {"s": Fraction(1), "second": Fraction(1), "min": Fraction(60), "h": Fraction(3600)}
_DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60}
_MICRO = Fraction(1, 10**6)
# Unicode has two letters for micro, the sign and the Greek letter: keyboards give either.
_SMALL = {
    "m": Fraction(1, 10**3),
    "u": _MICRO,
    "\N{MICRO SIGN}": _MICRO,
    "\N{GREEK SMALL LETTER MU}": _MICRO,
    "n": Fraction(1, 10**9),
}
_PREFIXES: dict[str, Fraction | int] = {**_DECIMAL, **_BINARY, **_SMALL}
_PURE = {"1": Fraction(1), "%": Fraction(1, 100)}
# What people write for units whose names are no nearer in spelling.
_MEANT = {"percent": "%", "KB": "kB for 1,000 bytes or KiB for 1,024"}
# Atoms between operators; a rate may begin with its stroke, as in `/s`.
_PART = re.compile(r"(\s*[*/·]\s*|\s*)([^\s*/·]+)")
_UNIT = re.compile(r"\s*/?\s*[^\s*/·]+((\s*[*/·]\s*|\s+)[^\s*/·]+)*\s*")


@dataclass(frozen=True, slots=True)
class Dimension:
    """Exponents of the strict dimensions; a carrier's exponent says whose bytes they are."""

    flop: int = 0
    byte: int = 0
    second: int = 0
    hbm: int = 0
    nvlink: int = 0
    scaleout: int = 0

    def __mul__(self, other: Dimension) -> Dimension:
        return Dimension(*(a + b for a, b in zip(self.exponents, other.exponents, strict=True)))

    def __truediv__(self, other: Dimension) -> Dimension:
        return self * other**-1

    def __pow__(self, power: int) -> Dimension:
        return Dimension(*(a * power for a in self.exponents))

    @property
    def exponents(self) -> tuple[int, ...]:
        """FLOP, byte, second, then the carriers."""
        return (self.flop, self.byte, self.second, self.hbm, self.nvlink, self.scaleout)

    @property
    def uncarried(self) -> Dimension:
        """The same exponents with the bytes on no carrier."""
        return Dimension(self.flop, self.byte, self.second)

    @property
    def carriers(self) -> tuple[str, ...]:
        """The carriers that the dimension names."""
        return tuple(c for c in CARRIERS if getattr(self, c))

    def check(self) -> Dimension:
        """The dimension itself, where its bytes belong to one carrier or to none.

        Raises:
            CarrierError: bytes of two carriers met, or a carrier without its bytes.
        """
        if len(self.carriers) > 1:
            raise CarrierError(f"mixes {' and '.join(self.carriers)}: bytes go over the bandwidth that carries them")
        if self.carriers and getattr(self, self.carriers[0]) != self.byte:
            raise CarrierError(
                f"bytes without a carrier meet {self.carriers[0]}: place them with * {self.carriers[0]} or another carrier"
            )
        return self

    def __str__(self) -> str:
        tag = f"@{self.carriers[0]}" if self.carriers else ""
        parts = [("FLOP", self.flop), (f"byte{tag}", self.byte), ("s", self.second)]
        over = [_power(n, e) for n, e in parts if e > 0]
        under = [_power(n, -e) for n, e in parts if e < 0]
        return "/".join([" ".join(over) or "1", *under])


@dataclass(frozen=True, slots=True)
class Scale:
    """A unit of input: how many base units it is, and their dimension."""

    factor: Fraction
    dimension: Dimension


RESERVED_DIMENSIONS = {
    "byte": Dimension(byte=1),
    "FLOP": Dimension(flop=1),
    "second": Dimension(second=1),
    "hbm": Dimension(hbm=1),
    "nvlink": Dimension(nvlink=1),
    "scaleout": Dimension(scaleout=1),
}
_BASES: dict[str, tuple[Fraction, Dimension]] = {
    **{name: (f, Dimension(byte=1)) for name, f in {**_SIZES, **_BITS}.items()},
    "FLOP": (Fraction(1), Dimension(flop=1)),
    **{name: (f, Dimension(second=1)) for name, f in _TIMES.items()},
}


@lru_cache(maxsize=4096)
def parse_unit(text: str) -> Scale:
    """A unit such as `TB/s`, `byte@nvlink/update`, `FLOP/byte@hbm`, `ms` or `%`.

    Raises:
        UnitError: a part that is no unit, with the nearest ones.
    """
    if not _UNIT.fullmatch(text):
        raise UnitError(f"unit {text!r} is none: write units joined by * and /, such as TB/s, or 1 for a pure number")
    factor, dimension = Fraction(1), Dimension()
    for operator, piece in _PART.findall(text):
        scale, sign = _atom(piece, text), -1 if "/" in operator else 1
        factor *= scale.factor**sign
        dimension = dimension * scale.dimension**sign
    return Scale(factor, dimension)


def declare_label(name: str) -> None:
    """Let units have a label of a book's own, such as `sample`, in the plural too.

    Raises:
        UnitError: it is no word, or it or its plural is a unit that can be computed with.
    """
    if not _LABEL.fullmatch(name):
        raise UnitError(f"{name!r} is no label: write one word, such as sample")
    for text in (name, f"{name}s"):
        if _is_unit(text) and not labels(text):
            raise UnitError(f"{name!r} is no label: {text} is a unit already")
    _known.add(name)


@lru_cache(maxsize=4096)
def labels(text: str) -> dict[str, int]:
    """The labels of a unit, each with its exponent: `{"token": -1}` for `B/token`; a `1` that multiplies something is one too.

    Raises:
        UnitError: a part that is no unit.
    """
    parse_unit(text)
    parts = _PART.findall(text)
    found: dict[str, int] = {}
    for place, (operator, piece) in enumerate(parts):
        name = piece if piece in _known else piece.removesuffix("s")
        # In `1/token` the one is nothing; in `s*1` it is a mistake.
        if name in _known or (piece == "1" and place):
            found[name] = found.get(name, 0) + (-1 if "/" in operator else 1)
    return {name: power for name, power in found.items() if power}


def _atom(piece: str, whole: str) -> Scale:
    name, at, carrier = piece.partition("@")
    scale = _plain(name, whole)
    if not at:
        return scale
    if carrier not in CARRIERS:
        hint = did_you_mean(carrier, CARRIERS) or f"; carriers are {', '.join(CARRIERS)}"
        raise UnitError(f"unit {whole!r}: no carrier {carrier!r}{hint}")
    if scale.dimension != Dimension(byte=1):
        raise UnitError(f"unit {whole!r}: only bytes have a carrier, not {name}")
    return Scale(scale.factor, scale.dimension * Dimension(**{carrier: 1}))


def _plain(name: str, whole: str) -> Scale:
    """An atom without its carrier."""
    if name in _PURE:
        return Scale(_PURE[name], Dimension())
    if name in _known or name.removesuffix("s") in _known:
        return Scale(Fraction(1), Dimension())
    for base, (size, dimension) in _BASES.items():
        prefix = name.removesuffix(base)
        if prefix != name and prefix in _PREFIXES and _fits(prefix, base):
            return Scale(size * _PREFIXES[prefix], dimension)
    if name in _MEANT:
        raise UnitError(f"unit {whole!r}: {name!r} is no unit; write {_MEANT[name]}")
    known = [*LABELS, *sorted(_known.difference(LABELS)), "byte", "FLOP", "GB", "GiB", "ms", "TFLOP", "PFLOP", "TB"]
    raise UnknownUnitError(f"unit {whole!r}: {name!r} is no unit{did_you_mean(name, known)}")


def _is_unit(text: str) -> bool:
    try:
        parse_unit(text)
    except UnitError:
        return False
    return True


def _fits(prefix: str, base: str) -> bool:
    if base in _TIMES:
        return prefix == "" or (prefix in _SMALL and base == "s")
    return prefix not in _SMALL and (prefix not in _BINARY or base in _SIZES)


def _power(name: str, exponent: int) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"
