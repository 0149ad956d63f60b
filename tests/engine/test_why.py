"""The tree from a quantity down to the values of the preset."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import symroof
from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.why import Node, why

Line = tuple[int, str, tuple[tuple[str, str], ...], str]


def lines(node: Node, depth: int = 0) -> Iterator[Line]:
    yield depth, node.result.name, node.at, str(node.result.exact) + ("*" if node.repeated else "")
    for part in node.parts:
        yield from lines(part, depth + 1)


def test_a_tree_goes_down_to_the_preset(town: symroof.Point) -> None:
    tree = why(town, "missed")
    assert [(d, n) for d, n, _, _ in lines(tree)] == [
        (0, "missed"),
        (1, "members"),
        (1, "held"),
        (2, "members"),
        (2, "groups"),
        (1, "chosen"),
    ]
    leaves = [part.result for part in tree.parts if not part.parts]
    assert [leaf.source for leaf in leaves] == ["the post office", "the post office"]


def test_a_name_is_unfolded_once(town: symroof.Point) -> None:
    found = [(n, value) for _, n, _, value in lines(why(town, "reached")) if n == "held"]
    assert found == [("held", "12")]
    seen = [value for _, n, _, value in lines(why(town.set(weighing="held"), "slack")) if n == "near_time"]
    assert [v.endswith("*") for v in seen] == [False, True]


def test_a_quantity_at_two_arguments_is_shown_at_both(town: symroof.Point) -> None:
    tree = why(town, "two_packets")
    assert [(p.result.name, p.at, p.result.exact) for p in tree.parts] == [
        ("groups", (), 8),
        ("packet", (("hop", "8"),), 3584 * 57),
        ("packet", (("hop", "9"),), 3584 * 64),
    ]
    values = {(n, at): v for _, n, at, v in lines(tree)}
    assert values["blocks", (("hop", "8"),)] == "56"
    assert values["blocks", (("hop", "9"),)] == "63"


def test_a_sum_shows_its_first_and_last_term(town: symroof.Point) -> None:
    tree = why(town, "packets")
    assert [(p.result.name, p.at) for p in tree.parts] == [
        ("groups", ()),
        ("packet", (("hop", "1"),)),
        ("packet", (("hop", "7"),)),
    ]
    assert [p.result.name for p in why(town.set(groups=1), "packets").parts] == ["groups"]
    assert [p.at for p in why(town.set(groups=2), "packets").parts] == [(), (("hop", "1"),)]


def test_a_list_or_what_stands_in_for_it_is_shown(town: symroof.Point) -> None:
    assert [(p.result.name, p.result.exact) for p in why(town, "mean_house").parts] == [("house", 30), ("street", 120)]
    listed = why(town.set(houses="40,80"), "mean_house")
    assert [(p.result.name, p.result.display) for p in listed.parts] == [("houses", "40, 80")]


def test_only_the_branch_taken_is_followed(town: symroof.Point) -> None:
    assert [p.result.name for p in why(town, "last_packet").parts] == ["groups", "packet"]
    assert [p.result.name for p in why(town.set(groups=1), "last_packet").parts] == ["groups"]


def test_a_pinned_quantity_is_a_leaf(town: symroof.Point) -> None:
    (held,) = [p for p in why(town.set(held=5), "missed").parts if p.result.name == "held"]
    assert (held.parts, held.repeated, held.result.pinned) == ((), False, True)


def test_what_has_no_value_has_no_tree(town: symroof.Point) -> None:
    with pytest.raises(MissingValueError, match="hop"):
        why(town, "packet")
    with pytest.raises(EvaluationError, match="divides by zero"):
        why(town.set(chosen=8), "gap")


def test_every_quantity_has_a_tree(town: symroof.Point) -> None:
    point = town.set(hop=2)
    for name in point.book.quantities:
        assert all(node[3] for node in lines(why(point, name)))
