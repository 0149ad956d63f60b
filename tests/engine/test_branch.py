"""Smooth forms: the branch in force, names that stay names, and ties broken to one side."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp

import symroof
from symroof.errors import EvaluationError
from symroof.passes.branch import smooth
from symroof.passes.depend import dependencies, under
from symroof.passes.tidy import gathered, reduced, tidy

TIES = '''
    @quantity("1", ref="r")
    def low(n, k):
        """The smaller."""
        return Min(n, 3 * k)

    @quantity("1", ref="r")
    def both(low, n, k):
        """Two ties at once."""
        return low + Max(6, 36 / n, low)
    '''


def values(point: symroof.Point, form: sp.Expr) -> sp.Expr:
    return form.xreplace({s: sp.Rational(*point.evaluator.number(s.name).as_integer_ratio()) for s in form.free_symbols}).doit()


def test_only_what_moves_is_opened(town: symroof.Point) -> None:
    found = smooth(town, "time", {"far_speed"})
    assert str(found.expression) == "far_bytes/far_speed"
    assert [(b.quantity, b.function, b.binding, b.ties) for b in found.branches] == [("time", "Max", "far_time", ())]


@pytest.mark.parametrize("name", ["time", "overlap", "slack", "reached", "packets", "last_packet", "two_packets", "rounds"])
@pytest.mark.parametrize("moving", ["groups", "members", "size", "far_speed", "side"])
def test_a_smooth_form_has_the_value_of_its_quantity(name: str, moving: str, town: symroof.Point) -> None:
    if (name, moving) == ("packets", "groups"):
        with pytest.raises(EvaluationError, match="ends move"):
            smooth(town, name, {moving})
        return
    form = smooth(town, name, {moving}).expression
    assert values(town, form) == sp.Rational(*town.evaluator.number(name).as_integer_ratio())


def test_ties_are_broken_to_one_side_throughout(write_book: Callable[..., Path]) -> None:
    point = symroof.load(write_book(ch01_a=TIES)).at(n=6, k=2)
    step = Fraction(1, 2**40)
    below, above = (smooth(point, "both", {"n"}, point.trial(n=6 + s * step)) for s in (-1, 1))
    assert below.tied
    assert str(below.expression) == "(n**2 + 36)/n"
    assert str(above.expression) in ("3*k + 6", "6*k")
    assert {t for b in below.branches for t in (b.binding, *b.ties)} >= {"n", "3*k"}


def test_a_pinned_quantity_is_a_constant(town: symroof.Point) -> None:
    pinned = town.set(near_time="2 ms")
    assert dependencies(pinned, "time") == dependencies(town, "time") - {"near_speed", "share"} | {"near_time"}
    assert "near_bytes" not in under(pinned, "time")
    assert smooth(pinned, "near_time", {"members"}).expression == sp.Symbol("near_time", nonnegative=True)


def test_dependencies_follow_the_choice_and_what_stands_in(town: symroof.Point) -> None:
    assert dependencies(town, "weight") == {"members"}
    assert dependencies(town.set(weighing="held"), "weight") == {"members", "groups"}
    assert dependencies(town, "mean_house") == {"house", "street"}
    assert dependencies(town.set(houses=[20, 100]), "mean_house") == {"houses"}
    assert dependencies(town, "groups") == {"groups"}


a, b, k = sp.symbols("a b k", positive=True)


@pytest.mark.parametrize(
    ("form", "shown"),
    [
        (k - k / a, "k*(a - 1)/a"),
        (a * b + a * k, "a*(b + k)"),
        (1 - a, "1 - a"),
        (k - a * k, "-k*(a - 1)"),
        (-a * k - b * k, "-k*(a + b)"),
        (2 * a + 4 * b, "2*a + 4*b"),
        ((a + 1) / b + (a + 1) / k, "(a + 1)*(b + k)/(b*k)"),
        (sp.Max(a * b + a * k, b, evaluate=False), "Max(b, a*(b + k))"),
    ],
)
def test_common_factors_go_to_the_front(form: sp.Expr, shown: str) -> None:
    assert str(tidy(form)) == shown
    assert sp.expand(tidy(form) - form) == 0 or form.has(sp.Max)


def test_gathering_and_reducing() -> None:
    assert gathered([a, -a]) == 0
    assert gathered([]) == 0
    assert str(reduced(2 * a / (2 * a + 4))) == "a/(a + 2)"
    assert reduced(a + 1) == a + 1
