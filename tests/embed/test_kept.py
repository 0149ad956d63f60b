"""What filling must not lose: other people's files, lines, places in code, and all other markers where one meets a fault."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace

import pytest

import symroof
from symroof.embed import html, latex, markdown, rest
from symroof.embed.difference import Edit, difference
from symroof.embed.fill import Filler, _picture_name
from symroof.embed.marker import paired
from symroof.embed.request import Where
from symroof.errors import SymroofError

BOOK = symroof.load()
MARK = "<!-- symroof: MFU --><!-- /symroof -->"
PLOT = "<!-- symroof: plot roofs -->\n<!-- /symroof -->\n"


def fill(request: str, style: str = "markdown", block: bool = False) -> str:
    return Filler(BOOK, Where()).answer(request, Where(), style, block, Path("page.md")).text


@pytest.fixture
def drawn(monkeypatch) -> None:
    """Pictures that cost nothing."""
    draw = lambda point, name: SimpleNamespace(title="T", alt="A", scene=name, svg=lambda: "<svg/>", pdf=lambda: b"%PDF")  # noqa: E731
    monkeypatch.setattr("symroof.pictures.draw", draw)


def test_a_value_that_is_no_decimal_is_a_fraction_in_latex() -> None:
    assert r"\frac{75{,}126{,}061{,}056}{6{,}103{,}515{,}625}" in fill("step_time exactly", "latex")
    assert r"\frac{" in fill(r"define \x = payload_bytes in GB exactly", "latex", True)


def test_a_fault_at_one_marker_is_its_message_and_other_documents_are_filled(embed, write, monkeypatch) -> None:
    from symroof.embed import fill as module

    def broken(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr(module._Asked, "_closed", broken)
    bad, good = write("bad.md", f"x {MARK.replace('MFU', 'closed form MFU')}\n"), write("good.md", f"x {MARK}\n")
    found = embed(bad, good)
    assert found.status == 2
    assert f"{bad}:1:3: 'closed form MFU' meets a fault of symroof itself (ZeroDivisionError: by zero)" in found.err
    assert "-->0.68707<!-- /symroof " in good.read_text()


def test_a_file_that_no_marker_made_is_not_overwritten_by_a_picture(embed, write, drawn, tmp_path) -> None:
    page, own = write("page.md", PLOT), tmp_path / "page-md-roofs.svg"
    own.write_text("<svg>mine</svg>\n")
    found = embed(page)
    assert (found.status, own.read_text(), page.read_text()) == (2, "<svg>mine</svg>\n", PLOT)
    assert "page-md-roofs.svg beside the document is no picture of a marker: move it away, or overwrite it with" in found.err
    assert embed(page, "--force").status == 0
    assert own.read_text().startswith("<svg/>")
    assert embed(page, "--check").status == 0


def test_no_two_pictures_have_one_file() -> None:
    at = Where(None, (("EP", "32"),))
    asked = [(d, w) for d in ("a.md", "a.rst", "a b.md", "a-b.md", "é.md", "ü.md", "a.b.md") for w in (Where(), at, Where("x"))]
    assert len({_picture_name(d, "roofline", w) for d, w in asked}) == len(asked)
    assert _picture_name("design.md", "roofline", Where()) == "design-md-roofline"
    assert _picture_name("é.md", "roofline", Where()) == "é-md-roofline"
    assert len(_picture_name("é" * 120 + ".md", "roofline", at).encode()) < 200


def test_the_picture_and_presets_of_a_linked_document_are_beside_the_real_file(embed, write, drawn, tmp_path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (real / "page.md").write_text(PLOT)
    link = tmp_path / "link.md"
    os.symlink(real / "page.md", link)
    assert embed(link).status == 0
    assert (real / "page-md-roofs.svg").is_file()
    assert not list(tmp_path.glob("*.svg"))


@pytest.mark.parametrize("unit", ["s/token", "ms/GPU", "GPU*s", "s*1"])
def test_labels_that_a_quantity_does_not_have_are_refused(unit) -> None:
    with pytest.raises(SymroofError, match="step_time is in "):
        fill(f"step_time in {unit}")


def test_labels_may_be_written_or_left_out_wholly() -> None:
    assert fill("step_time in s to 3 digits") == "12.3 s"
    assert fill("remote_copies in copy/token").endswith(" copy/token")


@pytest.mark.parametrize("more", [" in s", " to 3 digits", " exactly", " without unit"])
def test_a_name_has_no_unit_and_no_digits(more) -> None:
    with pytest.raises(SymroofError, match="binding_resource is a name, not a number"):
        fill(f"binding_resource{more}")


@pytest.mark.parametrize("request_", ["table EP, MFU", "formula remote_copies"])
def test_lines_that_were_joined_are_stale_and_come_back(embed, write, request_) -> None:
    page = write("page.md", f"<!-- symroof: {request_} -->\n<!-- /symroof -->\n")
    embed(page)
    filled = page.read_text()
    head, *body, tail = filled.splitlines()
    page.write_text("\n".join([head, " ".join(line for line in body if line), tail, ""]))
    assert embed(page, "--check").status == 1
    assert embed(page).status == 0
    assert page.read_text() == filled


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        (markdown.comments, f'a <a title="{MARK}">b</a>'),
        (html.comments, f'<a href="{"x" * 5000}" title="{MARK}">b</a>'),
        (markdown.comments, f"> some `code span\n> {MARK} end` of it"),
    ],
)
def test_a_marker_in_an_attribute_or_in_code_over_quoted_lines_is_none(reader, text) -> None:
    assert not list(reader(text))
    assert list(reader(f"{text} and {MARK}"))


def test_a_marker_behind_text_in_latex_is_said() -> None:
    for text in ("text % symroof: MFU\n% /symroof\n", "text % symroof: MFU\n", "% symroof: MFU\nx % /symroof\n"):
        troubles = paired(text, latex.comments(text)).troubles
        assert [t.says.partition(":")[0] for t in troubles] == ["this marker stands behind text"]
    assert not list(latex.comments(r"100\% symroof: MFU and \verb|% symroof: MFU|"))


def test_a_table_and_a_picture_in_latex_are_paragraphs_of_their_own(drawn) -> None:
    for request in ("table MFU", "plot roofs"):
        text = fill(request, "latex", True)
        assert (text.startswith("\\par\\noindent\n"), text.endswith("\n\\par")) == (True, True)


@pytest.mark.parametrize(
    ("reader", "text"),
    [(latex.comments, "% symroof: MFU\n" + "% more\n" * 60_000), (rest.comments, ".. symroof: MFU\n" + "   more\n" * 60_000)],
)
def test_a_request_that_does_not_end_is_not_gathered(reader, text) -> None:
    (found,) = reader(text)
    assert len(found.body) < 2100
    assert found.end == len(text) - 1


@pytest.mark.parametrize("text", ["> " * 1_000_000, "- " * 1_000_000 + "x", '<a "' * 500_000, '<a b="' * 500_000])
def test_long_runs_of_marks_are_read(text) -> None:
    assert not list(markdown.comments(text))
    assert not list(html.comments(text))


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        ("MFU in percent", "write %"),
        ("payload_bytes in KB", "write kB for 1,000 bytes or KiB for 1,024"),
        ("MFU at EP=32 at M=4", "`at` stands once"),
    ],
)
def test_a_message_says_what_was_meant(request_, says) -> None:
    with pytest.raises(SymroofError) as error:
        fill(request_)
    assert says in str(error.value)


def test_no_command_is_offered_for_a_document_with_wrong_markers(embed, write) -> None:
    page = write("page.md", f"x {MARK} y {MARK.replace('MFU', 'MFV')} z {MARK.replace('><', '>mine<')}\n")
    assert "to fill them" not in embed(page, "--check").out


def test_a_difference_says_where_a_file_ends_without_a_line_end() -> None:
    assert difference("a", "one", [Edit(0, 3, "two")]).splitlines()[3:] == [
        "-one", "\\ No newline at end of file", "+two", "\\ No newline at end of file"
    ]  # fmt: skip


def test_a_byte_order_mark_of_a_notebook_is_named(embed, write) -> None:
    assert "begins with a byte order mark" in embed(write("a.ipynb", '\ufeff{"cells": [], "a": "symroof"}')).err
