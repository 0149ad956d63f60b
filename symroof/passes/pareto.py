"""Which configurations are best? The first K by one quantity, or all that no other beats in two, exactly.

Floats find the candidates and a few that are within rounding of them; exact values then decide, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from symroof.errors import RequestError
from symroof.passes.sweep import Batch, Sweep, Tally

# Two floats closer than this, relatively, may be one exact value.
_NEAR = 1e-12
# Candidates beyond these are decided by floats: exact values of so many points would take minutes.
_EXACTLY = 5_000
# Points that tie with the last of the best are kept up to here, the first of the grid before others.
_TIES = 100
_LARGEST_FRONT = 1_000_000


@dataclass(frozen=True, slots=True)
class Goal:
    """A quantity, and whether the best value is the least or the greatest."""

    name: str
    greatest: bool = False

    def cost(self, batch: Batch) -> np.ndarray:
        """Values of which the least is best; nan, where there is none, is worst."""
        found = batch.column(self.name)
        cost: np.ndarray = -found if self.greatest else found
        return np.where(np.isnan(cost), np.inf, cost)

    def least(self, batch: Batch) -> float:
        """A bound below every cost of a block, from fewer values than it has points."""
        found = np.asarray(batch.arrays[self.name])
        return float(np.fmin.reduce(-found if self.greatest else found, axis=None))

    def exact_cost(self, sweep: Sweep, position: int) -> Fraction:
        """The exact value of which the least is best."""
        found = sweep.exact(position)[self.name]
        assert isinstance(found, Fraction)
        return -found if self.greatest else found


def best(sweep: Sweep, goal: Goal, count: int, tally: Tally, seen: Callable[[int], object] = lambda points: None) -> list[int]:
    """The positions of the best points, best first; points with the same value in the order of the grid.

    Raises:
        RequestError: the goal is a name, not a number.
    """
    costs, positions = np.empty(0), np.empty(0, dtype=np.int64)
    limit = np.inf
    for batch in sweep.batches(tally, seen):
        if goal.least(_numeric(batch, goal)) > limit:
            continue
        found = goal.cost(batch)
        near = np.flatnonzero((found <= limit) & np.isfinite(found))
        if not near.size:
            continue
        costs = np.concatenate([costs, found[near]])
        positions = np.concatenate([positions, batch.positions[near]])
        costs, positions, limit = _kept(costs, positions, count)
    ordered: list[int] = positions[np.argsort(costs, kind="stable")].tolist()
    if len(ordered) <= _EXACTLY:
        ordered.sort(key=lambda p: (goal.exact_cost(sweep, p), p))
    return ordered[:count]


def _kept(costs: np.ndarray, positions: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, float]:
    """The best so far and those within rounding of the last of them, in the order of the grid, and what may still join."""
    if len(costs) <= count:
        return costs, positions, np.inf
    last = float(np.partition(costs, count - 1)[count - 1])
    limit = last + _NEAR * abs(last)
    sure = costs < last - _NEAR * abs(last)
    ties = np.flatnonzero((costs <= limit) & ~sure)[: count + _TIES]
    kept = np.sort(np.concatenate([np.flatnonzero(sure), ties]))
    full = len(ties) == count + _TIES
    return costs[kept], positions[kept], np.nextafter(last - _NEAR * abs(last), -np.inf) if full else limit


def front(sweep: Sweep, goals: tuple[Goal, Goal], tally: Tally, seen: Callable[[int], object] = lambda points: None) -> list[int]:
    """The positions of the points that no other beats in both goals, from the best in the first to the best in the second.

    A point is beaten by one that is better in one goal and not worse in the other; points with the same two values all stay.

    Raises:
        RequestError: a goal is a name, or the front has more than a million points.
    """
    found = _Front()
    for batch in sweep.batches(tally, seen):
        costs = np.stack([goal.cost(_numeric(batch, goal)) for goal in goals])
        near = np.flatnonzero(np.isfinite(costs).all(axis=0))
        near = near[_unbeaten(costs[:, near])]
        found.join(costs[:, near], batch.positions[near])
    costs, positions = found.settle()
    if len(positions) > _EXACTLY:
        ordered: list[int] = positions[np.lexsort((positions, costs[1], costs[0]))].tolist()
        return ordered
    first, second = goals
    return _exact_front([(first.exact_cost(sweep, p), second.exact_cost(sweep, p), p) for p in positions.tolist()])


class _Front:
    """The points that nothing beats so far. New ones wait until there are many: then settling costs little for each."""

    def __init__(self) -> None:
        self._costs, self._positions = [np.empty((2, 0))], [np.empty(0, dtype=np.int64)]
        self._waiting = 0

    def join(self, costs: np.ndarray, positions: np.ndarray) -> None:
        """Add points."""
        self._costs.append(costs)
        self._positions.append(positions)
        self._waiting += len(positions)
        if self._waiting > max(len(self._positions[0]), _EXACTLY):
            self.settle()

    def settle(self) -> tuple[np.ndarray, np.ndarray]:
        """The front of all points so far, in the order of the grid.

        Raises:
            RequestError: it has more than a million points.
        """
        costs, positions = np.concatenate(self._costs, axis=1), np.concatenate(self._positions)
        kept = _unbeaten(costs)
        if len(kept) > _LARGEST_FRONT:
            raise RequestError(f"the front has more than {_LARGEST_FRONT:,} points: too many share their values")
        self._costs, self._positions, self._waiting = [costs[:, kept]], [positions[kept]], 0
        return self._costs[0], self._positions[0]


def _unbeaten(costs: np.ndarray) -> np.ndarray:
    """Which points, in the order given, no other beats clearly; values within rounding of each other count as the same."""
    first, second = costs
    order = np.argsort(first, kind="stable")
    ascending = first[order]
    least = np.minimum.accumulate(np.concatenate([[np.inf], second[order]]))
    better = least[np.searchsorted(ascending, first - _NEAR * np.abs(first), side="left")]
    no_worse = least[np.searchsorted(ascending, first + _NEAR * np.abs(first), side="right")]
    slack = _NEAR * np.abs(second)
    kept: np.ndarray = np.flatnonzero((better > second + slack) & (no_worse >= second - slack))
    return kept


def _exact_front(points: Sequence[tuple[Fraction, Fraction, int]]) -> list[int]:
    found: list[tuple[Fraction, Fraction, int]] = []
    for first, second, position in sorted(points):
        if not found or second < found[-1][1] or (first, second) == found[-1][:2]:
            found.append((first, second, position))
    return [position for _, _, position in found]


def _numeric(batch: Batch, goal: Goal) -> Batch:
    if np.asarray(batch.arrays[goal.name]).dtype == object:
        raise RequestError(f"{goal.name} is a name, not a number: it has no best value")
    return batch
