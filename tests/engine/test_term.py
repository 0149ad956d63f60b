"""The author's tree: kept as written, exact, and closed to what is no formula."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import symroof
from symroof.errors import DefinitionError
from symroof.term import (
    Add,
    At,
    Call,
    Div,
    Largest,
    Mul,
    Neg,
    Num,
    Pow,
    RangeSum,
    Ref,
    Rel,
    Total,
    as_term,
    both,
    byte,
    children,
    either,
    equal,
    hbm,
    largest,
    rebuild,
    references,
    replace,
    second,
    total,
    total_range,
    walk,
    where,
    without_units,
)
from symroof.text import formula_text

a, b, c, d = (Ref(name) for name in "abcd")


def num(value: object) -> Num:
    return Num(Fraction(value))


def test_order_and_shape_are_the_authors() -> None:
    assert b * 2 * a == Mul((b, num(2), a))
    assert c - a + b == Add((c, Neg(a), b))
    assert 1 - 1 / a == Add((num(1), Neg(Div(num(1), a))))
    assert a / b / c == Div(Div(a, b), c)
    assert 2**a == Pow(num(2), a)
    assert formula_text(b * 2 * (1 - 1 / a) ** 2 / c) == "b*2*(1 - 1/a)**2/c"


def test_products_flatten_and_brackets_of_a_sum_stay() -> None:
    assert a * (b * c) * d == Mul((a, b, c, d))
    assert a + b + c == Add((a, b, c))
    assert a + (b + c) == Add((a, Add((b, c))))
    assert formula_text(a - (b - c)) == "a - (b - c)"


def test_numbers_are_exact() -> None:
    assert a * Fraction(1, 3) == Mul((a, num(Fraction(1, 3))))
    assert as_term(10**40) == num(10**40)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0.5, r"the float 0\.5 is not exact: write a fraction of integers, such as Fraction\(1, 2\)"),
        (True, "a truth value stands where a number belongs"),
        ("a", "'a' is no part of a formula|str is no part of a formula"),
        (None, "no part of a formula"),
        ([1], "no part of a formula"),
    ],
)
def test_what_is_no_number_of_a_formula(value: object, message: str) -> None:
    for build in (lambda: a * value, lambda: value + a, lambda: a / value, lambda: symroof.Max(a, value)):
        with pytest.raises((DefinitionError, TypeError), match=f"{message}|concatenate|unsupported"):
            build()
    with pytest.raises(DefinitionError, match=message):
        as_term(value)


@pytest.mark.parametrize("condition", [a > 1, equal(a, b), a, either(a > 1, b > 1)])
def test_a_formula_has_no_truth_value(condition: object) -> None:
    with pytest.raises(DefinitionError, match="no truth value while it is derived: write where"):
        bool(condition)


def test_chained_comparisons_do_not_lose_a_half() -> None:
    with pytest.raises(DefinitionError, match="no truth value"):
        assert b < a < 2


@pytest.mark.parametrize(
    "build", [lambda: where(a == b, 1, 2), lambda: where(a, 1, 2), lambda: either(a > 1, a == b), lambda: both(a == b, a > 1)]
)
def test_only_a_condition_is_a_condition(build) -> None:
    with pytest.raises(DefinitionError, match=r"is no condition: write equal\(a, b\), divides\(a, b\) or a <= b"):
        build()


def test_the_largest_is_told_by_names_alone() -> None:
    assert largest(a=a, b=b) == Largest(("a", "b"))
    with pytest.raises(DefinitionError, match=r"largest\(\) compares quantities by their names: a stands for something else"):
        largest(a=2 * b, b=b)


@pytest.mark.parametrize(("op", "built"), [("<=", a <= 1), ("<", a < 1), (">=", a >= 1), (">", a > 1)])
def test_comparisons_build_relations(op: str, built: Rel) -> None:
    assert built == Rel(op, a, num(1))
    assert (a >= 1) == Rel(">=", a, num(1))


def test_sympy_expressions_join_the_tree_from_both_sides() -> None:
    x = sp.Symbol("x", positive=True)
    assert a * x == Mul((a, Ref("x")))
    assert x * a == Mul((Ref("x"), a))
    assert x + a == Add((Ref("x"), a))
    assert x - a == Add((Ref("x"), Neg(a)))
    assert x / a == Div(Ref("x"), a)
    assert x**a == Pow(Ref("x"), a)
    assert sp.Integer(2) * a == Mul((num(2), a))
    assert sp.Rational(1, 3) * a == Mul((num(Fraction(1, 3)), a))
    assert (x < a) == Rel(">", a, Ref("x"))


def test_functions_of_sympy_take_our_terms() -> None:
    assert as_term(sp.ceiling(a / b)) == Call("ceiling", (Div(a, b),))
    with pytest.raises(DefinitionError, match="Float is no part of a formula"):
        a * sp.Float(0.5)
    with pytest.raises(DefinitionError, match="sin is no part of a formula"):
        a * sp.sin(sp.Symbol("x"))


def test_units_are_left_out_for_readers() -> None:
    assert without_units(2 * byte * a * hbm) == Mul((num(2), a))
    assert without_units(byte * a) == a
    assert without_units(byte * hbm) == num(1)
    assert without_units(a + byte) == Add((a, num(1)))
    assert without_units(a / second) == Div(a, num(1))
    assert without_units(where(a > byte, byte * b, c)) == where(a > 1, b, c)


def test_references_come_in_order_of_appearance_each_once() -> None:
    assert references(c * b + a * b - byte) == ("c", "b", "a")
    assert references(where(d > 1, a, b)) == ("d", "a", "b")
    assert references(symroof.largest(b=b, a=a)) == ("b", "a")
    assert references(Ref("q")(stage=a - 1) * b) == ("q", "a", "b")


def test_the_index_of_a_sum_is_no_reference_but_its_namesake_outside_is() -> None:
    inside = total_range(1, a, lambda i: Ref("i") * b)
    assert references(inside) == ("a", "b")
    assert references(inside + Ref("i")) == ("a", "b", "i")
    assert references(total_range(1, Ref("i"), lambda i: i)) == ("i",)
    assert references(total(Ref("docs"), lambda length: length * a)) == ("docs", "a")


def test_sums() -> None:
    assert total_range(1, a - 1, lambda stage: stage * b) == RangeSum("stage", num(1), a - 1, Ref("stage") * b)
    assert total(Ref("docs"), lambda length: length) == Total("docs", "docs_entry", Ref("docs_entry"))
    with pytest.raises(DefinitionError, match="runs over a list of the run, given by its name"):
        total(a + b, lambda x: x)
    with pytest.raises(DefinitionError, match="a sum over docs stands inside a sum over docs"):
        total(Ref("docs"), lambda x: total(Ref("docs"), lambda y: x * y))


def test_a_quantity_at_other_arguments() -> None:
    assert a(stage=b - 1) == At("a", (("stage", b - 1),))
    assert replace(a(stage=b - 1), {"b": num(8)}) == At("a", (("stage", num(8) - 1),))


EVERY_NODE = where(
    either(a > 1, symroof.divides(a, b)),
    symroof.Max(-a / b, 2**c) * byte,
    total(Ref("docs"), lambda x: x) + total_range(1, a, lambda i: Ref("q")(s=i)),
)


def test_rebuilding_without_change_changes_nothing() -> None:
    for node in walk(EVERY_NODE):
        assert rebuild(node, lambda t: t) == node
        assert hash(rebuild(node, lambda t: t)) == hash(node)
        assert all(child in list(walk(node)) for child in children(node))


def test_nodes_are_immutable() -> None:
    with pytest.raises(AttributeError):
        a.name = "b"
