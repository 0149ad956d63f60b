"""The program as a shell sees it: imports, pipes, colour, signals and time."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def imported(*arguments: str) -> set[str]:
    """The modules that a command line has imported when it is done."""
    code = f"import sys; from symroof.cli import main; main({list(arguments)!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stderr.split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("--version",),
        ("eval", "step_time", "--set", "EP=32"),
        ("list",),
        ("presets",),
        ("why", "step_time"),
        ("check",),
    ],
    ids=" ".join,
)
def test_sympy_stays_out(arguments: tuple[str, ...]) -> None:
    assert "sympy" not in imported(*arguments)


def test_help_does_not_load_the_engine() -> None:
    assert not {"symroof.book", "symroof.term", "tomllib", "fractions"} & imported("--help")


def seconds(*command: str) -> float:
    """The least time of several runs: what the command needs, without what else the machine did."""
    times = []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, *command], cwd=ROOT, capture_output=True, check=True)
        times.append(time.perf_counter() - start)
    return min(times)


def test_it_starts_quickly() -> None:
    sympy = seconds("-c", "import sympy")
    assert seconds("-m", "symroof", "--help") < 0.3 * sympy
    assert seconds("-m", "symroof", "eval", "step_time", "--set", "EP=32") < 1.4 * sympy


def test_json_is_alone_on_standard_output(program: Callable) -> None:
    done = program("eval", "step_time", "--json")
    assert done.stdout.startswith("{")
    assert done.stdout.endswith("}\n")
    assert done.stderr == ""


@pytest.mark.parametrize("arguments", [("list",), ("why", "step_time"), ("presets", "--json")], ids=" ".join)
def test_a_reader_that_leaves_is_no_error(arguments: tuple[str, ...]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "symroof", *arguments], cwd=ROOT, stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert done.stderr == b""
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_one_line(program: Callable) -> None:
    with open("/dev/full", "w") as full:
        done = program("list", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (2, "symroof: the answer cannot be written: No space left on device\n")


def test_an_interrupt_ends_quietly() -> None:
    code = (
        "import os, signal, symroof.cli as cli\n"
        "cli._run = lambda arguments: os.kill(os.getpid(), signal.SIGINT)\n"
        "raise SystemExit(cli.main(['list']))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (128 + signal.SIGINT, b"", b"")


def test_a_fault_of_the_program_is_one_line_and_a_traceback_for_developers() -> None:
    code = "import symroof.cli as cli\ncli._run = lambda arguments: 1 / 0\nraise SystemExit(cli.main(['list']))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        "symroof: a fault of symroof itself: ZeroDivisionError: division by zero (traceback: python -X dev -m symroof ...)\n"
    )
    done = subprocess.run([sys.executable, "-X", "dev", "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "Traceback" in done.stderr


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What a command line writes to a terminal."""
    ours, theirs = pty.openpty()
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"} | {"TERM": "xterm", "COLUMNS": "60"} | environment
    done = subprocess.Popen([sys.executable, "-m", "symroof", *arguments], cwd=ROOT, stdout=theirs, env=env)
    os.close(theirs)
    chunks = []
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:
            break
        if not chunk:
            break
        chunks.append(chunk)
    done.wait()
    os.close(ours)
    return b"".join(chunks).decode()


def test_colour_is_for_terminals(program: Callable) -> None:
    assert "\x1b[" in on_a_terminal("eval", "EP")
    assert "\x1b[" not in on_a_terminal("eval", "EP", NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal("eval", "EP", TERM="dumb")
    assert "\x1b[" not in on_a_terminal("eval", "EP", "--json")
    assert "\x1b[" not in program("eval", "EP").stdout


def test_a_table_fits_the_terminal() -> None:
    lines = on_a_terminal("list", "--chapter", "2", NO_COLOR="1").splitlines()
    assert all(len(line) <= 60 for line in lines[1:])
    assert any(line.endswith("...") for line in lines)


def test_an_output_without_box_characters_gets_a_plain_tree(program: Callable) -> None:
    done = program("why", "remote_copies", env=os.environ | {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert done.returncode == 0
    assert "`- EP = 64 rank" in done.stdout
