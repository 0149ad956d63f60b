"""Limits, trends and peaks, against the values themselves."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import symroof
from symroof.errors import PresetError, UnsolvableError
from symroof.passes.shape import limit, shape

CHAPTER = '''
    @quantity("1", ref="r")
    def hill(n, k):
        """Rises, then falls."""
        return k / (k**2 + n**2)

    @quantity("1", ref="r")
    def stairs(k):
        """Falls in steps."""
        return ceiling(10 / k)

    @quantity("1", ref="r")
    def saw(n, k):
        """Falls, and jumps back."""
        return ceiling(10 / k) * k

    @quantity("1", ref="r")
    def share(n, k):
        """Goes to a limit."""
        return n * (1 - 1 / k)

    @quantity("1", ref="r")
    def flat(n, k):
        """Stays."""
        return n + 0 * k

    @quantity("1", ref="r")
    def ways(n):
        """Ways."""
        return binomial(12, n)

    @quantity("1", ref="r")
    def fast(speed, size):
        """Of a real symbol."""
        return Min(speed * second / size / nvlink, 10 - speed * second / size / nvlink)

    @constraint
    def few(k, n):
        """Few."""
        return k <= 5 * n
    '''


@pytest.fixture
def point(write_book: Callable[..., Path]) -> symroof.Point:
    return symroof.load(write_book(ch01_a=CHAPTER, values='n = 6\nk = 2\nsize = 4\nspeed = "8 byte/s"')).at()


@pytest.mark.parametrize(
    ("name", "over", "trend", "turns", "peak"),
    [
        ("hill", "k", "neither", (6,), 6),
        ("stairs", "k", "falling", (), 1),
        ("share", "k", "rising", (), 30),
        ("share", "n", "rising", (), None),
        ("flat", "k", "constant", (), None),
        ("fast", "speed", "neither", (20,), 20),
        ("ways", "n", "neither", (6, 12), 6),
    ],
)
def test_the_shape(name: str, over: str, trend: str, turns: tuple, peak: object, point: symroof.Point) -> None:
    found = shape(point, name, over)
    assert (found.trend, found.peak) == (trend, peak)
    if name != "ways":
        assert found.turns == turns


def test_a_jump_is_a_turn(point: symroof.Point) -> None:
    found = shape(point, "saw", "k")
    values = [point.set(k=k).evaluator.number("saw") for k in range(1, 31)]
    assert found.trend == "neither"
    assert found.peak == 1 + values.index(max(values))


@pytest.mark.parametrize(
    ("name", "over", "value"),
    [
        ("hill", "k", 0),
        ("share", "k", 6),
        ("share", "n", sp.oo),
        ("stairs", "k", 1),
        ("fast", "speed", -sp.oo),
        ("fast", "size", 0),
    ],
)
def test_the_limit(name: str, over: str, value: object, point: symroof.Point) -> None:
    assert limit(point, name, over).value == value


def test_a_limit_names_the_constraint_that_stops_before_it(point: symroof.Point) -> None:
    stopped = limit(point, "share", "k")
    assert (stopped.stopped_by, stopped.largest) == ("few", 30)
    free = limit(point, "share", "n")
    assert (free.stopped_by, free.largest) == ("", None)


def test_a_limit_is_approached(point: symroof.Point) -> None:
    assert point["share"].limit("k").value == 6
    assert point["share"].shape("k").trend == "rising"
    far = point.trial(k=10**30).evaluator.number("share")
    assert abs(far - 6) < Fraction(1, 10**28)


def test_what_has_no_shape(point: symroof.Point) -> None:
    with pytest.raises(PresetError, match="hill does not depend on size here"):
        shape(point, "hill", "size")
    with pytest.raises(UnsolvableError, match="binomial"):
        limit(point, "ways", "n")
