"""Values for people: a scale that fits, the labels of the unit kept, and what is shown exactly reads back as the value."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.humane import humane, scaled, shows_exactly
from symroof.units import labels, parse_unit

TIMES = ("s", "s/document", "s/token", "s/update", "GPU*s", "GPU*s/token", "s*GPU/update")
UNITS = (
    *TIMES,
    "byte",
    "byte/update",
    "byte@nvlink/update",
    "byte@hbm/s",
    "FLOP/token",
    "FLOP/s/GPU",
    "token/s/GPU",
    "1",
    "token",
)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (Fraction(5, 2), "s", "2.5 s"),
        (Fraction(5, 2), "s/document", "2.5 s/document"),
        (Fraction(5, 2), "s/token", "2.5 s/token"),
        (Fraction(5, 2), "GPU*s", "2.5 GPU*s"),
        (Fraction(1, 400), "s/document", "2.5 ms/document"),
        (Fraction(1, 400), "GPU*s", "2.5 GPU*ms"),
        (Fraction(1, 400_000), "s/update", "2.5 µs/update"),
        (Fraction(1, 4 * 10**8), "GPU*s/token", "2.5 GPU*ns/token"),
        (Fraction(0), "s/document", "0 s/document"),
        (Fraction(999_999_999, 10**9), "s/token", "1 s/token"),
        (Fraction(5, 2), "token/s/GPU", "2.5 token/s/GPU"),
        (Fraction(3 * 2**29), "byte/update", "1.5 GiB/update"),
    ],
)
def test_a_value_keeps_what_it_is_counted_for(value: Fraction, unit: str, shown: str) -> None:
    assert humane(value, unit) == shown


@given(st.fractions(min_value=-(10**12), max_value=10**12, max_denominator=10**12), st.sampled_from(UNITS))
def test_a_shown_unit_has_the_dimension_and_the_labels_of_the_declared_one(value: Fraction, unit: str) -> None:
    _, shown = scaled(value, unit)
    assert parse_unit(shown or "1").dimension == parse_unit(unit).dimension
    assert labels(shown or "1") == labels(unit)


@given(st.integers(0, 10**6), st.integers(0, 12), st.sampled_from(UNITS))
def test_what_is_shown_exactly_reads_back_as_the_value(number: int, power: int, unit: str) -> None:
    value = Fraction(number, 10**power)
    if shows_exactly(value, unit):
        text, _, shown = humane(value, unit).partition(" ")
        assert Fraction(text.replace(",", "")) * parse_unit(shown or "1").factor == value
