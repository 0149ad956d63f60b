"""Documents are replaced whole or not at all, whatever fails and whenever the process ends."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

import symroof
from symroof.answers.embed import _write
from symroof.embed.document import check_document
from symroof.embed.files import read_source, replace_source
from symroof.embed.fill import Filler
from symroof.embed.request import Where
from symroof.errors import OutputError

TEXT = "The step takes <!-- symroof: step_time in ms --><!-- /symroof --> in all.\n"
FILLED = "takes <!-- symroof: step_time in ms -->12,309 ms<!-- /symroof "
WRITE = Path.write_bytes
STEPS = (os.open, WRITE, os.fsync, os.chmod, os.replace)


def fail(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_a_step_that_fails_leaves_the_document_and_nothing_else(embed, write, monkeypatch, step) -> None:
    path = write("page.md", TEXT)
    monkeypatch.setattr(Path if step is WRITE else os, step.__name__, fail)
    found = embed(path)
    monkeypatch.undo()
    assert found.status == 2
    assert found.err == f"symroof: {path}:1:1: cannot be written: no space left on device\n"
    assert path.read_text() == TEXT
    assert [p.name for p in path.parent.iterdir() if p.name != "docs"] == ["page.md"]


class Killer:
    """Ends a process without any clean-up at a numbered call of those that touch the disk; a write is cut in its middle."""

    def __init__(self, moment: int) -> None:
        self.left = moment
        for step in STEPS:
            owner = Path if step is WRITE else os
            setattr(owner, step.__name__, self.counted(step))

    def counted(self, function: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **options: object) -> object:
            self.left -= 1
            if self.left == 0:
                if function is WRITE:
                    function(arguments[0], arguments[1][: len(arguments[1]) // 2])
                os._exit(9)
            return function(*arguments, **options)

        return call


def killed_at(moment: int, paths: list[Path], filler: Filler) -> int:
    """The exit status of a process that fills documents and may be killed on its way."""
    child = os.fork()
    if child == 0:
        Killer(moment)
        for path in paths:
            _write(check_document(path, filler))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here: a process cannot be killed in the middle of a write")
def test_a_process_that_is_killed_at_any_moment_loses_nothing(write) -> None:
    filler, other = Filler(symroof.load(), Where()), TEXT.replace("ms", "s")
    texts: dict[str, set[str]] = {"page.md": set(), "other.md": set()}
    for moment in range(1, 40):
        paths = [write("page.md", TEXT), write("other.md", other)]
        status = killed_at(moment, paths, filler)
        for path in paths:
            texts[path.name].add(path.read_text())
        if status == 0:
            break
        assert status == 9
    assert (status, moment) == (0, 17), "eight calls for each of two documents, and one run that ends"
    filled = {p.name: p.read_text() for p in paths}
    assert FILLED in filled["page.md"]
    assert texts == {"page.md": {TEXT, filled["page.md"]}, "other.md": {other, filled["other.md"]}}


def test_the_mode_of_a_document_is_kept(embed, write) -> None:
    path = write("page.md", TEXT)
    path.chmod(0o640)
    embed(path)
    assert FILLED in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_one_and_what_it_leads_to_is_filled(embed, write, tmp_path) -> None:
    path = write("page.md", TEXT)
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = folder / "link.md"
    link.symlink_to("../page.md")
    assert embed(link).status == 0
    assert link.is_symlink()
    assert FILLED in path.read_text()
    assert list(folder.iterdir()) == [link]


def test_links_in_a_circle_are_refused(embed, tmp_path) -> None:
    (tmp_path / "a.md").symlink_to("b.md")
    (tmp_path / "b.md").symlink_to("a.md")
    found = embed(tmp_path / "a.md")
    assert found.status == 2
    assert "cannot be read: " in found.err


def test_a_document_named_twice_is_filled_once(embed, write, tmp_path) -> None:
    path = write("page.md", TEXT)
    (tmp_path / "link.md").symlink_to("page.md")
    assert embed(path, path, tmp_path / "link.md").out.endswith("1 marker in 1 document: current\n")


def test_what_somebody_saved_meanwhile_is_not_overwritten(write) -> None:
    path = write("page.md", TEXT)
    source = read_source(path)
    path.write_text("new words")
    with pytest.raises(OutputError, match="has changed while it was being filled: run the command again"):
        replace_source(source, b"filled")
    assert path.read_text() == "new words"


def test_a_document_that_may_not_be_written_stays(write, monkeypatch) -> None:
    path = write("page.md", TEXT)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OutputError, match="cannot be written: it is read-only"):
        replace_source(read_source(path), b"filled")
    assert path.read_text() == TEXT


def test_what_is_current_is_not_written(embed, write) -> None:
    path = write("page.md", TEXT)
    embed(path)
    inode = path.stat().st_ino
    embed(path)
    assert path.stat().st_ino == inode


@pytest.mark.parametrize("option", ["--check", "--diff"])
def test_checking_writes_nothing(embed, write, option) -> None:
    path = write("page.md", TEXT)
    found = embed(path, option)
    assert found.status == (1 if option == "--check" else 0)
    assert "+The step takes <!-- symroof: step_time in ms -->12,309 ms<!-- /symroof " in found.out
    assert path.read_text() == TEXT
