"""`why`: where does a value come from?"""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, point_of, result_of
from symroof.answers.shapes import Why, WhyNode, value
from symroof.passes.inline import inlined
from symroof.passes.why import DEEPEST, Node, why
from symroof.terminal import Branch, bold, dim, tree
from symroof.text import formula_text

if TYPE_CHECKING:
    from symroof.point import Point


def answer(options: Namespace) -> Answer:
    """The derivation of a quantity, down to the values of the preset."""
    point = point_of(options)
    root = why(point, result_of(point, options.name).name, DEEPEST if options.depth is None else options.depth)
    data: Why = {"preset": point.preset, "set": dict(point.overrides), "tree": _data(root)}
    return Answer(dict(data), lambda: _text(point, root), notes_of(options, point))


def _text(point: Point, root: Node) -> str:
    return "\n".join([dim(point.label), *tree(_branch(root))])


def _data(node: Node) -> WhyNode:
    formula = node.result.formula
    return {
        "name": node.result.name,
        "at": dict(node.at),
        "formula": None if formula is None else formula_text(inlined(node.result.point, formula)),
        "value": value(node.result),
        "source": node.result.source,
        "repeated": node.repeated,
        "parts": [_data(part) for part in node.parts],
    }


def _branch(node: Node) -> Branch:
    return Branch(_line(node), tuple(_branch(part) for part in node.parts))


def _line(node: Node) -> str:
    result, about = node.result, _about(node)
    arguments = f"({', '.join(f'{k}={v}' for k, v in node.at)})" if node.at else ""
    formula = "" if result.formula is None or node.repeated else f" = {formula_text(result.formula)}"
    return f"{bold(result.name)}{arguments}{formula} = {result.display}" + (f"   {dim(about)}" if about else "")


def _about(node: Node) -> str:
    if node.repeated:
        return "unfolded above"
    if node.cut:
        return "unfolds further: --depth"
    return "pinned: its definition is not used" if node.result.pinned else node.result.source
