"""Values as people write them: exact, never run, and refused with a message that says what would do."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symroof.errors import PresetError, SymroofError, UnitError
from symroof.literal import read_list, read_value

WHOLE = st.integers(-(10**30), 10**30)


@given(WHOLE)
def test_an_integer_comes_back_as_it_was(number: int) -> None:
    assert read_value("n", str(number), "1") == number
    assert read_value("n", f"{number:_}", "1") == number


@given(WHOLE, st.integers(1, 10**12))
def test_a_fraction_comes_back_as_it_was(above: int, below: int) -> None:
    assert read_value("n", f"{above}/{below}", "1") == Fraction(above, below)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=12, min_value=-(10**6), max_value=10**6))
def test_a_decimal_is_the_number_that_was_written(number: Decimal) -> None:
    assert read_value("n", f"{number:f}", "1") == Fraction(number)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("0.1", "1", Fraction(1, 10)),
        (".5", "1", Fraction(1, 2)),
        ("5%", "1", Fraction(1, 20)),
        ("1e3", "1", 1000),
        ("1.5E-2", "1", Fraction(15, 1000)),
        ("1 / 2", "1", Fraction(1, 2)),
        ("50 GB/s", "byte@nvlink/s", 50 * 10**9),
        ("400Gb/s", "byte@scaleout/s", 50 * 10**9),
        ("1/2 TB/s", "byte@hbm/s", 5 * 10**11),
        ("1.029 ms", "s", Fraction(1029, 10**6)),
        ("3.5 MiB", "byte", 3_670_016),
        ("186 GB", "byte", 186 * 10**9),
        ("2.5 PFLOP/s", "FLOP/s", 25 * 10**14),
        ("64 ranks", "rank", 64),
        (" 64\n", "rank", 64),
        ("5/s", "1/s", 5),
        ("5 GB@hbm/s", "byte@hbm/s", 5 * 10**9),
    ],
)
def test_values_of_every_kind(text: str, unit: str, value: Fraction) -> None:
    assert read_value("x", text, unit) == value


@pytest.mark.parametrize(
    "text",
    ["", " ", "abc", "e5", "-", "+.", "- 5", "nan", "inf", "٣", "²", "__import__('os')", "5\n6", "6 1", "9" * 201],
)
def test_texts_that_are_no_value(text: str) -> None:
    with pytest.raises(PresetError, match="is no value: write an integer, a decimal, a fraction 1/2 or a quantity"):
        read_value("EP", text, "rank")


@pytest.mark.parametrize("text", ["5 ?", "1__0", "1_", "0x10", "1.", "1/2.5", "1e100", "64 /", "64 *", "1/2/2", "2 ** 3", "1; 2"])
def test_numbers_with_something_else_behind_them(text: str) -> None:
    with pytest.raises(SymroofError, match=r"is no unit|is none|is no value"):
        read_value("EP", text, "rank")


@pytest.mark.parametrize(
    ("name", "text", "unit", "message"),
    [
        ("EP", "x", "rank", "EP = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 64 rank"),
        ("t", "x", "s", "t = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 1.029 ms"),
        ("b", "x", "byte@hbm/s", "b = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 50 GB/s"),
        ("c", "x", "byte", "c = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 3.5 MiB"),
        ("f", "x", "FLOP/s", "f = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 2.5 PFLOP/s"),
        ("p", "x" * 60, "1", f"p = '{'x' * 37}...' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 5%"),
        ("EP", "1/0", "rank", "EP = '1/0' divides by zero"),
        ("EP", "5 GB", "rank", "EP is in rank, but '5 GB' is in byte"),
        ("b", "5 s", "byte@hbm/s", "b is in byte@hbm/s, but '5 s' is in s"),
        ("b", "5 GB@nvlink/s", "byte@hbm/s", "b is in byte@hbm/s, but '5 GB@nvlink/s' is in byte@nvlink/s"),
        ("c", "5 GB@hbm", "byte", "c is in byte, but '5 GB@hbm' is in byte@hbm"),
        ("b", "5 GB/sec", "byte/s", "b = '5 GB/sec': unit 'GB/sec': 'sec' is no unit"),
    ],
)
def test_messages_have_the_name_the_value_and_what_would_do(name: str, text: str, unit: str, message: str) -> None:
    with pytest.raises(SymroofError) as raised:
        read_value(name, text, unit)
    assert str(raised.value) == message


@given(st.text(max_size=40) | st.text("0123456789./eE+-_% @GBsKi[],", max_size=12))
@example("e5")
@example("1e-99%")
def test_any_text_gives_an_exact_number_or_one_of_our_errors(text: str) -> None:
    for unit in ("rank", "byte@hbm/s", "1"):
        try:
            found: object = read_value("x", text, unit)
        except SymroofError as error:
            found = str(error)
        assert isinstance(found, Fraction) or "\n" not in str(found)


@pytest.mark.parametrize("text", ["[1024, 3072]", "1024,3072", " 1024 , 3072 tokens ", "[1024,3_072]"])
def test_lists(text: str) -> None:
    assert read_list("documents", text, "token") == (1024, 3072)


@pytest.mark.parametrize(
    ("text", "unit", "entries"),
    [
        ("[1 GiB, 2 GiB]", "byte", (2**30, 2**31)),
        ("1 ms, 0.5", "s", (Fraction(1, 1000), Fraction(1, 2))),
        ("5 GB/s,1/2 GB/s", "byte@hbm/s", (5 * 10**9, 5 * 10**8)),
        ("5%", "1", (Fraction(1, 20),)),
    ],
)
def test_the_entries_of_a_list_are_in_the_unit_that_it_is_declared_in(
    text: str, unit: str, entries: tuple[Fraction, ...]
) -> None:
    assert read_list("sizes", text, unit) == entries


def test_an_entry_in_another_unit_is_refused() -> None:
    with pytest.raises(UnitError, match="sizes is in byte, but '3 tokens' is in 1"):
        read_list("sizes", "1 GiB, 3 tokens", "byte")


@pytest.mark.parametrize("text", ["", "[]", "1,,2", "1,two"])
def test_lists_with_something_else_in_them(text: str) -> None:
    with pytest.raises(PresetError, match="is no value"):
        read_list("documents", text, "token")
