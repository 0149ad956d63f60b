"""How long a command takes and how much memory a report needs, as ratios to importing SymPy in the same run.

A ratio says the same on a laptop and on a busy server; the commands take turns, so that a slow moment hits all of them.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SYMPY = (sys.executable, "-c", "import sympy")
SYMROOF = (sys.executable, "-m", "symroof")


class Command(NamedTuple):
    """A command and the largest ratio to importing SymPy that it should have."""

    label: str
    arguments: tuple[str, ...]
    target: float


class Run(NamedTuple):
    """One run: seconds on the clock, and the most memory that the process held, in bytes."""

    seconds: float
    peak: int


def measure(arguments: Sequence[str]) -> Run:
    """One run of a command.

    Raises:
        CalledProcessError: the command failed.
    """
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    # Linux counts kibibytes here, macOS bytes.
    return Run(seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024))


def interleaved(commands: Sequence[Sequence[str]], rounds: int) -> list[list[Run]]:
    """The runs of each command, one of each in every round; a round before that warms the caches."""
    for command in commands:
        measure(command)
    return list(zip(*([measure(command) for command in commands] for _ in range(rounds)), strict=True))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each command (default 7)")
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as folder:
        commands = [
            Command("symroof --help", ("--help",), 0.3),
            Command("symroof eval step_time --set EP=32", ("eval", "step_time", "--set", "EP=32"), 1.4),
            Command("symroof report, its pictures current", ("report", "-o", str(Path(folder) / "reports")), 6),
        ]
        sympy, *ours = interleaved([SYMPY, *((*SYMROOF, *c.arguments) for c in commands)], rounds)
    base = statistics.median(run.seconds for run in sympy)
    print(f"{'import sympy':<38}{base:7.3f} s")
    for command, runs in zip(commands, ours, strict=True):
        seconds = statistics.median(run.seconds for run in runs)
        print(f"{command.label:<38}{seconds:7.3f} s{seconds / base:8.2f} x   target {command.target} x")
    peak = max(run.peak for run in ours[-1])
    print(f"{'peak memory of symroof report':<38}{peak / 1e6:7.0f} MB             target 300 MB")


if __name__ == "__main__":
    main()
