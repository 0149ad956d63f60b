"""Where conditions turn, on small books: exact, through branches and roundings, and numeric where nothing else is left."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import symroof
from symroof.answers.solve import holds_for
from symroof.errors import EvaluationError, PresetError, UnknownNameError, UnsolvableError
from symroof.passes.timelimit import time_limit

CHAPTER = '''
    @quantity("1", ref="r")
    def over(n, k):
        """Falls with k."""
        return (n - 1) / k

    @quantity("1", ref="r")
    def branched(n, k):
        """A V."""
        return Max(12 - k, k / 2)

    @quantity("1", ref="r")
    def stepped(n, k):
        """Steps."""
        return ceiling(100 / k)

    @quantity("1", ref="r")
    def chosen(n, k):
        """Ways."""
        return binomial(10, k)

    @quantity("s", ref="r")
    def moving(size, speed):
        """A time."""
        return nvlink * size / speed

    @quantity("1", ref="r")
    def square(n, speed, size):
        """A square."""
        return (speed / size) ** 2 / nvlink**2 * second**2

    @quantity("1", ref="r", domain=REAL)
    def pole(n, k):
        """A pole."""
        return 1 / (k - Fraction(5, 2))

    @constraint
    def even(k):
        """Even or odd below ten."""
        return either(divides(2, k), k <= 9)
    '''


REAL_X = """
    from symroof import POSITIVE, symbol
    x = symbol("1", "a number", domain=POSITIVE)
    """
OF_X = '''
    @quantity("1", ref="r")
    def twice(x):
        """Twice."""
        return 2 * x
    '''


@pytest.fixture
def point(write_book: Callable[..., Path]) -> symroof.Point:
    return symroof.load(write_book(ch01_a=CHAPTER, values='n = 8\nk = 2\nsize = 100\nspeed = "50 byte/s"')).at()


@pytest.mark.parametrize(
    ("condition", "symbol", "boundaries", "first", "words", "forms"),
    [
        ("over <= 5%", "k", [140], 140, "k >= 140", ["20*n - 20"]),
        ("over < 5%", "k", [140], 142, "k >= 142", ["20*n - 20"]),
        ("over >= 0.3", "k", [Fraction(70, 3)], 22, "k <= 22", ["10*n/3 - 10/3"]),
        ("over <= 1/3", "n", [Fraction(5, 3)], 1, "n <= 1", ["k/3 + 1"]),
        ("over = 1", "k", [7], 7, "k = 7", ["n - 1"]),
        ("over <= 100", "k", [Fraction(7, 100)], 1, "every admissible k", ["n/100 - 1/100"]),
        ("branched <= 9", "k", [3, 18], 3, "3 <= k <= 18", ["3", "18"]),
        ("branched >= 9", "k", [3, 18], 3, "k <= 3 or k >= 18", ["3", "18"]),
        ("stepped <= 10", "k", [10], 10, "k >= 10", []),
        ("moving <= 1 s", "speed", [100], None, "speed >= 100 byte@nvlink/s", ["size"]),
        ("moving > 1 s", "speed", [100], None, "speed < 100 byte@nvlink/s", ["size"]),
        ("square >= 2", "speed", [100 * sp.sqrt(2)], None, "speed >= 141.42 byte@nvlink/s", ["sqrt(2)*size"]),
        ("square < -1", "speed", [], None, "no speed", []),
        ("square > -1", "speed", [], None, "every speed", []),
        ("pole > 0", "k", [Fraction(5, 2)], 3, "k >= 3", []),
        ("k*n <= 40", "k", [5], 5, "k <= 5", ["40/n"]),
    ],
)
def test_a_condition_is_solved_exactly(
    condition: str, symbol: str, boundaries: list, first: int | None, words: str, forms: list[str], point: symroof.Point
) -> None:
    found = point.solve(condition, symbol)
    assert found.method == "exact" or symbol == "k"
    assert list(found.boundaries) == boundaries
    assert found.first == first
    assert holds_for(found) == words
    assert [str(s) for s in found.solutions] == forms


def test_both_sides_are_checked(point: symroof.Point) -> None:
    found = point.solve("over <= 5%", "k")
    assert (found.inside, found.outside) == (140, 138)
    real = point.solve("moving <= 1 s", "speed")
    assert (real.inside, real.outside) == (100, Fraction(999, 10))


def test_what_algebra_cannot_do_is_looked_at(point: symroof.Point) -> None:
    found = point.solve("chosen >= 100", "k")
    assert found.method == "numeric, because binomial of k has no closed pieces"
    assert holds_for(found) == "3 <= k <= 7"
    assert found.boundaries == (3, 7)
    assert found.solutions == ()


ROOTED = '''
    @quantity("1", ref="r")
    def grown(speed, size):
        """No polynomial."""
        return floor(speed * second / size / nvlink) + speed * second / size / nvlink
    '''


def test_a_real_symbol_without_closed_pieces_is_bracketed(write_book: Callable[..., Path]) -> None:
    point = symroof.load(write_book(ch01_a=ROOTED, values='size = 4\nspeed = "50 byte/s"')).at()
    found = point.solve("grown >= 7.25", "speed")
    assert found.method.startswith("numeric, because")
    (boundary,) = found.boundaries
    assert abs(boundary - 16) < Fraction(1, 10**12)
    assert point.trial(speed=found.inside).evaluator.holds(found.condition)
    assert not point.trial(speed=found.outside).evaluator.holds(found.condition)


def test_a_boundary_beyond_the_admissible_values_is_formal(point: symroof.Point) -> None:
    found = point.solve("n <= 9", "n")
    assert not found.formal
    small = point.solve("over <= 100", "k")
    assert small.formal
    assert holds_for(small) == "every admissible k"


@pytest.mark.parametrize(
    ("condition", "symbol", "kind", "says"),
    [
        ("over <= 1 and k > 2", "k", PresetError, "solve takes one relation between two values"),
        ("n divides k", "k", PresetError, "solve takes one relation"),
        ("over != 1", "k", PresetError, "solve takes one relation"),
        ("over <= 1", "size", PresetError, "over <= 1 does not depend on size here"),
        ("over <= 1", "over", PresetError, "over is no symbol with a number"),
        ("over <= 1", "parts", PresetError, "parts is no symbol with a number"),
        ("over <= 1", "q", UnknownNameError, "no quantity or symbol 'q'"),
    ],
)
def test_what_cannot_be_solved(condition: str, symbol: str, kind: type[Exception], says: str, point: symroof.Point) -> None:
    with pytest.raises(kind, match=says):
        point.solve(condition, symbol)


def test_a_symbol_with_no_admissible_value(point: symroof.Point, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("symroof.passes.search.admissible_integers", lambda point, name: [])
    with pytest.raises(EvaluationError, match="no value of k makes an admissible run here"):
        point.solve("over <= 1", "k")


def test_a_boundary_far_beyond_is_still_looked_at(point: symroof.Point) -> None:
    found = point.solve("over <= 1/100000", "k")
    assert (found.boundaries, found.first, found.inside, found.outside) == ((700_000,), 700_000, 700_000, 699_998)
    assert holds_for(found) == "k >= 700,000"


def forever() -> None:
    while True:
        pass


def test_time_is_limited() -> None:
    with pytest.raises(UnsolvableError, match=r"it takes longer than 0\.05 s"), time_limit(0.05):
        forever()


def test_an_inner_limit_does_not_outlast_the_outer() -> None:
    with pytest.raises(UnsolvableError), time_limit(0.05), time_limit(30):
        forever()


def test_an_outer_limit_goes_on_after_an_inner_one() -> None:
    def inside() -> None:
        with time_limit(5):
            pass
        forever()

    with pytest.raises(UnsolvableError), time_limit(0.1):
        inside()


def test_a_swallowed_ring_is_repeated() -> None:
    def swallow() -> None:
        with contextlib.suppress(UnsolvableError):
            forever()
        forever()

    with pytest.raises(UnsolvableError), time_limit(0.02):
        swallow()


@pytest.mark.parametrize(
    ("condition", "holds", "words"),
    [
        ("x^2 + x == 1", [((sp.sqrt(5) - 1) / 2,) * 2], "x = 0.61803"),
        ("Max(x^2 + x - 1, 1 - x - x^2) == 0", [((sp.sqrt(5) - 1) / 2,) * 2], "x = 0.61803"),
        ("Max(x, 1/2) == 1/2", [(None, sp.Rational(1, 2))], "x <= 0.5"),
        ("Min(x, 3) == 3", [(3, None)], "x >= 3"),
        ("ceiling(Min(x, 4)) == 2", [(1, 2), (2, 2)], "1 < x < 2 or x = 2"),
        ("x^2 + 1 == 0", [], "no x"),
    ],
)
@pytest.mark.parametrize("exactly", [True, False])
def test_an_equation_holds_where_it_does(write_book, monkeypatch, condition: str, holds: list, words: str, exactly: bool) -> None:
    def refuse(*_: object) -> None:
        raise UnsolvableError("it is asked so")

    book = symroof.load(write_book(symbols=REAL_X, values="x = 2", ch01=OF_X))
    if not exactly:
        monkeypatch.setattr("symroof.passes.solve._exactly", refuse)
    found = book.at().solve(condition, "x")
    if exactly:
        assert [(i.low, i.high) for i in found.holds] == holds
        assert holds_for(found) == words
    elif not condition.startswith(("ceiling", "Max(x^2")):  # halving meets no change of sign where there is none
        assert [[e and round(float(e), 15) for e in (i.low, i.high)] for i in found.holds] == [
            [e and round(float(e), 15) for e in pair] for pair in holds
        ]
    assert (found.inside is None) == (not holds or (not exactly and ("^2" in condition)))


def test_an_irrational_root_is_checked_at_itself(write_book) -> None:
    from symroof.answers.solve import sheet

    book = symroof.load(write_book(symbols=REAL_X, values="x = 2", ch01=OF_X))
    found = book.at().solve("x^2 + x == 1", "x")
    assert found.inside == found.boundary == (sp.sqrt(5) - 1) / 2
    assert "x = 0.61803: 1, holds" in sheet(found).text()
    found = book.at().solve("Max(x^2 + x - 1, 1 - x - x^2) == 0", "x")
    assert "x = 0.61803: 0, holds" in sheet(found).text()


def test_halving_that_ends_at_a_zero_goes_on_behind_it(write_book, monkeypatch) -> None:
    def refuse(*_: object) -> None:
        raise UnsolvableError("it is asked so")

    monkeypatch.setattr("symroof.passes.solve._exactly", refuse)
    book = symroof.load(write_book(symbols=REAL_X, values="x = 2", ch01=OF_X))
    assert [holds_for(book.at().solve(f"x {op} 3", "x")) for op in ("<=", ">=", "==")] == ["x <= 3", "x >= 3", "x = 3"]
