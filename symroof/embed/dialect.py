"""How answers are set in each format: text, names, numbers, mathematics, tables, pictures, and names of the document's own."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from symroof.errors import RequestError

_REST = re.compile(r"([\\*`|_<>])")
_NO_NAMES = "`define` is for LaTeX and reStructuredText; here a marker may stand in the sentence itself"


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: titles, how each column stands, and rows of cells that are set already.

    A column is `l`, to the left, `r`, to the right, or `w`, words that may take several lines.
    """

    titles: tuple[str, ...]
    places: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a format does with each thing.

    Attributes:
        text, name: running text and a name of the book, escaped.
        number: a number in text and its unit, which may be empty.
        math: mathematics in a line of text. display: mathematics on lines of its own.
        table: a table. picture: a picture file with what it shows.
        define: a name of the document's own for what is set already.
        spaced: True where blank lines stand between a block and its markers.
    """

    text: Callable[[str], str]
    name: Callable[[str], str]
    number: Callable[[str, str], str]
    math: Callable[[str], str]
    display: Callable[[str], str]
    table: Callable[[Grid], str]
    picture: Callable[[str, str], str]
    define: Callable[[str, str], str]
    spaced: bool

    def block(self, content: str, prefix: str, newline: str) -> str:
        """What stands between the comments of a marker that has lines of its own, the indentation of the closing one included.

        Args:
            content: what is filled in, its lines ended by a line feed.
            prefix: what each line begins with. newline: what each line ends with.
        """
        lines = ["", *content.split("\n"), ""] if self.spaced else content.split("\n")
        return newline + "".join(f"{prefix}{line}".rstrip() + newline for line in lines) + prefix


def _no_names(label: str, content: str) -> str:
    raise RequestError(_NO_NAMES)


def _plain_number(number: str, unit: str) -> str:
    return f"{number}{unit}" if unit == "%" else f"{number} {unit}".strip()


def _markdown_text(text: str) -> str:
    from symroof.report.markdown import markdown_text

    return markdown_text(text)


def _markdown_name(name: str) -> str:
    return f"`{name}`"


def _markdown_table(grid: Grid) -> str:
    rule = ["---:" if place == "r" else "---" for place in grid.places]
    return "\n".join(f"| {' | '.join(row)} |" for row in (grid.titles, rule, *grid.rows))


def _markdown_picture(file: str, alt: str) -> str:
    return f"![{_markdown_text(alt)}]({file})"


def _bars(tex: str) -> str:
    """Mathematics in the cell of a table, which a bar would end."""
    return tex.replace("|", r"\vert ")


def _markdown(math: Callable[[str], str], display: Callable[[str], str]) -> Dialect:
    number: Callable[[str, str], str] = lambda n, u: _markdown_text(_plain_number(n, u))  # noqa: E731
    table, picture = _markdown_table, _markdown_picture
    return Dialect(_markdown_text, _markdown_name, number, math, display, table, picture, _no_names, True)


def _fenced(tex: str) -> str:
    return f"```math\n{tex}\n```"


def _rest_text(text: str) -> str:
    return _REST.sub(r"\\\1", " ".join(text.split()))


def _rest_table(grid: Grid) -> str:
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for row in (grid.titles, *grid.rows):
        lines += [f"   {'* -' if first else '  -'} {cell}".rstrip() for first, cell in ((n == 0, c) for n, c in enumerate(row))]
    return "\n".join(lines)


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.split("\n"))


def _rest_define(label: str, content: str) -> str:
    if not label.startswith("|"):
        raise RequestError(f"in reStructuredText a name stands between bars, |{label.lstrip(chr(92))}|, not {label}")
    return f".. {label} replace:: {content}"


def _latex_text(text: str) -> str:
    from symroof.report.markdown import latex_text

    return latex_text(text)


def _latex_number(number: str, unit: str) -> str:
    from symroof.report.latex import number_text_latex, unit_latex

    space = r"\," if unit not in ("", "%") else ""
    return rf"\ensuremath{{{number_text_latex(number)}{space}{unit_latex(unit) if unit else ''}}}"


def _latex_table(grid: Grid) -> str:
    places = grid.places.replace("w", r"p{0.4\linewidth}")
    rows = [rf"{' & '.join(row)} \\" for row in (grid.titles, *grid.rows)]
    lines = [rf"\begin{{tabular}}{{{places}}}", r"\hline", rows[0], r"\hline", *rows[1:], r"\hline", r"\end{tabular}"]
    return _latex_paragraph("\n".join(lines))


def _latex_paragraph(content: str) -> str:
    """What is as wide as a line, apart from the text and the pictures around it."""
    return f"\\par\\noindent\n{content}\n\\par"


def _latex_define(label: str, content: str) -> str:
    if not label.startswith("\\"):
        raise RequestError(rf"in LaTeX a name is a command of letters, \steptime, not {label}")
    # Mathematics is used in sentences and inside other mathematics.
    content = rf"\ensuremath{{{content[1:-1]}}}" if content[:1] == content[-1:] == "$" else content
    return rf"\newcommand{{{label}}}{{{content}}}"


def _html_table(grid: Grid) -> str:
    def row(cells: Sequence[str], tag: str) -> str:
        places = (' style="text-align: right"' if place == "r" else "" for place in grid.places)
        return "<tr>" + "".join(f"<{tag}{p}>{c}</{tag}>" for c, p in zip(cells, places, strict=True)) + "</tr>"

    body = [row(cells, "td") for cells in grid.rows]
    return "\n".join(["<table>", f"<thead>{row(grid.titles, 'th')}</thead>", "<tbody>", *body, "</tbody>", "</table>"])


def _mathml(tex: str, display: bool) -> str:
    from symroof.report.mathml import mathml

    return mathml(tex, display)


DIALECTS = {
    "markdown": _markdown(lambda tex: f"$`{_bars(tex)}`$", _fenced),
    "notebook": _markdown(lambda tex: f"${_bars(tex)}$", lambda tex: f"$$\n{tex}\n$$"),
    "myst": Dialect(
        text=_markdown_text,
        name=_markdown_name,
        number=lambda number, unit: _markdown_text(_plain_number(number, unit)),
        math=lambda tex: f"{{math}}`{_bars(tex)}`",
        display=lambda tex: f"```{{math}}\n{tex}\n```",
        table=_markdown_table,
        picture=_markdown_picture,
        define=_no_names,
        spaced=True,
    ),
    "rest": Dialect(
        text=_rest_text,
        name=lambda name: f"``{name}``",
        number=lambda number, unit: _rest_text(_plain_number(number, unit)),
        math=lambda tex: f":math:`{tex}`",
        display=lambda tex: f".. math::\n\n{_indented(tex)}",
        table=_rest_table,
        picture=lambda file, alt: f".. image:: {file}\n   :alt: {_rest_text(alt)}",
        define=_rest_define,
        spaced=True,
    ),
    "latex": Dialect(
        text=_latex_text,
        name=lambda name: rf"\texttt{{{_latex_text(name)}}}",
        number=_latex_number,
        math=lambda tex: f"${tex}$",
        display=lambda tex: f"\\[\n{tex}\n\\]",
        table=_latex_table,
        picture=lambda file, alt: _latex_paragraph(rf"\includegraphics[width=\linewidth]{{{file}}}"),
        define=_latex_define,
        spaced=False,
    ),
    "html": Dialect(
        text=escape,
        name=lambda name: f"<code>{escape(name)}</code>",
        number=lambda number, unit: escape(_plain_number(number, unit)),
        math=lambda tex: _mathml(tex, False),
        display=lambda tex: _mathml(tex, True),
        table=_html_table,
        picture=lambda file, alt: f'<img src="{escape(file)}" alt="{escape(alt)}">',
        define=_no_names,
        spaced=False,
    ),
}
