"""The compiled form: the rule for numbers, shapes, names, sums, and values that equal the exact ones."""

from __future__ import annotations

import ast
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import EvaluationError, MissingValueError, UnknownNameError
from symroof.expression import parse_condition
from symroof.passes.compile import compile_quantities
from symroof.passes.evaluate import choose

COUNTED = {"groups": [1, 2, 3, 6, 8], "members": [24, 48, 120], "chosen": [1, 2, 5, 7], "side": [5, 7, 64], "size": [1, 3, 1000]}
COUNTED |= {"kept": [0, 1], "street": [12, 24], "house": [1, 3, 4]}


@st.composite
def points(draw, town):
    """An admissible point of the small book, and the values of all its counts."""
    values = {n: draw(st.sampled_from(v)) for n, v in COUNTED.items()}
    values["share"] = draw(st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50))
    values["near_speed"] = draw(st.fractions(min_value=1, max_value=1000, max_denominator=99))
    return values


@given(data=st.data())
def test_every_value_is_the_exact_one_with_everything_free(town: symroof.Point, data: st.DataObject) -> None:
    values = data.draw(points(town))
    point = town.trial(**values)
    if not point.admissible:
        return
    names = [
        n for n in town.book.quantities if "hop" not in town.book.inputs_of(n) or n in ("packets", "last_packet", "two_packets")
    ]
    found = town.compile(names, values)(**{n: float(v) for n, v in values.items()})
    for name in names:
        if name == "gap" and values["groups"] == values["chosen"]:
            assert not np.isfinite(found[name])
        elif name == "slowest":
            assert found[name] == point[name].exact
        else:
            assert_same(float(found[name]), point[name].exact)


def assert_same(got: float, exact: Fraction) -> None:
    assert abs(Fraction(got) - exact) <= Fraction(1, 10**12) * abs(exact)


def alone(write_book, body: str, head: str = "", **values: str) -> symroof.Point:
    """A book with one quantity `it` of n, k and x."""
    chapter = f'''
        {head}
        @quantity("1", ref="r")
        def it(n, k, x):
            """It."""
            return {body}
    '''
    symbols = (
        "from symroof import *\n"
        'n = symbol("1", "a count", domain=TALLY)\nk = symbol("1", "another", domain=TALLY)\n'
        'x = symbol("1", "a number", domain=POSITIVE)\n'
    )
    given_ = "\n".join(f"{n} = {v}" for n, v in ({"n": "6", "k": "2", "x": '"1/2"'} | values).items())
    return symroof.load(write_book(symbols=symbols, values=given_, ch01_it=chapter)).at()


def test_whole_numbers_are_exact_below_2_to_the_53_and_nothing_wraps_round(write_book) -> None:
    compiled = alone(write_book, "n * k").compile(["it"], ["n", "k"])
    assert compiled(n=2**26 - 1, k=2**27)["it"] == (2**26 - 1) * 2**27
    small = np.array([2**40, 2**62], dtype=np.int64)
    assert compiled(n=small, k=small)["it"].tolist() == [2.0**80, 2.0**124]
    assert compiled(n=np.array([200], dtype=np.uint8), k=np.array([200], dtype=np.uint8))["it"].tolist() == [40_000]
    assert compiled(n=1e200, k=1e200)["it"] == np.inf


@given(st.integers(-1000, 1000), st.integers(1, 400), st.integers(1, 50))
def test_floor_and_ceiling_of_quotients_are_exact(p: int, q: int, r: int) -> None:
    from symroof.passes.numpy_code import NumpyPrinter

    namespace: dict = {"np": np}
    exec("\n".join(NumpyPrinter.helpers[n] for n in ("_floor", "_ceiling", "_divides", "_measures")), namespace)
    exact = Fraction(p, q)
    # Divided and multiplied again, a value is no longer the float nearest to the exact one.
    rounded = np.float64(p) / q / r * r
    assert namespace["_floor"](rounded) == exact.__floor__()
    assert namespace["_ceiling"](rounded) == exact.__ceil__()
    assert namespace["_measures"](np.float64(1) / r, rounded) == ((exact * r).denominator == 1)
    assert namespace["_divides"](np.float64(q), np.float64(p)) == (p % q == 0)


@pytest.mark.parametrize("large", [2**40, 2**46 + 1, 2**52 + 1])
def test_floor_leaves_large_whole_numbers_alone(large: int) -> None:
    from symroof.passes.numpy_code import NumpyPrinter

    namespace: dict = {"np": np}
    exec(NumpyPrinter.helpers["_floor"], namespace)
    assert namespace["_floor"](np.float64(large)) == large
    assert namespace["_floor"](np.float64(2**30) + 0.7) == 2**30


@given(st.integers(1, 2000), st.integers(1, 40), st.integers(1, 60))
def test_chances_keep_their_digits(group: int, k: int, groups: int) -> None:
    from symroof.passes.numpy_code import NumpyPrinter

    namespace: dict = {"np": np}
    exec("\n".join(NumpyPrinter.helpers[n] for n in ("_floats", "_steps", "_hit")), namespace)
    members = group * groups
    if k > members:
        return
    exact = 1 - choose(Fraction(members - group), Fraction(k)) / choose(Fraction(members), Fraction(k))
    for several in (np.float64(k), np.array([k, 0, k])):
        found = np.ravel(namespace["_hit"](np.float64(members - group), np.float64(members), several))[0]
        assert abs(Fraction(float(found)) - exact) <= Fraction(1, 10**13) * exact


def test_binomials_take_arrays_and_refuse_what_would_take_for_ever(write_book) -> None:
    compiled = alone(write_book, "binomial(n, k)").compile(["it"], ["n", "k"])
    assert compiled(n=[5, 6, 7], k=[0, 3, 9])["it"].tolist() == [1, 20, 0]
    assert compiled(n=50, k=range(26))["it"].tolist() == [math.comb(50, k) for k in range(26)]
    assert np.isnan(compiled(n=5, k=1.5)["it"])
    with pytest.raises(EvaluationError, match="a binomial needs a whole k from 0 to 20,000, not 30000"):
        compiled(n=5, k=30_000)


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("1 - 1 / n", "it = (n - 1) / n"),
        ("x * (1 - 1 / n) - x * (1 - k / n)", "it = (x * (k - 1)) / n"),
        ("n - n / k", "it = (n * (k - 1)) / k"),
        ("1 - binomial(n - k, 3) / binomial(n, 3)", "it = _hit(n - k, n, 3)"),
        ("x - k * x / k", "it = 0"),
        ("n - k", "it = n - k"),
        ("x - x / k - 1", "it = _difference(x, x / k + 1)"),
    ],
)
def test_differences_are_written_so_that_they_keep_their_digits(write_book, body: str, line: str) -> None:
    source = alone(write_book, body).compile(["it"], ["n", "k", "x"]).source
    assert line in [text.strip() for text in source.splitlines()] or (line == "it = 0" and '"it": 0' in source)


def test_a_difference_that_is_all_rounding_is_zero(write_book) -> None:
    point = alone(write_book, "x * x - x / (1 / x)")
    compiled = point.compile(["it"], ["x"])
    assert np.all(compiled(x=np.linspace(0.01, 100, 999))["it"] == 0)


def test_a_constraint_says_what_is_whole(write_book) -> None:
    head = '''
        @constraint
        def whole_groups(n, k):
            """Groups are whole."""
            return divides(k, n)

        '''
    bare = alone(write_book, "floor(n / k - 1 / (2 * k))").compile(["it"], ["n", "k"]).source
    told = alone(write_book, "floor(n / k) + floor(x)", head).compile(["it"], ["n", "k", "x"]).source
    assert "_floor(" in bare
    assert "np.floor(n / k) + _floor(x)" in told


def test_results_have_the_shape_of_what_they_depend_on(town: symroof.Point) -> None:
    found = town.compile(["held", "area", "overlap"], ["groups", "side"])(groups=np.ones((3, 1)), side=np.arange(1, 5))
    assert (np.shape(found["held"]), np.shape(found["area"]), np.shape(found["overlap"])) == ((3, 1), (4,), (3, 1))


def test_sums_have_bounds_of_their_own_at_every_point(town: symroof.Point) -> None:
    counts = [1, 2, 6, 8]
    found = town.compile(["packets"], ["groups"])(groups=counts)["packets"]
    assert found.tolist() == [town.set(groups=g)["packets"].value for g in counts]
    assert town.compile(["packets"], ["groups"])(groups=[])["packets"].tolist() == []
    with pytest.raises(EvaluationError, match="a sum runs over at most 100,000 whole numbers, not from 1 to 1e"):
        town.compile(["packets"], ["groups"])(groups=1e9)


def test_the_largest_is_named_and_ties_name_all(town: symroof.Point) -> None:
    compiled = town.compile(["slowest"], ["near_time", "far_time"])
    found = compiled(near_time=[1.0, 2.0, 0.1 + 0.2], far_time=[2.0, 1.0, 0.3])["slowest"]
    assert found.tolist() == ["far_time", "near_time", "near_time, far_time"]


def test_cases_and_divisions_by_zero_make_no_noise(town: symroof.Point, recwarn: pytest.WarningsRecorder) -> None:
    found = town.compile(["last_packet", "gap"], ["groups"])(groups=[1, 6])
    assert (found["last_packet"][0], np.isfinite(found["gap"]).tolist()) == (0, [True, True])
    assert np.isinf(town.compile(["gap"], ["groups", "chosen"])(groups=3, chosen=3)["gap"])
    assert not recwarn.list


def test_conditions_are_exact_at_the_edge(town: symroof.Point) -> None:
    texts = {
        "at most": "share <= 30%",
        "below": "share < 0.3",
        "three": "3*share >= 9/10",
        "same": "share = 3/10",
        "not": "share != 0.3",
    }
    conditions = {n: parse_condition(town.book, t) for n, t in texts.items()}
    compiled = compile_quantities(town, (), ("share",), conditions)
    found = compiled(share=[0.3, 0.1 + 0.2, 0.3 + 1e-9])
    assert {n: np.ravel(v).tolist() for n, v in found.items()} == {
        "at most": [True, True, False],
        "below": [False, False, False],
        "three": [True, True, True],
        "same": [True, True, False],
        "not": [False, False, True],
    }


def test_it_is_compiled_once(town: symroof.Point) -> None:
    assert town.compile(["held"], ["groups"]) is town.compile(("held",), ("groups",))
    assert town.compile(["held"], ["groups"]) is not town.compile(["held"], ["members"])


def test_the_source_is_python_without_symroof(town: symroof.Point) -> None:
    names = [n for n in town.book.quantities if n not in ("packet", "blocks")]
    tree = ast.parse(town.compile(names, ["groups", "members"]).source)
    imported = [a.name for n in ast.walk(tree) if isinstance(n, ast.Import) for a in n.names]
    assert imported == ["numpy"]
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]


def test_a_book_compiles_at_its_presets(parcels: symroof.Book) -> None:
    assert parcels.compile(["held"], ["groups"], members=48)(groups=6)["held"] == 8


def test_misuse_says_what_it_takes(town: symroof.Point) -> None:
    compiled = town.compile(["held"], ["groups", "members"])
    cases = {
        "no value for members: the compiled form takes groups, members": {"groups": 1},
        "grops is not free here; did you mean groups": {"grops": 1, "members": 2},
        "could not convert string to float: 'many'": {"groups": "many", "members": 2},
        "could not be broadcast": {"groups": [1, 2], "members": [1, 2, 3]},
    }
    for message, arrays in cases.items():
        with pytest.raises(EvaluationError, match=message):
            compiled(**arrays)
    with pytest.raises(EvaluationError, match="x is not free here; the compiled form takes no symbol"):
        town.compile(["held"], [])(x=1)
    with pytest.raises(UnknownNameError, match="no quantity or symbol 'hold'"):
        town.compile(["hold"], [])
    with pytest.raises(MissingValueError, match="hop"):
        town.compile(["packet"], ["groups"])


def test_a_number_too_large_for_a_float_is_refused(write_book) -> None:
    point = alone(write_book, "n * 10**400 / x")
    with pytest.raises(EvaluationError, match=r"a number of \d+ bits is too large for a float"):
        point.compile(["it"], ["n"])


def test_a_part_that_divides_by_zero_may_stand_in_a_branch_that_is_never_taken(write_book) -> None:
    point = alone(write_book, "where(n > 1, x, 1 / (k - 2))")
    assert point.compile(["it"], ["n"])(n=[1, 2])["it"].tolist()[1] == 0.5
    assert np.isnan(point.compile(["it"], ["n"])(n=1)["it"])
