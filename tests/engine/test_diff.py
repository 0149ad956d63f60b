"""Differences of conventions: in the author's parts, each from where it comes, and together the difference exactly."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import EvaluationError
from symroof.passes.collect import collected, summed
from symroof.passes.diff import diff
from symroof.passes.evaluate import Arithmetic
from symroof.term import Add, Div, Mul, Neg, Num, Pow, Ref, Term
from symroof.text import formula_text

SYMBOLS = """
    from symroof import COUNT, LENGTHS, symbol
    n = symbol("1", "a count")
    k = symbol("1", "another count")
    hop = symbol("1", "an argument")
    parts = symbol("token", "a list", domain=LENGTHS)
"""
CHAPTER = '''
    heads = convention("which heads", default="all", ref="r", all="all", half="half")
    span = convention("which span", default="row", ref="r", row="row", part="part")

    @quantity("1", ref="r")
    def steady(n, k):
        """What no convention touches."""
        return n * k + 1

    @quantity("1", ref="r")
    def same(span, n):
        """Another name for a number."""
        return span.choose(row=3, part=3)

    @quantity("1", ref="r")
    def reach(heads, n):
        """Reach."""
        return heads.choose(all=n, half=n / 2)

    @quantity("1", ref="r")
    def spread(span, reach, k):
        """Spread."""
        return span.choose(row=reach, part=k)

    @quantity("1", ref="r")
    def product(reach, spread, same, steady):
        """A product of two that differ."""
        return same * reach * steady * spread

    @quantity("1", ref="r")
    def mixed(reach, steady, k, n):
        """A sum."""
        return steady / k - 2 * reach + Max(reach, k) + reach**2 / (n + 1) - k / reach

    @quantity("1", ref="r")
    def at(hop, reach):
        """At an argument."""
        return hop * reach

    @quantity("1", ref="r")
    def ends(at, steady, k):
        """At two arguments."""
        return at(hop=k) + at(hop=steady)

    @quantity("1", ref="r")
    def summed(parts, reach):
        """Over a list."""
        return total(parts, lambda p: Min(p, reach))

    @quantity("1", ref="r")
    def hops(reach, k):
        """Over numbers."""
        return total_range(1, k, lambda j: j * reach)

    @quantity("name", ref="r")
    def which(reach, spread):
        """Which is larger."""
        return largest(reach=reach, spread=spread)
'''
ALL, HALF = {"heads": "all", "span": "row"}, {"heads": "half", "span": "row"}
PART = {"heads": "half", "span": "part"}


@pytest.fixture
def point(write_book) -> symroof.Point:
    return symroof.load(write_book(symbols=SYMBOLS, ch01_a=CHAPTER, values="n = 6\nk = 2\nparts = [1, 4, 9]")).at()


def terms(point: symroof.Point, name: str, one: dict[str, str], other: dict[str, str]) -> list[str]:
    return [formula_text(p.term) for p in diff(point, name, one, other).parts]


def test_terms_keep_the_names_of_what_does_not_differ(point: symroof.Point) -> None:
    assert terms(point, "reach", ALL, HALF) == ["n/2"]
    assert terms(point.set(hop=3), "at", ALL, HALF) == ["hop*n/2"]
    assert terms(point, "spread", ALL, PART) == ["n - k"]


def test_a_product_differs_in_one_factor_after_the_other(point: symroof.Point) -> None:
    found = diff(point, "product", ALL, PART)
    assert [formula_text(p.term) for p in found.parts] == ["3*steady*n**2/2", "3*n*steady/2*(n - k)"]
    assert [p.conventions for p in found.parts] == [("heads",), ("heads", "span")]


def test_every_kind_of_node_adds_up(point: symroof.Point) -> None:
    for name in ("product", "mixed", "ends", "summed", "hops", "spread"):
        for one, other in ((ALL, HALF), (HALF, ALL), (ALL, PART), (PART, HALF)):
            found = diff(point, name, one, other)
            assert sum((p.value for p in found.parts), start=Fraction(0)) == found.one - found.other, (name, one, other)


def test_nothing_differs(point: symroof.Point) -> None:
    assert diff(point, "steady", ALL, PART).parts == ()
    assert diff(point, "product", ALL, ALL).parts == ()
    assert diff(point.set(reach=4), "reach", ALL, HALF).parts == ()


def test_a_name_has_no_terms(point: symroof.Point) -> None:
    with pytest.raises(EvaluationError, match="which is a name"):
        diff(point, "which", ALL, PART)


NAMES = {"x": Fraction(2), "y": Fraction(3), "z": Fraction(5, 7)}
leaves = st.one_of(st.sampled_from([Ref(n) for n in NAMES]), st.integers(-3, 3).map(lambda v: Num(Fraction(v))))


def grown(inner: st.SearchStrategy[Term]) -> st.SearchStrategy[Term]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(Add),
        pairs.map(Mul),
        inner.map(Neg),
        pairs.map(lambda p: Div(*p)),
        inner.map(lambda t: Pow(t, Num(Fraction(2)))),
    )


class Valued(Arithmetic):
    def number(self, name: str) -> Fraction:
        return NAMES[name]


@given(st.recursive(leaves, grown, max_leaves=12))
def test_taking_like_terms_together_changes_no_value(term: Term) -> None:
    try:
        value = Valued().term(term)
    except ZeroDivisionError:
        return
    assert Valued().term(summed(collected(term))) == value


def test_like_terms_are_one() -> None:
    x, y = Ref("x"), Ref("y")
    assert formula_text(summed(collected(Add((x * y, Neg(y * x), 2 * x, x / 2))))) == "5*x/2"
    assert collected(Add((x, Neg(x)))) == ()
    assert formula_text(summed(collected(x / (x + y) - 3))) == "x/(x + y) - 3"
