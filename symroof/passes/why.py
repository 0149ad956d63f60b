"""Why this number? The derivation as a tree, from a quantity down to the values of the preset."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from symroof.errors import MissingValueError
from symroof.passes.evaluate import Evaluator
from symroof.passes.substitute import chosen
from symroof.term import At, Term, references, walk

if TYPE_CHECKING:
    from symroof.point import Point
    from symroof.result import Result


@dataclass(frozen=True, slots=True)
class Node:
    """One name of a derivation: its result, the arguments it was taken at, and what it was made of.

    `repeated` is true where the same name was unfolded above already; its parts are not shown twice.
    """

    result: Result
    at: tuple[tuple[str, str], ...]
    parts: tuple[Node, ...]
    repeated: bool


def why(point: Point, name: str) -> Node:
    """The derivation tree of a quantity; every name is unfolded where it is first met.

    Raises:
        MissingValueError: a symbol on the way has no value.
    """
    point.evaluator.value(name)
    return _node(point, point.evaluator, name, (), set())


def _node(point: Point, evaluator: Evaluator, name: str, at: tuple[tuple[str, str], ...], seen: set[object]) -> Node:
    from symroof.result import Result

    result = Result(point, name, evaluator)
    key = (name, at)
    formula = point.book.formulas.get(name)
    if formula is None or name in point.given or key in seen:
        return Node(result, at, (), repeated=key in seen and formula is not None and name not in point.given)
    seen.add(key)
    parts = tuple(
        _node(point, inner, used, arguments, seen) for used, arguments, inner in _uses(point, evaluator, chosen(point, formula))
    )
    return Node(result, at, parts, repeated=False)


def _uses(point: Point, evaluator: Evaluator, formula: Term) -> Iterator[tuple[str, tuple[tuple[str, str], ...], Evaluator]]:
    """What a formula uses, in its order: each name, the arguments it is taken at, and the evaluator that knows them."""
    applied = {node.name: node for node in walk(formula) if isinstance(node, At)}
    for used in references(formula):
        if used in applied:
            bindings = {k: evaluator.term(t) for k, t in applied[used].bindings}
            yield used, tuple((k, str(v)) for k, v in bindings.items()), Evaluator(point, bindings, evaluator)
        elif _has_value(evaluator, used):
            yield used, (), evaluator


def _has_value(evaluator: Evaluator, name: str) -> bool:
    """A list may be stood in for, and the branch not taken may need a symbol that nobody gave."""
    try:
        evaluator.value(name)
    except MissingValueError:
        return False
    return True
