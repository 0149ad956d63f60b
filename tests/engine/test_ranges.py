"""Ranges of values: what is read, that long ones take no memory, and the caret under what is wrong."""

from __future__ import annotations

import contextlib
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import ExpressionError, UnknownNameError
from symroof.ranges import read_values

READ = {
    "8,16,32": [8, 16, 32],
    "8:12": [8, 9, 10, 11, 12],
    "8:32:8": [8, 16, 24, 32],
    "8:20:8": [8, 16],
    "2^3:2^7": [8, 16, 32, 64, 128],
    "1, 4:6 ,2^5:2^6, 3^2": [1, 4, 5, 6, 32, 64, 9],
    "1/2:2:1/2": [Fraction(1, 2), 1, Fraction(3, 2), 2],
}


@pytest.mark.parametrize(("text", "values"), READ.items())
def test_a_range_is_read(text: str, values: list[Fraction], parcels: symroof.Book) -> None:
    found = read_values(parcels, "groups", text)
    assert list(found) == values
    assert len(found) == len(values)
    assert [found[i] for i in range(-len(values), len(values))] == values * 2
    assert found[1:] == values[1:]
    assert found[::-1] == values[::-1]
    with pytest.raises(IndexError):
        found[len(values)]


def test_values_have_units(parcels: symroof.Book) -> None:
    assert list(read_values(parcels, "near_speed", "10 GB/s, 50e9")) == [10**10, 5 * 10**10]
    assert list(read_values(parcels, "near_speed", "10 GB/s:30 GB/s:10 GB/s")) == [10**10, 2 * 10**10, 3 * 10**10]


@pytest.mark.parametrize("text", ["10:30:10 GB/s", "10 : 30 : 10GB/s", "1e1:60/2:10.0 GB/s", "10 GB/s:30 GB/s:10 GB/s"])
def test_a_unit_at_the_end_is_that_of_the_whole_range(parcels: symroof.Book, text: str) -> None:
    assert list(read_values(parcels, "near_speed", text)) == [10**10, 2 * 10**10, 3 * 10**10]


@pytest.mark.parametrize(("text", "at"), [("10 GB/s:30:10", 8), ("10: 30 GB/s:10", 0), ("10 GB/s: 30:10 GB/s", 9)])
def test_a_unit_elsewhere_is_refused(parcels: symroof.Book, text: str, at: int) -> None:
    with pytest.raises(ExpressionError) as error:
        read_values(parcels, "near_speed", text)
    says = "a unit belongs behind every number of a range, or once behind the last"
    assert str(error.value) == f"{says}\n  {text}\n  {' ' * at}^"


def test_a_long_range_is_kept_as_a_rule(parcels: symroof.Book) -> None:
    found = read_values(parcels, "groups", "1:100000000")
    assert len(found) == 10**8
    assert found[-1] == 10**8
    assert sum(map(sys.getsizeof, (found, found.stretches))) < 1000
    assert 17 in found
    assert repr(found) == "Values(1, 2, 3, ..., 100000000)"


REFUSED = {
    "": ("a value of groups belongs here", 0),
    "8,,9": ("a value of groups belongs here", 2),
    "8::2": ("a value of groups belongs here", 2),
    "9:8": ("the end of a range is not below its start", 2),
    "1:2:3:4": ("a range has a start, an end and perhaps a step", 5),
    "1:5:0": ("a step is above zero", 4),
    "2^3:3^4": ("both ends of a range of powers have one base, at least 2", 4),
    "2^4:2^3": ("the end of a range is not below its start", 4),
    "1, x": ("groups = 'x' is no value: write an integer, a decimal, a fraction 1/2 or a quantity 64 rank", 3),
    "8 GB": ("groups is in rank, but '8 GB' is in byte", 0),
    "2^3:2^7:2": ("a range of powers takes no step: it has every power between its ends", 8),
    "2^3: 2^100000000": ("2^100000000 is too large: a value has at most 100 digits", 5),
    "2^333": ("2^333 is too large: a value has at most 100 digits", 0),
    "1:10^30": ("more values than can be counted", 0),
}


@pytest.mark.parametrize(("text", "refusal"), REFUSED.items())
def test_a_mistake_is_pointed_at(text: str, refusal: tuple[str, int], parcels: symroof.Book) -> None:
    says, at = refusal
    with pytest.raises(ExpressionError) as error:
        read_values(parcels, "groups", text)
    assert str(error.value) == f"{says}\n  {text}\n  {' ' * at}^"


def test_a_real_symbol_needs_a_step(parcels: symroof.Book) -> None:
    with pytest.raises(ExpressionError, match="near_speed is no whole number: its range needs a step, such as 1:2:STEP"):
        read_values(parcels, "near_speed", "1:2")
    with pytest.raises(ExpressionError, match="houses is a list"):
        read_values(parcels, "houses", "1,2")
    with pytest.raises(UnknownNameError, match="did you mean groups"):
        read_values(parcels, "grups", "1")


@given(st.text(alphabet="0123456789:,^/. GBs-", max_size=20))
def test_anything_is_read_or_refused(parcels: symroof.Book, text: str) -> None:
    with contextlib.suppress(symroof.SymroofError):
        found = read_values(parcels, "near_speed", text)
        assert len(found) > 0
        assert found[0] == next(iter(found))


def test_a_unit_behind_a_list_is_the_unit_of_all_of_it() -> None:
    book = symroof.load()
    for text in ("10,50,100 GB/s", "10 GB/s, 50 GB/s, 100 GB/s", "10e9,50e9,100e9"):
        assert list(read_values(book, "nvlink_bandwidth", text)) == [10**10, 5 * 10**10, 10**11]
    assert list(read_values(book, "nvlink_bandwidth", "1:3:1,5 GB/s")) == [10**9, 2 * 10**9, 3 * 10**9, 5 * 10**9]
    with pytest.raises(ExpressionError, match="a unit belongs behind every value of a list"):
        read_values(book, "nvlink_bandwidth", "10 GB/s,50,100 GB/s")
