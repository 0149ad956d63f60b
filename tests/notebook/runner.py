"""A notebook without a kernel: its code cells run in order in one namespace, and what they show is kept as notebooks keep it.

A kernel of Jupyter brings some forty packages and a second of start; what is tested here is what objects show of themselves.
"""

from __future__ import annotations

import ast
import contextlib
import io
from typing import Any

_MARKUP = {
    "text/html": "_repr_html_",
    "text/markdown": "_repr_markdown_",
    "text/latex": "_repr_latex_",
    "image/svg+xml": "_repr_svg_",
}


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """The outputs of each code cell, in order."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    return [_outputs("".join(cell["source"]), namespace, number) for number, cell in enumerate(cells, 1)]


def _outputs(source: str, namespace: dict[str, Any], number: int) -> list[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"<cell {number}>", "exec"), namespace)
        value = None if last is None else eval(compile(ast.Expression(last.value), f"<cell {number}>", "eval"), namespace)
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"name": "stdout", "output_type": "stream", "text": lines(printed.getvalue())})
    if value is not None:
        data = {form: lines(text) for form, text in shown(value).items()}
        found.append({"data": data, "execution_count": number, "metadata": {}, "output_type": "execute_result"})
    return found


def shown(value: object) -> dict[str, str]:
    """What a value shows of itself, by form."""
    found = {form: getattr(value, method)() for form, method in _MARKUP.items() if hasattr(value, method)}
    return {**found, "text/plain": repr(value)}


def lines(text: str) -> list[str]:
    """A text as notebooks keep it."""
    return text.splitlines(keepends=True)
