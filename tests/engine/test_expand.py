"""Closed forms: equal to the value of the DAG at every admissible point, with any symbols left free."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symroof
from symroof.errors import ConstraintError, EvaluationError, MissingValueError, UnknownNameError
from symroof.passes.expand import expand, symbols_of

SPEED = st.integers(1, 400).map(lambda n: Fraction(n * 10**9, 4))
OVERRIDES = st.fixed_dictionaries(
    {},
    optional={
        "members": st.integers(1, 30).map(lambda n: 8 * n),
        "groups": st.sampled_from([1, 2, 3, 4, 6, 8, 12]),
        "chosen": st.integers(1, 6),
        "side": st.integers(1, 12),
        "kept": st.sampled_from([0, 1]),
        "share": st.fractions(Fraction(1, 10), 1, max_denominator=20),
        "near_speed": SPEED,
        "far_speed": SPEED,
        "house": st.sampled_from([1, 5, 8, 30, 120]),
        "weighing": st.sampled_from(["all", "held"]),
        "breadth": st.integers(1, 9),
        "hop": st.integers(1, 9),
    },
)
FREE = ["groups", "members", "chosen", "side", "near_speed", "house", "held", "hop"]


def admissible(town: symroof.Point, values: dict[str, object]) -> symroof.Point:
    try:
        return town.set(**{"hop": 2, **values})
    except ConstraintError:
        assume(False)
        raise


def at_values(point: symroof.Point, expression: sp.Expr) -> object:
    table = symbols_of(point.book)
    names = {symbol.name for symbol in expression.free_symbols} & table.keys()
    values = {table[n]: point[n].exact for n in names}
    found = expression.subs({s: sp.Rational(v.numerator, v.denominator) for s, v in values.items()}, simultaneous=True)
    return found.doit()


def agrees(found: object, exact: Fraction | str) -> bool:
    return isinstance(exact, Fraction) and found == sp.Rational(exact.numerator, exact.denominator)


@settings(max_examples=10)
@given(OVERRIDES)
def test_the_closed_form_in_all_symbols_has_the_value(town: symroof.Point, values: dict[str, object]) -> None:
    point = admissible(town, values)
    for name in point.book.quantities:
        if name in ("slowest", "gap"):
            continue
        form = expand(point, name)
        assert {s.name for s in form.free_symbols} <= point.given.keys()
        assert agrees(at_values(point, form), point[name].exact), name


@settings(max_examples=25)
@given(OVERRIDES, st.sets(st.sampled_from(FREE), max_size=3))
def test_free_symbols_stay_and_the_rest_are_numbers(town: symroof.Point, values: dict[str, object], free: set[str]) -> None:
    point = admissible(town, values)
    for name in point.book.quantities:
        if name in ("slowest", "gap"):
            continue
        form = expand(point, name, free)
        assert {s.name for s in form.free_symbols} <= free
        assert agrees(at_values(point, form), point[name].exact), name


def test_nothing_free_is_a_number(town: symroof.Point) -> None:
    assert expand(town, "reached", ()) == sp.Rational(*town["reached"].exact.as_integer_ratio())
    assert str(expand(town, "slowest", ())) == "far_time"


@pytest.mark.parametrize("free", [("groups",), ("members",), ("side",), ("held",)])
def test_a_pinned_quantity_is_a_number_unless_it_is_free(town: symroof.Point, free: tuple[str, ...]) -> None:
    pinned = town.set(held=5)
    assert expand(pinned, "held", free) == (sp.Symbol("held", nonnegative=True) if free == ("held",) else 5)
    assert {s.name for s in expand(pinned, "missed", free).free_symbols} <= set(free)
    assert str(expand(pinned, "held")) == "held"
    assert {s.name for s in expand(pinned, "missed").free_symbols} == {"members", "held", "chosen"}


def test_a_maximum_is_not_evaluated(town: symroof.Point) -> None:
    form = expand(town, "time")
    assert isinstance(form, sp.Max)
    assert len(form.args) == 2
    assert expand(town, "time", ["far_speed"]).has(sp.Max)
    assert expand(town, "slack").has(sp.Min)
    assert not expand(town, "time", ["side"]).has(sp.Max)


def test_a_maximum_of_equals_is_one_of_them(write_book) -> None:
    text = '@quantity("1", ref="r")\ndef q(n, k):\n    "Says."\n    return Max(n * k, k * n)\n'
    point = symroof.load(write_book(ch01=text)).at()
    assert str(expand(point, "q")) == "k*n"


def test_symbols_have_the_assumptions_of_their_domain(parcels: symroof.Book) -> None:
    table = symbols_of(parcels)
    assert (table["groups"].is_integer, table["groups"].is_positive) == (True, True)
    assert (table["spare"].is_positive, table["spare"].is_nonnegative) == (None, True)
    assert (table["share"].is_integer, table["share"].is_positive) == (None, True)
    assert expand(parcels.at(), "area") == table["side"] ** 2


def test_the_branch_that_a_number_rules_out_is_not_looked_at(write_book) -> None:
    text = """
        m = symbol("1", "says")
        @quantity("1", ref="r")
        def other(m, n):
            "Says."
            return m / (n - 6)
        @quantity("1", ref="r")
        def q(n, k, other):
            "Says."
            return where(n > 1, n * k, other)
    """
    book = symroof.load(write_book(ch01=text))
    assert str(book.at()["q"].closed_form(["k"]).expression) == "6*k"
    assert str(expand(book.at(), "q")) == "Piecewise((k*n, n > 1), (m/(n - 6), True))"
    with pytest.raises(MissingValueError, match="m"):
        book.at(n=1)["q"].closed_form(["k"])


def test_an_empty_sum_is_zero_and_not_counted_backwards(write_book) -> None:
    text = '@quantity("1", ref="r")\ndef q(n, k):\n    "Says."\n    return total_range(4, n, lambda i: i * k)\n'
    book = symroof.load(write_book(ch01=text))
    assert str(expand(book.at(n=1), "q", ["k"])) == "0" == str(book.at(n=1)["q"].exact)
    assert str(expand(book.at(n=5), "q", ["k"])) == "9*k"


def test_free_names_must_exist(town: symroof.Point) -> None:
    with pytest.raises(UnknownNameError, match="did you mean groups"):
        town["held"].closed_form(["grops"])


def test_a_division_by_zero_has_no_closed_form_in_numbers(town: symroof.Point) -> None:
    with pytest.raises(EvaluationError, match="divides by zero"):
        town.set(chosen=8)["gap"].closed_form(["side"])
