"""The formats of `report`: which are written, and which are checked where none is named."""

from collections.abc import Callable
from pathlib import Path


def _names(folder: Path) -> set[str]:
    return {p.suffix for p in folder.iterdir() if p.is_file()}


def test_markdown_and_latex_are_written_where_no_format_is_named(ask: Callable, tmp_path: Path) -> None:
    assert ask("report", "-o", str(tmp_path)).status == 0
    assert _names(tmp_path) == {".md", ".tex"}


def test_html_is_one_of_the_formats(ask: Callable, tmp_path: Path) -> None:
    assert ask("report", "-o", str(tmp_path), "--format", "html").status == 0
    assert _names(tmp_path) == {".html"}


def test_check_looks_at_every_format_that_is_there(ask: Callable, tmp_path: Path) -> None:
    ask("report", "-o", str(tmp_path), "--format", "md,html")
    assert ask("report", "-o", str(tmp_path), "--check").status == 0
    (page,) = tmp_path.glob("*.html")
    page.write_text(page.read_text(encoding="utf-8").replace("</main>", "by hand</main>"), encoding="utf-8")
    found = ask("report", "-o", str(tmp_path), "--check")
    assert found.status == 1
    assert "-by hand</main>" in found.out
    assert ask("report", "-o", str(tmp_path), "--check", "--format", "md").status == 0


def test_check_misses_the_usual_formats_where_none_is_there(ask: Callable, tmp_path: Path) -> None:
    found = ask("report", "-o", str(tmp_path), "--check", "--json").json
    assert {Path(p).suffix for p in found["stale"]} == {".md", ".tex"}
