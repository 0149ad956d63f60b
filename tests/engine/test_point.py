"""A point: values and choices that fit together, which no question and no setting changes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symroof
from symroof.errors import ConstraintError, MissingValueError, PresetError, SymroofError, UnitError
from symroof.passes.admit import broken_constraints
from symroof.point import Point


def everything(point: symroof.Point) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in (*point.book.symbols, *point.book.quantities):
        try:
            found[name] = point[name].exact
        except SymroofError as error:
            found[name] = str(error)
    return found


def test_asking_and_setting_change_neither_book_nor_point(parcels: symroof.Book) -> None:
    point = parcels.at()
    before = everything(point)
    given_before, formulas = dict(point.given), dict(parcels.formulas)
    other = point.set(groups=6, weighing="held", houses=[60, 60], held=7)
    for name in parcels.quantities:
        for ask in (lambda r: r.closed_form(), lambda r: r.closed_form(["groups"]), lambda r: r.substituted, repr):
            try:
                ask(other[name])
            except MissingValueError:
                assert name in ("blocks", "packet")
    assert everything(point) == before == everything(parcels.at())
    assert (dict(point.given), dict(point.overrides), dict(parcels.formulas)) == (given_before, {}, formulas)
    with pytest.raises(TypeError):
        point.given["groups"] = None  # type: ignore[index]
    with pytest.raises(TypeError):
        point.choices["weighing"] = "held"  # type: ignore[index]


def test_setting_adds_up_and_the_label_says_so(town: symroof.Point) -> None:
    point = town.set(groups="12").set(weighing="held").set(groups=6)
    assert (point["groups"].exact, point["weight"].exact) == (6, 16)
    assert point.label == "town groups=6 weighing=held"
    assert point["groups"].source == "set by the reader"


def test_a_list_and_its_stand_in_replace_each_other(town: symroof.Point) -> None:
    listed = town.set(houses="20,100")
    assert listed["mean_house"].exact == Fraction(20**2 + 100**2, 120)
    assert listed["houses"].exact == "20, 100"
    with pytest.raises(MissingValueError, match="house has no value: houses is given instead"):
        _ = listed["house"].exact
    again = listed.set(house=60)
    assert (again["mean_house"].exact, again.label) == (60, "town house=60")
    for both in ({"house": 60, "houses": "60,60"}, {"houses": "60,60", "house": 60}):
        with pytest.raises(PresetError, match=r"give house or houses, not both|give houses or house, not both"):
            town.set(**both)


def test_a_pinned_quantity_is_a_value_with_everything_that_uses_it(town: symroof.Point) -> None:
    pinned = town.set(near_bytes="1 GB", held=5)
    assert (pinned.pins, pinned["held"].pinned, pinned["near_time"].pinned) == (("near_bytes", "held"), True, False)
    assert pinned["near_time"].exact == Fraction(10**9, 80 * 10**9)
    assert pinned["missed"].exact == town.set(held="5")["missed"].exact != town["missed"].exact
    assert (pinned["held"].formula, pinned["held"].substituted) == (None, None)
    assert town["held"].formula is not None


def test_an_argument_is_set_and_not_pinned(town: symroof.Point) -> None:
    wide = town.set(breadth=10)
    assert (wide.pins, wide["breadth"].pinned, wide["area"].exact, town["area"].exact) == ((), False, 70, 49)


def test_a_missing_symbol_says_who_needs_it(town: symroof.Point) -> None:
    with pytest.raises(MissingValueError) as raised:
        _ = town["packet"].exact
    assert str(raised.value) == "hop (which hop) has no value in town; packet needs it: give it with --set hop=..."
    assert town.set(hop=3)["packet"].exact == 3584 * (1 + 21)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"groups": 0}, "groups must be a positive integer, not 0"),
        ({"groups": "1/2"}, "groups must be a positive integer, not 0.5"),
        ({"spare": -1}, "spare must be zero or a positive integer, not -1"),
        ({"kept": 2}, "kept must be 0 or 1, not 2"),
        ({"share": "101%"}, "share must be a number above 0 and at most 1, not 1.01"),
        ({"far_speed": "0 GB/s"}, "far_speed must be a positive number, not 0"),
        ({"houses": "60,0,60"}, "houses must be a list of positive integers, not 0"),
        ({"groups": 10}, "groups = 10 does not divide members = 96; nearest valid: 8, 12"),
        ({"members": 97}, "groups = 8 does not divide members = 97; nearest valid: 96, 104"),
        ({"chosen": 97}, "chosen = 97 is above members = 96; nearest valid: 96"),
        ({"house": 7}, "A street has a whole number of houses, and 120/7 is no whole number; nearest valid: 6, 8"),
        ({"groups": 10, "kept": 0}, "groups = 10 does not divide members = 96; nearest valid groups: 8, 12"),
        ({"houses": "60,61"}, "The houses of a street fill it, and 121 is not 120"),
    ],
)
def test_values_that_no_run_can_have(town: symroof.Point, values: dict[str, object], message: str) -> None:
    with pytest.raises(ConstraintError) as raised:
        town.set(**values)
    assert str(raised.value) == message


# What the constraints of the fixture say, once more and in plain arithmetic: 96 members, 8 groups, 4 chosen, 120 by 30.
ADMISSIBLE = {
    "groups": lambda v: 96 % v == 0,
    "members": lambda v: v % 8 == 0 and v >= 4,
    "chosen": lambda v: v <= 96,
    "house": lambda v: 120 % v == 0,
    "street": lambda v: v % 30 == 0,
}


@settings(max_examples=25)
@given(st.sampled_from(sorted(ADMISSIBLE)), st.integers(1, 300))
def test_nearest_valid_values_are_all_valid_and_nearest(town: symroof.Point, name: str, value: int) -> None:
    valid = [v for v in range(1, 700) if ADMISSIBLE[name](v)]
    if value in valid:
        assert town.set(**{name: value})[name].exact == value
        return
    with pytest.raises(ConstraintError) as raised:
        town.set(**{name: value})
    offered = [int(v) for v in str(raised.value).partition("nearest valid: ")[2].split(", ")]
    assert offered == [v for v in valid if v < value][-1:] + [v for v in valid if v > value][:1]
    assert all(town.set(**{name: v})[name].exact == v for v in offered)


def test_zero_is_offered_where_it_is_the_nearest(write_book) -> None:
    text = """
        m = symbol("1", "says", domain=TALLY)
        @constraint
        def few(m, n):
            "Says."
            return m < n
    """
    book = symroof.load(write_book(ch01=text, values="n = 1\nm = 0"))
    with pytest.raises(ConstraintError, match=r"m = 3 is not below n = 1; nearest valid: 0$"):
        book.at(m=3)


def test_a_constraint_that_divides_by_zero_does_not_hold(write_book) -> None:
    text = """
        m = symbol("1", "says", domain=TALLY)
        @constraint
        def c(m, n):
            "Says."
            return n / m <= n
    """
    book = symroof.load(write_book(ch01=text, values="n = 4\nm = 2"))
    with pytest.raises(ConstraintError, match=r"n/m is above n = 4; nearest valid: 1$"):
        book.at(m=0)


def test_a_constraint_whose_symbols_have_no_value_is_not_asked(write_book) -> None:
    text = '@constraint\ndef c(k, n):\n    "Says."\n    return k <= n\n'
    assert symroof.load(write_book(ch01=text, values="n = 4")).at()["n"].exact == 4


def test_either_of_two_conditions(write_book) -> None:
    text = '@constraint\ndef c(k, n):\n    "Says."\n    return either(divides(k, n), divides(n, k))\n'
    book = symroof.load(write_book(ch01=text))
    assert book.at(n=6, k=18)["k"].exact == 18
    with pytest.raises(ConstraintError) as raised:
        book.at(k=4)
    assert str(raised.value) == "k = 4 does not divide n = 6 and n = 6 does not divide k = 4; nearest valid: 3, 6"


def test_an_unchecked_point_can_be_asked_what_it_breaks(town: symroof.Point) -> None:
    from dataclasses import replace

    given = {**town.given, "groups": replace(town.given["groups"], value=Fraction(7))}
    broken = list(broken_constraints(Point(town.book, "x", given, town.choices)))
    assert [(b.name, b.says) for b in broken] == [("groups_divide_members", "groups = 7 does not divide members = 96")]


def test_results_show_themselves(town: symroof.Point) -> None:
    held, slowest = town["held"], town["slowest"]
    assert (str(held), repr(held)) == ("held = 12 expert/rank", "held = members/groups = 12 expert/rank")
    assert (int(held), float(town["slack"]), held.value, slowest.value) == (12, 0.375, 12, "far_time")
    assert (held.unit, held.says, held.source) == ("expert/rank", "Members of a group.", "members are spread evenly")
    assert town["near_bytes"].to("KiB") == 336
    assert repr(town) == "<Parcels at town>"
    with pytest.raises(UnitError, match="near_bytes is in byte@nvlink, but 'ms' is in s"):
        town["near_bytes"].to("ms")
    for refuse in (lambda: int(town["slack"]), lambda: float(slowest), lambda: slowest.to("s")):
        with pytest.raises(SymroofError):
            refuse()
