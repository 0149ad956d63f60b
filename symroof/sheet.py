"""What an answer looks like: titled blocks of rows, one description for a terminal, Markdown, LaTeX and HTML."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from symroof.term import Term

if TYPE_CHECKING:
    from symroof.book import Book

# Text, or a formula, which every format sets in its own way.
Cell: TypeAlias = str | Term
Row: TypeAlias = tuple[Cell, ...]

FORMATS = ("text", "markdown", "latex")
# A longer formula, in characters, is for programs: its place says how long it is. One that stands alone may be longer.
LONGEST_FORMULA, LONGEST_ALONE = 80, 240


@dataclass(frozen=True, slots=True)
class Block:
    """Rows under a title; an empty title prints none."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A headline, columns, blocks of rows, and lines that go below them.

    Attributes:
        book: where the LaTeX of names comes from.
        head: what is shown, in a line.
        columns: the head of each column, every row has as many cells; a title that ends in `>` asks for numbers to the right.
        blocks: the rows.
        notes: what a reader must know beside them.
        longest: the longest formula that is printed, in characters.
    """

    book: Book
    head: str
    columns: tuple[str, ...]
    blocks: tuple[Block, ...]
    notes: tuple[str, ...] = ()
    longest: int = LONGEST_FORMULA

    def text(self) -> str:
        """The sheet for a terminal: aligned columns under their heads."""
        from symroof.terminal import bold, dim, table

        rows = [self._titles, *(tuple(self._text(c) for c in row) for b in self.blocks for row in b.rows)]
        lines = iter(table(self._aligned(rows), indent="  "))
        titles = next(lines)
        found = [dim(self.head), "", *([dim(titles)] if titles else [])] if self._rows else [dim(self.head)]
        for block in self.blocks:
            found += [bold(block.title)] if block.title else []
            found += [next(lines) for _ in block.rows]
        return "\n".join([*found, *([""] if self.notes and self._rows else []), *self.notes])

    def markdown(self) -> str:
        """The sheet in GitHub's Markdown."""
        from symroof.report.latex import formula_latex
        from symroof.report.markdown import markdown_math, markdown_text

        def cell(found: Cell) -> str:
            if isinstance(found, str):
                return f"`{found}`" if self._is_name(found) else markdown_text(found)
            return markdown_text(self._too_long(found)) or markdown_math(formula_latex(found, self.book))

        rule = [("---:" if r else "---") for r in self._right]
        lines = [f"**{markdown_text(self.head)}**", ""]
        for block in self.blocks:
            lines += [f"### {markdown_text(block.title)}", ""] if block.title else []
            rows = [[markdown_text(t) for t in self._titles], rule, *([cell(c) for c in row] for row in block.rows)]
            lines += [*(f"| {' | '.join(row)} |" for row in rows), ""]
        return "\n".join([*lines, *(markdown_text(n) for n in self.notes)]).rstrip() + "\n"

    def latex(self) -> str:
        """The sheet as LaTeX tables, for a document that loads booktabs and amsmath."""
        from symroof.report.markdown import latex_text

        lines = [rf"\paragraph{{{latex_text(self.head)}}}"]
        for block in self.blocks:
            lines += [rf"\subparagraph{{{latex_text(block.title)}}}"] if block.title else []
            lines += [rf"\begin{{tabular}}{{{self._places}}}", r"\toprule", self._latex_row(map(latex_text, self._titles))]
            lines += [r"\midrule", *(self._latex_row(self._latex_cell(c, "${}$") for c in row) for row in block.rows)]
            lines += [r"\bottomrule", r"\end{tabular}"]
        return "\n".join([*lines, *(latex_text(n) + r"\par" for n in self.notes)]) + "\n"

    def mathematics(self) -> str:
        """The rows as one array between dollar signs, as notebooks show mathematics."""
        rows = [self._latex_row(self._math_cell(c) for c in row) for b in self.blocks for row in b.rows]
        return "\n".join([rf"$$\begin{{array}}{{{self._places}}}", *rows, r"\end{array}$$"])

    def html(self) -> str:
        """The sheet as HTML tables."""
        # Notebooks put cells to the right unless told; colours are left to them, so that a table is read on light and on dark.
        head = "".join(f"<th{_place(r)}>{escape(t)}</th>" for t, r in zip(self._titles, self._right, strict=True))
        parts = [f"<p><b>{escape(self.head)}</b></p>"]
        for block in self.blocks:
            rows = "".join(f"<tr>{self._html_row(row)}</tr>" for row in block.rows)
            caption = f"<caption>{escape(block.title)}</caption>" if block.title else ""
            parts.append(f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        return "".join([*parts, *(f"<p>{escape(n)}</p>" for n in self.notes)])

    @property
    def _rows(self) -> bool:
        return any(b.rows for b in self.blocks)

    @property
    def _titles(self) -> tuple[str, ...]:
        return tuple(c.removesuffix(">") for c in self.columns)

    @property
    def _right(self) -> tuple[bool, ...]:
        return tuple(c.endswith(">") for c in self.columns)

    @property
    def _places(self) -> str:
        return "".join("r" if r else "l" for r in self._right)

    def _aligned(self, rows: list[tuple[str, ...]]) -> list[list[str]]:
        """The rows with numbers moved to the right of their columns."""
        wide = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [[f"{c:>{w}}" if r else c for c, w, r in zip(row, wide, self._right, strict=True)] for row in rows]

    def _latex_row(self, cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    def _latex_cell(self, cell: Cell, formula: str) -> str:
        from symroof.report.latex import formula_latex
        from symroof.report.markdown import latex_text

        if isinstance(cell, str):
            return rf"\texttt{{{latex_text(cell)}}}" if self._is_name(cell) else latex_text(cell)
        return latex_text(self._too_long(cell)) or formula.format(formula_latex(cell, self.book))

    def _math_cell(self, cell: Cell) -> str:
        from symroof.report.latex import symbol_latex
        from symroof.report.markdown import latex_text

        if isinstance(cell, str) and self._is_name(cell):
            return symbol_latex(self.book, cell)
        if isinstance(cell, str) or self._too_long(cell):
            return rf"\text{{{latex_text(cell if isinstance(cell, str) else self._too_long(cell))}}}"
        return self._latex_cell(cell, "{}")

    def _html_row(self, row: Row) -> str:
        return "".join(self._html_cell(c, r) for c, r in zip(row, self._right, strict=True))

    def _html_cell(self, cell: Cell, right: bool) -> str:
        code = not isinstance(cell, str) or self._is_name(cell)
        text = escape(self._text(cell))
        return f"<td{_place(right)}>{f'<code>{text}</code>' if code else text}</td>"

    def _text(self, cell: Cell) -> str:
        from symroof.text import formula_text

        return cell if isinstance(cell, str) else self._too_long(cell) or formula_text(cell)

    def _too_long(self, formula: Term) -> str:
        """What stands for a formula that nobody would read; nothing for one that is short enough."""
        from symroof.text import formula_text

        size = len(formula_text(formula))
        return f"({size:,} characters: --json has it)" if size > self.longest else ""

    def _is_name(self, text: str) -> bool:
        return text in self.book.declared


def inline_math(tex: str) -> str:
    """Mathematics as notebooks set it: on one line of source, in the size of a display."""
    return f"$\\displaystyle {' '.join(tex.split())}$"


def _place(right: bool) -> str:
    return f' style="text-align: {"right" if right else "left"}"'


class Shown:
    """A result that a notebook shows as a table, and `print` and a prompt as text."""

    def __init_subclass__(cls) -> None:
        # A data class would give itself a representation of all that it holds: points, and the book.
        type.__setattr__(cls, "__repr__", Shown.__str__)

    def sheet(self) -> Sheet:
        """What it shows."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.sheet().text()

    def _repr_markdown_(self) -> str:
        return self.sheet().markdown()

    def _repr_html_(self) -> str:
        return self.sheet().html()

    def _repr_latex_(self) -> str:
        return self.sheet().mathematics()


def printed(sheet: Sheet, form: str) -> str:
    """A sheet in one of the formats `text`, `markdown` and `latex`."""
    printers: dict[str, Callable[[], str]] = {"text": sheet.text, "markdown": sheet.markdown, "latex": sheet.latex}
    return printers[form]().rstrip("\n")
