"""What does it depend on, as things stand? Only through the choices in force, and no further than what is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symroof.passes.substitute import chosen
from symroof.term import Choose, Term, Total, references, walk

if TYPE_CHECKING:
    from symroof.point import Point


def under(point: Point, name: str) -> list[str]:
    """The derived quantities on the way from a quantity to what is given, the quantity itself first, nearer ones before."""
    found: dict[str, None] = {}
    waiting = [name]
    while waiting:
        here = waiting.pop(0)
        if here in found or here in point.given or here not in point.book.formulas:
            continue
        found[here] = None
        waiting += _used(point, point.book.formulas[here])
    return list(found)


def dependencies(point: Point, name: str) -> frozenset[str]:
    """The given and missing names that a quantity's value rests on at a point: symbols, and pinned quantities."""
    inner = under(point, name)
    if not inner:
        return frozenset((name,))
    used = {u for here in inner for u in _used(point, point.book.formulas[here])}
    return frozenset(used - set(inner))


def conventions_of(point: Point, name: str) -> list[str]:
    """The conventions that a quantity's value depends on at a point, in the order in which they are met."""
    found: dict[str, None] = {}
    seen: set[str] = set()
    open_ = [name]
    while open_:
        here = open_.pop()
        if here in seen or here in point.given or here not in point.book.formulas:
            continue
        seen.add(here)
        formula = point.book.formulas[here]
        found.update({node.convention: None for node in walk(formula) if isinstance(node, Choose)})
        open_ += reversed(references(formula))
    return list(found)


def _used(point: Point, formula: Term) -> list[str]:
    """The names that a formula uses under the choices in force, with what stands in for a list that is not given."""
    term = chosen(point, formula)
    instead = {n.over for n in walk(term) if isinstance(n, Total) and n.over not in point.given} & point.book.stand_ins.keys()
    names = [n for n in references(term) if n not in instead]
    return names + [n for over in sorted(instead) for part in point.book.stand_ins[over] for n in references(part)]
