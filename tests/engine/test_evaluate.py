"""Exact values: against Python's own arithmetic, at the limits, and where there is none."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import EvaluationError, MissingValueError
from symroof.limits import MOST_DRAWS
from symroof.passes.evaluate import call, choose, compare, power

RATIONAL = st.fractions(min_value=-50, max_value=50, max_denominator=12)


@given(st.integers(0, 200), st.integers(0, 210))
def test_binomials_count_subsets(n: int, k: int) -> None:
    assert choose(Fraction(n), Fraction(k)) == math.comb(n, k)


@given(RATIONAL, st.integers(0, 12))
def test_binomials_of_a_rational_are_the_product_form(n: Fraction, k: int) -> None:
    falling = math.prod((n - j for j in range(k)), start=Fraction(1))
    assert choose(n, Fraction(k)) == falling / math.factorial(k)


@given(RATIONAL, st.integers(1, 12))
def test_binomials_obey_pascal(n: Fraction, k: int) -> None:
    assert choose(n, Fraction(k)) == choose(n - 1, Fraction(k)) + choose(n - 1, Fraction(k - 1))


@pytest.mark.parametrize("k", ["-1", "1/2", str(MOST_DRAWS + 1)])
def test_binomials_need_a_whole_k_within_reach(k: str) -> None:
    with pytest.raises(EvaluationError, match=r"a binomial needs a whole k from 0 to 20,000, not"):
        choose(Fraction(7), Fraction(k))


@given(RATIONAL, st.integers(-20, 20))
def test_powers_are_exact(base: Fraction, exponent: int) -> None:
    if base == 0 and exponent < 0:
        with pytest.raises(ZeroDivisionError):
            power(base, Fraction(exponent))
    else:
        assert power(base, Fraction(exponent)) * power(base, Fraction(-exponent) if base else Fraction(0)) == base**0 or base == 0


@pytest.mark.parametrize(
    ("base", "exponent", "message"), [("2", "1/2", "2 to the power 1/2 is not rational"), ("3", "10000000", "too many digits")]
)
def test_powers_that_have_no_exact_value(base: str, exponent: str, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        power(Fraction(base), Fraction(exponent))


@given(st.lists(RATIONAL, min_size=1, max_size=5))
def test_functions_agree_with_python(args: list[Fraction]) -> None:
    assert (call("Max", args), call("Min", args)) == (max(args), min(args))
    assert call("ceiling", args) - 1 < args[0] <= call("ceiling", args)
    assert call("floor", args) <= args[0] < call("floor", args) + 1


@given(RATIONAL, RATIONAL)
def test_relations_agree_with_python(a: Fraction, b: Fraction) -> None:
    assert [compare(op, a, b) for op in ("<", "<=", ">", ">=", "==", "!=")] == [a < b, a <= b, a > b, a >= b, a == b, a != b]
    assert compare("divides", a, b) == (a != 0 and (b / a).denominator == 1)


def test_division_by_zero_says_where(town: symroof.Point) -> None:
    with pytest.raises(EvaluationError) as raised:
        _ = town.set(chosen=8)["gap"].exact
    assert str(raised.value) == "gap has no value at town chosen=8: it divides by zero"


def test_a_tie_names_all_that_are_largest(town: symroof.Point) -> None:
    tied = town.set(near_time="1 ms", far_time="1 ms")
    assert tied["slowest"].exact == "near_time, far_time"
    assert town["slowest"].exact == "far_time"
    with pytest.raises(EvaluationError, match=r"slowest is a name \(far_time\), not a number"):
        town.evaluator.number("slowest")
    with pytest.raises(EvaluationError, match=r"houses is a list \(60, 60\), not a number"):
        town.set(houses=[60, 60]).evaluator.number("houses")


def test_sums_over_a_range(town: symroof.Point) -> None:
    assert town["packets"].exact == sum(3584 * (1 + hop * 14 // 2) for hop in range(1, 8))
    alone = town.set(groups=1)
    assert (alone["packets"].exact, alone["last_packet"].exact) == (0, 0)


def test_sums_over_a_list_count_each_entry(town: symroof.Point) -> None:
    assert town["mean_house"].exact == 30
    assert town.set(house=24)["mean_house"].exact == 24
    assert town.set(houses=[60, 20, 40])["mean_house"].exact == Fraction(3600 + 400 + 1600, 120)


def test_an_argument_reaches_only_where_it_was_given(town: symroof.Point) -> None:
    assert town["two_packets"].exact == 3584 * (1 + 8 * 14 // 2 + 1 + 9 * 14 // 2)
    at_three = town.set(hop=3)
    assert at_three["two_packets"].exact == town["two_packets"].exact
    assert at_three["packets"].exact == town["packets"].exact


def test_a_range_must_be_whole_and_not_endless(write_book) -> None:
    text = '@quantity("1", ref="r")\ndef q(n, k):\n    "Says."\n    return total_range(1, n / k, lambda i: i)\n'
    book = symroof.load(write_book(ch01=text))
    assert book.at()["q"].exact == 6
    for values in ({"n": 7}, {"n": 10**9}):
        with pytest.raises(EvaluationError, match="a sum runs over at most 100,000 whole numbers, not from 1 to"):
            _ = book.at(**values)["q"].exact


def test_the_branch_not_taken_needs_no_value(write_book) -> None:
    text = """
        m = symbol("1", "says")
        @quantity("1", ref="r")
        def q(n, m):
            "Says."
            return where(n > 1, n, 1 / (n - 1) + m)
    """
    book = symroof.load(write_book(ch01=text))
    assert book.at()["q"].exact == 6
    with pytest.raises(EvaluationError, match="divides by zero"):
        _ = book.at(n=1)["q"].exact


def test_an_index_that_shadows_a_symbol_ends_with_its_sum(write_book) -> None:
    text = '@quantity("1", ref="r")\ndef q(n, k):\n    "Says."\n    return total_range(1, n, lambda k: k) + k\n'
    book = symroof.load(write_book(ch01=text))
    assert "k" in book.inputs_of("q")
    assert book.at()["q"].exact == 21 + 2


def test_nested_sums(write_book) -> None:
    body = "total_range(1, n, lambda i: total_range(1, i, lambda j: i * j))"
    text = f'@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return {body}\n'
    assert symroof.load(write_book(ch01=text)).at()["q"].exact == sum(i * j for i in range(1, 7) for j in range(1, i + 1))


def test_values_need_no_algebra_system(town: symroof.Point) -> None:
    import subprocess
    import sys

    code = (
        f"import sys, symroof; p = symroof.load({str(town.book.folder)!r}).at(); "
        "print(p['reached'].display, p['time'].formula is not None, p['packets'].substituted is not None, 'sympy' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.split()[-3:] == ["True", "True", "False"]


def test_a_list_without_entries_and_without_stand_in_is_missing(write_book) -> None:
    text = '@quantity("token", ref="r")\ndef q(parts):\n    "Says."\n    return total(parts, lambda x: x)\n'
    book = symroof.load(write_book(ch01=text))
    for ask in (lambda r: r.exact, lambda r: r.closed_form(["n"])):
        with pytest.raises(MissingValueError, match="parts"):
            ask(book.at()["q"])
    assert book.at(parts=[1, 2])["q"].exact == 3
