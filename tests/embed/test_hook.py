"""The pre-commit hook and the snippet for a build, run as they would be; and the page that shows them."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from symroof.embed.document import _NOTEBOOK, _READERS

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
PAGE = ROOT / "docs" / "embed.md"
TEXT = "The step takes <!-- symroof: step_time in ms --><!-- /symroof --> in all.\n"


def hooks() -> dict[str, dict[str, str]]:
    """The hooks by their ids; the file is a list of flat tables."""
    found = {}
    for entry in re.split(r"^- ", HOOKS.read_text(), flags=re.MULTILINE)[1:]:
        table = dict(line.strip().split(": ", 1) for line in entry.splitlines())
        found[table["id"]] = table
    return found


@pytest.fixture
def command(tmp_path: Path) -> dict[str, str]:
    """An environment whose `symroof` is this one, and whose pip installs nothing."""
    folder = tmp_path / "bin"
    folder.mkdir()
    scripts = {"symroof": f'exec {sys.executable} -m symroof "$@"', "python": "exit 0"}
    for name, line in scripts.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT), "NO_COLOR": "1", "HOME": str(tmp_path)}


def hook(name: str, files: list[Path], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """A hook as pre-commit runs it: its entry, then the files whose names it wants."""
    table = hooks()[name]
    wanted = [str(f) for f in files if re.search(table["files"], f.name)]
    words = [*shlex.split(table["entry"]), *wanted]
    return subprocess.run(words, capture_output=True, text=True, check=False, env=environment)


def test_the_hooks_want_every_format_and_run_in_one_process() -> None:
    assert set(hooks()) == {"symroof-embed", "symroof-embed-check"}
    for table in hooks().values():
        assert (table["language"], table["require_serial"]) == ("python", "true")
        for ending in (*_READERS, _NOTEBOOK):
            assert re.search(table["files"], f"page{ending}"), ending
        assert not re.search(table["files"], "page.py")


def test_the_hook_fills_what_is_committed_and_fails_on_an_edit(write, command) -> None:
    files = [write("page.md", TEXT), write("script.py", TEXT)]
    assert hook("symroof-embed-check", files, command).returncode == 1
    assert files[0].read_text() == TEXT
    assert hook("symroof-embed", files, command).returncode == 0
    assert "12,309 ms" in files[0].read_text()
    assert files[1].read_text() == TEXT
    assert hook("symroof-embed-check", files, command).returncode == 0
    files[0].write_text(files[0].read_text().replace("12,309", "12,310"))
    assert hook("symroof-embed", files, command).returncode == 2


def test_the_snippet_for_a_build_passes_and_fails(write, command, tmp_path) -> None:
    script = re.search(r"    run: \|\n((?:      .*\n)+)", PAGE.read_text())[1]
    lines = "\n".join(line.strip() for line in script.splitlines())
    page = write("page.md", TEXT)

    def build() -> int:
        return subprocess.run(["sh", "-ec", lines], cwd=tmp_path, env=command, capture_output=True, check=False).returncode

    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "page.md"], cwd=tmp_path, check=True)
    assert build() == 1
    subprocess.run(["symroof", "embed", str(page)], env=command, check=True, capture_output=True)
    assert build() == 0


def test_the_page_names_hooks_that_there_are_and_is_current_itself(embed) -> None:
    text = PAGE.read_text()
    assert set(re.findall(r"symroof-embed[\w-]*", text)) == set(hooks())
    assert embed(PAGE, "--check").out == "1 marker in 1 document: current\n"


def test_every_request_of_the_page_is_answered(embed, write) -> None:
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(), flags=re.MULTILINE)
    requests = [r for r in rows if not r.startswith(("plot", "define"))]
    assert len(requests) >= 9
    page = write("page.md", "".join(f"<!-- symroof: {r} -->\n<!-- /symroof -->\n\n" for r in requests))
    assert (embed(page).err, embed(page, "--check").status) == ("", 0)
