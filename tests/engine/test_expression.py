"""Conditions that people type: what is read, and the message with a caret for what is not."""

from __future__ import annotations

import contextlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import ExpressionError, UnitError
from symroof.expression import parse_condition, parse_formula
from symroof.text import formula_text

READ = {
    "groups <= 8": "groups <= 8",
    "share < 5%": "share < 1/20",
    "size >= 3.5 KiB": "size >= 3584",
    "near_speed>=12.5 GB/s": "near_speed >= 12500000000",
    "groups*2 + 1 != side**2": "groups*2 + 1 != side**2",
    "groups ^ 2 = 4": "Eq(groups**2, 4)",
    "groups divides members and side > 1 or kept == 0": "Or(And(Eq(Mod(members, groups), 0), side > 1), Eq(kept, 0))",
    "1 < groups <= 8": "And(1 < groups, groups <= 8)",
    "(groups > 1 or side > 1) and kept = 1": "And(Or(groups > 1, side > 1), Eq(kept, 1))",
    "Max(near_time, far_time) <= 2 ms": "Max(near_time, far_time) <= 1/500",
    "-side < -2": "-side < -2",
    "binomial(members, chosen) > 1e3": "binomial(members, chosen) > 1000",
}


@pytest.mark.parametrize(("text", "shown"), READ.items())
def test_a_condition_is_read(text: str, shown: str, parcels: symroof.Book) -> None:
    assert formula_text(parse_condition(parcels, text)) == shown


def test_a_formula_is_read(parcels: symroof.Book, town: symroof.Point) -> None:
    assert town.evaluator.term(parse_formula(parcels, "2*groups + members/4")) == 40
    assert town.evaluator.term(parse_formula(parcels, "ceiling(members/side)^2 - -1")) == 197


REFUSED = {
    "groups": ("this is a value: a condition compares two, as in A <= B", 6),
    "": ("the text ends where a name or a number belongs", 0),
    "groups <=": ("the text ends where a name or a number belongs", 9),
    "groups <= 8 8": ("an operator or the end belongs here, not '8'", 12),
    "gruops <= 8": ("no quantity or symbol 'gruops'; did you mean groups?", 0),
    "groups <= 8 furlong": ("unit 'furlong': 'furlong' is no unit", 12),
    "2 groups <= 8": ("groups is no unit: write * before it", 2),
    "(groups <= 8": ("the text ends where ')' belongs", 12),
    "groups @ 8": ("'@' is no part of a condition", 7),
    "groups and side": ("a condition belongs on both sides of 'and'", 0),
    "side > 1 and groups": ("a condition belongs on both sides of 'and'", 13),
    "(side > 1) + 1 > 2": ("'+' joins values, not conditions", 11),
    "(side > 1) > 2": ("a condition is compared with nothing", 11),
    "-(side > 1) > 2": ("'-' joins values, not conditions", 0),
    "exec(1) > 2": ("no function 'exec'; functions are Max, Min, ceiling, floor, binomial", 0),
    "floor(1, 2) > 2": ("floor takes 1 arguments, not 2", 0),
    "side.__class__ > 2": ("'.' is no part of a condition", 4),
    "'side' > 2": ('"\'" is no part of a condition', 0),
}


@pytest.mark.parametrize(("text", "refusal"), REFUSED.items())
def test_a_mistake_is_pointed_at(text: str, refusal: tuple[str, int], parcels: symroof.Book) -> None:
    says, at = refusal
    with pytest.raises(ExpressionError) as error:
        parse_condition(parcels, text)
    assert str(error.value) == f"{says}\n  {text}\n  {' ' * at}^"


UNITS = {
    "near_time <= 5 GB": "compares s and byte",
    "groups <= 5 s": "compares 1 and s",
    "near_bytes <= 3 GB@scaleout": None,
    "near_time <= size": "compares s and byte",
    "near_time + size <= 5": "adds s and byte",
}


@pytest.mark.parametrize("text", UNITS)
def test_units_that_do_not_fit_are_pointed_at(text: str, parcels: symroof.Book) -> None:
    with pytest.raises(UnitError if UNITS[text] else ExpressionError) as error:
        parse_condition(parcels, text)
    assert str(error.value).count("\n") == 2
    assert str(error.value).startswith(UNITS[text] or "'@' is no part")


def test_a_long_text_is_shown_around_its_mistake(parcels: symroof.Book) -> None:
    text = "groups + " * 60 + "gruops <= 3"
    with pytest.raises(ExpressionError) as error:
        parse_condition(parcels, text)
    _, shown, caret = str(error.value).split("\n")
    assert len(shown) < 100
    assert shown[caret.index("^") :].startswith("gruops")


def test_a_tower_of_brackets_is_refused(parcels: symroof.Book) -> None:
    with pytest.raises(ExpressionError, match="more than 50 levels deep"):
        parse_condition(parcels, "(" * 60 + "side" + ")" * 60 + " > 1")
    with pytest.raises(ExpressionError, match="at most 2000 characters"):
        parse_condition(parcels, "side + " * 400 + "1 > 2")


@given(st.text(alphabet="side groups<>=+-*/().%andor1234567890eE ^", max_size=30))
def test_nothing_typed_does_anything_but_parse_or_be_refused(parcels: symroof.Book, text: str) -> None:
    with contextlib.suppress(symroof.SymroofError):
        parse_condition(parcels, text)


def test_numbers_are_exact(parcels: symroof.Book) -> None:
    term = parse_condition(parcels, "share <= 0.1")
    assert term.right.value == Fraction(1, 10)


@pytest.mark.parametrize(
    "text", ["10**10**10 <= side", "side <= 9^9^9^9", "side**9**9 > 1", "(9**900)**9 > side", "side < 2^-9999"]
)
def test_a_power_of_too_many_digits_is_refused_before_it_is_computed(text: str, parcels: symroof.Book) -> None:
    with pytest.raises(ExpressionError, match="a power has at most 1,000 digits"):
        parse_condition(parcels, text)


@pytest.mark.parametrize("text", ["side/0 > 1", "1/(1 - 1) > side", "0**-1 > side", "side/(3 - 3) > 1"])
def test_a_division_by_zero_is_refused(text: str, parcels: symroof.Book) -> None:
    with pytest.raises(ExpressionError, match="this divides by zero"):
        parse_condition(parcels, text)


def test_a_long_power_that_is_none(parcels: symroof.Book) -> None:
    assert formula_text(parse_condition(parcels, "1**99999 <= side")) == "1**99999 <= side"
