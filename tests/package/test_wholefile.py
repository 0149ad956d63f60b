"""One way to write a file: whole or not at all, behind links, with its mode, on the disk, whatever fails or stops it."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from symroof.errors import OutputError
from symroof.wholefile import check_place, replacing, write_bytes, write_text

ROOT = Path(__file__).parents[2]
DISK = ("open", "fsync", "chmod", "replace")


def names(folder: Path) -> list[str]:
    return sorted(os.listdir(folder))


def test_what_a_link_leads_to_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    real, link = tmp_path / "there" / "real.csv", tmp_path / "link.csv"
    real.parent.mkdir()
    real.write_text("old")
    link.symlink_to("there/real.csv")
    write_text(link, "new")
    assert (link.is_symlink(), os.readlink(link), real.read_text()) == (True, "there/real.csv", "new")
    assert (names(tmp_path), names(real.parent)) == (["link.csv", "there"], ["real.csv"])


def test_a_link_that_leads_nowhere_makes_its_file(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"


def test_links_that_go_round_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(OutputError, match="a: cannot be written: its links go round in a circle"):
        write_text(tmp_path / "a", "")
    with pytest.raises(OutputError, match="a: its links go round in a circle"):
        check_place(tmp_path / "a")
    assert names(tmp_path) == ["a", "b"]


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o755])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "file"
    path.touch()
    path.chmod(mode)
    write_text(path, "new")
    assert (stat.S_IMODE(path.stat().st_mode), path.read_text()) == (mode, "new")


@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_mode_of_any_other(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        write_text(tmp_path / "file", "new")
    finally:
        assert os.umask(before) == mask
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("step", DISK)
@pytest.mark.parametrize("there", [True, False])
def test_a_disk_call_that_fails_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, there: bool
) -> None:
    if there:
        (tmp_path / "file").write_text("old")
    with monkeypatch.context() as broken:
        broken.setattr(os, step, no_space)
        with pytest.raises(OutputError, match="file: cannot be written: no space left on device"):
            write_bytes(tmp_path / "file", b"new")
    assert names(tmp_path) == (["file"] if there else [])
    assert not there or (tmp_path / "file").read_text() == "old"


def no_space(*_: object) -> None:
    raise OSError(28, "No space left on device")


def test_a_writer_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("old")
    with pytest.raises(UnicodeEncodeError), replacing(tmp_path / "file") as part:
        part.write_text("half \ud800", encoding="utf-8")
    assert (names(tmp_path), (tmp_path / "file").read_text()) == (["file"], "old")


def test_the_file_and_its_name_are_on_the_disk_when_it_is_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    kinds = {True: "folder", False: "file"}
    monkeypatch.setattr(os, "fsync", lambda h: (done.append(kinds[stat.S_ISDIR(os.fstat(h).st_mode)]), fsync(h)))
    monkeypatch.setattr(os, "replace", lambda a, b: (done.append("replace"), replace(a, b)))
    write_text(tmp_path / "file", "new")
    assert done == ["file", "replace", "folder"]


def test_a_file_that_is_read_only_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) != path)
    with pytest.raises(OutputError, match="file: cannot be written: it is read-only"):
        write_text(path, "new")
    with pytest.raises(OutputError, match="file: is read-only"):
        check_place(path)
    assert path.read_text() == "old"


def test_a_folder_that_is_read_only_is_refused_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "access", lambda place, _: Path(place) != tmp_path)
    with pytest.raises(OutputError, match=r"file: the folder .* cannot be written to"):
        check_place(tmp_path / "file")


def test_the_longest_name_of_a_file_can_be_written(tmp_path: Path) -> None:
    name = "é" * 127
    write_text(tmp_path / name, "new")
    assert names(tmp_path) == [name]


def test_a_pipe_is_written_into(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = subprocess.Popen([sys.executable, "-c", f"print(open({str(pipe)!r}).read())"], stdout=subprocess.PIPE, text=True)
    write_text(pipe, "through")
    assert reader.communicate(timeout=30)[0] == "through\n"
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_device_stays_one() -> None:
    check_place(Path(os.devnull))
    write_text(Path(os.devnull), "away")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here: a device that is full cannot be had")
def test_a_device_that_is_full_is_said() -> None:
    with pytest.raises(OutputError, match="/dev/full: cannot be written: no space left on device"):
        write_text(FULL, "more")


PRINTING = """
from pathlib import Path
from symroof.wholefile import write_text
write_text(Path("/dev/stdout"), "file\\n")
print("answer")
"""


@pytest.mark.skipif(not Path("/dev/stdout").exists(), reason="no /dev/stdout here: standard output has no name")
@pytest.mark.parametrize("into", ["a pipe", "a file"])
def test_standard_output_takes_the_file_and_then_the_answer(tmp_path: Path, into: str) -> None:
    command = [sys.executable, "-c", PRINTING]
    if into == "a pipe":
        out = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    else:
        with (tmp_path / "out").open("w") as file:
            subprocess.run(command, cwd=ROOT, stdout=file, check=True)
        out = (tmp_path / "out").read_text()
    assert out == "file\nanswer\n"


# Both of those that write: a command with -o, and the documents of `embed`; each stops when half is written, and waits.
STOPS = """
import sys, time
from pathlib import Path
def half(path, data):
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
    print("half", flush=True)
    time.sleep(60)
Path.write_bytes = half
from symroof.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("user", ["export", "embed"])
def test_a_polite_kill_leaves_what_was_there(tmp_path: Path, user: str) -> None:
    path = tmp_path / "page.md"
    path.write_text(old := "<!-- symroof: MFU --><!-- /symroof -->\n")
    asked = ["embed", str(path)] if user == "embed" else ["export", "MFU", "--format", "c", "-o", str(path)]
    process = subprocess.Popen([sys.executable, "-c", STOPS, *asked], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"half\n"
    assert [n for n in names(tmp_path) if n.startswith(".page.md.")]
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=30)
    assert (process.returncode, said) == (128 + signal.SIGTERM, b"")
    assert (names(tmp_path), path.read_text()) == (["page.md"], old)


def test_a_kill_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with replacing(tmp_path / "file") as part:
            os.kill(os.getpid(), signal.SIGTERM)
            part.write_text("new")
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (tmp_path / "file").read_text() == "new"


@pytest.mark.parametrize("command", [["sweep", "--over", "EP=8,16", "--of", "MFU"], ["export", "MFU", "--format", "c"]])
def test_every_command_that_writes_keeps_links_and_modes(tmp_path: Path, command: list[str]) -> None:
    real, link = tmp_path / "real.csv", tmp_path / "link.csv"
    real.write_text("old")
    real.chmod(0o600)
    link.symlink_to("real.csv")
    done = subprocess.run(
        [sys.executable, "-m", "symroof", *command, "-o", str(link)], cwd=ROOT, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert link.is_symlink()
    assert real.read_text() != "old"
    assert stat.S_IMODE(real.stat().st_mode) == 0o600
