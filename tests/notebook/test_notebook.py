"""What points, claims, sweeps and closed forms show of themselves: all of it, escaped, and readable on light and on dark."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import symroof
from symroof.notebook import claims, closed_form

BOOK = symroof.load(Path(__file__).parents[1] / "books" / "sound")
HOSTILE = '</td><script>alert("x")</script> & *bold* $x$ | \\'


class Page(HTMLParser):
    """The elements of a piece of HTML, and its text; elements must be closed in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.styles: set[str] = set()
        self.text = ""
        self.feed(html)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        self.styles |= {value or "" for name, value in attrs if name == "style"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def hostile(tmp_path: Path) -> symroof.Point:
    """A point of a book whose texts try to be markup."""
    files = {
        "book.toml": f"title = '{HOSTILE}'\ndefault = \"usual\"",
        "presets/usual.toml": 'run = "plain"',
        "presets/runs/plain.toml": f"source = '{HOSTILE}'\n[values]\nn = 2",
        "symbols.py": f"from symroof import symbol\nn = symbol('1', {HOSTILE!r})\n",
        "ch01_it.py": f"from symroof import *\n@quantity('1', ref={HOSTILE!r})\ndef it(n):\n    {HOSTILE!r}\n    return n + 1\n",
        "claims.toml": f'[[claim]]\nsays = \'{HOSTILE}\'\nquantity = "it"\nexpect = 3\nplace = "here"\n',
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)
    return symroof.load(tmp_path).at()


def test_a_point_shows_its_values_with_their_sources_and_its_choices() -> None:
    point = BOOK.at()
    page = Page(point._repr_html_())
    for name, given in point.given.items():
        assert name in page.text
        assert given.source in page.text
    assert all(choice in page.text for choice in point.choices.values())
    assert BOOK.title in page.text


def test_a_point_says_what_was_set() -> None:
    name = next(n for n, s in BOOK.symbols.items() if n in BOOK.at().given and not s.is_list)
    point = BOOK.at().set(**{name: BOOK.at().given[name].value})
    assert "<caption>set here</caption>" in point._repr_html_()
    assert "### set here" in point._repr_markdown_()


def test_claims_show_what_is_claimed_and_what_is_derived() -> None:
    found = claims(BOOK.at())
    assert bool(found) == all(v.holds for v in found.verdicts)
    page = Page(found._repr_html_())
    assert f"{sum(v.holds for v in found.verdicts)} of {len(found.verdicts)} claims hold" in page.text
    assert all(v.claim.says in page.text for v in found.verdicts)


def test_a_claim_that_does_not_hold_comes_first(tmp_path: Path) -> None:
    point = symroof.load().at(M=63)
    found = claims(point)
    assert not found
    rows = found.sheet().blocks[0].rows
    assert [r[-1] for r in rows] == sorted(r[-1] for r in rows)
    assert rows[0][-1] == "no"


def test_a_closed_form_is_mathematics_on_a_line() -> None:
    k3 = symroof.load().at()
    found = closed_form(k3["remote_copies"], "EP")
    assert str(found) == repr(found) == "remote_copies = 16 - 16/EP"
    assert re.fullmatch(r"\$\\displaystyle \\rho = [^\n$]*\$", found._repr_latex_())
    assert "\n" not in closed_form(k3["step_time"])._repr_latex_()


def test_a_quantity_shows_formula_value_meaning_and_source() -> None:
    shown = symroof.load().at()["remote_copies"]._repr_markdown_()
    assert shown.startswith(r"$\displaystyle \rho = ")
    assert "`" not in shown
    assert "*Source:*" in shown


def test_a_sweep_shows_its_first_rows_and_counts_the_others() -> None:
    k3 = symroof.load().at()
    found = k3.sweep({"EP": [16, 48, 64], "M": list(range(1, 21))}, ["step_time"])
    page = Page(found._repr_html_())
    assert "and 20 more rows: arrays() has all" in page.text
    assert "20 rejected" in page.text
    assert page.text.count("step_time") == 1
    assert str(found) == repr(found)


def test_a_sweep_that_is_too_large_is_not_run_to_be_shown() -> None:
    found = symroof.load().at().sweep({"M": range(1, 2001), "rows": range(1, 2001)}, ["step_time"])
    assert "4,000,000 points: batches() goes through them" in Page(found._repr_html_()).text


def test_an_answer_at_a_prompt_is_its_text() -> None:
    found = symroof.load().at().whatif(EP=32, of=["step_time", "hbm_time"])
    assert repr(found) == str(found)
    assert repr(found).startswith("k3-gb200-4k; EP: 64 rank -> 32 rank")


def test_what_would_be_markup_is_text(hostile: symroof.Point) -> None:
    for html in (hostile._repr_html_(), claims(hostile)._repr_html_(), hostile.sweep({"n": [1, 2]}, ["it"])._repr_html_()):
        assert Page(html).seen <= {"p", "b", "table", "caption", "thead", "tbody", "tr", "th", "td", "code"}
    assert "<script>" not in hostile["it"]._repr_markdown_()
    assert "<script>" not in hostile._repr_markdown_()
    assert HOSTILE in Page(claims(hostile)._repr_html_()).text


def test_tables_leave_colours_to_the_notebook() -> None:
    styles = Page(BOOK.at()._repr_html_()).styles | Page(claims(BOOK.at())._repr_html_()).styles
    assert styles == {"text-align: left", "text-align: right"}
