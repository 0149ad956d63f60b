"""What people and formatters do to filled text: an edit is refused, a formatter is not taken for one, the rest is filled anew."""

from __future__ import annotations

import re

import pytest

PAGE = """# Page

The step takes <!-- symroof: step_time in ms --><!-- /symroof --> in all.

<!-- symroof: table payload_bytes in GiB, MFU in % -->
<!-- /symroof -->
"""


@pytest.fixture
def page(embed, write):
    """A page that is filled."""
    path = write("page.md", PAGE)
    assert embed(path).status == 0
    return path


def edit(path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def test_a_hand_edit_is_refused_with_its_place_and_what_to_do(embed, page) -> None:
    edit(page, "12,309 ms", "12,400 ms")
    before = page.read_bytes()
    found = embed(page)
    assert found.status == 2
    assert found.err == (
        f"symroof: {page}:3:16: what 'step_time in ms' is filled with was edited by hand: "
        "move it out of the marker, or overwrite it with --force\n"
    )
    assert found.out == "2 markers in 1 document: 1 edited by hand\n"
    assert page.read_bytes() == before


def test_a_check_fails_on_a_hand_edit_and_says_how_to_overwrite_it(embed, page) -> None:
    edit(page, "12,309 ms", "12,400 ms")
    found = embed(page, "--check")
    assert found.status == 1
    assert ":3:16:" in found.err
    assert found.out.endswith(f"to fill them: symroof embed {page} --force\n")


def test_force_overwrites_a_hand_edit(embed, page) -> None:
    filled = page.read_bytes()
    edit(page, "12,309 ms", "about twelve seconds")
    assert embed(page, "--force").status == 0
    assert page.read_bytes() == filled


def test_one_edited_marker_keeps_its_document_and_no_other(embed, page, write) -> None:
    other = write("other.md", PAGE)
    edit(page, "12,309 ms", "12,400 ms")
    edit(page, "2.584 GiB", "2.6 GiB")
    before = page.read_bytes()
    found = embed(page, other)
    assert (found.status, found.err.count("was edited by hand")) == (2, 2)
    assert page.read_bytes() == before
    assert "12,309 ms" in other.read_text()


def test_what_stood_there_before_the_first_filling_is_not_lost(embed, write) -> None:
    path = write("page.md", "takes <!-- symroof: step_time in ms -->twelve seconds<!-- /symroof -->.\n")
    found = embed(path)
    assert found.status == 2
    assert "what 'step_time in ms' is filled with stands between comments that were never filled" in found.err
    assert "twelve seconds" in path.read_text()


def test_what_stood_there_and_is_right_is_taken_over(embed, write) -> None:
    path = write("page.md", "takes <!-- symroof: step_time in ms -->12,309 ms<!-- /symroof -->.\n")
    assert embed(path, "--check").status == 1
    assert embed(path).status == 0
    assert re.search(r"-->12,309 ms<!-- /symroof [0-9a-f]{8} -->\.", path.read_text())


def test_an_edit_that_says_what_the_book_says_is_none(embed, page) -> None:
    filled = page.read_bytes()
    edit(page, "12,309 ms", "12,400 ms")
    text = page.read_text()
    page.write_text(re.sub("12,400 ms", "12,309 ms", text))
    assert page.read_bytes() == filled
    page.write_text(re.sub(r"(ms<!-- /symroof )[0-9a-f]{8}", r"\g<1>00000000", filled.decode()))
    assert embed(page).status == 0
    assert page.read_bytes() == filled


def test_another_request_for_the_same_marker_is_filled_anew(embed, page) -> None:
    edit(page, "step_time in ms", "step_time in s to 3 digits")
    assert embed(page).status == 0
    assert "-->12.3 s<!--" in page.read_text()


def padded(table: str) -> str:
    """A table as formatters pad it."""
    rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for number, row in enumerate(rows):
        cells = [
            c.replace("---", "-" * (w - c.count(":"))) if number == 1 else f"{c:<{w}}" for c, w in zip(row, widths, strict=True)
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def test_a_padded_table_is_no_edit_and_stays_padded(embed, page) -> None:
    text = page.read_text()
    table = re.search(r"(\|.*\|\n)+", text)[0].rstrip()
    page.write_text(text.replace(table, padded(table)))
    before = page.read_bytes()
    assert padded(table) != table
    assert (embed(page, "--check").status, embed(page).status) == (0, 0)
    assert page.read_bytes() == before
    edit(page, "2.584 GiB", "2.585 GiB")
    assert embed(page).status == 2


def test_other_line_endings_and_indentation_are_no_edit(embed, page) -> None:
    text = page.read_text()
    page.write_bytes(text.replace("\n", "\r\n").encode())
    assert embed(page, "--check").status == 0
    block = text[text.index("<!-- symroof: table") :]
    page.write_text(text.replace(block, "- item\n\n" + "".join(f"  {line}".rstrip() + "\n" for line in block.splitlines())))
    assert embed(page, "--check").status == 0
    page.write_text(text.replace(block, "".join(f"> {line}".rstrip() + "\n" for line in block.splitlines())))
    assert embed(page, "--check").status == 0


def test_mdformat_and_embed_do_not_fight(embed, corpus) -> None:
    mdformat = pytest.importorskip("mdformat", reason="mdformat is not installed: its changes are not tried")
    pytest.importorskip("mdformat_gfm", reason="mdformat-gfm is not installed: it does not know tables")
    for name in ("adr-0007-half-ep.md", "team-page.md", "capacity.markdown"):
        path = next(p for p in corpus if p.name == name)
        embed(path)
        formatted = mdformat.text(path.read_text(), extensions={"gfm"})
        path.write_text(formatted)
        assert embed(path, "--check").status == 0, name
        assert mdformat.text(path.read_text(), extensions={"gfm"}) == formatted
