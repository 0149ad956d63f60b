"""pdflatex for the tests that ask TeX itself, skipped where it is not installed."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import symroof
from symroof.book import Book

FIXTURE = Path(__file__).parent.parent / "books" / "report_fixture"

Compile = Callable[[str, int], str]


@pytest.fixture(scope="session")
def small_book() -> Book:
    return symroof.load(FIXTURE)


@pytest.fixture(scope="session")
def book() -> Book:
    return symroof.load()


@pytest.fixture
def pdflatex(tmp_path: Path) -> Compile:
    """Compile a text so many times; the log of the last run, one message a line."""
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")

    def run(text: str, times: int) -> str:
        (tmp_path / "report.tex").write_text(text, encoding="utf-8")
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "report.tex"]
        for _ in range(times):
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
            assert done.returncode == 0, done.stdout.decode(errors="replace")[-3000:]
        return (tmp_path / "report.log").read_text(encoding="utf-8", errors="replace")

    return run
