"""The lab in a browser: bytes of the page, time to the first interaction, and the median of computing everything anew.

python benchmarks/lab.py             # sizes and times
LAB_RUNS=10000 python -m pytest tests/lab/test_values.py     # 10,000 random runs against the engine
"""

from __future__ import annotations

import gzip
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import symroof
from symroof.lab.html import lab_page

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
# A slider moves: every state is another one.
COMPUTE = """() => {
    const taken = [];
    for (let m = 1; m <= 512; m += 1) {
        const start = performance.now();
        lab.compute({ M: String(m) });
        taken.push(performance.now() - start);
    }
    return taken;
}"""
LIMITS = {"bytes": 1_500_000, "first interaction [ms]": 300, "everything anew, median [ms]": 4}


def main() -> int:
    """Print each figure beside its limit; 1 where one is above it."""
    page = lab_page(symroof.load()).encode()
    program = shutil.which("chromium")
    found: dict[str, float] = {"bytes": len(page)}
    if program is not None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "lab.html"
            file.write_bytes(page)
            found |= _times(program, file.as_uri())
    for name, value in found.items():
        print(
            f"{name}: {value:,.4g} (limit {LIMITS[name]:,})" if name != "bytes" else f"bytes: {value:,} (limit {LIMITS[name]:,})"
        )
    print(f"bytes, compressed: {len(gzip.compress(page)):,}")
    if program is None:
        print("no Chromium: times are not measured")
    return int(any(value > LIMITS[name] for name, value in found.items()))


def _times(program: str, address: str) -> dict[str, float]:
    from playwright.sync_api import sync_playwright

    loads, computed = [], []
    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=FLAGS)
        for _ in range(7):
            page = browser.new_page()
            page.goto(address)
            page.wait_for_function("performance.getEntriesByName('interactive').length")
            loads.append(page.evaluate("performance.getEntriesByName('interactive')[0].startTime"))
            computed += page.evaluate(COMPUTE) if len(loads) == 7 else []
            page.close()
        browser.close()
    # The first load warms the disk; the machine may be busy, which the least shows least.
    return {"first interaction [ms]": min(loads), "everything anew, median [ms]": statistics.median(computed)}


if __name__ == "__main__":
    sys.exit(main())
