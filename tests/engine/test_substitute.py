"""The line between formula and value: numbers in the author's order, worth the same."""

from __future__ import annotations

import pytest

import symroof
from symroof.passes.evaluate import Evaluator
from symroof.passes.substitute import chosen
from symroof.term import Choose, Num, Ref, Unit, walk
from symroof.text import formula_text


@pytest.mark.parametrize(
    ("name", "formula", "numbers"),
    [
        ("held", "members/groups", "96/8"),
        ("reached", "groups*(1 - missed)", None),
        ("rounds", "ceiling(members/side)", "ceiling(96/7)"),
        ("near_bytes", "size*members", "3584*96"),
        ("far_bytes", "(1 + kept)*size*held", "(1 + 1)*3584*12"),
        ("two_packets", "packet(hop=groups) + packet(hop=groups + 1)", "204288 + 229376"),
        ("last_packet", "Piecewise((packet(hop=groups - 1), groups > 1), (0, True))", "179200"),
        ("weight", "members", "96"),
        ("mean_house", None, "4*(30*30)/(4*30)"),
    ],
)
def test_lines_in_the_authors_order(town: symroof.Point, name: str, formula: str | None, numbers: str | None) -> None:
    result = town[name]
    if formula is not None:
        assert formula_text(result.formula) == formula
    if numbers is not None:
        assert formula_text(result.substituted).replace("4*30*30", "4*(30*30)") == numbers


def test_the_line_is_worth_what_the_quantity_is(town: symroof.Point) -> None:
    point = town.set(hop=2)
    for name in point.book.quantities:
        line = point[name].substituted
        if line is None:
            assert name == "slowest"
            continue
        assert not [node for node in walk(line) if isinstance(node, Ref | Unit | Choose)]
        assert Evaluator(point).term(line) == point[name].exact


def test_entries_of_a_list_are_counted(town: symroof.Point) -> None:
    line = formula_text(town.set(houses=[20, 40, 20, 40])["mean_house"].substituted)
    assert line == "(2*20*20 + 2*40*40)/(2*20 + 2*40)"


def test_choices_are_made_and_units_gone(town: symroof.Point) -> None:
    assert formula_text(town.set(weighing="held")["weight"].formula) == "held"
    for name, term in town.book.formulas.items():
        assert not [n for n in walk(chosen(town, term)) if isinstance(n, Choose | Unit)], name


def test_a_pinned_quantity_and_a_symbol_have_no_line(town: symroof.Point) -> None:
    assert town.set(held=3)["held"].substituted is None
    assert town["groups"].substituted is None


def test_an_empty_list_is_worth_zero(write_book) -> None:
    text = '@quantity("token", ref="r")\ndef q(parts):\n    "Says."\n    return total(parts, lambda x: x)\n'
    result = symroof.load(write_book(ch01=text)).at(parts=[])["q"]
    assert (result.exact, result.substituted) == (0, Num(result.exact))
