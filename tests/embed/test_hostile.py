"""Documents that no friend wrote: one message with the place, bounded work, and every other document still looked at."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symroof
from symroof.embed import files
from symroof.embed.document import check_document
from symroof.embed.fill import Filler
from symroof.embed.request import Where

GOOD = "The step takes <!-- symroof: step_time in ms --><!-- /symroof --> in all.\n"


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("page.md", b"symroof \x00", "page.md:1:1: is no text: it has a NUL byte in line 1"),
        ("page.md", b"one\nsymroof caf\xe9\n", "page.md:1:1: is not in UTF-8: byte 0xe9 in line 2"),
        ("page.md", "\ufeffsymroof".encode("utf-16"), "page.md:1:1: is in UTF-16: embed reads UTF-8"),
        ("page.ipynb", b"{symroof", "page.ipynb:1:1: no notebook: "),
        ("page.ipynb", b'["symroof"]', "page.ipynb:1:1: no notebook: it has no list of cells"),
        (
            "page.ipynb",
            b'{"cells": [{"cell_type": "markdown", "source": [1]}], "a": "symroof"}',
            "the source of a cell is a text",
        ),
        ("page.ipynb", b'{"cells": ' + b"[" * 100_000 + b'"symroof"', "page.ipynb:1:1: no notebook: "),
        ("page.docx", b"symroof", "page.docx:1:1: no format for .docx"),
        ("page.tx", b"symroof", "no format for .tx; did you mean .tex"),
        ("page", b"symroof", "page:1:1: no format for no ending; embed reads .md, "),
        ("page.md", b"<!-- symroof: " + b"a" * 5000 + b" -->\n<!-- /symroof -->", "page.md:1:1: a request has at most 2,000"),
    ],
)
def test_what_is_no_document_is_said_in_one_message_and_others_are_filled(embed, write, tmp_path, name, data, says) -> None:
    bad, good = tmp_path / name, write("good.md", GOOD)
    bad.write_bytes(data)
    found = embed(bad, good)
    assert found.status == 2
    assert says in found.err
    assert found.err.count("\n") == 1
    assert bad.read_bytes() == data
    assert "12,309 ms" in good.read_text()


def test_what_has_no_marker_is_not_looked_into(embed, tmp_path) -> None:
    path = tmp_path / "latin.tex"
    path.write_bytes(b"caf\xe9\x00")
    assert embed(path, "--check").out == "0 markers in 1 document: current\n"


def test_missing_files_folders_and_pipes_are_refused(embed, tmp_path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert "nowhere.md:1:1: cannot be read: no such file or directory" in embed(tmp_path / "nowhere.md").err
    assert "is a folder: name the documents in it" in embed(tmp_path).err
    assert "pipe.md:1:1: is no file" in embed(tmp_path / "pipe.md").err


def test_a_file_larger_than_any_document_is_not_read(embed, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGEST", 1000)
    path = tmp_path / "large.md"
    path.write_text("symroof " * 200)
    assert "large.md:1:1: has 1,600 bytes, a document has at most 1,000" in embed(path).err


def test_one_bad_marker_is_said_with_its_place_and_the_others_are_still_checked(embed, write) -> None:
    bad = write("bad.md", f"{GOOD}\nand <!-- symroof: step_tim in ms --><!-- /symroof -->, unclosed <!-- symroof: MFU -->\n")
    good = write("good.md", GOOD)
    found = embed(bad, good, "--json")
    assert found.status == 2
    assert f"{bad}:3:5: no quantity or symbol 'step_tim'; did you mean step_time" in found.err
    assert f"{bad}:3:65: no closing marker before the text ends" in found.err
    first, second = found.json["documents"]
    assert [(p["line"], p["column"]) for p in first["stale"]] == [(1, 16)]
    assert (first["written"], second["written"]) == (False, True)
    assert embed(bad, good).out.endswith(f"not written because of that: {bad}\n")


def test_a_place_in_a_notebook_is_that_of_its_file(embed, write) -> None:
    cells = [{"cell_type": "markdown", "metadata": {}, "source": ["one\n", "é \\ <!-- symroof: nothing --><!-- /symroof -->"]}]
    path = write("a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1))
    line = path.read_text().splitlines()[7]
    assert f"a.ipynb:8:{line.index('<!--') + 1}: no quantity or symbol 'nothing'" in embed(path).err


def test_markers_do_not_pair_across_cells(embed, write) -> None:
    sources = ["x <!-- symroof: MFU -->", "y <!-- /symroof -->"]
    cells = [{"cell_type": "markdown", "metadata": {}, "source": s} for s in sources]
    found = embed(write("a.ipynb", json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})))
    assert "no closing marker before the text ends" in found.err
    assert "a closing marker without an opening one before it" in found.err


@pytest.mark.parametrize(
    "text",
    [
        "<!-- symroof: a -->" * 5000,
        "<!--" * 20000 + "symroof",
        "symroof" + "`" * 30000,
        "symroof" + "".join("`" * (n % 500) + " " for n in range(500)) + "<!-- symroof: a -->",
        "> " * 10000 + "symroof",
        "- " * 10000 + "symroof <!-- symroof: a -->",
        "1. " * 5000 + "symroof",
        "symroof" + "\n```{note}" * 5000,
        "symroof" + "\n> ```\n" * 5000,
        "symroof" + "\n" * 30000 + "<!-- symroof: a -->",
        "symroof" + '<a x="' * 5000,
        "symroof" + "<!-- a --> " * 10000,
        "symroof" + "\\" * 30000 + "\n% symroof: a",
        "symroof\n" + "\\begin{verbatim}" * 5000,
        "\n".join("%" * n + " symroof: a" for n in range(1, 1_000)),
        "\n".join(" " * (n % 100) + ".. symroof: a::" for n in range(3000)),
        "% symroof: a\n" + "% more\n" * 5000,
        ".. symroof: a\n" + "   more\n" * 5000,
    ],
    ids=range(18),
)
def test_a_hostile_document_is_read_to_its_end(tmp_path, text) -> None:
    filler = Filler(BOOK, Where())
    for ending in (".md", ".rst", ".tex", ".html"):
        path = tmp_path / f"page{ending}"
        path.write_text(text)
        found = check_document(path, filler)
        assert found.markers == 0
        assert found.data == text.encode()


def test_more_markers_than_a_document_has_are_refused(embed, write) -> None:
    found = embed(write("page.md", "x <!-- symroof: top_k --><!-- /symroof -->\n" * 10_001))
    assert found.status == 2
    assert found.err.endswith("page.md:10001:3: more than 10,000 markers: split the document\n")


BOOK = symroof.load()
FILLER = Filler(BOOK, Where())
PIECES = [
    "<!-- symroof: top_k -->", "<!-- /symroof -->", "<!-- symroof: formula remote_copies -->", "\n", "\n\n", "`", "```", "    ",
    "> ", "- ", "words", "\r\n", "<!--", "-->", "%", "% symroof: MFU", "% /symroof", ".. symroof: EP", ".. /symroof", "::", "<b>",
    "\ufeff",
]  # fmt: skip


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(PIECES), max_size=30), st.sampled_from([".md", ".rst", ".tex", ".html"]))
def test_whatever_stands_around_markers_filling_twice_gives_the_same_bytes(tmp_path, pieces, ending) -> None:
    path = tmp_path / f"page{ending}"
    path.write_bytes("".join(pieces).encode())
    found = check_document(path, FILLER)
    if not found.wrong and not found.edited:
        path.write_bytes(found.data)
        again = check_document(path, FILLER)
        assert (again.data, again.stale, again.wrong) == (found.data, [], [])
        assert again.markers == found.markers


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([*PIECES, "é", "\U0001f600", '"', "\\"]), min_size=1, max_size=30),
    st.booleans(),
    st.sampled_from([None, 1, 4]),
)
def test_a_cell_reads_the_same_however_its_json_is_spelt(tmp_path, pieces, ascii_, indent) -> None:
    path = tmp_path / "page.ipynb"
    read = []
    for source in (pieces, "".join(pieces)):
        cells = [{"cell_type": "markdown", "source": source, "symroof": ["source"]}, {"cell_type": "code", "source": source}]
        path.write_text(json.dumps({"cells": cells}, ensure_ascii=ascii_, indent=indent))
        found = check_document(path, FILLER)
        after = json.loads(found.data)
        assert after["cells"][1] == cells[1]
        read.append((len(found.wrong), "".join(after["cells"][0]["source"])))
    assert read[0] == read[1]
