"""How fast and how large a sweep is: ratios to the same formulas written by hand and to llm-analysis, all in one run.

Dense: every input of step_time varies freely over valid configurations, and both functions get the same chunks in turn.
Grid: step_time over all combinations of some values, each of them valid, and the ten best of them exactly.
"""

from __future__ import annotations

import argparse
import itertools
import math
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

import numpy as np
from by_hand import step_time
from startup import SYMROOF, measure

import symroof
from symroof.passes.pareto import Goal, best
from symroof.passes.sweep import Tally

CHUNK = 16_384
OVER = {
    "EP": [1, 2, 4, 8, 16, 32, 64],
    "checkpoint": [0, 1],
    "hbm_bandwidth": [f"{n} TB/s" for n in (3, 5, 8)],
    "peak_flops": [f"{n} PFLOP/s" for n in (1, 2, 3)],
    "scaleout_bandwidth": [f"{n} GB/s" for n in range(25, 425, 25)],
    "nvlink_bandwidth": [f"{n} GB/s" for n in range(300, 1900, 100)],
    "rows": [1, 2, 3, 4],
    "M": list(range(8, 1288, 8)),
}
# What it is compared with: a model that fits, over as many layouts as fit, as its own documentation calls it.
LLM_ANALYSIS = """
import itertools, logging, time
logging.disable(logging.CRITICAL)
from llm_analysis.analysis import LLMAnalysis
from llm_analysis.config import (
    ParallelismConfig, get_dtype_config_by_name, get_gpu_config_by_name, get_model_config_by_name
)
model = get_model_config_by_name("decapoda-research_llama-7b-hf")
gpu, dtype = get_gpu_config_by_name("a100-sxm-80gb"), get_dtype_config_by_name("w16a16e16")
count, start = 0, time.perf_counter()
while time.perf_counter() - start < 3:
    for tp, pp in itertools.product((2, 4, 8), (1, 2, 4)):
        layout = ParallelismConfig(tp_size=tp, pp_size=pp, dp_size=8)
        analysis = LLMAnalysis(model, gpu, dtype, layout, flops_efficiency=0.5, hbm_memory_efficiency=0.6)
        analysis.training(batch_size_per_gpu=1, gradient_accumulation_steps=8, seq_len=2048, total_num_tokens=10**9)
        count += 1
print(count / (time.perf_counter() - start))
"""


class Valid:
    """Draws configurations that meet every constraint, with every input of step_time varied."""

    def __init__(self, point: symroof.Point, seed: int = 0) -> None:
        book = point.book
        self._random = np.random.default_rng(seed)
        self.names = [n for n in point.given if n in book.inputs_of("step_time") and n in book.symbols]
        self._given = {n: float(point.given[n].value) for n in self.names}
        self._whole = {n: book.symbols[n].domain.whole for n in self.names}
        self._layouts = np.array(list(_layouts()), dtype=float)

    def __call__(self, count: int) -> dict[str, np.ndarray]:
        """So many configurations, an array for each input."""
        draw = self._random
        found = {n: self._around(n, count) for n in self.names}
        columns = self._layouts[draw.integers(len(self._layouts), size=count)].T
        found |= dict(zip(("world", "PP", "CP", "EP", "domain_ranks"), columns, strict=True))
        found["TP"] = np.ones(count)
        found["checkpoint"] = draw.integers(0, 2, count).astype(float)
        found["compute_efficiency"] = draw.uniform(0.3, 1.0, count)
        found["experts"] = 128.0 * draw.integers(2, 9, count)
        found["top_k"] = draw.integers(1, 33, count).astype(float)
        found["doc_length"] = 2.0 ** draw.integers(7, 12, count)
        found["context"] = found["doc_length"] * 2.0 ** draw.integers(0, 6, count)
        found["dense_layers"] = draw.integers(0, 4, count).astype(float)
        found["mla_layers"] = 16.0 * draw.integers(1, 4, count)
        found["mla_period"] = draw.integers(2, 7, count).astype(float)
        found["layers"] = found["mla_layers"] * found["mla_period"]
        found["kda_layers"] = found["layers"] - found["mla_layers"]
        return {n: np.ascontiguousarray(a) for n, a in found.items()}

    def _around(self, name: str, count: int) -> np.ndarray:
        drawn = self._random.uniform(0.5, 1.5, count) * self._given[name]
        return np.maximum(1.0, np.rint(drawn)) if self._whole[name] else drawn


def _layouts() -> list[tuple[int, ...]]:
    """World, PP, CP, EP and the ranks of a domain, where they fit together."""
    powers = [2**n for n in range(13)]
    found = itertools.product(powers[5:], powers[:5], powers[:3], powers[:8], powers[3:9])
    return [
        (world, pp, cp, ep, domain)
        for world, pp, cp, ep, domain in found
        if world % (pp * cp) == 0 and (world // pp) % ep == 0 and pp <= world
    ]


def dense(point: symroof.Point, count: int) -> tuple[float, float]:
    """Seconds for so many configurations, compiled and by hand, in the same chunks.

    Raises:
        SystemExit: a configuration is not valid, or the two results differ.
    """
    draw = Valid(point)
    compiled = point.compile(["step_time"], draw.names)
    _refuse_invalid(point, draw)
    ours = theirs = 0.0
    for number in range(math.ceil(count / CHUNK)):
        chunk = draw(CHUNK)
        found: dict[str, np.ndarray] = {}
        for name in ("compiled", "hand") if number % 2 else ("hand", "compiled"):
            start = time.perf_counter()
            found[name] = compiled(**chunk)["step_time"] if name == "compiled" else step_time(**chunk)
            seconds = time.perf_counter() - start
            ours, theirs = (ours + seconds, theirs) if name == "compiled" else (ours, theirs + seconds)
        if not np.allclose(found["compiled"], found["hand"], rtol=1e-12, atol=0):
            raise SystemExit("the compiled form and the one written by hand differ")
    return ours, theirs


def _refuse_invalid(point: symroof.Point, draw: Valid) -> None:
    from symroof.passes.compile import compile_quantities

    holds = compile_quantities(point, (), tuple(draw.names), point.book.conditions)(**draw(CHUNK))
    broken = [n for n, truth in holds.items() if not np.all(truth)]
    if broken:
        raise SystemExit(f"configurations break {', '.join(broken)}")


def grid(point: symroof.Point) -> tuple[int, float]:
    """Configurations of a grid and the seconds for the ten best of them."""
    start = time.perf_counter()
    sweep, tally = point.sweep(OVER, ["step_time"]), Tally()
    best(sweep, Goal("step_time"), 10, tally)
    if tally.rejected:
        raise SystemExit(f"the grid has points that may not exist: {tally.rejected}")
    return tally.evaluated, time.perf_counter() - start


def peak_memory() -> tuple[int, float]:
    """The most memory that a sweep of 10^7 points to a CSV file holds, in bytes, and its seconds."""
    with tempfile.TemporaryDirectory() as folder:
        over = ["M=1:2500", "rows=1:4", "checkpoint=0,1", "scaleout_bandwidth=1 GB/s:500 GB/s:1 GB/s"]
        arguments = ("sweep", "--over", *over, "--of", "step_time", "-o", str(Path(folder) / "sweep.csv"))
        run = measure((*SYMROOF, *arguments))
    return run.peak, run.seconds


def llm_analysis(python: str | None) -> float | str:
    """Configurations a second of llm-analysis, or why there is no such figure.

    Args:
        python: an interpreter that has it; by default one in a throwaway environment.
    """
    with tempfile.TemporaryDirectory() as folder:
        try:
            if python is None:
                venv.create(folder, with_pip=True)
                python = str(Path(folder) / "bin" / "python")
                install = [python, "-m", "pip", "--disable-pip-version-check", "-qq", "install", "llm-analysis==0.2.2"]
                subprocess.run(install, check=True, capture_output=True, timeout=600)
            ran = subprocess.run([python, "-c", LLM_ANALYSIS], check=True, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.SubprocessError) as error:
            return f"skipped: it cannot be installed or run here ({type(error).__name__})"
        return float(ran.stdout.split()[-1])


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=10**7, help="dense configurations (default 10^7)")
    parser.add_argument("--llm-analysis", metavar="PYTHON", help="an interpreter that has llm-analysis")
    options = parser.parse_args()
    point = symroof.load().at()
    ours, theirs = dense(point, options.count)
    size, seconds = grid(point)
    peak, writing = peak_memory()
    other = llm_analysis(options.llm_analysis)
    rates = {"dense, compiled": options.count / ours, "dense, by hand": options.count / theirs, "grid": size / seconds}
    for name, rate in rates.items():
        print(f"{name:<34}{rate / 1e6:9.1f} million configurations a second a core")
    print(f"{'compiled over by hand, time':<34}{ours / theirs:9.2f} x   target 1.3 x")
    print(f"{'grid':<34}{size / seconds / 1e6:9.1f} M/s target 20 M/s")
    print(f"{'peak memory, 10^7 points to CSV':<34}{peak / 1e6:9.0f} MB  target 500 MB ({writing:.0f} s)")
    if isinstance(other, str):
        print(f"{'llm-analysis':<34}{other}")
        return
    print(f"{'llm-analysis':<34}{other:9.0f} configurations a second")
    for name in ("dense, compiled", "grid"):
        print(f"{f'{name} over llm-analysis':<34}{rates[name] / other:9.0f} x   target 1000 x")


if __name__ == "__main__":
    sys.exit(main())
