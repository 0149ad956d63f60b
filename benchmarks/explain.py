"""How long explaining a printed number takes and how much memory, as ratios to importing SymPy in the same run."""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
from typing import NamedTuple

from startup import SYMPY, SYMROOF, interleaved

TARGET = 3


class Case(NamedTuple):
    """A printed number and the point that it is of."""

    label: str
    arguments: tuple[str, ...]

    @property
    def command(self) -> tuple[str, ...]:
        """The command line that explains it."""
        return (*SYMROOF, "explain", *self.arguments, "--json")


FLOPS = ("--of", "model_flops_per_token")
CASES = (
    Case("three mistakes, Qwen3-30B-A3B", ("192856412160", *FLOPS, "-p", "qwen3-30b-a3b", "--set", "context=8192")),
    Case("a step for a token, DeepSeek-V3", ("4103.370952409088 TFLOP", *FLOPS, "-p", "deepseek-v3", "--set", "rows=4")),
    Case("an estimator, Kimi K3", ("645209985600", *FLOPS)),
    Case("nothing matches, Kimi K3", ("123456789012", *FLOPS)),
    Case("a rounded figure, Kimi K3", ("645.2 GFLOP/token", *FLOPS)),
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=7, help="runs of each command (default 7)")
    rounds = parser.parse_args().rounds
    found = [json.loads(subprocess.run(c.command, capture_output=True, check=True).stdout) for c in CASES]
    sympy, *ours = interleaved([SYMPY, *(c.command for c in CASES)], rounds)
    base = statistics.median(run.seconds for run in sympy)
    print(f"{'import sympy':<34}{base:7.3f} s")
    for case, answer, runs in zip(CASES, found, ours, strict=True):
        seconds = statistics.median(run.seconds for run in runs)
        says = f"{answer['combinations']:9,} combinations, {len(answer['matches'])} matches"
        print(f"{case.label:<34}{seconds:7.3f} s{seconds / base:8.2f} x   target {TARGET} x{says:>40}")
    print(f"{'peak memory':<34}{max(run.peak for runs in ours for run in runs) / 1e6:7.0f} MB")


if __name__ == "__main__":
    main()
