"""Sweeps: every point of the grid once and in order, counted under the first constraint that it breaks, and the best of them."""

from __future__ import annotations

import itertools
import os
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import ConstraintError, EvaluationError, MissingValueError, OutputError, RequestError, UnknownNameError
from symroof.expression import parse_condition
from symroof.passes.admit import broken_constraints
from symroof.passes.grid import Grid
from symroof.passes.pareto import Goal, best, front
from symroof.passes.sweep import Sweep, Tally, cells
from symroof.ranges import read_values
from symroof.rowfile import row_file

OVER = {"groups": [1, 2, 5, 8, 12], "weighing": ["all", "held"], "chosen": [3, 96, 97], "side": [7, 9]}
OF = ["weight", "rounds", "time", "slowest"]


def by_hand(point: symroof.Point, over: dict, where=lambda p: True):
    """Rows and counts of a sweep, one point at a time."""
    rows, rejected, left_out = [], Counter(), 0
    for values in itertools.product(*over.values()):
        there = point.trial(**dict(zip(over, values, strict=True)))
        broken = next(broken_constraints(there), None)
        if broken is not None:
            rejected[broken.name] += 1
        elif not where(there):
            left_out += 1
        else:
            rows.append((dict(zip(over, values, strict=True)), there))
    return rows, rejected, left_out


@pytest.mark.parametrize("block", [1, 3, 7, 60, 100_000])
def test_every_point_once_and_in_order(town: symroof.Point, block: int) -> None:
    where = parse_condition(town.book, "rounds <= 13")
    sweep, tally = Sweep(town, OVER, OF, where, block), Tally()
    rows, rejected, left_out = by_hand(town, OVER, lambda p: p["rounds"].exact <= 13)
    batches = list(sweep.batches(tally))
    columns = {n: [v for b in batches for v in cells(sweep.column(b, n))] for n in sweep.columns}
    assert [sweep.grid.at(p) for b in batches for p in b.positions] == [r for r, _ in rows]
    for name in OVER:
        assert columns[name] == [r[name] for r, _ in rows]
    for name in ("weight", "rounds", "slowest"):
        assert columns[name] == [p[name].value for _, p in rows]
    assert columns["time"] == pytest.approx([p["time"].value for _, p in rows], rel=1e-12)
    assert (tally.rejected, tally.left_out, tally.evaluated) == (rejected, left_out, len(rows) + left_out)
    assert tally.seen == sweep.grid.size == 60


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.integers(1, 200))
def test_blocks_cover_a_grid_once_and_in_order(town: symroof.Point, shape: list[int], most: int) -> None:
    names = ["groups", "chosen", "side", "members"][: len(shape)]
    grid = Grid.over(town.book, {n: list(range(1, size + 1)) for n, size in zip(names, shape, strict=True)})
    visited = []
    for start, place in grid.blocks(most):
        inside = list(itertools.product(*place))
        assert len(inside) <= most
        assert start == len(visited)
        visited += inside
    assert visited == list(itertools.product(*map(range, shape)))
    for position in (0, grid.size - 1):
        assert tuple(grid.at(position).values()) == tuple(i + 1 for i in visited[position])


def test_a_quantity_is_computed_over_its_own_axes(town: symroof.Point) -> None:
    (batch,) = Sweep(town, {"groups": [1, 2, 8], "side": range(1, 101)}, ["held", "area", "time"]).batches()
    assert [np.shape(batch.arrays[n]) for n in ("held", "area")] == [(3, 1), (1, 100)]


@pytest.mark.parametrize("text", ["1:7:1/7", "1/3,0.1,1 GB/s", "1:100000000:33333333", "2^3:2^9"])
def test_floats_of_an_axis_are_the_nearest(town: symroof.Point, text: str) -> None:
    values = read_values(town.book, "near_speed", text)
    axis = Grid.over(town.book, {"near_speed": values}).axes[0]
    assert axis.floats(range(len(values))).tolist() == [float(v) for v in values]
    assert axis.floats(range(1, 3)).tolist() == [float(v) for v in values[1:3]]


def test_arrays_of_all_points(town: symroof.Point) -> None:
    found = town.sweep({"groups": [2, 5, 8], "weighing": ["held", "all"]}, ["weight", "groups"]).arrays()
    assert {n: a.tolist() for n, a in found.items()} == {
        "groups": [2, 2, 8, 8],
        "weighing": ["held", "all", "held", "all"],
        "weight": [48, 96, 12, 96],
    }


def test_a_pinned_quantity_is_an_axis(town: symroof.Point) -> None:
    found = town.sweep({"held": [1, "3/2", Fraction(2)]}, ["far_bytes"]).arrays()
    assert found["far_bytes"].tolist() == [town.set(held=v)["far_bytes"].value for v in (1, "3/2", 2)]


def test_an_axis_takes_the_place_of_a_list(town: symroof.Point) -> None:
    listed = town.set(houses=[20, 100])
    assert listed.sweep({"house": [30, 60]}, ["mean_house"]).arrays()["mean_house"].tolist() == [30, 60]


def test_a_value_that_does_not_exist_is_none(town: symroof.Point) -> None:
    sweep = town.sweep({"chosen": [4, 8]}, ["gap", "groups"])
    (batch,) = sweep.batches()
    assert cells(sweep.column(batch, "gap")) == [0.25, float("inf")]
    assert sweep.exact(1) == {"chosen": 8, "gap": None, "groups": 8}


def test_the_best_and_ties_in_the_order_of_the_grid(town: symroof.Point) -> None:
    over = {"groups": [1, 2, 3, 4, 6, 8], "side": [9, 7, 5], "chosen": [3, 2, 1]}
    rows, _, _ = by_hand(town, over)
    for name, greatest in (("rounds", False), ("rounds", True), ("time", False), ("reached", True), ("gap", False)):
        valued = [(r, p) for r, p in rows if _exact(p, name) is not None]
        expected = sorted(range(len(valued)), key=lambda i: valued[i][1][name].exact * (-1 if greatest else 1))
        for count in (1, 4, 100):
            for block in (2, 17, 1000):
                sweep = Sweep(town, over, [name], block=block)
                found = best(sweep, Goal(name, greatest), count, Tally())
                assert [sweep.grid.at(p) for p in found] == [valued[i][0] for i in expected[:count]]


def _exact(point: symroof.Point, name: str):
    try:
        return point[name].exact
    except EvaluationError:
        return None


def test_a_great_many_ties(town: symroof.Point) -> None:
    sweep = Sweep(town, {"street": range(1, 3001), "side": [7, 8]}, ["rounds"], block=100)
    over = best(sweep, Goal("rounds"), 5, Tally())
    # Twelve rounds for side 8, fourteen for side 7; a street that its houses do not fill may not exist.
    assert [sweep.grid.at(p) for p in over] == [{"street": 30 * n, "side": 8} for n in range(1, 6)]


@pytest.mark.parametrize("senses", list(itertools.product([False, True], repeat=2)))
def test_a_front_is_what_nothing_beats(town: symroof.Point, senses: tuple[bool, bool]) -> None:
    over = {"groups": [1, 2, 3, 4, 6, 8, 12], "side": [9, 7, 5], "kept": [0, 1], "weighing": ["all", "held"]}
    goals = (Goal("far_time", senses[0]), Goal("area", senses[1]))
    rows, _, _ = by_hand(town, over)
    costs = [tuple(p[g.name].exact * (-1 if g.greatest else 1) for g in goals) for _, p in rows]
    unbeaten = [i for i, c in enumerate(costs) if not any(d[0] <= c[0] and d[1] <= c[1] and d != c for d in costs)]
    for block in (5, 1000):
        sweep = Sweep(town, over, [g.name for g in goals], block=block)
        found = front(sweep, goals, Tally())
        assert [sweep.grid.at(p) for p in found] == [rows[i][0] for i in sorted(unbeaten, key=lambda i: (costs[i], i))]


def test_a_name_has_no_best_value(town: symroof.Point) -> None:
    sweep = town.sweep({"groups": [1, 2]}, ["slowest", "time"])
    for ask in (lambda: best(sweep, Goal("slowest"), 1, Tally()), lambda: front(sweep, (Goal("time"), Goal("slowest")), Tally())):
        with pytest.raises(RequestError, match="slowest is a name, not a number: it has no best value"):
            ask()


REFUSED = {
    "no axis name": ({"grops": [1]}, ["held"], UnknownNameError, "no quantity or symbol 'grops'; did you mean groups"),
    "no quantity": ({"groups": [1]}, ["hold"], UnknownNameError, "no quantity or symbol 'hold'"),
    "no values": ({"groups": []}, ["held"], RequestError, "no values for groups"),
    "a list": ({"houses": [1]}, ["held"], RequestError, "houses is a list: a sweep varies numbers and conventions"),
    "outside the domain": ({"groups": [2, 0]}, ["held"], ConstraintError, "groups must be a positive integer, not 0"),
    "a switch": ({"kept": [0, 1, 2]}, ["held"], ConstraintError, "kept must be 0 or 1, not 2"),
    "a fraction": ({"groups": ["5/2"]}, ["held"], ConstraintError, "groups must be a positive integer, not 2.5"),
    "a negative pin": ({"held": [-1]}, ["weight"], ConstraintError, "held must be zero or a positive number, not -1"),
    "no choice": ({"weighing": ["most"]}, ["held"], UnknownNameError, "convention weighing has no choice 'most'"),
    "no value": ({"groups": [1]}, ["packet"], MissingValueError, r"hop \(which hop\) has no value"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_refused(town: symroof.Point, case: str) -> None:
    over, of, kind, message = REFUSED[case]
    with pytest.raises(kind, match=message):
        town.sweep(over, of)


UNDECIDED = {
    "(groups - 3)^(1/2) < 0": ([], 2),
    "(groups - 3)^(1/2) >= 0": ([8, 12], 2),
    "groups/(0*groups) > 1": ([], 4),
    "groups/(groups - groups) > 1": ([], 4),
    "1/(groups - 1) > 0": ([2, 8, 12], 1),
    "0/(groups - 1) = 0": ([2, 8, 12], 1),
    "groups < 3 or 1/(1/(groups - 1)) >= 0": ([2, 8, 12], 1),
    "Min(1, 1/(groups - 1)) >= 0 and groups < 9": ([2, 8], 1),
    "(0 - 1)^(1/2) < groups": ([], 4),
    "binomial(4, groups/2) > 3": ([2], 1),
    "groups > 1/2": ([1, 2, 8, 12], 0),
    "gap > 0": ([12], 1),
    "gap < 0 or groups > 1": ([1, 2, 12], 1),
}


@pytest.mark.parametrize("block", [1, 1000])
@pytest.mark.parametrize("where", UNDECIDED)
def test_a_condition_without_a_value_leaves_the_point_out(town: symroof.Point, where: str, block: int) -> None:
    rows, undecided = UNDECIDED[where]
    # The gap divides by groups - chosen.
    condition = parse_condition(town.book, where)
    sweep, tally = Sweep(town.trial(chosen=8), {"groups": [1, 2, 8, 12], "side": [7, 8]}, ["held"], condition, block), Tally()
    found = [sweep.grid.at(p)["groups"] for b in sweep.batches(tally) for p in b.positions]
    assert found == [g for g in rows for _ in range(2)]
    assert (tally.undecided, tally.left_out, tally.evaluated) == (2 * undecided, 8 - len(found), 8)


def test_a_condition_without_a_value_under_one_choice(town: symroof.Point) -> None:
    over = {"weighing": ["all", "held"], "groups": [1, 2, 8]}
    sweep, tally = town.sweep(over, ["weight"], "1/(groups - 1) > 0 and weight > 12"), Tally()
    found = [tuple(sweep.grid.at(p).values()) for b in sweep.batches(tally) for p in b.positions]
    assert found == [("all", 2), ("all", 8), ("held", 2)]
    assert (tally.undecided, tally.left_out) == (2, 3)


def test_what_is_pinned_all_over_a_grid(town: symroof.Point) -> None:
    assert town.trial(area=1).sweep({"held": [1, 2], "groups": [1]}, ["far_bytes"]).base.pins == ("area", "held")


def test_conditions_that_cannot_be_asked(town: symroof.Point) -> None:
    with pytest.raises(EvaluationError, match="slowest is a name, not a number: a condition compares numbers"):
        town.sweep({"groups": [1]}, ["held"], "slowest > 1")
    with pytest.raises(EvaluationError, match="houses is a list, not a number: a condition compares numbers"):
        town.sweep({"groups": [1]}, ["held"], "houses > 1")
    with pytest.raises(MissingValueError, match="hop"):
        town.sweep({"groups": [1]}, ["held"], "packet > 1")


def test_cells_are_whole_numbers_where_they_can_be() -> None:
    assert cells(np.array([1.0, 2.0**52])) == [1, 2**52]
    assert cells(np.array([1.0, 0.1, np.nan, 2.0**60, np.inf])) == [1, 0.1, None, 2.0**60, np.inf]
    assert [type(c) for c in cells(np.array([2.0, 0.5]))] == [int, float]
    assert cells(np.array([True, False])) == [1, 0]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, ValueError])
def test_a_file_is_whole_or_not_there(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("before")

    def stopped() -> None:
        with row_file(path, ["a"], frozenset(), frozenset()) as file:
            file.write([[1], [2]])
            raise error

    with pytest.raises(error):
        stopped()
    assert (os.listdir(tmp_path), path.read_text()) == (["rows.csv"], "before")


def test_a_file_is_readable_like_any_other(tmp_path: Path) -> None:
    path, other = tmp_path / "rows.csv", tmp_path / "other"
    with row_file(path, ["a", "b"], frozenset(), frozenset()) as file:
        file.write([[1, "x, y"], [0.1, None]])
    other.touch()
    assert path.read_text() == 'a,b\n1,"x, y"\n0.1,\n'
    assert path.stat().st_mode == other.stat().st_mode


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with (
        pytest.raises(OutputError, match="cannot be written: no such file"),
        row_file(tmp_path / "none" / "rows.csv", [], frozenset(), frozenset()),
    ):
        pass
    with (
        pytest.raises(OutputError, match="cannot be written: no space left"),
        row_file(tmp_path / "rows.csv", [], frozenset(), frozenset()),
    ):
        raise OSError(28, "No space left on device")
    assert os.listdir(tmp_path) == []
