"""The helpers of printed code do one thing in every language, allowing for rounding, whatever the sign."""

from __future__ import annotations

import json
import math
import subprocess
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from toolchains import NODE, c_values, needs_c, needs_node

from symroof.limits import GRAIN, LONGEST_SUM, MOST_DRAWS, SLACK, TIE, filled
from symroof.passes.c_code import CPrinter
from symroof.passes.evaluate import choose
from symroof.passes.js_code import JsPrinter
from symroof.passes.numpy_code import NumpyPrinter

NEAR, FAR = 1 + 2.0 ** (SLACK - 2), 1 + 2.0 ** (SLACK + 2)
# Within a tie, and beside it.
TIED, APART = 1 - 2.0 ** (TIE - 2), 1 - 2.0 ** (TIE + 2)
NAN = math.nan

# Helper, arguments, what it gives.
CASES: list[tuple[str, tuple[Any, ...], Any]] = [
    *(("floor", (x,), w) for x, w in [(2.5, 2), (-2.5, -3), (3 / NEAR, 3), (-3 * NEAR, -3), (-3 * FAR, -4), (3 / FAR, 2)]),
    *(("ceiling", (x,), w) for x, w in [(2.5, 3), (-2.5, -2), (3 * NEAR, 3), (-3 / NEAR, -3), (3 * FAR, 4), (0, 0)]),
    *(("floor", (s * 2.0**40 - 2.0 ** (GRAIN + 1),), s * 2**40 - 1) for s in (1, -1)),
    *(("divides", p, w) for p, w in [((3, 12), True), ((5, 12), False), ((3, -12), True), ((-5, 12), False), ((0, 3), False)]),
    *(("measures", (a, b), w) for a, b, w in [(0.1, 0.3, True), (-0.1, 0.3, True), (0.1, -0.35, False), (3, 3 * FAR, False)]),
    *(("difference", (a, b), w) for a, b, w in [(3, 2, 1), (-3, -2, -1), (3, 3 * NEAR, 0), (-3, -3 * NEAR, 0), (-2, 3, -5)]),
    *(("same", (a, b), w) for a, b, w in [(3, 3 * NEAR, True), (-3, -3 * NEAR, True), (-3, -3 * FAR, False), (3, -3, False)]),
    *(("at_most", (a, b), w) for a, b, w in [(3 * NEAR, 3, True), (-3, -3 * NEAR, True), (-3, -3 * FAR, False), (-4, -3, True)]),
    *(("choose", p, float(choose(*map(Fraction, p)))) for p in [(10, 3), (-4, 3), (0.5, 2), (-0.5, 3), (5, 0), (2, 5)]),
    *(("choose", (5, k), NAN) for k in (-1, 0.5)),
    *(("hit", (6, 10, k), 1 - math.comb(6, k) / math.comb(10, k)) for k in (0, 1, 3, 6, 8)),
    *(("hit", (6, 10, k), NAN) for k in (-1, 1.5)),
    *(
        ("largest", values, w)
        for values, w in [
            ((3, 2, 1), "a"), ((1, 3, 3), "b, c"), ((-5, -2, -9), "b"), ((-5, -5, -5), "a, b, c"), ((-5, -5 / TIED, -6), "a, b"),
            ((-5, -5 / APART, -6), "a"), ((4 * TIED, 4, -4), "a, b"), ((4 * APART, 4, -4), "b"), ((0, -1, 0), "a, c"),
            ((math.inf, 1, math.inf), "a, c"), ((-math.inf, -math.inf, -math.inf), "a, b, c"), ((NAN, 1, 2), "none"),
        ]
    ),
]  # fmt: skip
IDS = [f"{name}{arguments}" for name, arguments, _ in CASES]
# What only one language has, because the others have it of themselves, or what the cases above reach.
OTHERS = {"floats", "steps", "indices", "checked", "larger", "smaller", "power", "draws", "none"}


def agrees(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, str):
        return str(got) == wanted
    if isinstance(wanted, float) and math.isnan(wanted):
        return math.isnan(float(got))
    return math.isclose(float(got), float(wanted), rel_tol=1e-12)


def missed(values: list[Any]) -> list[str]:
    return [f"{i}: {v}, not {w}" for i, (_, _, w), v in zip(IDS, CASES, values, strict=True) if not agrees(v, w)]


@pytest.mark.parametrize(("printer", "word"), [(NumpyPrinter, "_{}"), (CPrinter, "{}_"), (JsPrinter, "_{}")])
def test_every_helper_has_cases(printer: type, word: str) -> None:
    assert set(printer.helpers) <= {word.format(n) for n in {name for name, _, _ in CASES} | OTHERS}
    assert "$" not in "".join(s for n, s in printer.helpers.items() if n != "_checked")


@np.errstate(all="ignore")
def test_in_numpy_one_by_one_and_as_arrays() -> None:
    space: dict[str, Any] = {"np": np}
    exec("\n\n".join(NumpyPrinter.helpers.values()), space)
    helper: dict[str, Callable[..., Any]] = {n: space[f"_{n}"] for n, _, _ in CASES}

    def called(name: str, arguments: tuple[Any, ...], shape: Callable[[Any], Any]) -> Any:
        given = [shape(x) for x in arguments]
        return helper[name](**dict(zip("abc", given, strict=False))) if name == "largest" else helper[name](*given)

    assert missed([called(n, a, np.float64) for n, a, _ in CASES]) == []
    assert missed([called(n, a, lambda x: np.array([x, x], dtype=float))[1] for n, a, _ in CASES]) == []


def c_number(x: float) -> str:
    return "NAN" if math.isnan(x) else f"{'-' if x < 0 else ''}INFINITY" if math.isinf(x) else float(x).hex()


@needs_c
def test_in_c(tmp_path) -> None:
    ties = ", ".join(f'"{", ".join(n for i, n in enumerate("abc") if bits >> i & 1) or "none"}"' for bits in range(8))
    lines = []
    for name, arguments, _ in CASES:
        numbers = ", ".join(map(c_number, arguments))
        if name == "largest":
            lines.append(f'printf("%s\\n", largest_((const double[]){{{numbers}}}, {len(arguments)}, ties));')
        else:
            lines.append(f'printf("%a\\n", (double){name}_({numbers}));')
    unused = "".join(f"(void){n};" for n in CPrinter.helpers)
    source = "\n".join(["#include <math.h>", *CPrinter.helpers.values(), f"static const char *const ties[] = {{{ties}}};", ""])
    found = c_values(tmp_path, source, f"int main(void) {{ {unused} {' '.join(lines)} return 0; }}\n").splitlines()
    assert missed([v if n == "largest" else float.fromhex(v) for (n, _, _), v in zip(CASES, found, strict=True)]) == []


@needs_node
def test_in_javascript(tmp_path) -> None:
    def js(x: float) -> str:
        return "NaN" if math.isnan(x) else f"{'-' if x < 0 else ''}Infinity" if math.isinf(x) else repr(x)

    calls = []
    for name, arguments, _ in CASES:
        given = ", ".join(f"{n}: {js(x)}" for n, x in zip("abc", arguments, strict=False))
        calls.append(f"_largest({{{given}}})" if name == "largest" else f"_{name}({', '.join(map(js, arguments))})")
    shown = "console.log(JSON.stringify([" + ", ".join(f"String({c})" for c in calls) + "]))"
    (tmp_path / "helpers.mjs").write_text("\n".join([*JsPrinter.helpers.values(), shown]))
    found = json.loads(subprocess.run([NODE, tmp_path / "helpers.mjs"], capture_output=True, text=True, check=True).stdout)
    words = {"true": 1.0, "false": 0.0, "NaN": NAN}
    read = [v if n == "largest" else words[v] if v in words else float(v) for (n, _, _), v in zip(CASES, found, strict=True)]
    assert missed(read) == []


def test_the_limits_are_in_the_source_as_each_language_writes_them() -> None:
    text = "$slack $grain $tie $draws $terms $said_draws $said_terms ${other}"
    assert filled(text, "0x1p{}") == "0x1p-46 0x1p-20 0x1p-42 20000 100000 20,000 100,000 ${other}"
    assert filled(text, "2.0**{}", "_").split()[3:5] == ["20_000", "100_000"]
    assert (MOST_DRAWS, LONGEST_SUM) == (20_000, 100_000)
