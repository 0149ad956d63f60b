"""Derivatives and what stands beside them, against exact differences on a small book."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import EvaluationError, MissingValueError, PresetError, UnknownNameError
from symroof.passes.differentiate import derivative, sensitivity
from symroof.passes.hold import Hold
from symroof.passes.recover import from_sympy
from symroof.text import formula_text

x, y, n = sp.symbols("x y n", positive=True)

FORMS = [
    x, y, x**3 / (1 + x), (x + y) * (x - y) / x**2, 1 / (x * (y + 1 / x)), sp.binomial(10 - 10 / x, 4),
    sp.binomial(x, 3) * x, sp.binomial(x, 1), sp.binomial(x, 0) + x, -(x**-2),
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_a_derivative_is_sympys(form: sp.Expr) -> None:
    ours = derivative(form, x).doit()
    theirs = sp.diff(sp.expand_func(form), x)
    for at in (2, 5, sp.Rational(7, 3)):
        assert sp.simplify((ours - theirs).subs({x: at, y: 3}).doit()) == 0


def test_a_binomial_has_a_derivative_at_its_own_zeros() -> None:
    for at in range(5):
        assert derivative(sp.binomial(x, 4), x).subs(x, at).doit() == sp.diff(sp.ff(x, 4) / 24, x).subs(x, at)


def test_roundings_stand_still_and_lower_indices_have_differences() -> None:
    assert derivative(x * sp.floor(x * y, evaluate=False), x) == sp.floor(x * y)
    with pytest.raises(EvaluationError, match="lower index"):
        derivative(sp.binomial(y, x), x)
    with pytest.raises(EvaluationError, match="x enters Pow"):
        derivative(y**x, x)


def test_the_index_of_a_sum_is_none_of_the_names() -> None:
    j = sp.Symbol("j", positive=True)
    found = derivative(sp.binomial(x * j, 3), x)
    assert {s.name for s in found.free_symbols} == {"x", "j"}


def test_what_stands_beside_a_derivative(town: symroof.Point) -> None:
    found = sensitivity(town, "time", ["members", "groups", "far_speed"])
    far = found["far_speed"]
    assert (far.elasticity, far.step, far.doubling) == (-1, None, Fraction(5, 8))
    assert far.deciding is not None
    assert (far.deciding.binding, str(far.derivative)) == ("far_time", "-far_bytes/far_speed**2")
    groups = found["groups"]
    assert groups.step is None  # nine groups do not divide 96 members
    assert groups.doubling == Fraction(5, 8)  # then near_time binds
    assert str(found["members"].elasticity_form) == "1"


def test_without_names_all_that_it_depends_on_ranked(town: symroof.Point) -> None:
    found = sensitivity(town, "time")
    assert {s.to for s in found} == {"members", "near_speed", "share", "groups", "kept", "size", "far_speed"}
    sizes = [abs(s.elasticity) for s in found]
    assert sizes == sorted(sizes, reverse=True)
    assert found["near_speed"].value == 0
    assert "Heaviside" not in " ".join(str(s.derivative) for s in found)
    assert len(found) == 7


TIE = '''
    @quantity("1", ref="r")
    def top(n, k):
        """The larger."""
        return Max(n, k**2)

    @quantity("1", ref="r")
    def same(n):
        """Two formulas with one slope."""
        return Max(2 * n, n + 6)
    '''


def test_a_tie_has_two_sides(write_book: Callable[..., Path]) -> None:
    point = symroof.load(write_book(ch01_a=TIE, values="n = 4\nk = 2")).at()
    (one,) = sensitivity(point, "top", ["k"])
    assert (one.value, one.above.value) == (0, 4)
    assert (one.branches[0].binding, one.branches[0].ties) == ("n", ("k**2",))
    (other,) = sensitivity(point.set(n=6), "same", ["n"])
    assert (other.value, other.above.value) == (1, 2)


def test_differences_without_a_derivative(town: symroof.Point) -> None:
    (one,) = sensitivity(town, "missed", ["chosen"])
    assert (one.derivative, one.value, one.elasticity) == (None, None, None)
    assert one.step == town.set(chosen=5).evaluator.number("missed") - town.evaluator.number("missed")


@pytest.mark.parametrize("name", ["time", "reached", "missed", "overlap", "slack", "near_time", "held", "area", "packet"])
@given(data=st.data())
def test_every_derivative_is_the_exact_difference(name: str, data: st.DataObject, town: symroof.Point) -> None:
    point = town.trial(
        members=96 * data.draw(st.integers(1, 4)),
        groups=data.draw(st.sampled_from([2, 4, 8, 16])),
        size=data.draw(st.integers(1, 5000)),
        far_speed=data.draw(st.integers(10**6, 10**12)),
        hop=3,
    )
    for one in sensitivity(point, name):
        if one.value is None:
            continue
        at, step = point.evaluator.number(one.to), point.evaluator.number(one.to) / 2**80
        for direction, value in ((-1, one.value), (1, one.value if one.above is None else one.above.value)):
            there = point.trial(**{one.to: at + direction * step}).evaluator.number(name)
            difference = (there - point.evaluator.number(name)) / (direction * step)
            jumps = abs(difference) * step > abs(point.evaluator.number(name)) / 2**40
            assert jumps or abs(difference - value) <= abs(value) / 10**12


def test_a_derivative_with_something_held(town: symroof.Point) -> None:
    (one,) = sensitivity(town, "far_bytes", ["members"], Hold("held", "groups"))
    assert one.value == 0
    (free,) = sensitivity(town, "near_bytes", ["members"], Hold("held", "groups"))
    assert free.value == town.evaluator.number("size")
    assert free.doubling == 2
    found = sensitivity(town, "far_bytes", None, Hold("held", "groups"))
    assert "groups" not in {s.to for s in found}


REFUSED = {
    "nope": (UnknownNameError, "no quantity or symbol 'nope'"),
    "held": (PresetError, "held is derived: a sensitivity is to a symbol that has one"),
    "hop": (PresetError, "hop is without a value in town"),
    "houses": (PresetError, "houses is without a value in town"),
}


@pytest.mark.parametrize("to", REFUSED)
def test_what_a_sensitivity_is_to(to: str, town: symroof.Point) -> None:
    kind, says = REFUSED[to]
    with pytest.raises(kind, match=says):
        sensitivity(town, "time", [to])


def test_what_a_sensitivity_is_of(town: symroof.Point) -> None:
    with pytest.raises(EvaluationError, match="slowest is a name"):
        sensitivity(town, "slowest")
    with pytest.raises(MissingValueError, match="hop"):
        sensitivity(town, "packet")
    with pytest.raises(PresetError, match="groups cannot move by itself: held is held, and groups gives way"):
        sensitivity(town, "time", ["groups"], Hold("held", "groups"))


def test_forms_are_written_in_names_of_the_book(town: symroof.Point) -> None:
    (one,) = sensitivity(town, "reached", ["groups"])
    assert "Sum(" in formula_text(from_sympy(one.derivative))
    assert town.evaluator.term(from_sympy(one.derivative)) == one.value
