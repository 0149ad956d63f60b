"""Where do two quantities meet, and which branch binds where? Exact boundaries along one symbol, a map along two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from symroof.errors import EvaluationError, PresetError, UnitError, UnsolvableError
from symroof.passes.branch import smooth
from symroof.passes.candidates import admissible_integers
from symroof.passes.compile import compile_quantities
from symroof.passes.expand import expand, expand_term, symbols_of
from symroof.passes.pieces import contest
from symroof.passes.solve import SECONDS, search_range
from symroof.passes.timelimit import time_limit
from symroof.report.text import formula_text
from symroof.term import Call, Largest, Ref, references

if TYPE_CHECKING:
    from symroof.point import Point


@dataclass(frozen=True, slots=True)
class Crossover:
    """Where two quantities have one value along a symbol: the exact points, and which is the larger at both ends."""

    over: str
    equation: str
    points: tuple[Any, ...]
    below: str
    above: str


@dataclass(frozen=True, slots=True)
class Regime:
    """A range of a symbol on which one branch binds. For a whole symbol both ends are admissible values; else exact bounds."""

    low: Any
    high: Any
    binding: str


@dataclass(frozen=True, slots=True)
class Regimes:
    """The regimes along a symbol, the quantity whose branches they are, and whether the boundaries are exact."""

    of: str
    over: str
    pieces: tuple[Regime, ...]
    method: str


@dataclass(frozen=True)
class RegimeMap:
    """Which branch binds over two symbols: names over a grid, and the curves between them as equations."""

    of: str
    over: tuple[str, str]
    values: tuple[tuple[Fraction, ...], tuple[Fraction, ...]]
    binding: tuple[tuple[str | None, ...], ...]
    curves: tuple[tuple[str, str, str], ...]


def crossover(point: Point, one: str, other: str, over: str) -> Crossover:
    """Where two quantities meet along a symbol, within the values that the symbol may have.

    Raises:
        PresetError: neither depends on the symbol. UnitError: they have different units.
        UnsolvableError: no exact answer, with what stands in the way.
    """
    book = point.book
    _same_dimension(point, one, other)
    if not any(over in book.inputs_of(book.known(n)) for n in (one, other)):
        raise PresetError(f"neither {one} nor {other} depends on {over}")
    symbol, low, high = search_range(point, over)
    with time_limit(SECONDS):
        ahead = contest(_forms(point, {one: one, other: other}, over, symbol), symbol, low, high)
    equation = sp.Eq(smooth(point, one, {over}).expression, smooth(point, other, {over}).expression)
    return Crossover(over, str(equation), tuple(p.high for p in ahead[:-1]), ahead[0].binding, ahead[-1].binding)


def regimes(point: Point, name: str, over: str, values: Sequence[Fraction] | None = None) -> Regimes:
    """Which branch of a Max or Min binds along a symbol: at the values given, else over all that the symbol may have.

    Raises:
        PresetError: the quantity has no Max or Min that moves with the symbol.
        UnsolvableError: no exact answer over a range; at given values there always is one.
    """
    of, best, branches = contested(point, name, {over})
    if values is not None:
        return Regimes(of, over, tuple(_at_values(point, over, branches, best, values)), "at the values given")
    symbol, low, high = search_range(point, over)
    try:
        with time_limit(SECONDS):
            found = contest(_forms(point, branches, over, symbol), symbol, low, high, best)
        return Regimes(of, over, tuple(Regime(p.low, p.high, p.binding) for p in found), "exact")
    except UnsolvableError as reason:
        if not point.book.symbols[over].domain.whole:
            raise
        tried = [Fraction(v) for v in admissible_integers(point, over)]
        return Regimes(
            of, over, tuple(_at_values(point, over, branches, best, tried)), f"at every admissible value, because {reason}"
        )


def regime_map(
    point: Point, name: str, over: tuple[str, str], values: tuple[Sequence[Fraction], Sequence[Fraction]]
) -> RegimeMap:
    """Which branch binds over a grid of two symbols; None where the run may not exist. Curves are equations of branches.

    Raises:
        PresetError: the quantity has no Max or Min that moves with either symbol.
    """
    of, best, branches = contested(point, name, set(over))
    names = list(branches)
    program = compile_quantities(point, [b for b in branches.values() if isinstance(b, str)], over, point.book.conditions)
    if any(not isinstance(b, str) for b in branches.values()):
        raise PresetError(f"the branches of {of} have no names of their own: a map needs named branches")
    first, second = (np.array([float(v) for v in vs]) for vs in values)
    found = program(**{over[0]: first[:, None], over[1]: second[None, :]})
    shape = (len(first), len(second))
    stack = np.stack([np.broadcast_to(found[n], shape) for n in names])
    winner = (np.argmax if best == "Max" else np.argmin)(stack, axis=0)
    valid = np.ones(shape, dtype=bool)
    for condition in point.book.conditions:
        if condition in found:
            valid &= np.broadcast_to(found[condition], shape)
    binding = tuple(
        tuple(names[w] if ok else None for w, ok in zip(ws, oks, strict=True)) for ws, oks in zip(winner, valid, strict=True)
    )
    return RegimeMap(of, over, (tuple(values[0]), tuple(values[1])), binding, _curves(point, over, binding))


def contested(point: Point, name: str, moving: set[str]) -> tuple[str, str, dict[str, Any]]:
    """The first Max or Min under a quantity that moves with some symbols: whose it is, which, and its labelled branches.

    Raises:
        PresetError: there is none.
    """
    book, seen = point.book, set()
    waiting = [book.known(name)]
    while waiting:
        here = waiting.pop(0)
        if here in seen or here in point.given or here not in book.formulas:
            continue
        seen.add(here)
        formula = book.formulas[here]
        if isinstance(formula, Largest):
            return here, "Max", {n: n for n in formula.names}
        if isinstance(formula, Call) and formula.function in ("Max", "Min") and moving & book.inputs_of(here):
            return here, formula.function, {_label(p): p.name if isinstance(p, Ref) else p for p in formula.args}
        waiting += [r for r in references(formula) if moving & book.inputs_of(r)]
    raise PresetError(f"{name} has no Max or Min that moves with {' or '.join(sorted(moving))}")


def _label(part: Any) -> str:
    return part.name if isinstance(part, Ref) else formula_text(part)


def _forms(point: Point, branches: dict[str, Any], over: str, symbol: Any) -> dict[str, Any]:
    own = symbols_of(point.book)[over]
    found = {}
    for label, branch in branches.items():
        form = expand(point, branch, {over}) if isinstance(branch, str) else expand_term(point, branch, {over})
        found[label] = sp.sympify(form).xreplace({own: symbol})
    return found


def _at_values(point: Point, over: str, branches: dict[str, Any], best: str, values: Sequence[Fraction]) -> list[Regime]:
    found: list[Regime] = []
    for value in values:
        there = point.trial(**{over: value})
        if not there.admissible:
            continue
        numbers = {n: _branch_value(there, b) for n, b in branches.items()}
        top = (max if best == "Max" else min)(numbers.values())
        binding = " = ".join(n for n, v in numbers.items() if v == top)
        if found and found[-1].binding == binding:
            found[-1] = Regime(found[-1].low, _exact(value), binding)
        else:
            found.append(Regime(_exact(value), _exact(value), binding))
    if not found:
        raise EvaluationError(f"none of the values of {over} makes an admissible run")
    return found


def _branch_value(point: Point, branch: Any) -> Fraction:
    return point.evaluator.number(branch) if isinstance(branch, str) else point.evaluator.term(branch)


def _curves(point: Point, over: tuple[str, str], binding: tuple[tuple[str | None, ...], ...]) -> tuple[tuple[str, str, str], ...]:
    """For each pair of branches that touch on the map, the equation on which they meet, in names of the book."""
    pairs: dict[tuple[str, str], None] = {}
    for row, below in zip(binding, (*binding[1:], None), strict=True):
        for i, here in enumerate(row):
            for there in (row[i + 1] if i + 1 < len(row) else None, below[i] if below else None):
                if here and there and here != there:
                    pairs[(min(here, there), max(here, there))] = None
    forms = {n: smooth(point, n, set(over)).expression for pair in pairs for n in pair}
    return tuple((a, b, str(sp.Eq(forms[a], forms[b]))) for a, b in pairs)


def _same_dimension(point: Point, one: str, other: str) -> None:
    a, b = (point.book.dimension(point.book.known(n)) for n in (one, other))
    if a != b:
        raise UnitError(f"{one} is in {a} and {other} in {b}: they cannot meet")


def _exact(value: Fraction) -> Any:
    return sp.Rational(value.numerator, value.denominator)
