"""Every quantity of the book as C and as JavaScript, with every symbol an argument, equals its exact value to 1e-12."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from toolchains import CFunction, JsModule, needs_c, needs_node

import symroof
from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.c_code import CPrinter, c_module
from symroof.passes.compile import numeric_program
from symroof.passes.js_code import JsPrinter, js_module
from symroof.passes.module import ordered
from tests.derivations.test_compile import exact_values, runs

BOOK = symroof.load().at().book
REFERENCE = BOOK.at()
# The default, and every other choice of each convention by itself.
CHOICES = [{}, *({n: choice} for n, c in BOOK.conventions.items() for choice in c.choices if choice != REFERENCE.choices[n])]
CLOSE = Fraction(1, 10**12)


def exact_of(point):
    """The exact values of everything that has one, or none."""
    return {n: v for n, v in exact_values(point).items() if n in BOOK.quantities}


def names_at(point) -> list[str]:
    found = []
    for name in BOOK.quantities:
        try:
            point.evaluator.value(name)
        except MissingValueError:
            continue
        except EvaluationError:
            pass
        found.append(name)
    return found


class Languages:
    """The programs of each set of choices, made when they are first asked."""

    def __init__(self, folder, kind):
        self._folder, self._kind, self._made = folder, kind, {}

    def ask(self, point, chosen, values):
        key = tuple(chosen.items())
        if key not in self._made:
            folder = self._folder / str(len(self._made))
            folder.mkdir()
            names = tuple(names_at(point))
            free = tuple(n for n in BOOK.symbols if n in values)
            program, whole = numeric_program(point, names, free, {})
            wholes = {n for n, t in program.outputs.items() if whole(t)}
            self._made[key] = (self._kind(folder, point, program, whole, names), wholes)
        function, wholes = self._made[key]
        return function(values), wholes

    def close(self):
        for function, _ in self._made.values():
            function.close()


class C:
    def __init__(self, folder, point, program, whole, names):
        printer = CPrinter(whole)
        source = c_module(point, program, printer, ["A test."], names)
        texts = {n: isinstance(exact_of(point).get(n), str) for n in names}
        self._function = CFunction(folder, source, ordered(point, program), texts, printer.name)
        self.close = self._function.close

    def __call__(self, values):
        return self._function(**values)


class Js:
    def __init__(self, folder, point, program, whole, names):
        self._module = JsModule(folder, js_module(point, program, JsPrinter(whole), ["A test."], names))
        self.close = self._module.close

    def __call__(self, values):
        return self._module("compute", {n: float(v) for n, v in values.items()})


@pytest.fixture(scope="module")
def c(tmp_path_factory):
    found = Languages(tmp_path_factory.mktemp("c"), C)
    yield found
    found.close()


@pytest.fixture(scope="module")
def js(tmp_path_factory):
    found = Languages(tmp_path_factory.mktemp("js"), Js)
    yield found
    found.close()


def assert_equal(languages, values, chosen):
    point = REFERENCE.trial(**{n: v for n, v in values.items() if n in BOOK.symbols}, **chosen)
    assume(point.admissible)
    given = {n: point.given[n].value for n, s in BOOK.symbols.items() if n in point.given and not s.is_list}
    found, wholes = languages.ask(point, chosen, given)
    exact = exact_of(point)
    wrong = {n: (v, found[n]) for n, v in exact.items() if not same(found[n], v, n in wholes)}
    assert not wrong


def same(got, exact, whole):
    if exact is None:
        return not math.isfinite(got)
    if isinstance(exact, str):
        return got == exact
    if whole and abs(exact) < 2**53:
        return got == exact
    return math.isfinite(got) and abs(Fraction(got) - exact) <= CLOSE * abs(exact)


many = settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


@needs_c
@many
@given(values=runs(), chosen=st.sampled_from(CHOICES))
def test_c_gives_the_exact_values(c, values, chosen):
    assert_equal(c, values, chosen)


@needs_node
@many
@given(values=runs(), chosen=st.sampled_from(CHOICES))
def test_javascript_gives_the_exact_values(js, values, chosen):
    assert_equal(js, values, chosen)
