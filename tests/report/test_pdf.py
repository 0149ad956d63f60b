"""A report as PDF: pages, bookmarks, links and title, the same bytes twice, and what is said where TeX fails."""

import contextlib
import os
import re
import shutil
import stat
import subprocess
import zlib
from pathlib import Path

import pytest

from symroof.book import Book
from symroof.errors import SymroofError
from symroof.report import pdf as setting
from symroof.report.pdf import pdf
from symroof.report.write import stale_files, write_report

needs_tex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="pdflatex is not installed")
needs_poppler = pytest.mark.skipif(shutil.which("pdfinfo") is None, reason="poppler's pdfinfo is not installed")


def document(body: str, head: str = "") -> str:
    return rf"\documentclass{{article}}{head}\begin{{document}}{body}\end{{document}}"


def program(folder: Path, script: str) -> Path:
    """A program that goes by the name pdflatex."""
    path = folder / "pdflatex"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@needs_tex
def test_the_same_report_gives_the_same_bytes_without_dates_names_or_identifiers(small_book: Book, tmp_path: Path) -> None:
    (one,) = write_report(small_book.at(), tmp_path / "one", ["pdf"])
    (two,) = write_report(small_book.at(), tmp_path / "two", ["pdf"])
    assert one.name == "tiny.pdf"
    data = one.read_bytes()
    assert data == two.read_bytes()
    assert data.startswith(b"%PDF")
    for mark in (b"/CreationDate", b"/ModDate", b"/ID", b"PTEX", str(tmp_path).encode(), b"symroof-"):
        assert mark not in data


@needs_tex
@needs_poppler
def test_a_report_has_a_title_bookmarks_and_links(book: Book, tmp_path: Path) -> None:
    point, chapter = book.at(), book.numbered[0]
    (path,) = write_report(point, tmp_path, ["pdf"], [chapter.name])
    found = subprocess.run(["pdfinfo", str(path)], capture_output=True, text=True, check=True).stdout
    assert f"Title:           {book.title}" in found
    assert f"Subject:         {point.label}" in found
    objects = opened(path.read_bytes())
    for title in ("Summary", "Given values", "Symbols", chapter.title):
        # Bookmarks are UTF-16, a byte that is no letter in octal.
        units = "".join("\\000" + (c if c.isalnum() else f"\\{ord(c):03o}") for c in title)
        assert units.encode() in objects
    assert b"/Outlines" in objects
    assert objects.count(b"/Subtype/Link") > len(chapter.names)


def opened(data: bytes) -> bytes:
    """A PDF with its streams opened."""
    found = [data]
    for stream in re.findall(rb"stream\r?\n(.*?)endstream", data, re.DOTALL):
        with contextlib.suppress(zlib.error):
            found.append(zlib.decompress(stream))
    return b"".join(found).replace(b"/Subtype /Link", b"/Subtype/Link")


@needs_tex
def test_a_pdf_stands_beside_the_other_formats_and_leaves_no_file_of_its_own(small_book: Book, tmp_path: Path) -> None:
    written = write_report(small_book.at(), tmp_path, ["md", "pdf"])
    assert [p.suffix for p in written if p.parent == tmp_path] == [".md", ".pdf"]
    assert sorted(p.name for p in tmp_path.iterdir() if p.is_file()) == ["tiny.md", "tiny.pdf"]


@needs_tex
@needs_poppler
def test_it_runs_until_references_and_contents_are_known(tmp_path: Path) -> None:
    body = r"\tableofcontents\newpage\section{A}See \pageref{end}.\newpage\section{B}\label{end}"
    (tmp_path / "it.pdf").write_bytes(pdf(document(body)))
    text = subprocess.run(["pdftotext", "it.pdf", "-"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "See 3." in text
    assert text.partition("\f")[0].split() == ["Contents", "1", "A", "2", "2", "B", "3", "1"]


@needs_tex
def test_what_is_included_lies_beside_the_text(tmp_path: Path) -> None:
    picture = pdf(document("A picture."))
    shown = document(r"\includegraphics[width=3cm]{pictures/one.pdf}", r"\usepackage{graphicx}")
    found = pdf(shown, {"pictures/one.pdf": picture})
    assert found == pdf(shown, {"pictures/one.pdf": picture})
    assert b"PTEX" not in found
    with pytest.raises(SymroofError, match=r"pdflatex: .*pictures/one\.pdf.* not found"):
        pdf(shown)


@needs_tex
def test_the_first_error_is_said_with_its_line() -> None:
    with pytest.raises(SymroofError) as caught:
        pdf(document("\nFine.\n\\wrong\n\\worse\n"))
    assert str(caught.value) == "pdflatex: Undefined control sequence. (line 3 of the LaTeX; --format tex writes it)"
    with pytest.raises(SymroofError, match=r"File `nothere\.sty' not found"):
        pdf(document("x", r"\usepackage{nothere}"))


@needs_tex
def test_no_program_is_started_and_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("secret")
    with pytest.raises(SymroofError, match="pdflatex: "):
        pdf(document(rf"\input{{{tmp_path}/secret}}"))
    pdf(document(rf"\immediate\write18{{touch {tmp_path}/there}}x"))
    assert not (tmp_path / "there").exists()


def test_without_a_tex_one_line_says_what_to_do(monkeypatch: pytest.MonkeyPatch, small_book: Book, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(SymroofError) as caught:
        write_report(small_book.at(), tmp_path / "out", ["md", "pdf"])
    assert str(caught.value).startswith("a PDF needs pdflatex, which is not on this machine: install TeX Live")
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_the_tex_of_tinytex_is_found_off_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / ".TinyTeX" / "bin" / "x86_64-linux"
    folder.mkdir(parents=True)
    program(folder, "printf set > report.pdf")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin" if shutil.which("pdflatex") is None else str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert pdf("x") == b"set"


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 1", "pdflatex: failed, and its log names no error"),
        ("echo '! Emergency stop.' > report.log; exit 1", "pdflatex: Emergency stop."),
        ("exec sleep 30", "pdflatex has not ended after 1 s"),
        ("exit 0", "pdflatex: has set no page"),
    ],
)
def test_a_tex_that_fails(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, script: str, message: str) -> None:
    program(tmp_path, script)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(setting, "TIMEOUT", 1)
    with pytest.raises(SymroofError) as caught:
        pdf("x")
    assert str(caught.value) == message


def test_a_tex_that_cannot_be_started(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = program(tmp_path, "")
    path.write_text("no program")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(SymroofError, match="pdflatex cannot be started: exec format error"):
        pdf("x")


def test_a_pdf_is_not_compared(small_book: Book, tmp_path: Path) -> None:
    with pytest.raises(SymroofError, match="a PDF is as the TeX that sets it, so it is not compared: check --format tex"):
        stale_files(small_book.at(), tmp_path, ["pdf"])
