"""A report as one HTML file that needs nothing else: MathML, cards of names, values under each scale, derivations that fold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from symroof.errors import SymroofError
from symroof.humane import Shown
from symroof.passes.why import Node, why
from symroof.report.latex import equation, formula_sides, value_latex
from symroof.report.markdown import Dialect, Prose
from symroof.report.mathml import Marker, mathml
from symroof.report.model import QuantityReport, Report
from symroof.report.scales import Scales, scales
from symroof.report.template import TEMPLATES, environment

if TYPE_CHECKING:
    from symroof.point import Point

# The width in ems of the definition on a card.
_CARD = 24.0
# A derivation that goes on goes on at the entry of a name, so that nothing is unfolded hundreds of times.
_LEVELS = 3
# The cells of an aligned formula, thousands of them, have classes of the page instead of styles of their own.
_CELLS = {
    ' style="text-align: right;justify-items: end;padding-right: 0;"': ' class="to-right"',
    ' style="text-align: left;justify-items: start;padding-left: 0;"': ' class="to-left"',
}
# Stands in a formula for its value, until it is MathML; a character that no text of a book has.
_HOLE = "\N{OBJECT REPLACEMENT CHARACTER}"
_PICTURE = re.compile(r'<figure class="picture">.*?</figure>\n', re.DOTALL)
_REMARK = re.compile(r"<!--.*?-->", re.DOTALL)
# Fonts and accents are no part of what one types to find a symbol.
_SOUNDLESS = re.compile(r"\\(?:mathrm|mathbf|mathit|text|left|right)\b")


def html_text(text: str) -> str:
    """Text for HTML, with no character that a browser would refuse or hide."""
    return escape("".join(c if c.isprintable() else " " for c in text))


HTML = Dialect(
    html_text,
    lambda t: f"<code>{html_text(t)}</code>",
    lambda n: f'<a href="#{html_text(n)}"><code>{html_text(n)}</code></a>',
)


def html_report(described: Report, point: Point) -> str:
    """The report of a point as HTML.

    Raises:
        SymroofError: Jinja2 or math-core is not installed, or a symbol is no LaTeX.
    """
    page = _Page(described, point)
    styles, script = (_read("tokens.css") + _read("report.css")), _read("report.js")
    template = _environment(page).get_template("report.html.j2")
    text: str = template.render(report=described, page=page, styles=styles, script=script, script_hash=script_hash(script))
    for style, name in _CELLS.items():
        text = text.replace(style, name)
    return _closed_up(text)


def _read(name: str) -> str:
    return _closed_up((TEMPLATES / name).read_text(encoding="utf-8"))


def _closed_up(text: str) -> str:
    """A text without its empty lines."""
    return re.sub(r"\n(?:[ \t]*\n)+", "\n", text)


def script_hash(script: str) -> str:
    """What the page's policy names its one script by; all else that could run or load is refused."""
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


def without_pictures(text: str) -> str:
    """The same page as it is where no pictures can be painted."""
    return _PICTURE.sub("", text)


def _drawn(svg: str) -> str:
    """A picture without the remarks of the program that drew it."""
    return _REMARK.sub("", svg)


def _environment(page: _Page) -> Any:
    found = environment(autoescape=True)
    from markupsafe import Markup

    prose = Prose(HTML, page.described.names)
    filters = {
        "prose": prose.prose, "clause": prose.clause, "name": prose.name, "code": HTML.code,
        "math": page.symbol, "display": page.display, "formula": page.formula, "definition": page.definition,
        "value": page.value, "tree": page.tree, "drawn": _drawn,
    }  # fmt: skip
    found.filters.update({name: lambda x, f=f: Markup(f(x)) for name, f in filters.items()})
    found.filters.update(sound=sound, raw=Markup)
    return found


def sound(tex: str) -> str:
    r"""A symbol as one would type it to find it: `rho gpu` for `\rho_{\mathrm{gpu}}`."""
    return " ".join(re.findall(r"\w+", _SOUNDLESS.sub("", tex).replace("_", " ")))


class _Page:
    """What the template asks for: values, formulas and trees as HTML, each value's scales held once for all its places."""

    def __init__(self, described: Report, point: Point) -> None:
        self.described, self._point = described, point
        self._scales: dict[Scales, int] = {}
        self._trees: dict[str, str] = {}
        entries = [*described.symbols, *(q.entry for c in described.chapters for q in c.quantities)]
        self._marker = Marker({e.name: e.symbol for e in entries})
        self._prose = Prose(HTML, described.names)
        self.used_by: Mapping[str, tuple[str, ...]] = _used_by(described)

    @property
    def scales(self) -> str:
        """The texts of every value so far, as a script's data: no `<` in it ends the script."""
        return json.dumps([*self._scales], ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")

    def value(self, text: str | None) -> str:
        """A value that changes with the scale that the reader asks for; a dash where there is none."""
        if text is None:
            return '<span class="none">no value</span>'
        number = self._number(text)
        return self._prose.prose(text) if number is None else f'<span class="v" data-v="{number}">{html_text(text)}</span>'

    def _number(self, text: str) -> int | None:
        """The place of a value among the scales, where it looks different under some of them."""
        if not isinstance(text, Shown):
            return None
        found = scales(text.exact, text.unit)
        return None if found.alike else self._scales.setdefault(found, len(self._scales))

    def symbol(self, tex: str) -> str:
        """A symbol or a formula in a line of text."""
        return self._marker.mark(mathml(tex))

    def display(self, tex: str) -> str:
        """A formula in a cell of a table, at full size."""
        return self._marker.mark(mathml(tex, True))

    def formula(self, quantity: QuantityReport) -> str:
        """A quantity's chain of equations, its names marked and its value one that changes with the scale."""
        head, value, tail = self._around_value(quantity)
        marked = self._marker.mark(mathml(head + tail, True), (quantity.entry.name, *quantity.uses))
        return marked.replace(f"<mtext>{_HOLE}</mtext>", value)

    def _around_value(self, quantity: QuantityReport) -> tuple[str, str, str]:
        shown = quantity.entry.value
        if not isinstance(shown, Shown):
            return quantity.math, "", ""
        tex = value_latex(shown.exact, shown.unit)
        head, _, tail = quantity.math.rpartition(tex)
        number = self._number(shown)
        inner = mathml(tex).removeprefix("<math>").removesuffix("</math>")
        changing = "" if number is None else f' class="v" data-v="{number}"'
        return rf"{head}\text{{{_HOLE}}}", f"<mrow{changing}>{inner}</mrow>", tail

    def definition(self, quantity: QuantityReport) -> str:
        """The formula alone, at the width of a card; nothing where the value was given."""
        result = self._point[quantity.entry.name]
        sides = () if quantity.set_here else formula_sides(result.formula)
        return mathml(equation(quantity.entry.symbol, sides, self._point.book, _CARD), True) if sides else ""

    def tree(self, name: str) -> str:
        """The derivation of a quantity, some levels deep, as nested lists; nothing where it has no parts."""
        if name not in self._trees:
            try:
                self._trees[name] = self._branches(why(self._point, name, _LEVELS).parts)
            except SymroofError:
                self._trees[name] = ""
        return self._trees[name]

    def _branches(self, nodes: Iterable[Node]) -> str:
        return "".join(f"<li>{self._branch(n)}</li>" for n in nodes)

    def _branch(self, node: Node) -> str:
        arguments = f"({', '.join(f'{k} = {v}' for k, v in node.at)})" if node.at else ""
        name = html_text(node.result.name)
        link = f'<a href="#{name}">{name}</a>' if node.result.name in self.described.names else name
        line = f"{link}{html_text(arguments)} = {self.value(node.result.display)}"
        if node.repeated:
            return f"{line} <small>as above</small>"
        if node.cut:
            return f"{line} <small>derived there</small>" if self.tree(node.result.name) else line
        if not node.parts:
            return line
        return f"{line} <details><summary>from {len(node.parts)}</summary><ul>{self._branches(node.parts)}</ul></details>"


def _used_by(described: Report) -> dict[str, tuple[str, ...]]:
    """The quantities of the report whose formula names a name, and those that a convention chooses for."""
    found: dict[str, list[str]] = {c.name: [name for name, _ in c.values.rows] for c in described.conventions}
    for chapter in described.chapters:
        for quantity in chapter.quantities:
            for name in quantity.uses:
                if quantity.entry.name not in found.setdefault(name, []):
                    found[name].append(quantity.entry.name)
    return {name: tuple(users) for name, users in found.items()}
