"""One description, printed four ways."""

from __future__ import annotations

import pytest

import symroof
from symroof.sheet import LONGEST_FORMULA, Block, Sheet, printed
from symroof.term import Num, Ref


@pytest.fixture
def sheet(parcels: symroof.Book) -> Sheet:
    rows = (("near_time", "1,024 byte", Ref("groups") * 2), ("far | time", "7", ""))
    return Sheet(parcels, "a head & more", ("name", "value>", "form"), (Block("1 Counts", rows),), ("a note",))


def test_text(sheet: Sheet) -> None:
    assert sheet.text().splitlines() == [
        "a head & more",
        "",
        "  name             value  form",
        "1 Counts",
        "  near_time   1,024 byte  groups*2",
        "  far | time           7",
        "",
        "a note",
    ]


def test_markdown(sheet: Sheet) -> None:
    assert sheet.markdown().splitlines() == [
        "**a head &amp; more**",
        "",
        "### 1 Counts",
        "",
        "| name | value | form |",
        "| --- | ---: | --- |",
        "| `near_time` | 1,024 byte | $`g \\cdot 2`$ |",
        "| far \\| time | 7 |  |",
        "",
        "a note",
    ]


def test_latex_and_html(sheet: Sheet) -> None:
    assert r"\begin{tabular}{lrl}" in sheet.latex()
    assert r"near\_" in sheet.latex()
    assert r"a head \& more" in sheet.latex()
    assert '<td style="text-align: right">1,024 byte</td>' in sheet.html()
    assert "<code>near_time</code>" in sheet.html()
    assert "a head &amp; more" in sheet.html()
    assert sheet.mathematics().startswith(r"$$\begin{array}{lrl}")
    assert printed(sheet, "markdown") == sheet.markdown().rstrip("\n")


def test_a_formula_that_nobody_reads_is_counted(parcels: symroof.Book) -> None:
    term = Num(1) + Ref("groups")
    while len(str(term)) < 20 * LONGEST_FORMULA:
        term = term * Ref("groups")
    shown = Sheet(parcels, "h", ("a", "b"), (Block("", (("x", term),)),))
    for form in (shown.text(), shown.html(), shown.markdown(), shown.latex(), shown.mathematics()):
        assert "characters: --json has it)" in form.replace("-{}", "-").replace("\\", "")


def test_without_rows_there_are_only_words(parcels: symroof.Book) -> None:
    assert Sheet(parcels, "h", ("a",), (Block("", ()),), ("nothing",)).text() == "h\nnothing"


def test_every_answer_shows_itself(town: symroof.Point) -> None:
    answers = [
        town.whatif(groups=16),
        town["time"].sensitivity("far_speed"),
        town.solve("time <= 2 us", "far_speed"),
        town.crossover("near_time", "far_time", "far_speed"),
        town.regimes("time", "far_speed"),
        town.regimes("time", "far_speed", "groups"),
    ]
    for answer in answers:
        assert str(answer)
        assert answer._repr_html_().startswith("<p><b>town")
        assert answer._repr_markdown_().startswith("**town")
        assert answer._repr_latex_().startswith("$$")
