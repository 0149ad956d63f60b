"""Quantities as JavaScript: what is computed, how it is said, and what is refused."""

from __future__ import annotations

import math
import subprocess
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolchains import NODE, JsModule, needs_node

import symroof
from symroof.passes.compile import numeric_program
from symroof.passes.js_code import JsPrinter, js_module

COUNTED = {"groups": [1, 2, 3, 6, 8], "members": [24, 48, 120], "chosen": [1, 2, 5, 7], "side": [5, 7, 64], "size": [1, 3, 1000]}
COUNTED |= {"kept": [0, 1], "street": [12, 24], "house": [1, 3, 4]}
SYMBOLS = (
    "from symroof import *\n"
    'n = symbol("1", "a count", domain=TALLY)\nk = symbol("1", "another", domain=TALLY)\n'
    'x = symbol("1", "a number", domain=POSITIVE)\n'
)
VALUES = 'n = 6\nk = 2\nx = "1/2"'


def printed(point: symroof.Point, *names: str, free: tuple[str, ...], conditions=None) -> str:
    asked = {n: point.book.conditions[n] for n in conditions or ()}
    program, whole = numeric_program(point, names, free, asked)
    return js_module(point, program, JsPrinter(whole), ["A test."], names)


@pytest.fixture
def alone(write_book):
    """The point of a quantity `it` of n, k and x."""

    def made(body: str) -> symroof.Point:
        chapter = f'@quantity("1", ref="r")\ndef it(n, k, x):\n    """It."""\n    return {body}\n'
        return symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()

    return made


@pytest.fixture
def module(tmp_path):
    """The functions of a module, from its source."""
    opened: list[JsModule] = []

    def made(source: str) -> JsModule:
        opened.append(JsModule(tmp_path, source))
        return opened[-1]

    yield made
    for found in opened:
        found.close()


@pytest.fixture(scope="module")
def town_in_js(town, tmp_path_factory):
    names = tuple(n for n in town.book.quantities if n not in ("blocks", "packet"))
    source = printed(town, *names, free=(*COUNTED, "share", "near_speed"), conditions=town.book.conditions)
    found = JsModule(tmp_path_factory.mktemp("town"), source)
    yield found
    found.close()


@needs_node
@given(data=st.data())
def test_every_value_is_the_exact_one_with_everything_free(town, town_in_js: JsModule, data: st.DataObject) -> None:
    values = {n: data.draw(st.sampled_from(v)) for n, v in COUNTED.items()}
    values["share"] = data.draw(st.fractions(min_value=Fraction(1, 50), max_value=1, max_denominator=50))
    values["near_speed"] = data.draw(st.fractions(min_value=1, max_value=1000, max_denominator=99))
    point = town.trial(**values)
    found = town_in_js("compute", {n: float(v) for n, v in values.items()})
    holds = [found.pop(n) for n in point.book.conditions]
    assert all(isinstance(held, bool) for held in holds)
    if not point.admissible:
        assert not all(holds)
        return
    assert all(holds)
    for name, got in found.items():
        if name == "gap" and values["groups"] == values["chosen"]:
            assert not math.isfinite(got)
        elif name == "slowest":
            assert got == point[name].exact
        else:
            exact = point[name].exact
            assert abs(Fraction(got) - exact) <= Fraction(1, 10**12) * abs(exact), name


@needs_node
@pytest.mark.parametrize(
    ("body", "values", "value"),
    [
        ("n * k", (2**26 - 1, 2**27), (2**26 - 1) * 2**27),
        ("n * k", (2**40, 2**62), 2.0**102),
        ("n * k", (1e200, 1e200), math.inf),
        ("1 / (n - k)", (2, 2), math.inf),
        ("(n - k) / (n - k)", (2, 2), math.nan),
        ("where(n > k, 1 / (n - k), 7)", (2, 2), 7),
        ("Max(n, k / (n - n))", (0, 0), math.nan),
        ("Max(n, k, 4)", (2, 9), 9),
        ("Min(n, k, 4)", (2, 9), 2),
        ("binomial(n, k)", (60, 30), math.comb(60, 30)),
        ("binomial(n, k)", (6, 2.5), math.nan),
        ("binomial(n, k)", (30000, 20001), math.nan),
        ("1 - binomial(n, k) / binomial(n + 1, k)", (3, 2), 0.5),
        ("total_range(1, n, lambda i: i * k)", (4, 3), 30),
        ("total_range(n, k, lambda i: i)", (4, 3), 0),
        ("total_range(1, n, lambda i: i)", (1e300, 3), math.nan),
        ("total_range(1, 3, lambda i: total_range(1, i, lambda j: j * n))", (2, 3), 20),
        ("n ** 3 + x ** 2", (200001, 1, 0.5), 200001**3),
        ("x ** (0 - 2)", (1, 1, 4), 0.0625),
        ("x ** Fraction(1, 2)", (1, 1, 4), 2),
        ("2 ** n", (60, 1), 2.0**60),
        ("floor(n * x)", (10, 1, 0.7), 7),
        ("ceiling(n * x)", (10, 1, 0.7), 7),
        ("where(divides(k, n), 1, 0)", (9, 3), 1),
        ("where(divides(k, n), 1, 0)", (9, 2), 0),
        ("where(divides(x, n * x * 7), 1, 0)", (3, 1, 0.1), 1),
        ("where(either(equal(n * x, 1), n * x > 3), 1, 0)", (10, 1, 0.1), 1),
        ("where(equal(n, k), 1, 0)", (3, 3), 1),
        ("where(both(n * x < 1, n * x <= 2), 1, 0)", (10, 1, 0.1), 0),
        ("0 - (0 - k - n)", (10, 3), 13),
    ],
)
def test_values_at_the_edges(alone, module, body: str, values: tuple[float, ...], value: float) -> None:
    found = module(printed(alone(body), "it", free=("n", "k", "x")))("compute", dict(zip("nkx", values, strict=False)))["it"]
    assert found == value or (math.isnan(found) and math.isnan(value))


@needs_node
def test_what_is_no_number_or_no_argument_is_refused(alone, module) -> None:
    it = module(printed(alone("n * k + x"), "it", free=("n", "k", "x")))
    assert it("compute") == {"it": 12.5}
    assert it("compute", {"n": "3"}) == {"error": 'TypeError: n is "3": give a number'}
    assert it("compute", {"n": None}) == {"error": "TypeError: n is null: give a number"}
    assert it("compute", {"n": [3]}) == {"error": "TypeError: n is 3: give a number"}
    assert it("compute", {"N": 3}) == {"error": "TypeError: N is no argument: arguments are n, k, x"}


@needs_node
def test_functions_take_numbers_in_order(alone, module) -> None:
    it = module(printed(alone("n * k + x"), "it", free=("n", "k", "x")))
    assert (it("it"), it("it", 3), it("it", 3, 4, 5)) == (12.5, 6.5, 17)


@needs_node
def test_a_function_asks_for_nothing_that_its_quantity_does_not_rest_on(town: symroof.Point, module) -> None:
    source = printed(town, "near_bytes", "blocks", free=("size", "hop"))
    found = module(source)
    assert found("near_bytes", 2) == 2 * town["members"].value
    assert found("blocks", 5) == town.set(hop=5)["blocks"].value
    assert found("compute", {"size": 1}) == {"error": "TypeError: hop is undefined: give a number"}


@needs_node
def test_names_that_mean_something_in_javascript(write_book, module) -> None:
    symbols = SYMBOLS + 'new = symbol("1", "a count")\nMath = symbol("1", "a count")\nvalues = symbol("1", "a count")\n'
    each = [("var", ""), ("typeof", ", var"), ("_floor", ", typeof"), ("compute", ", _floor"), ("undefined", ", compute")]
    chapter = "".join(
        f'@quantity("1", ref="r")\ndef {name}(new, Math, values{more}):\n    """It."""\n'
        f"    return floor(new * Math / 2) + values{more.replace(',', ' +')}\n"
        for name, more in each
    )
    given_ = f"{VALUES}\nnew = 1\nMath = 2\nvalues = 3"
    point = symroof.load(write_book(symbols=symbols, values=given_, ch01_it=chapter)).at()
    found = module(printed(point, *(n for n, _ in each), free=("new", "Math", "values")))
    assert found("compute", {"new": 4}) == {"var": 7, "typeof": 14, "_floor": 21, "compute": 28, "undefined": 35}
    assert [found(f"{n}_", 4) for n, _ in each] == [7, 14, 21, 28, 35]


@needs_node
def test_a_text_that_ends_a_comment_ends_none(write_book, tmp_path) -> None:
    chapter = '''
        @quantity("1", ref="a */ b /* c `d` ${e}\\u2028x")
        def it(n):
            """It */ throw /* it."""
            return n + 1
    '''
    point = symroof.load(write_book(symbols=SYMBOLS, values=VALUES, ch01_it=chapter)).at()
    (tmp_path / "it.mjs").write_text(printed(point, "it", free=("n",)))
    found = subprocess.run([NODE, "--check", str(tmp_path / "it.mjs")], capture_output=True, text=True, check=False)
    assert (found.returncode, found.stderr) == (0, "")


def test_a_module_imports_nothing_and_says_its_arguments(town: symroof.Point) -> None:
    source = printed(town, "near_bytes", free=("size", "members"))
    assert "import" not in source
    size, members = town["size"].value, town["members"].value
    assert f"export function near_bytes(size = {size}, members = {members}) {{" in source
    assert f" * @param {{number}} [values.size={size}] " in source
    assert f" * @param {{number}} [size={size}] {town['size'].says} [byte]\n" in source
    assert " * Bytes between neighbours [byte@nvlink]. Source: every member gets one.\n" in source
    assert " * @returns {{near_bytes: number}}\n" in source


@needs_node
def test_a_convention_is_the_number_of_its_choice(town: symroof.Point, module) -> None:
    asked = module(printed(town, "weight", free=("weighing", "groups")))
    choices = list(town.book.conventions["weighing"].choices)
    for number, choice in enumerate(choices):
        there = town.set(weighing=choice, groups=4)
        assert asked("compute", {"weighing": number, "groups": 4})["weight"] == float(there["weight"].exact)
