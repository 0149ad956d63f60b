"""From SymPy to the tree and back: nothing is lost, and what is printed is what a reader expects."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import DefinitionError
from symroof.passes.expand import expand, to_sympy
from symroof.passes.recover import from_sympy
from symroof.term import Neg, Num, RangeSum, Ref, divides, either, where
from symroof.text import formula_text

x, y, z = sp.symbols("x y z", real=True)

LEAVES = st.sampled_from([x, y, z]) | st.fractions(-6, 6, max_denominator=5).map(
    lambda q: sp.Rational(q.numerator, q.denominator)
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] / (p[1] + x + 7)),
        st.tuples(inner, st.integers(-3, 3)).map(lambda p: (p[0] + y + 9) ** p[1]),
        st.tuples(inner, inner).map(lambda p: sp.Max(p[0], p[1] + z, evaluate=False)),
        inner.map(sp.ceiling),
        inner.map(lambda e: sp.binomial(e + 30, 3, evaluate=False)),
        st.tuples(inner, inner).map(lambda p: sp.Piecewise((p[0], x > y), (p[1], True))),
    ),
    max_leaves=6,
)


@given(EXPRESSIONS)
def test_there_and_back_again_is_equal(expression: sp.Expr) -> None:
    back = to_sympy(from_sympy(expression))
    for values in ({x: 5, y: 3, z: sp.Rational(7, 2)}, {x: 2, y: 11, z: 1}):
        assert sp.simplify(back.subs(values) - expression.subs(values)) == 0


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (x / y, "x/y"),
        (1 / x, "1/x"),
        (-x, "-x"),
        (-2 * x, "-2*x"),
        (-2 * x / (3 * y), "-2*x/(3*y)"),
        (x - 2 * y, "x - 2*y"),
        (-(x + y), "-x - y"),
        (-x * (x + y) / z, "-x*(x + y)/z"),
        (x - sp.Rational(2, 3), "x - 2/3"),
        (sp.Rational(2, 3) * x, "2*x/3"),
        (sp.Rational(-2, 3), "-2/3"),
        (x ** sp.Rational(1, 2), "x**(1/2)"),
        (x ** sp.Rational(-1, 2), "1/x**(1/2)"),
        (1 - 1 / x, "1 - 1/x"),
        (x ** (-y), "1/x**y"),
        (sp.binomial(x, y), "binomial(x, y)"),
        (sp.Max(x, y), "Max(x, y)"),
        (sp.Integer(0), "0"),
    ],
    ids=str,
)
def test_what_a_reader_expects(expression: sp.Expr, text: str) -> None:
    shown = formula_text(from_sympy(expression))
    assert shown == text
    assert sp.simplify(sp.sympify(shown, locals={"x": x, "y": y, "z": z}) - expression) == 0


def test_rationals_are_exact() -> None:
    assert from_sympy(sp.Rational(1, 3)) == Num(Fraction(1, 3))
    assert from_sympy(sp.Integer(-(10**30))) == Neg(Num(Fraction(10**30)))


@pytest.mark.parametrize(
    "term",
    [
        where(Ref("x") > 1, Ref("y"), 0),
        where(divides(Ref("x"), Ref("y")), 1, Ref("x")),
        where(either(Ref("x") > 1, Ref("y") > Ref("x")), 1, 2),
    ],
    ids=formula_text,
)
def test_conditions_come_back(term) -> None:
    assert sp.simplify(to_sympy(from_sympy(to_sympy(term))) - to_sympy(term)) == 0


def test_sums_come_back_however_many_indices_they_have() -> None:
    i, j = sp.symbols("i j", integer=True, positive=True)
    inner = RangeSum("j", Num(Fraction(1)), Ref("i"), from_sympy(i * j))
    assert from_sympy(sp.Sum(i * j, (j, 1, i), (i, 1, x))) == RangeSum("i", Num(Fraction(1)), Ref("x"), inner)


@pytest.mark.parametrize("part", [sp.pi, sp.oo, sp.zoo, sp.nan, sp.Float(0.5), sp.sin(x), sp.I, sp.Function("f")(x)])
def test_what_the_tree_has_no_node_for(part: sp.Expr) -> None:
    with pytest.raises(DefinitionError, match="is no part of a formula"):
        from_sympy(part)


def test_every_closed_form_of_a_book_comes_back(town: symroof.Point) -> None:
    point = town.set(hop=2)
    for name in point.book.quantities:
        form = expand(point, name)
        if form.has(sp.Sum):
            assert isinstance(from_sympy(form), RangeSum)
            continue
        values = {s: sp.Integer(n + 12) for n, s in enumerate(sorted(form.free_symbols, key=str))}
        back = to_sympy(from_sympy(form))
        named = {sp.Symbol(s.name, real=True): v for s, v in values.items()}
        plain = {sp.Symbol(s.name): v for s, v in values.items()}
        assert back.subs({**named, **plain}) == form.subs(values), name
