"""How long checking a thousand documents with ten markers each takes, as a ratio to importing SymPy in the same run.

Reading the files once, which no checker can do without, is measured beside it and taken off.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SYMPY = (sys.executable, "-c", "import sympy")
SYMROOF = (sys.executable, "-m", "symroof")
TARGET = 5.0
# Ten markers of all kinds but pictures; the settings make a few points of each document's own preset.
MARKERS = """The step takes <!-- symroof: step_time in ms --><!-- /symroof --> on each GPU, with EP at
half of it <!-- symroof: step_time in ms at EP=32 --><!-- /symroof -->; MFU is
about <!-- symroof: MFU in % to 3 digits --><!-- /symroof -->, bound by <!-- symroof: binding_resource --><!-- /symroof -->.

<!-- symroof: formula payload_bytes -->
<!-- /symroof -->

- one copy for each assignment: <!-- symroof: closed form remote_copies --><!-- /symroof -->
- <!-- symroof: table step_time in ms, MFU in %, payload_bytes in GiB -->
  <!-- /symroof -->

| run | payload |
| --- | --- |
| as it is | <!-- symroof: payload_bytes in GiB --><!-- /symroof --> |

<!-- symroof: substituted expert_FSDP -->
<!-- /symroof -->

<!-- symroof: what if EP=32 of payload_bytes, nvlink_time -->
<!-- /symroof -->
"""
PROSE = "Words that say why a run is as it is, with `code` in them and a [link](https://example.org/page), take most of a page.\n"


def documents(folder: Path, count: int) -> list[Path]:
    """Documents of some pages: prose, a fence that quotes a marker, and ten markers."""
    fence = "```markdown\n<!-- symroof: step_time --><!-- /symroof -->\n```\n"
    found = []
    for number in range(count):
        path = folder / f"design-{number:04}.md"
        path.write_text(f"# Design {number}\n\n{PROSE * 12}\n{fence}\n{MARKERS}\n## More\n\n{PROSE * 12}", encoding="utf-8")
        found.append(path)
    return found


def seconds(command: tuple[str, ...]) -> float:
    """How long a command takes.

    Raises:
        CalledProcessError: the command failed.
    """
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def reading(paths: list[Path]) -> float:
    """How long it takes to read the documents."""
    start = time.perf_counter()
    for path in paths:
        path.read_bytes()
    return time.perf_counter() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="runs of each command (default 5)")
    parser.add_argument("--documents", type=int, default=1000, help="how many documents (default 1000)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        paths = documents(Path(folder), options.documents)
        check = (*SYMROOF, "embed", *map(str, paths), "--check")
        fill = seconds((*SYMROOF, "embed", *map(str, paths)))
        seconds(SYMPY)
        rounds = [(seconds(SYMPY), seconds(check), reading(paths)) for _ in range(options.rounds)]
    sympy, ours, read = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"{'import sympy':<44}{sympy:7.3f} s")
    print(f"{f'reading {options.documents:,} documents':<44}{read:7.3f} s")
    print(f"{'filling them, 10 markers each':<44}{fill:7.3f} s{(fill - read) / sympy:8.2f} x")
    ratio = (ours - read) / sympy
    print(f"{'checking them, less reading':<44}{ours - read:7.3f} s{ratio:8.2f} x   target {TARGET:g} x")


if __name__ == "__main__":
    main()
