"""Programs: each name once, inputs first, conventions chosen, what is known computed, and nothing that no output needs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

import symroof
from symroof.errors import EvaluationError, MissingValueError, UnknownNameError
from symroof.passes.compile import exact_function
from symroof.passes.straighten import NEVER, NOWHERE, Assign, Loop, Program, Statement, straighten
from symroof.term import Largest, Num, Ref, references
from symroof.text import formula_text


def lines(program: Program) -> dict[str, str]:
    return {s.target: formula_text(s.term) for s in program.statements if isinstance(s, Assign)}


def flat(statements: tuple[Statement, ...]) -> Iterator[Statement]:
    for statement in statements:
        yield statement
        if isinstance(statement, Loop):
            yield from flat(statement.body)


def test_what_is_known_is_a_number(town: symroof.Point) -> None:
    program = straighten(town, ["held"], ["groups"])
    assert lines(program) == {"held": f"{town['members'].exact}/groups"}
    assert straighten(town, ["held"], []).outputs == {"held": Num(town["held"].exact)}


def test_every_name_is_written_once_and_before_its_use(town: symroof.Point) -> None:
    free = [n for n, s in town.book.symbols.items() if not s.is_list]
    names = [n for n in town.book.quantities if n != "gap"]
    program = straighten(town, names, free, town.book.conditions)
    known = set(program.inputs)
    for statement in program.statements:
        terms = [statement.term] if isinstance(statement, Assign) else [statement.start, statement.stop]
        assert not {r for t in terms for r in references(t)} - known
        assert statement.target not in known
        known.add(statement.target)
    targets = [s.target for s in flat(program.statements)]
    assert len(targets) == len(set(targets))


def test_a_quantity_at_other_arguments_has_a_name_of_its_own(town: symroof.Point) -> None:
    found = straighten(town, ["two_packets"], ["groups", "size"])
    packets = [s for s in found.statements if isinstance(s, Assign) and s.quantity == "packet"]
    assert [s.target for s in packets] == ["packet_2", "packet_3"]
    assert [[(n, formula_text(t)) for n, t in s.at] for s in packets] == [[("hop", "groups")], [("hop", "groups + 1")]]


def test_conventions_are_chosen(town: symroof.Point) -> None:
    assert straighten(town, ["weight"], ["groups"]).outputs["weight"] == Num(town["members"].exact)
    assert straighten(town.set(weighing="held"), ["weight"], ["groups"]).outputs["weight"] == Ref("held")


def test_a_convention_may_be_free(town: symroof.Point) -> None:
    program = straighten(town, ["weight"], ["weighing", "groups"])
    assert program.used == ("weighing", "groups")
    assert formula_text(program.statements[-1].term) == f"Piecewise(({town['members'].exact}, Eq(weighing, 0)), (held, True))"
    for number, choice in enumerate(town.book.conventions["weighing"].choices):
        there = town.set(weighing=choice)
        assert town.compile(["weight"], ["weighing"])(weighing=number)["weight"] == float(there["weight"].exact)
        assert exact_function(town, ("weight",), ("weighing",))(weighing=number)["weight"] == there["weight"].exact


def test_what_no_free_convention_moves_is_a_number(town: symroof.Point) -> None:
    assert straighten(town, ["held"], ["weighing"]).outputs == {"held": Num(town["held"].exact)}
    same = town.set(groups=1)
    assert same["members"].exact == same["held"].exact
    assert straighten(same, ["weight"], ["weighing"]).used == ()


def test_a_choice_without_a_value_divides_by_zero(write_book) -> None:
    chapter = '''
        way = convention("which", default="one", ref="r", one="n", other="what has no value", third="twice n")

        @quantity("1", ref="r")
        def it(way, n, k):
            """It."""
            return way.choose(one=n, other=k, third=2 * n)
    '''
    point = symroof.load(write_book(ch01_a=chapter, values="n = 6")).at()
    found = point.compile(["it"], ["way"])(way=[0, 1, 2])["it"]
    assert (found[0], str(found[1]), found[2]) == (6, "nan", 12)
    exactly = exact_function(point, ("it",), ("way",))
    assert (exactly(way=0)["it"], exactly(way=2)["it"]) == (6, 12)
    with pytest.raises(ZeroDivisionError):
        exactly(way=1)


def test_a_sum_is_a_loop(town: symroof.Point) -> None:
    (loop,) = [s for s in straighten(town, ["packets"], ["groups"]).statements if isinstance(s, Loop)]
    assert (formula_text(loop.start), formula_text(loop.stop)) == ("1", "groups - 1")
    assert all(s.at == (("hop", Ref(loop.index)),) for s in loop.body if isinstance(s, Assign))


def test_a_name_is_the_largest_of_lines(town: symroof.Point) -> None:
    program = straighten(town, ["slowest"], ["groups"])
    assert program.outputs == {"slowest": Largest(("near_time", "far_time"))}
    assert isinstance(next(s for s in program.statements if s.target == "near_time").term, Num)


def test_only_what_an_output_needs_stays(town: symroof.Point) -> None:
    both = straighten(town, ["held", "area"], ["groups", "side"])
    assert [s.target for s in both.only(["area"]).statements] == ["area"]
    assert both.only(["area"]).used == ("side",)


def test_a_condition_without_values_is_left_out_and_one_that_fails_never_holds(town: symroof.Point) -> None:
    from symroof.expression import parse_condition

    texts = {"no value": "hop >= 1", "by zero": "gap > 1"}
    conditions = {n: parse_condition(town.book, text) for n, text in texts.items()}
    assert "hop" not in town.given
    assert straighten(town.set(chosen=8), [], [], conditions).outputs == {"by zero": NEVER}


def test_a_formula_beside_the_quantities(town: symroof.Point) -> None:
    asked = {"twice": 2 * Ref("groups"), "nowhere": Ref("groups") + Num(Fraction(1)) / Num(Fraction(0)), "known": Ref("members")}
    found = straighten(town, [], ["groups"], asked).outputs
    assert formula_text(found["twice"]) == "2*groups"
    assert found["known"] == Num(town["members"].exact)
    impossible = Num(Fraction(-1)) ** Num(Fraction(1, 2))
    assert straighten(town, [], ["groups"], {"root": impossible}).outputs == {"root": NOWHERE}


def test_varying_what_a_list_replaces_replaces_the_list(town: symroof.Point) -> None:
    listed = town.set(houses=[town["street"].exact])
    assert straighten(listed, ["mean_house"], ["street"]).outputs["mean_house"] == Num(listed["mean_house"].exact)
    assert straighten(listed, ["mean_house"], ["house"]).used == ("house",)


def test_requests_that_cannot_be_met(town: symroof.Point) -> None:
    with pytest.raises(UnknownNameError, match="no quantity or symbol 'grops'; did you mean groups"):
        straighten(town, ["held"], ["grops"])
    with pytest.raises(EvaluationError, match="houses is a list, not a number to vary"):
        straighten(town, ["mean_house"], ["houses"])
    with pytest.raises(EvaluationError, match="houses is a list, not a number to compile"):
        straighten(town, ["houses"], [])
    with pytest.raises(MissingValueError, match=r"hop \(which hop\) has no value"):
        straighten(town, ["packet"], ["groups"])
    with pytest.raises(EvaluationError, match="it divides by zero"):
        straighten(town.set(chosen=8), ["gap"], [])


def test_names_that_printed_code_has_for_something_else(write_book) -> None:
    chapter = '''
        @quantity("1", ref="r")
        def math(n):
            """A quantity with a name of Python's."""
            return n + 1

        @quantity("1", ref="r")
        def twice(math):
            """Twice that."""
            return 2 * math
    '''
    symbols = 'from symroof import symbol\nn = symbol("1", "a count")\nk = symbol("1", "one")\nnp = symbol("1", "another")\n'
    book = symroof.load(write_book(symbols=symbols, ch01_a=chapter, values="n = 6\nk = 2\nnp = 3"))
    assert [s.target for s in straighten(book.at(), ["twice"], ["n"]).statements] == ["math_2", "twice"]
    assert book.at().compile(["twice", "math"], ["n"])(n=[1, 2])["twice"].tolist() == [4, 6]
    with pytest.raises(EvaluationError, match="np cannot be an argument of compiled code"):
        straighten(book.at(), ["twice"], ["np"])


def test_numbers_fold_exactly() -> None:
    from symroof.passes.straighten import fold
    from symroof.term import Add, Div, Mul

    x, third = Ref("x"), Num(Fraction(1, 3))
    assert fold(Mul((third, x, Num(Fraction(3))))) == x
    assert fold(Add((x, third, Num(Fraction(-1, 3))))) == x
    assert fold(Mul((x, Num(Fraction(0))))) == Num(Fraction(0))
    assert fold(Div(third, Num(Fraction(0)))) == Div(third, Num(Fraction(0)))
