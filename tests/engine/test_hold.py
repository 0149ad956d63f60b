"""Changes along a constraint: exact re-solving, refusals with the nearest changes that work."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import ConstraintError, PresetError, UnknownNameError
from symroof.passes.hold import Hold, held_point, hold_of, kept_point

BATCH = '''
    @quantity("1", ref="r")
    def batch(n, k):
        """A product."""
        return n * k

    @quantity("1", ref="r")
    def stepped(n, k):
        """A maximum."""
        return Max(n * k, 40)

    @quantity("1", ref="r")
    def square(n, k):
        """A square."""
        return n * k**2

    @quantity("1", ref="r")
    def capped(n, k):
        """Flat from a value on."""
        return Min(n * k, 48)

    @constraint
    def few(k):
        """Few."""
        return k <= 20
    '''


@pytest.fixture
def point(write_book: Callable[..., Path]) -> symroof.Point:
    return symroof.load(write_book(ch01_a=BATCH, values="n = 16\nk = 3")).at()


def test_the_symbol_that_gives_way_is_solved_again(point: symroof.Point) -> None:
    there = held_point(point, {"n": 8}, Hold("batch", "k"))
    assert (there.evaluator.number("k"), there.evaluator.number("batch")) == (6, 48)
    assert held_point(point, {"n": 4}, Hold("square", "k")).evaluator.number("k") == 6
    assert held_point(point, {"n": 12}, Hold("stepped", "k")).evaluator.number("k") == 4


@pytest.mark.parametrize(
    ("changes", "hold", "says"),
    [
        (
            {"n": 32},
            Hold("batch", "k"),
            "with n = 32, batch is kept only by k = 3/2, which must be a positive integer; "
            "nearest changes that work: n = 24 with k = 2 or n = 48 with k = 1",
        ),
        (
            {"n": 2},
            Hold("batch", "k"),
            "with n = 2, batch is kept by k = 24, which breaks few: k = 24 is above 20; "
            "nearest changes that work: n = 3 with k = 16",
        ),
        (
            {"n": 17},
            Hold("batch", "k"),
            "with n = 17, batch is kept only by k = 48/17, which must be a positive integer; "
            "nearest changes that work: n = 12 with k = 4 or n = 24 with k = 2",
        ),
        ({"n": 5}, Hold("square", "k"), "with n = 5, no rational value of k keeps square; no change near it is known to work"),
        (
            {"n": 2},
            Hold("capped", "k"),
            "with n = 2, capped is kept by every k from 24 on, and the nearest that may be, 24, "
            "breaks few: k = 24 is above 20; no change near it is known to work",
        ),
    ],
)
def test_a_refusal_has_the_nearest_changes_on_both_sides(
    changes: dict[str, int], hold: Hold, says: str, point: symroof.Point
) -> None:
    with pytest.raises(ConstraintError) as error:
        held_point(point, changes, hold)
    assert str(error.value) == says
    assert kept_point(point, changes, hold) is None


@pytest.mark.parametrize(
    ("hold", "kind", "says"),
    [
        (Hold("nope", "k"), UnknownNameError, "no quantity or symbol 'nope'"),
        (Hold("batch", "square"), PresetError, "square is derived: a held quantity is kept by a symbol"),
        (Hold("batch", "size"), PresetError, "batch does not depend on size, so size cannot keep it"),
        (Hold("batch", "n"), PresetError, "n is changed, but batch is held and n gives way"),
    ],
)
def test_a_hold_that_means_nothing(hold: Hold, kind: type[Exception], says: str, point: symroof.Point) -> None:
    with pytest.raises(kind, match=says):
        held_point(point, {"n": 8}, hold)


def test_a_pinned_quantity_depends_on_nothing(point: symroof.Point) -> None:
    with pytest.raises(PresetError, match="batch does not depend on k"):
        held_point(point.set(batch=7), {"n": 8}, Hold("batch", "k"))


def test_a_hold_is_of_two_names() -> None:
    assert hold_of(None, None) is None
    assert hold_of("batch", "k") == Hold("batch", "k")
    with pytest.raises(PresetError, match="goes with the symbol"):
        hold_of("batch", None)


def test_every_whole_solution_is_found(point: symroof.Point) -> None:
    for n in range(1, 49):
        there = kept_point(point, {"n": n}, Hold("batch", "k"))
        k = Fraction(48, n)
        assert (there is not None) == (k.denominator == 1 and k <= 20)


def test_a_symbol_that_need_not_give_way_keeps_its_value(point: symroof.Point) -> None:
    assert held_point(point, {"n": 20}, Hold("capped", "k")).evaluator.number("k") == 3
    assert held_point(point.set(n=4), {"n": 8}, Hold("stepped", "k")).evaluator.number("k") == 3
    assert held_point(point.set(n=4), {"n": 20}, Hold("stepped", "k")).evaluator.number("k") == 2
