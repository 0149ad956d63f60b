"""Every quantity of the book, compiled with every symbol free at once, equals its exact value to 1e-12."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import symroof
from symroof.errors import EvaluationError, MissingValueError
from symroof.passes.compile import compile_quantities, exact_function

BOOK = symroof.load().at().book
REFERENCE = BOOK.at()
CLOSE = Fraction(1, 10**12)
FREE = tuple(n for n, s in BOOK.symbols.items() if not s.is_list)

positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)
choices = st.fixed_dictionaries({n: st.sampled_from(sorted(c.choices)) for n, c in BOOK.conventions.items()})


@st.composite
def runs(draw):
    """Values for all that a run may vary, divisors first, so that most of them meet the constraints."""
    ep = draw(st.sampled_from([1, 2, 4, 6, 7, 8, 32, 64, 448]))
    groups, several = draw(st.sampled_from([1, 2, 3, 4])), draw(st.sampled_from([1, 2, 5]))
    per_stage = ep * groups
    domain = draw(st.sampled_from([d for d in (1, 2, 3, 32) if ep % d == 0] + [ep, per_stage, per_stage * several]))
    pp, cp = draw(st.sampled_from([2, 3, 4, 8, 16])), draw(st.sampled_from([1, 2, 4]))
    last = draw(st.integers(1, 6))
    layers = (pp - 1) * last + draw(st.integers(1, last))
    period = draw(st.integers(1, 6))
    mla = max(1, layers // period)
    length = draw(st.sampled_from([128, 1024, 3072]))
    return {
        "domain_ranks": domain, "EP": ep, "PP": pp, "CP": cp, "world": pp * per_stage, "mla_layers": mla,
        "kda_layers": layers - mla,
        "layers": layers, "dense_layers": draw(st.integers(0, 2)), "mla_period": period,
        "experts": ep * draw(st.sampled_from([1, 2, 14, 40])),
        "top_k": draw(st.integers(1, ep)), "M": draw(st.integers(1, 300)),
        "rows": draw(st.integers(1, 5)), "doc_length": length, "context": length * draw(st.sampled_from([1, 2, 4, 12])),
        "stage": draw(st.integers(1, pp - 1)), "checkpoint": draw(st.integers(0, 1)), "hidden": draw(st.integers(1, 9000)),
        "latent_width": draw(st.integers(1, 9000)), "expert_ffn": draw(st.integers(1, 5000)),
        "attn_res_block": draw(st.integers(1, 100)), "virtual_stages": draw(st.integers(1, 5)),
        "peak_flops": draw(positive) * 10**15, "nvlink_bandwidth": draw(positive) * 10**9,
        "scaleout_bandwidth": draw(positive) * 10**9, "compute_efficiency": Fraction(draw(st.integers(1, 100)), 100),
        "wanted_overhead": draw(positive), "metadata_residency": draw(positive), "measured_throughput": draw(positive),
    }  # fmt: skip


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(runs(), choices)
def test_every_value_equals_the_exact_one(values, chosen):
    point = REFERENCE.trial(**{n: v for n, v in values.items() if n in BOOK.symbols}, **chosen)
    assume(point.admissible)
    exact = exact_values(point)
    free = tuple(n for n in FREE if n in point.given)
    compiled = compile_quantities(point, list(exact), free, BOOK.conditions)
    found = compiled(**{n: float(point.given[n].value) for n in free})
    wrong = {n: (v, found[n]) for n, v in exact.items() if not same(found[n], v)}
    assert not wrong
    assert all(np.all(found[n]) for n in BOOK.conditions if n in found)


def exact_values(point):
    found = {}
    for name in BOOK.quantities:
        try:
            found[name] = point.evaluator.value(name)
        except MissingValueError:
            continue
        except EvaluationError:
            found[name] = None
    return found


def same(got, exact):
    if exact is None:
        return not np.isfinite(got)
    if isinstance(exact, str):
        return str(got) == exact
    return math.isfinite(got) and abs(Fraction(float(got)) - exact) <= CLOSE * abs(exact)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(runs(), choices)
def test_exact_code_equals_the_walk(values, chosen):
    point = REFERENCE.trial(**{n: v for n, v in values.items() if n in BOOK.symbols}, **chosen)
    assume(point.admissible)
    exact = {n: v for n, v in exact_values(point).items() if v is not None}
    free = tuple(n for n in FREE if n in point.given)
    assert exact_function(point, tuple(exact), free)(**{n: point.given[n].value for n in free}) == exact


def test_one_symbol_free_at_a_time_over_an_array():
    for name, values in {"EP": [1, 2, 8, 32, 64], "PP": [1, 2, 4, 8], "M": [1, 7, 64], "checkpoint": [0, 1]}.items():
        quantities = [n for n, v in exact_values(REFERENCE).items() if isinstance(v, Fraction)]
        found = REFERENCE.compile(quantities, [name])(**{name: values})
        for position, value in enumerate(values):
            there = REFERENCE.set(**{name: value})
            for quantity in quantities:
                exact = there[quantity].exact
                assert same(np.broadcast_to(found[quantity], len(values))[position], exact), (quantity, name, value)


def test_the_step_needs_no_guards_against_rounding():
    source = REFERENCE.compile(["step_time"], [n for n in FREE if n in REFERENCE.given]).source
    assert "_floor(" not in source
    assert "_difference(" not in source


def test_a_list_of_documents_is_part_of_the_program():
    listed = REFERENCE.set(documents=[1024, 3072])
    found = listed.compile(["S_eff", "step_time"], ["M"])(M=[32, 64])
    assert found["S_eff"] == float(listed["S_eff"].exact)
    assert found["step_time"][1] == pytest.approx(float(listed["step_time"].exact), rel=1e-12)
    assert listed.compile(["S_eff"], ["doc_length"])(doc_length=2048)["S_eff"] == 2048


def test_the_resource_that_binds_is_named():
    found = REFERENCE.compile(["binding_resource"], ["scaleout_bandwidth", "EP"])(scaleout_bandwidth=[1e6, 5e10], EP=64)
    assert found["binding_resource"].tolist() == ["scaleout_time", "compute_time"]
