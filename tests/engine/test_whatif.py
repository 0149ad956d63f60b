"""What a change moves: values, forms, exchanges of presets, and what stands in the way."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import symroof
from symroof.errors import ConstraintError, PresetError, UnknownNameError
from symroof.passes.hold import Hold
from symroof.passes.whatif import breakages, what_if


def test_everything_that_moves_and_nothing_else(town: symroof.Point) -> None:
    found = what_if(town, {"groups": 16})
    after = town.set(groups=16)
    moved = {n for n in town.book.quantities if value(town, n) != value(after, n)}
    assert {e.name for e in found.effects} == moved
    assert found.unaffected == len(town.book.quantities) - len(moved)
    held = found["held"]
    assert (held.before, held.after, held.ratio, held.difference) == (12, 6, Fraction(1, 2), -6)
    assert str(held.closed_form()) == "96/groups"
    assert str(held.symbolic()) == "members/16"


def value(point: symroof.Point, name: str) -> object:
    try:
        return point.evaluator.value(name)
    except symroof.SymroofError:
        return None


def test_a_name_that_changes_has_no_ratio(town: symroof.Point) -> None:
    slowest = what_if(town, {"far_speed": "1 TB/s"})["slowest"]
    assert (slowest.before, slowest.after) == ("far_time", "near_time")
    assert (slowest.ratio, slowest.difference) == (None, None)


def test_from_nothing_there_is_no_ratio(town: symroof.Point) -> None:
    effect = what_if(town.set(groups=1), {"groups": 8}, ["last_packet"])["last_packet"]
    assert (effect.before, effect.ratio) == (0, None)
    assert effect.difference == effect.after


def test_several_changes_choices_and_pins(town: symroof.Point) -> None:
    found = what_if(town, {"members": 192, "weighing": "held", "near_time": "1 ms"})
    assert [(c.name, c.before, c.after) for c in found.changes] == [
        ("members", "96 expert", "192 expert"),
        ("weighing", "all", "held"),
        ("near_time", "4.3008 µs", "1 ms"),
    ]
    assert found["weight"].closed_form() == sp.Symbol("members", integer=True, positive=True) / 8
    assert found["time"].after == Fraction(1, 1000)
    assert {s.name for s in found["time"].closed_form().free_symbols} == {"near_time", "members"}


def test_a_part_of_the_preset_is_exchanged_and_the_rest_kept(town: symroof.Point) -> None:
    here = town.set(groups=16, weighing="held")
    found = what_if(here, {"model": "large-parcel"})
    assert [(c.name, c.before, c.after) for c in found.changes] == [
        ("model", "parcel", "large-parcel"),
        ("side", "7 channel", "9 channel"),
    ]
    assert found.after.evaluator.number("groups") == 16
    assert found.after.choices["weighing"] == "held"
    assert found["area"].after == 81
    whole = what_if(here, {"preset": "after-market"})
    assert whole.after.evaluator.number("house") == 40
    assert whole.after.evaluator.number("groups") == 16


def test_a_list_is_a_change(town: symroof.Point) -> None:
    found = what_if(town, {"houses": [20, 100]})
    assert found["mean_house"].before == 30
    assert found["mean_house"].after == Fraction(20**2 + 100**2, 120)


def test_held(town: symroof.Point) -> None:
    found = what_if(town, {"members": 192}, hold=Hold("held", "groups"))
    assert found.gave_way is not None
    assert (found.gave_way.name, found.gave_way.before, found.gave_way.after) == ("groups", "8 rank", "16 rank")
    assert "held" not in {e.name for e in found.effects}


def test_what_stands_in_the_way(town: symroof.Point) -> None:
    found = breakages(town, {"groups": 7, "chosen": 200})
    assert [(b.name, b.says.split(";")[0]) for b in found] == [
        ("groups_divide_members", "groups = 7 does not divide members = 96"),
        ("few_are_chosen", "chosen = 200 is above members = 96"),
    ]
    assert breakages(town, {"groups": 16}) == []
    assert [(b.name, b.says) for b in breakages(town, {"share": "3/2"})] == [
        ("share", "share must be a number above 0 and at most 1, not 1.5")
    ]


@pytest.mark.parametrize(
    ("changes", "kind", "says"),
    [
        ({"groups": 7}, ConstraintError, "groups = 7 does not divide members = 96; nearest valid: 6, 8"),
        ({"grups": 7}, UnknownNameError, "did you mean groups"),
        ({"model": "nope"}, UnknownNameError, "no preset 'nope'"),
        ({"preset": "town", "run": "market"}, PresetError, "change the whole preset or parts of it, not both"),
    ],
)
def test_a_change_that_cannot_be(changes: dict[str, object], kind: type[Exception], says: str, town: symroof.Point) -> None:
    with pytest.raises(kind, match=says):
        what_if(town, changes)


def test_a_hold_and_another_preset_do_not_go_together(town: symroof.Point) -> None:
    with pytest.raises(PresetError, match="not with another preset"):
        what_if(town, {"model": "large-parcel"}, hold=Hold("held", "groups"))
