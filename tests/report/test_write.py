import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symroof.book import Book
from symroof.errors import OutputError, SymroofError
from symroof.report.write import report_files, stale_files, write_report

FORMATS = ("md", "tex")
ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("form", FORMATS)
def test_golden(small_book: Book, golden: Callable[[str, str], None], form: str) -> None:
    (text,) = report_files(small_book.at(), [form]).values()
    golden(f"report.{form}", text)


def test_files_are_the_same_in_every_process(tmp_path: Path) -> None:
    # Where an order were that of a set, another seed of Python's hashes would give another one.
    command = [sys.executable, "-m", "symroof", "report", "--format", "md,tex,html", "-o"]
    running = [
        subprocess.Popen(
            [*command, tmp_path / seed], cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.DEVNULL
        )
        for seed in ("1", "2")
    ]
    assert [process.wait(timeout=300) for process in running] == [0, 0]
    one, other = (
        {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
        for folder in (tmp_path / "1", tmp_path / "2")
    )
    assert {Path(name).suffix for name in one} >= {".md", ".tex", ".html"}
    assert one.keys() == other.keys()
    assert [name for name in one if one[name] != other[name]] == []


def test_unknown_format(small_book: Book) -> None:
    with pytest.raises(SymroofError, match="no report format 'docx'; formats are md, tex"):
        report_files(small_book.at(), ["docx"])


def test_files_are_whole(small_book: Book, tmp_path: Path) -> None:
    written = write_report(small_book.at(), tmp_path / "new" / "folder", FORMATS)
    assert [p.name for p in written] == ["tiny.md", "tiny.tex"]
    assert sorted(p.name for p in (tmp_path / "new" / "folder").iterdir()) == ["tiny.md", "tiny.tex"]
    assert written[0].read_text(encoding="utf-8") == report_files(small_book.at(), ["md"])["tiny.md"]


def test_unwritable_folder(small_book: Book, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(OutputError, match="file: cannot be written: file exists"):
        write_report(small_book.at(), tmp_path / "file")


def test_a_write_that_fails_leaves_the_old_file(small_book: Book, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = write_report(small_book.at(), tmp_path, ["md"])
    path.write_text("old", encoding="utf-8")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OutputError, match=r"tiny\.md: cannot be written: no space left"):
        write_report(small_book.at(), tmp_path, ["md"])
    assert path.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["tiny.md"]


def test_stale_files_are_shown_as_a_difference(small_book: Book, tmp_path: Path) -> None:
    assert set(stale_files(small_book.at(), tmp_path, ["md"])) == {"tiny.md"}
    (path,) = write_report(small_book.at(), tmp_path, ["md"])
    assert stale_files(small_book.at(), tmp_path, ["md"]) == {}
    path.write_text(path.read_text(encoding="utf-8").replace("7 copy/token", "8 copy/token"), encoding="utf-8")
    difference = stale_files(small_book.at(), tmp_path, ["md"])["tiny.md"]
    assert "-**8 copy/token**" in difference
    assert "+**7 copy/token**" in difference


@pytest.mark.parametrize("which", ["small_book", "book"])
def test_markdown_that_github_reads(which: str, request: pytest.FixtureRequest) -> None:
    (text,) = report_files(request.getfixturevalue(which).at(), ["md"]).values()
    targets = set(re.findall(r'<a id="([^"]+)"></a>', text))
    assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= targets
    assert len(targets) == text.count("<a id=")
    for fence in re.findall(r"```math\n(.*?)```", text, re.DOTALL):
        assert "\n\n" not in fence
    assert not re.search(r"\\(operatorname|mbox|phantom|def|newcommand)\b", text)
    for table in re.findall(r"(?:^\|.*\|\n)+", text, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1


def _complaints(log: str) -> list[str]:
    wide = [line for line in log.splitlines() if (m := re.match(r"Overfull \\.box \(([\d.]+)pt", line)) and float(m[1]) > 1]
    warned = [line for line in log.splitlines() if "Warning" in line and "Font" not in line]
    return wide + warned


def test_small_report_compiles(small_book: Book, pdflatex: Callable[[str, int], str]) -> None:
    (text,) = report_files(small_book.at(), ["tex"]).values()
    assert _complaints(pdflatex(text, 3)) == []


@pytest.mark.parametrize("preset", ["k3-gb200-4k", "256-gpu-2k"])
def test_whole_report_compiles(book: Book, pdflatex: Callable[[str, int], str], preset: str) -> None:
    (text,) = report_files(book.at(preset), ["tex"]).values()
    assert _complaints(pdflatex(text, 3)) == []


def test_other_choices_compile(book: Book, pdflatex: Callable[[str, int], str]) -> None:
    layout = {"EP": 32, "domain_ranks": 16, "documents": [1024, 1024, 2048], "gemm_m": 100, "remote_copies": "47/3"}
    point = book.at(dispatch="per_domain", causal="half", fsdp_lifecycle="no_pipeline_always", **layout)
    (text,) = report_files(point, ["tex"], ["roofs", "attention", "ep_payload", "fsdp", "step"]).values()
    assert _complaints(pdflatex(text, 3)) == []
