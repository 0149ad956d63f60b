"""Measured runs: every figure beside one is derived, what was quoted follows from its rate, and each gap is a question."""

import re
from fractions import Fraction

import pytest

import symroof

BOOK = symroof.load()
POINT = BOOK.at()
RUNS = {m.name: m for m in POINT.book.measurements}


@pytest.mark.parametrize("name", RUNS)
def test_every_figure_beside_a_run_has_a_value(name):
    run = RUNS[name]
    base = BOOK.at(run.preset, **run.at)
    for variant in run.variants:
        point = base.set(**variant)
        assert all(point[shown].exact is not None for shown in run.shows)


@pytest.mark.parametrize("name", [n for n, m in RUNS.items() if "TFLOP/s/GPU" in m.facts.get("quoted", "")])
def test_quoted_rate_follows_from_the_measured_tokens(name):
    run = RUNS[name]
    quoted = Fraction(re.sub(",", "", run.facts["quoted"].split()[0])) * 10**12
    derived = BOOK.at(run.preset, **{**run.at, "estimator": "megatron_lm"})["observed_flops"].exact
    assert abs(derived / quoted - 1) < Fraction(3, 1000)


@pytest.mark.parametrize("name", [n for n, m in RUNS.items() if m.chapter == "utilization" and "quoted" in m.facts])
def test_a_gap_is_asked_not_explained(name):
    assert RUNS[name].facts["question"].endswith("?")


@pytest.mark.parametrize("name", RUNS)
def test_a_run_says_where_it_was_published(name):
    assert RUNS[name].source
