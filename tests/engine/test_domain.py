"""What a quantity may be: closed forms assume what it declares, pins follow it, and a value that is none of it is an error."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import symroof
from symroof.errors import ConstraintError, DomainError
from symroof.passes.candidates import admissible_integers
from symroof.passes.check import check_domains
from symroof.passes.grid import axis
from symroof.passes.search import exact_sign
from symroof.term import Num, Ref

CHAPTER = """
    @quantity("1", ref="r"{})
    def left(n, k):
        "What is left, which may be negative."
        return n - 2 * k

    @quantity("1", ref="r")
    def fits(left, k):
        "Something where there is enough."
        return where(left >= 0, 1, 0) * k
"""
SYMBOLS = """
    from symroof import SHARE, SWITCH, symbol
    n = symbol("1", "a count")
    k = symbol("1", "another count")
    kept = symbol("1", "kept or not", domain=SWITCH)
    x = symbol("1", "a share", domain=SHARE)
"""


def book(write_book, domain: str = ", domain=REAL", values: str = "n = 2\nk = 3", chapter: str = CHAPTER) -> symroof.Book:
    return symroof.load(write_book(ch01=chapter.format(domain), symbols=SYMBOLS, values=values))


def test_a_closed_form_assumes_no_sign_that_is_not_declared(write_book) -> None:
    point = book(write_book).at()
    form = point["fits"].closed_form({"left", "k"}).expression
    values = {s: point[s.name].exact for s in form.free_symbols}
    assert (point["fits"].exact, form.subs(values)) == (0, 0)


def test_a_pin_follows_what_the_quantity_may_be(write_book) -> None:
    assert book(write_book).at().set(left=-1)["fits"].exact == 0
    undeclared = book(write_book, "", "n = 6\nk = 3")
    with pytest.raises(ConstraintError, match=r"^left must be zero or a positive number, not -1$"):
        undeclared.at().set(left=-1)
    with pytest.raises(ConstraintError, match=r"^left must be zero or a positive number, not -2$"):
        axis(undeclared, "left", [1, -2])
    assert len(axis(book(write_book), "left", [1, -2])) == 2


def test_a_value_that_is_none_of_its_quantity_is_an_error_that_names_it(write_book) -> None:
    point = book(write_book, "").at()
    says = "left is -4 at usual, but it is declared to be zero or a positive number: declare what it may be with domain=..."
    for name in ("left", "fits"):
        with pytest.raises(DomainError) as error:
            _ = point[name].exact
        assert (str(error.value), error.value.quantity) == (says, "left")
    failed = [v for v in check_domains(point) if not v.holds]
    assert {(v.quantity, v.says) for v in failed} >= {("left", says)}
    assert all(v.holds for v in check_domains(book(write_book).at()))


def test_a_search_tries_what_is_no_run_and_a_run_keeps_to_its_domains(write_book) -> None:
    chapter = (
        CHAPTER
        + """
    @constraint
    def few(k):
        "Few."
        return k <= 5
    """
    )
    point = book(write_book, "", "n = 9\nk = 3", chapter).at()
    sign = exact_sign(point, "k", Ref("left"), Num(Fraction(1)))
    assert [sign(Fraction(k)) for k in (3, 4, 5, 6)] == [1, 0, -1, -1]
    with pytest.raises(DomainError, match="left is -1 at usual k=5, but"):
        point.set(k=5).evaluator.number("left")


@pytest.mark.parametrize(
    ("start", "stop", "exact"),
    [("0", "3", Fraction(3, 2)), ("1", "3", Fraction(3, 2)), ("-2", "1", Fraction(1, 2)), ("0", "n", Fraction(5, 2))],
)
def test_the_index_of_a_sum_has_the_sign_that_its_start_proves(write_book, start: str, stop: str, exact: Fraction) -> None:
    chapter = f"""
    @quantity("1", ref="r")
    def summed(n, x):
        "A sum."
        return x * total_range({start}, {stop}, lambda i: where(i >= 1, 1, 0))
    """
    point = book(write_book, values='n = 5\nx = "1/2"', chapter=chapter).at()
    assert point["summed"].exact == exact
    form = point["summed"].closed_form().expression
    assert form.subs({s: point[s.name].exact for s in form.free_symbols}).doit() == sp.Rational(
        exact.numerator, exact.denominator
    )


def test_candidates_are_in_the_domain_whoever_names_them(write_book) -> None:
    point = book(write_book).at()
    assert admissible_integers(point, "kept", [-1, 0, 1, 2, 3]) == [0, 1]
    assert admissible_integers(point, "kept") == [0, 1]
    assert admissible_integers(point, "n", [-1, 0, 1, 2]) == [1, 2]
