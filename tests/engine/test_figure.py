"""Figures as people print them: what they are worth, how far they were rounded, and texts that are none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import PresetError, SymroofError, UnitError
from symroof.figure import bare_decimal, read_figure

FLOPS, COUNT, SHARE, BYTES, RATE = "FLOP/token", "parameter", "1", "byte", "FLOP/s"


@pytest.mark.parametrize(
    ("text", "unit", "value", "half"),
    [
        ("192856412160", FLOPS, 192856412160, 0),
        ("192,856,412,160", FLOPS, 192856412160, 0),
        ("192_856_412_160 FLOP", FLOPS, 192856412160, 0),
        ("192.86 GFLOP", FLOPS, 192_860_000_000, 5_000_000),
        ("192.86 GFLOPs", FLOPS, 192_860_000_000, 5_000_000),
        ("645.2 GFLOP/token", FLOPS, 645_200_000_000, 50_000_000),
        ("~645 GFLOP", FLOPS, 645 * 10**9, 5 * 10**8),
        ("2.4e9", FLOPS, 24 * 10**8, 5 * 10**7),
        ("2.4B", COUNT, 24 * 10**8, 5 * 10**7),
        ("2.78T parameters", COUNT, 278 * 10**10, 5 * 10**9),
        ("671B", COUNT, 671 * 10**9, 5 * 10**8),
        ("17.5%", SHARE, Fraction(7, 40), Fraction(1, 2000)),
        ("21 %", SHARE, Fraction(21, 100), Fraction(1, 200)),
        (".2122", SHARE, Fraction(2122, 10000), Fraction(1, 20000)),
        ("1/3", SHARE, Fraction(1, 3), 0),
        ("224 MiB", BYTES, 224 * 2**20, 2**19),
        ("2.0 GB", BYTES, 2 * 10**9, 5 * 10**7),
        ("420 TFLOPS", RATE, 420 * 10**12, 5 * 10**11),
        ("420 TFLOP/s", RATE, 420 * 10**12, 5 * 10**11),
        ("-0.5", SHARE, Fraction(-1, 2), Fraction(1, 20)),
    ],
)
def test_a_figure_and_half_its_last_digit(text: str, unit: str, value: Fraction, half: Fraction) -> None:
    figure = read_figure("it", text, unit)
    assert (figure.value, figure.half) == (value, half)


def test_as_many_digits_as_a_float_has_are_as_near_as_a_float() -> None:
    figure = read_figure("it", "10368.932728799233 TFLOP", FLOPS)
    assert figure.met(Fraction(10368932728799232))
    assert not figure.met(Fraction(10368932728799220))


NONE = "|GFLOP|1 2|1.2.3|1,23|12,34,567|0x10|1e|1e999|nan|inf|--1|1//2|__import__('os')|1e5e5|%|1 + 1|\x00|١٢|1_|_1|1.e5|1/2/3"


@pytest.mark.parametrize("text", [*NONE.split("|"), " ", "1" * 300, "9" * 150])
def test_texts_that_are_no_figure(text: str) -> None:
    with pytest.raises(SymroofError):
        read_figure("it", text, FLOPS)


def test_what_a_message_says() -> None:
    with pytest.raises(PresetError, match="'a lot' is no figure of it: write it as it was printed, such as 192856412160 or"):
        read_figure("it", "a lot", FLOPS)
    with pytest.raises(PresetError, match=r"such as 0\.4245 or 42\.45%"):
        read_figure("it", "a lot", SHARE)
    with pytest.raises(PresetError, match=r"'x{37}\.\.\.' is no figure"):
        read_figure("it", "x" * 1000, FLOPS)
    with pytest.raises(PresetError, match="'1/0' divides by zero"):
        read_figure("it", "1/0", SHARE)
    with pytest.raises(UnitError, match="it is in FLOP, but '3 GB' is in byte"):
        read_figure("it", "3 GB", FLOPS)
    with pytest.raises(UnitError, match=r"'2\.4B' is in byte"):
        read_figure("it", "2.4B", FLOPS)


def test_a_decimal_that_may_lack_its_prefix() -> None:
    assert bare_decimal("249.81")
    assert not any(map(bare_decimal, ("249", "249.81 GFLOP", "2.4e9", "1/2", "x")))


@given(st.text(max_size=40))
def test_any_text_is_a_figure_or_refused(text: str) -> None:
    try:
        figure = read_figure("it", text, FLOPS)
    except SymroofError:
        return
    assert figure.half >= 0


@given(st.integers(0, 10**18), st.integers(0, 6))
def test_a_rounded_value_is_met_by_the_value(value: int, places: int) -> None:
    text = f"{value / 10**9:.{places}f} GFLOP"
    assert read_figure("it", text, FLOPS).met(Fraction(value))
