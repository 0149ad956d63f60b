"""Quantities as C: what is computed, how it is said, and names that a compiler takes."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolchains import CFunction, c_values, compiled, needs_c

import symroof
from symroof.errors import EvaluationError
from symroof.passes.c_code import CPrinter, c_module
from symroof.passes.compile import numeric_program
from symroof.passes.module import ordered

COUNTED = {"groups": [1, 2, 3, 6, 8], "members": [24, 48, 120], "chosen": [1, 2, 5, 7], "side": [5, 7, 64], "size": [1, 3, 1000]}
COUNTED |= {"kept": [0, 1], "street": [12, 24], "house": [1, 3, 4]}
SYMBOLS = (
    "from symroof import *\n"
    'n = symbol("1", "a count", domain=TALLY)\nk = symbol("1", "another", domain=TALLY)\n'
    'x = symbol("1", "a number", domain=POSITIVE)\n'
)
VALUES = 'n = 6\nk = 2\nx = "1/2"'


def printed(point: symroof.Point, *names: str, free: tuple[str, ...]) -> str:
    program, whole = numeric_program(point, names, free, {})
    return c_module(point, program, CPrinter(whole), ["A test."], names)


@pytest.fixture
def alone(write_book):
    """The C of a quantity `it` of n, k and x."""

    def made(body: str, head: str = "") -> str:
        chapter = f'{head}\n@quantity("1", ref="r")\ndef it(n, k, x):\n    """It."""\n    return {body}\n'
        point = symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()
        return printed(point, "it", free=("n", "k", "x"))

    return made


def asked(tmp_path, source: str, *calls: str) -> list[float]:
    prints = "".join(f'printf("%a\\n", {call}); ' for call in calls)
    return [float.fromhex(line) for line in c_values(tmp_path, source, f"int main(void) {{ {prints} return 0; }}\n").split()]


@pytest.fixture(scope="module")
def town_in_c(town, tmp_path_factory):
    names = tuple(n for n in town.book.quantities if n not in ("blocks", "packet"))
    free = (*COUNTED, "share", "near_speed")
    program, whole = numeric_program(town, names, free, {})
    printer = CPrinter(whole)
    source = c_module(town, program, printer, ["A test."], names)
    texts = {n: n == "slowest" for n in names}
    found = CFunction(tmp_path_factory.mktemp("town"), source, ordered(town, program), texts, printer.name)
    yield found
    found.close()


@needs_c
@given(data=st.data())
def test_every_value_is_the_exact_one_with_everything_free(
    town: symroof.Point, town_in_c: CFunction, data: st.DataObject
) -> None:
    values = {n: data.draw(st.sampled_from(v)) for n, v in COUNTED.items()}
    values["share"] = data.draw(st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50))
    values["near_speed"] = data.draw(st.fractions(min_value=1, max_value=1000, max_denominator=99))
    point = town.trial(**values)
    if not point.admissible:
        return
    for name, got in town_in_c(**values).items():
        if name == "gap" and values["groups"] == values["chosen"]:
            assert not math.isfinite(got)
        elif name == "slowest":
            assert got == point[name].exact
        else:
            exact = point[name].exact
            assert abs(Fraction(got) - exact) <= Fraction(1, 10**12) * abs(exact), name


@needs_c
def test_nothing_wraps_round(alone, tmp_path) -> None:
    calls = ["it(67108863, 134217728, 1)", "it(0x1p40, 0x1p62, 1)", "it(4611686018427387904, 4, 1)", "it(1e200, 1e200, 1)"]
    assert asked(tmp_path, alone("n * k"), *calls) == [(2**26 - 1) * 2**27, 2.0**102, 2.0**64, math.inf]


@needs_c
@pytest.mark.parametrize(
    ("body", "call", "value"),
    [
        ("1 / (n - k)", "it(2, 2, 1)", math.inf),
        ("(n - k) / (n - k)", "it(2, 2, 1)", math.nan),
        ("where(n > k, 1 / (n - k), 7)", "it(2, 2, 1)", 7),
        ("Max(n, k / (n - n))", "it(0, 0, 1)", math.nan),
        ("Min(k / (n - n), n)", "it(0, 0, 1)", math.nan),
        ("Max(n, k, 4)", "it(2, 9, 1)", 9),
        ("binomial(n, k)", "it(60, 30, 1)", math.comb(60, 30)),
        ("binomial(n, k)", "it(6, 2.5, 1)", math.nan),
        ("binomial(n, k)", "it(6, -1, 1)", math.nan),
        ("binomial(n, k)", "it(30000, 20001, 1)", math.nan),
        ("1 - binomial(n, k) / binomial(n + 1, k)", "it(3, 2, 1)", 0.5),
        ("total_range(1, n, lambda i: i * k)", "it(4, 3, 1)", 30),
        ("total_range(n, k, lambda i: i)", "it(4, 3, 1)", 0),
        ("total_range(1, n, lambda i: i)", "it(NAN, 3, 1)", math.nan),
        ("total_range(1, n, lambda i: i)", "it(1e300, 3, 1)", math.nan),
        ("total_range(1, 3, lambda i: total_range(1, i, lambda j: j * n))", "it(2, 3, 1)", 20),
        ("n ** 3 + x ** 2", "it(200001, 1, 0.5)", 200001**3),
        ("x ** (0 - 2)", "it(1, 1, 4)", 0.0625),
        ("x ** Fraction(1, 2)", "it(1, 1, 4)", 2),
        ("2 ** n", "it(60, 1, 1)", 2.0**60),
        ("floor(n * x)", "it(10, 1, 0.7)", 7),
        ("ceiling(n * x)", "it(10, 1, 0.7)", 7),
        ("ceiling(0 - x)", "it(10, 1, 0.7)", 0),
        ("where(divides(k, n), 1, 0)", "it(9, 3, 1)", 1),
        ("where(divides(k, n), 1, 0)", "it(9, 2, 1)", 0),
        ("where(divides(k, n), 1, 0)", "it(9, 0, 1)", 0),
        ("where(divides(x, n * x * 7), 1, 0)", "it(3, 1, 0.1)", 1),
        ("where(either(equal(n * x, 1), n * x > 3), 1, 0)", "it(10, 1, 0.1)", 1),
        ("where(both(n * x < 1, n * x <= 2), 1, 0)", "it(10, 1, 0.1)", 0),
        ("n - (0 - k)", "it(10, 3, 0.1)", 13),
        ("0 - (0 - k - n)", "it(10, 3, 0.1)", 13),
    ],
)
def test_values_at_the_edges(alone, tmp_path, body: str, call: str, value: float) -> None:
    (found,) = asked(tmp_path, alone(body), call)
    assert found == value or (math.isnan(found) and math.isnan(value))


@needs_c
def test_largest_names_all_that_are_as_large(write_book, tmp_path) -> None:
    chapter = """
        @quantity("1", ref="r")
        def a(n):
            \"\"\"One.\"\"\"
            return n
        @quantity("1", ref="r")
        def b(k):
            \"\"\"Another.\"\"\"
            return k
        @quantity("name", ref="r")
        def it(a, b):
            \"\"\"It.\"\"\"
            return largest(a=a, b=b)
    """
    point = symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()
    source = printed(point, "it", free=("n", "k"))
    calls = ["it(1, 2)", "it(2, 1)", "it(2, 2)", "it(INFINITY, INFINITY)", "it(-1, -2)", "it(NAN, NAN)"]
    main = "".join(f"puts({call}); " for call in calls)
    found = c_values(tmp_path, source, f"int main(void) {{ {main} return 0; }}\n")
    assert found.splitlines() == ["b", "a", "a, b", "a, b", "a", "none"]


def test_more_names_than_a_table_can_have_are_refused(write_book) -> None:
    names = [f"a{i}" for i in range(9)]
    each = "".join(f'@quantity("1", ref="r")\ndef {n}(n):\n    """One."""\n    return n\n' for n in names)
    among = ", ".join(f"{n}={n}" for n in names)
    chapter = f'{each}@quantity("name", ref="r")\ndef it({", ".join(names)}):\n    """It."""\n    return largest({among})\n'
    point = symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()
    with pytest.raises(EvaluationError, match="the largest of 9 values cannot be named in C: 8 are the most"):
        printed(point, "it", free=("n",))


@needs_c
def test_names_that_mean_something_in_c(write_book, tmp_path) -> None:
    symbols = SYMBOLS + 'register = symbol("1", "a count")\nexp = symbol("1", "a count")\nü = symbol("1", "a count")\n'
    body = "register + exp + ü"
    each = [("double", ""), ("gamma", ", double"), ("floor_", ", gamma"), ("results", ", floor_"), ("main", "")]
    chapter = "".join(
        f'@quantity("1", ref="r")\ndef {name}(register, exp, ü{more}):\n    """It."""\n'
        f"    return {body}{more.replace(',', ' +')}\n"
        for name, more in each
    )
    values = f'{VALUES}\nregister = 1\nexp = 2\n"ü" = 3'
    point = symroof.load(write_book(symbols=symbols, values=values, ch01_it=chapter)).at()
    source = printed(point, "double", "gamma", "floor_", "results", "main", free=("register", "exp", "ü"))
    calls = ["double_(1, 2, 3)", "gamma_(1, 2, 3)", "floor__(1, 2, 3)", "results_(1, 2, 3)", "main_(1, 2, 3)"]
    assert asked(tmp_path, source, *calls, "compute(1, 2, 4).gamma_") == [6, 12, 18, 24, 6, 14]


@needs_c
def test_a_text_that_ends_a_comment_ends_none(write_book, tmp_path) -> None:
    chapter = '''
        @quantity("1", ref="a */ b /* c ??/ d // e")
        def it(n):
            """It */ #error /* ??/ it."""
            return n + 1
        @quantity("1", ref="r")
        def other(k):
            """Other */ #error"""
            return k + 1
    '''
    point = symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()
    compiled(tmp_path, printed(point, "it", free=("n",)))
    assert asked(tmp_path, printed(point, "it", "other", free=("n", "k")), "it(1)", "other(4)") == [2, 5]


@needs_c
def test_a_function_of_nothing_and_arguments_that_nothing_reads(alone, write_book, tmp_path) -> None:
    assert asked(tmp_path, alone("n + 0 * k"), "it(1, 2, 3)") == [1]
    point = symroof.load(tmp_path / "book").at()
    source = printed(point, "it", free=())
    assert "double it(void);" in source
    assert asked(tmp_path, source, "it()") == [6]


def test_a_function_says_its_arguments_in_order_with_meaning_unit_and_value(town: symroof.Point) -> None:
    source = printed(town, "near_bytes", free=("size", "members"))
    assert (
        """\
/*
 * Bytes between neighbours [byte@nvlink]. Source: every member gets one.
 * Arguments, in this order, in base units (bytes, seconds, FLOPs), each with its value of town:
"""
        in source
    )
    (size, members) = [line for line in source.splitlines() if line.startswith((" *     size: ", " *     members: "))]
    assert size.endswith(f"[byte]; {town['size'].value}")
    assert members.endswith(f"; {town['members'].value}")
    assert "double near_bytes(double size, double members);" in source


def test_a_large_value_is_said_as_short_as_it_can_be() -> None:
    from symroof.passes.scalar_code import brief

    shown = {Fraction(64): "64", Fraction(25 * 10**14): "2.5e+15", Fraction(1, 20): "0.05", Fraction(1, 3): "0.3333333333333333"}
    assert {value: brief(value) for value in shown} == shown
    assert all(float(brief(Fraction(7**n))) == float(7**n) for n in range(60))
