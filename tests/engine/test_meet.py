"""Meetings, regimes and maps on small books, by evaluation on both sides of every boundary."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import symroof
from symroof.errors import EvaluationError, PresetError, UnitError, UnknownNameError
from symroof.text import formula_text

CHAPTER = '''
    @quantity("1", ref="r")
    def rising(n, k):
        """Rises."""
        return n * k

    @quantity("1", ref="r")
    def square(k):
        """Rises faster."""
        return k**2

    @quantity("1", ref="r")
    def high(k):
        """High."""
        return 100 / (k + 0)

    @quantity("1", ref="r", domain=REAL)
    def pole(k):
        """Has a pole."""
        return 1 / (k - Fraction(5, 2))

    @quantity("1", ref="r")
    def zero(k):
        """Nothing."""
        return 0 * k

    @quantity("1", ref="r")
    def top(rising, square, high):
        """The largest."""
        return 2 * Max(rising, square, high)

    @quantity("name", ref="r")
    def which(rising, square, high):
        """Its name."""
        return largest(rising=rising, square=square, high=high)

    @quantity("1", ref="r")
    def least(n, k):
        """The smaller, without names."""
        return Min(n + k, 3 * k)

    @quantity("1", ref="r")
    def far(n):
        """Far."""
        return Max(n, 200000)

    @quantity("1", ref="r")
    def ways(k):
        """Ways."""
        return Max(binomial(12, k), 20 * k)

    @quantity("s", ref="r")
    def moving(size, speed):
        """A time."""
        return nvlink * size / speed

    @quantity("s", ref="r")
    def fixed(size):
        """Another."""
        return size / byte * second / 20

    @quantity("s", ref="r")
    def slower(moving, fixed):
        """The slower."""
        return Max(moving, fixed)

    @constraint
    def few(k):
        """Few."""
        return k <= 30
    '''


@pytest.fixture
def point(write_book: Callable[..., Path]) -> symroof.Point:
    return symroof.load(write_book(ch01_a=CHAPTER, values='n = 8\nk = 2\nsize = 100\nspeed = "50 byte/s"')).at()


def test_two_quantities_meet(point: symroof.Point) -> None:
    found = point.crossover("rising", "square", "k")
    assert [(m.at, str(m.closed)) for m in found.points] == [(8, "n")]
    assert (found.below, found.above, found.formal, found.method) == ("rising", "square", False, "exact")
    assert formula_text(found.equation) == "Eq(k*n, k**2)"


def test_a_meeting_may_be_irrational(point: symroof.Point) -> None:
    found = point.crossover("rising", "high", "k")
    assert [(m.at, str(m.closed)) for m in found.points] == [(5 * sp.sqrt(2) / 2, "10/sqrt(n)")]


def test_a_meeting_beyond_the_admissible_values_is_formal(point: symroof.Point) -> None:
    found = point.set(n=40).crossover("rising", "square", "k")
    assert [m.at for m in found.points] == [40]
    assert found.formal


def test_a_pole_is_no_meeting(point: symroof.Point) -> None:
    found = point.crossover("pole", "zero", "k")
    assert found.points == ()
    assert (found.below, found.above) == ("zero", "pole")


def test_what_does_not_meet(point: symroof.Point) -> None:
    found = point.set(n=1).crossover("rising", "zero", "k")
    assert found.points == ()
    assert found.below == found.above == "rising"


def test_a_real_symbol(point: symroof.Point) -> None:
    found = point.crossover("moving", "fixed", "speed")
    assert [(m.at, str(m.closed)) for m in found.points] == [(20, "size/fixed")]


def test_a_range_on_which_two_are_equal(point: symroof.Point) -> None:
    real = point.crossover("slower", "moving", "speed")
    assert (real.equal, [m.at for m in real.points]) == (((None, 20),), [20])
    assert (real.below, real.above) == ("slower = moving", "slower")
    whole = point.crossover("top", "least", "k")
    assert whole.equal == ()
    assert formula_text(real.equation) == "Eq(fixed, size/speed)"


def test_a_jump_over_is_no_meeting(point: symroof.Point) -> None:
    found = point.crossover("pole", "zero", "k")
    assert found.jumps == ((2, 3),)
    numeric = point.crossover("ways", "square", "k")
    values = {k: point.set(k=k).evaluator for k in range(1, 31)}
    equal = [k for k, e in values.items() if e.number("ways") == e.number("square")]
    assert [m.at for m in numeric.points] == equal
    for low, high in numeric.jumps:
        below, above = (values[int(v)].number("ways") - values[int(v)].number("square") for v in (low, high))
        assert below * above < 0


@pytest.mark.parametrize(
    ("asked", "kind", "says"),
    [
        (("rising", "moving", "k"), UnitError, "rising is in 1 and moving in s: they cannot meet"),
        (("rising", "rising", "k"), PresetError, "rising meets itself everywhere"),
        (("rising", "square", "size"), PresetError, "neither rising nor square depends on size here"),
        (("rising", "sqare", "k"), UnknownNameError, "did you mean square"),
        (("which", "square", "k"), EvaluationError, "which is a name"),
    ],
)
def test_what_cannot_meet(asked: tuple[str, str, str], kind: type[Exception], says: str, point: symroof.Point) -> None:
    with pytest.raises(kind, match=says):
        point.crossover(*asked)


@pytest.mark.parametrize("name", ["top", "which"])
def test_which_branch_binds_where(name: str, point: symroof.Point) -> None:
    found = point.regimes(name, "k")
    assert found.of == name
    assert [(r.low, r.high, r.binding) for r in found.pieces] == [
        (1, 3, "high"), (4, 7, "rising"), (8, 8, "rising = square"), (9, 30, "square"),
    ]  # fmt: skip
    assert found.pieces[1].boundary == 5 * sp.sqrt(2) / 2
    assert str(found.pieces[1].closed) == "10/sqrt(n)"
    for regime in found.pieces:
        for k in range(int(regime.low), int(regime.high) + 1):
            assert point.set(k=k).evaluator.value("which").replace(", ", " = ") == regime.binding


def test_regimes_of_a_real_symbol_have_exact_ends(point: symroof.Point) -> None:
    found = point.regimes("slower", "speed")
    assert [(r.low, r.high, r.binding) for r in found.pieces] == [(None, 20, "moving"), (20, None, "fixed")]


def test_branches_without_names_are_called_by_their_formulas(point: symroof.Point) -> None:
    assert [(r.low, r.high, r.binding) for r in point.regimes("least", "k").pieces] == [
        (1, 3, "3*k"), (4, 4, "n + k = 3*k"), (5, 30, "n + k"),
    ]  # fmt: skip


def test_values_that_are_given_are_looked_at(point: symroof.Point) -> None:
    found = point.regimes("top", k=[2, 4, 8, 16, 31])
    assert [(r.low, r.high, r.binding) for r in found.pieces] == [
        (2, 2, "high"), (4, 4, "rising"), (8, 8, "rising = square"), (16, 16, "square"),
    ]  # fmt: skip


def test_what_has_no_closed_pieces_is_looked_at(point: symroof.Point) -> None:
    found = point.regimes("ways", "k")
    assert found.method == "at each value, because binomial of k has no closed pieces"
    assert [(r.low, r.high, r.binding) for r in found.pieces] == [
        (1, 1, "20*k"), (2, 9, "binomial(12, k)"), (10, 30, "20*k"),
    ]  # fmt: skip


def test_regimes_go_on_beyond_what_was_looked_at(point: symroof.Point) -> None:
    found = point.regimes("least", "n")
    assert [(r.low, r.high, r.binding) for r in found.pieces] == [(1, 3, "n + k"), (4, 4, "n + k = 3*k"), (5, None, "3*k")]
    far = point.set(k=2).regimes("far", "n")
    assert [(r.low, r.high, r.binding) for r in far.pieces] == [
        (1, 199_999, "200000"),
        (200_000, 200_000, "n = 200000"),
        (200_001, None, "n"),
    ]


def test_a_map_over_two_symbols(point: symroof.Point) -> None:
    found = point.regimes("top", k=[2, 4, 16, 31], n=[1, 8, 20])
    assert found.over == ("k", "n")
    assert found.binding == (
        ("high", "high", "square", None),
        ("high", "rising", "square", None),
        ("high", "rising", "rising", None),
    )
    assert {(c.one, c.other): formula_text(c.equation) for c in found.curves}[("rising", "square")] == "Eq(k*n, k**2)"
    assert "no run" in found._repr_markdown_()


@pytest.mark.parametrize(
    ("over", "values", "says"),
    [
        (("size",), {}, "top has no Max or Min that moves with size"),
        ((), {}, "regimes are along one symbol, or two for a map"),
        (("k", "n", "size"), {}, "regimes are along one symbol, or two for a map"),
        ((), {"k": [31, 40]}, "none of the values of k makes an admissible run"),
        ((), {"k": range(1, 100), "n": range(1, 100)}, "a map of 99 by 99 cells is too large"),
        ((), {"k": range(30_000)}, "30,000 values of k are too many"),
    ],
)
def test_what_has_no_regimes(over: tuple[str, ...], values: dict[str, list[int]], says: str, point: symroof.Point) -> None:
    with pytest.raises((PresetError, EvaluationError), match=says):
        point.regimes("top", *over, **values)


def test_a_symbol_without_values_gets_some(point: symroof.Point) -> None:
    found = point.regimes("slower", "speed", "size")
    assert len(found.values[0]) == 25
    assert Fraction(50) in found.values[0]
    assert all(v & (v - 1) == 0 for v in map(int, found.values[1]))
