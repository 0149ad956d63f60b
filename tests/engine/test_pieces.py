"""Exact pieces of forms in one symbol, checked by evaluation between their ends."""

from __future__ import annotations

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import UnsolvableError
from symroof.passes.pieces import between, contest, pieces, turns, zeros

x = sp.Symbol("x", positive=True)

FORMS = [
    x**2 - 3 * x + 1,
    sp.Max(x, 4 / x, evaluate=False),
    sp.Min(sp.Max(1, x - 2), 7 - x, evaluate=False),
    1 / (x - 3) + sp.Max(x, 5, evaluate=False),
    sp.Max(1 / (x - 3), 0, evaluate=False),
    sp.floor(10 / x) + sp.ceiling(x / 3),
    sp.Piecewise((x, x > 2), (5 - x, True)),
    sp.Piecewise((sp.Max(x, 3, evaluate=False), sp.Le(x, 4)), (1 / x, True)),
    sp.Piecewise((x, sp.Eq(x, 2)), (2 * x, True)),
    sp.binomial(8 - 8 / x, 3),
    sp.Max(x**2 - 2, x, evaluate=False) * (1 + 1 / x),
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_each_piece_is_the_form_between_its_ends(form: sp.Expr) -> None:
    low, high = sp.Rational(1, 2), sp.Integer(9)
    found = pieces(form, x, low, high)
    assert found[0].low == low
    assert found[-1].high == high
    assert [p.high for p in found[:-1]] == [p.low for p in found[1:]]
    for piece in found:
        for part in range(1, 8):
            at = piece.low + (piece.high - piece.low) * sp.Rational(part, 8)
            assert sp.simplify(piece.form.subs(x, at) - form.subs(x, at).doit()) == 0


def test_a_rounding_that_ends_has_pieces_without_bound() -> None:
    found = pieces(sp.ceiling(93 / x), x, sp.Integer(20), sp.oo)
    assert [(p.high, p.form) for p in found] == [
        (sp.Rational(93, 4), 5), (31, 4), (sp.Rational(93, 2), 3), (93, 2), (sp.oo, 1),
    ]  # fmt: skip


def test_zeros_and_poles_are_told_apart() -> None:
    form = (x - 2) * (x**2 - 3) / (x - 5)
    assert zeros(form, x, sp.S.Zero, sp.oo) == [sp.sqrt(3), 2]
    assert turns(form, x, sp.S.Zero, sp.oo) == [sp.sqrt(3), 2, 5]
    assert zeros(form, x, sp.Rational(9, 5), sp.oo) == [2]


def test_who_is_ahead_changes_at_a_pole_too() -> None:
    found = contest({"pole": 1 / (x - 3), "zero": sp.S.Zero}, x, sp.S.Zero, sp.oo)
    assert [(p.low, p.high, p.binding) for p in found] == [(0, 3, "zero"), (3, sp.oo, "pole")]


def test_a_tie_over_an_interval_goes_to_the_first() -> None:
    found = contest({"a": sp.Max(x, 2, evaluate=False), "b": x}, x, sp.S.Zero, sp.oo)
    assert [p.binding for p in found] == ["a"]


UNSOLVED = {
    sp.floor(x): "a rounding in x has no end of steps",
    sp.floor(1000000 * x): "a rounding in x has no end of steps",
    sp.sqrt(x): "Pow of x has no closed pieces",
    sp.Piecewise((1, sp.Eq(sp.Mod(x, 3), 0)), (2, True)): "a condition in x has no closed pieces",
    2**x: "Pow of x has no closed pieces",
}


@pytest.mark.parametrize(("form", "says"), UNSOLVED.items(), ids=str)
def test_what_has_no_closed_pieces_says_why(form: sp.Expr, says: str) -> None:
    with pytest.raises(UnsolvableError, match=says):
        pieces(form, x, sp.S.Zero, sp.oo)


def test_too_many_steps_are_refused() -> None:
    with pytest.raises(UnsolvableError, match="more than 2000 steps"):
        pieces(sp.floor(5000 * x), x, sp.S.Zero, sp.S.One)


@given(st.fractions(0, 100), st.fractions(0, 100))
def test_between_is_between(a: object, b: object) -> None:
    low, high = sorted((sp.Rational(a), sp.Rational(b)))
    if low < high:
        assert low < between(low, high) < high
    assert between(low, sp.oo) > low


def test_between_close_roots() -> None:
    low, high = sp.sqrt(2), sp.sqrt(2) + sp.Rational(1, 10**40)
    assert low < between(low, high) < high
