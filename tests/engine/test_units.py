"""Units: every prefix of every base unit, labels, carriers, and what is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest

from symroof.errors import CarrierError, UnitError
from symroof.units import CARRIERS, LABELS, Dimension, declare_label, labels, parse_unit

BYTE, FLOP, SECOND, PURE = Dimension(byte=1), Dimension(flop=1), Dimension(second=1), Dimension()
DECIMAL = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
BINARY = {"Ki": 1024, "Mi": 1024**2, "Gi": 1024**3, "Ti": 1024**4, "Pi": 1024**5, "Ei": 1024**6}
SMALL = {
    "m": Fraction(1, 10**3),
    "u": Fraction(1, 10**6),
    "µ": Fraction(1, 10**6),
    "μ": Fraction(1, 10**6),
    "n": Fraction(1, 10**9),
}

GOOD = [
    *[(p + base, f, BYTE) for p, f in {**DECIMAL, **BINARY}.items() for base in ("B", "byte")],
    *[(p + base, Fraction(f, 8), BYTE) for p, f in DECIMAL.items() for base in ("b", "bit")],
    *[(p + "FLOP", f, FLOP) for p, f in DECIMAL.items()],
    *[(p + "s", f, SECOND) for p, f in {"": Fraction(1), **SMALL}.items()],
    ("second", 1, SECOND),
    ("min", 60, SECOND),
    ("h", 3600, SECOND),
    ("%", Fraction(1, 100), PURE),
    ("1", 1, PURE),
]


@pytest.mark.parametrize(("text", "factor", "dimension"), GOOD)
def test_every_prefix_of_every_base(text: str, factor: Fraction, dimension: Dimension) -> None:
    found = parse_unit(text)
    assert (found.factor, found.dimension) == (factor, dimension)


@pytest.mark.parametrize("text", ["mB", "uB", "nFLOP", "mb", "Kis", "KiFLOP", "Kib", "ks", "Ms", "mmin", "KB", "kkB", "k"])
def test_prefixes_that_no_base_has(text: str) -> None:
    with pytest.raises(UnitError, match="is no unit"):
        parse_unit(text)


def test_bits_are_eight_times_smaller_than_bytes() -> None:
    assert parse_unit("GB").factor == 8 * parse_unit("Gb").factor
    assert 400 * parse_unit("Gb/s").factor == 50 * parse_unit("GB/s").factor


@pytest.mark.parametrize("label", LABELS)
def test_labels_are_shown_and_not_computed_with(label: str) -> None:
    assert parse_unit(label) == parse_unit(f"{label}s") == parse_unit("1")
    assert parse_unit(f"byte/{label}") == parse_unit("byte")


def test_a_label_that_is_declared_is_a_label_like_any_other(monkeypatch) -> None:
    monkeypatch.setattr("symroof.units._known", set(LABELS))
    with pytest.raises(UnitError, match="'parcel' is no unit"):
        parse_unit("byte/parcel")
    declare_label("parcel")
    declare_label("parcel")
    assert parse_unit("byte/parcel") == parse_unit("byte")
    assert labels("parcels/token") == {"parcel": 1, "token": -1}


@pytest.mark.parametrize(
    ("label", "message"),
    [
        ("GB", "'GB' is no label: GB is a unit already"),
        ("min", "'min' is no label: min is a unit already"),
        ("m", "'m' is no label: ms is a unit already"),
        ("per token", "'per token' is no label: write one word, such as sample"),
        ("", "'' is no label: write one word, such as sample"),
        ("byte@hbm", "'byte@hbm' is no label: write one word, such as sample"),
        ("1", "'1' is no label: write one word, such as sample"),
    ],
)
def test_a_label_that_would_change_a_unit_is_refused(label: str, message: str) -> None:
    with pytest.raises(UnitError) as raised:
        declare_label(label)
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("TB/s", "GB/ms"),
        ("GB / s", "GB/s"),
        ("  GB/s ", "GB/s"),
        ("FLOP*s", "FLOP s"),
        ("FLOP·s", "FLOP s"),
        ("FLOP/byte/s", "FLOP / byte / s"),
        ("byte/1 s", "byte s"),
        ("/s", "1/s"),
        ("byte/s*s", "byte"),
    ],
)
def test_products_and_quotients_read_from_left_to_right(text: str, same: str) -> None:
    assert parse_unit(text) == parse_unit(same)


@pytest.mark.parametrize("carrier", CARRIERS)
def test_bytes_carry_their_resource(carrier: str) -> None:
    assert parse_unit(f"GB@{carrier}/s").dimension == Dimension(byte=1, second=-1, **{carrier: 1})
    assert str(parse_unit(f"FLOP/byte@{carrier}").dimension) == f"FLOP/byte@{carrier}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("GB@nvlnk", "unit 'GB@nvlnk': no carrier 'nvlnk'; did you mean nvlink?"),
        ("GB@x", "unit 'GB@x': no carrier 'x'; carriers are hbm, nvlink, scaleout"),
        ("GB@", "unit 'GB@': no carrier ''; carriers are hbm, nvlink, scaleout"),
        ("token@hbm", "unit 'token@hbm': only bytes have a carrier, not token"),
        ("s@hbm", "unit 's@hbm': only bytes have a carrier, not s"),
        ("%@hbm", "unit '%@hbm': only bytes have a carrier, not %"),
        ("tokn/s", "unit 'tokn/s': 'tokn' is no unit; did you mean token?"),
        ("TFLOPS", "unit 'TFLOPS': 'TFLOPS' is no unit; did you mean TFLOP or FLOP or PFLOP?"),
        ("parsec", "unit 'parsec': 'parsec' is no unit"),
        ("", "unit '' is none: write units joined by * and /, such as TB/s, or 1 for a pure number"),
        ("GB/", "unit 'GB/' is none: write units joined by * and /, such as TB/s, or 1 for a pure number"),
        ("GB//s", "unit 'GB//s' is none: write units joined by * and /, such as TB/s, or 1 for a pure number"),
        ("*GB", "unit '*GB' is none: write units joined by * and /, such as TB/s, or 1 for a pure number"),
    ],
)
def test_what_is_refused_and_how(text: str, message: str) -> None:
    with pytest.raises(UnitError) as raised:
        parse_unit(text)
    assert str(raised.value) == message


def test_a_carrier_without_its_bytes_is_unsound() -> None:
    with pytest.raises(CarrierError, match="mixes hbm and nvlink: bytes go over the bandwidth that carries them"):
        (parse_unit("byte@nvlink").dimension / parse_unit("byte@hbm/s").dimension).check()
    with pytest.raises(CarrierError, match=r"bytes without a carrier meet scaleout: place them with \* scaleout"):
        (parse_unit("byte").dimension / parse_unit("byte@scaleout/s").dimension).check()
    assert (parse_unit("byte@hbm").dimension / parse_unit("byte@hbm/s").dimension).check() == SECOND


def test_dimensions_multiply_divide_and_take_powers() -> None:
    speed = BYTE / SECOND
    assert speed * SECOND == BYTE
    assert speed**-2 == PURE / (speed * speed)
    assert str(speed**2) == "byte^2/s^2"
    assert (str(PURE), str(PURE / SECOND)) == ("1", "1/s")
