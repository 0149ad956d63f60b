"""Why this number? The derivation as a tree, from a quantity down to the values of the preset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from symroof.passes.evaluate import Evaluator
from symroof.passes.substitute import chosen
from symroof.term import At, Largest, RangeSum, Ref, Term, Total, Where, children

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.result import Result


@dataclass(frozen=True, slots=True)
class Node:
    """One name of a derivation: its result, the arguments it was taken at, and what it was made of.

    `repeated` is true where the same name was unfolded above already; its parts are not shown twice. `cut` is true where the
    tree ends although the name has parts: so many levels were asked for.
    """

    result: Result
    at: tuple[tuple[str, str], ...]
    parts: tuple[Node, ...]
    repeated: bool
    cut: bool = False


# A tree of more levels is read by nobody, and Python's recursion ends not far behind.
DEEPEST = 60


def why(point: Point, name: str, depth: int = DEEPEST) -> Node:
    """The derivation tree of a quantity; every name is unfolded where it is first met. Of a sum, the first and last terms.

    Args:
        depth: how many levels to unfold, at most 60.

    Raises:
        MissingValueError: a symbol on the way has no value. EvaluationError: the formula has none here.
    """
    point.evaluator.value(name)
    return _node(point, point.evaluator, name, set(), min(depth, DEEPEST))


def _node(point: Point, evaluator: Evaluator, name: str, seen: set[object], depth: int) -> Node:
    from symroof.result import Result

    at = tuple((k, str(v)) for k, v in evaluator.arguments(name).items() if k != name)
    result = Result(point, name, evaluator)
    formula = point.book.formulas.get(name)
    if formula is None or name in point.given or name in evaluator.arguments(name):
        return Node(result, at, (), repeated=False)
    if (name, at) in seen:
        return Node(result, at, (), repeated=True)
    if depth == 0:
        return Node(result, at, (), repeated=False, cut=True)
    seen.add((name, at))
    return Node(result, at, tuple(_parts(point, evaluator, chosen(point, formula), seen, depth - 1)), repeated=False)


def _parts(point: Point, evaluator: Evaluator, formula: Term, seen: set[object], depth: int) -> Iterator[Node]:
    """What a formula uses, in its order, each name once at each of its arguments."""
    used: dict[object, tuple[str, Evaluator]] = {}
    for name, inner in _uses(point, evaluator, formula):
        used.setdefault((name, *inner.arguments(name).items()), (name, inner))
    return (_node(point, inner, name, seen, depth) for name, inner in used.values())


def _uses(point: Point, evaluator: Evaluator, term: Term) -> Iterator[tuple[str, Evaluator]]:
    """The names of a formula, each with the evaluator that knows the arguments it is taken at."""
    match term:
        case Ref(name):
            # The entry of a list has a value, but is no name of the book.
            yield from ((name, evaluator),) if name in point.book.declared else ()
        case At(name, pairs):
            # `stage=stage` hands an index on: the argument shows it.
            yield from _all_uses(point, evaluator, [value for k, value in pairs if value != Ref(k)])
            yield name, Evaluator(point, {k: evaluator.term(value) for k, value in pairs}, evaluator)
        case Where(condition, a, b):
            yield from _all_uses(point, evaluator, [condition, a if evaluator.holds(condition) else b])
        case RangeSum(variable, start, stop, body):
            yield from _all_uses(point, evaluator, [start, stop])
            first, last = evaluator.term(start), evaluator.term(stop)
            yield from _ends(point, evaluator, variable, body, [first, last] if first <= last else [])
        case Total(over, variable, body):
            yield from [(over, evaluator)] if over in point.given else _all_uses(point, evaluator, point.book.stand_ins[over])
            entries = [entry for entry, _ in evaluator.entries(over)]
            yield from _ends(point, evaluator, variable, body, entries)
        case Largest(names):
            yield from ((name, evaluator) for name in names)
        case _:
            yield from _all_uses(point, evaluator, children(term))


def _all_uses(point: Point, evaluator: Evaluator, terms: Iterable[Term]) -> Iterator[tuple[str, Evaluator]]:
    for term in terms:
        yield from _uses(point, evaluator, term)


def _ends(
    point: Point, evaluator: Evaluator, variable: str, body: Term, entries: list[Fraction]
) -> Iterator[tuple[str, Evaluator]]:
    """What the first and the last term of a sum use."""
    for entry in dict.fromkeys((*entries[:1], *entries[-1:])):
        yield from _uses(point, Evaluator(point, {variable: entry}, evaluator), body)
