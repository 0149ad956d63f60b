"""Three ways to one number: the walk of the DAG, the closed form in SymPy, and a computation by hand that shares no code."""

from fractions import Fraction

import pytest
import sympy as sp
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import symroof
from symroof.errors import ConstraintError
from symroof.passes.expand import expand
from tests import oracle

BOOK = symroof.load().at().book
REFERENCE = BOOK.at()
COMPARED = [n for n in oracle.compute(oracle.DEFAULTS, oracle.CHOICES) if n in BOOK.quantities]

powers = st.integers(0, 8).map(lambda n: 2**n)
positive = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


@st.composite
def overrides(draw):
    """Values for a handful of symbols, admissible more often than not; constraints throw out the rest."""
    context = draw(st.sampled_from([512, 1024, 4096, 12288, 65536]))
    values = {
        "world": draw(st.sampled_from([8, 64, 128, 256, 512, 1024, 4096])),
        "PP": draw(st.sampled_from([1, 2, 3, 4, 8, 16, 31])),
        "CP": draw(st.sampled_from([1, 2, 4])),
        "EP": draw(st.sampled_from([1, 2, 4, 7, 8, 16, 32, 56, 64, 128])),
        "domain_ranks": draw(powers),
        "M": draw(st.integers(1, 300)),
        "rows": draw(st.integers(1, 5)),
        "context": context,
        "doc_length": context // draw(st.sampled_from([1, 2, 8])),
        "checkpoint": draw(st.integers(0, 1)),
        "top_k": draw(st.integers(1, 40)),
        "hidden": draw(st.integers(1, 9000)),
        "latent_width": draw(st.integers(1, 9000)),
        "expert_ffn": draw(st.integers(1, 5000)),
        "attn_res_block": draw(st.integers(1, 100)),
        "virtual_stages": draw(st.integers(1, 4)),
        "kda_chunk": draw(st.integers(1, 128)),
        "newton_schulz_steps": draw(st.integers(1, 10)),
        "peak_flops": draw(positive) * 10**15,
        "nvlink_bandwidth": draw(positive) * 10**9,
        "scaleout_bandwidth": draw(positive) * 10**9,
        "metadata_residency": draw(positive),
    }
    kept = draw(st.sets(st.sampled_from(sorted(values)), min_size=1))
    return {n: v for n, v in values.items() if n in kept}


# The choices that the hand computation knows; those of what counts are held against public estimators elsewhere.
BY_HAND = ("causal", "dispatch", "fsdp_lifecycle")
choices = st.fixed_dictionaries({n: st.sampled_from(sorted(BOOK.conventions[n].choices)) for n in BY_HAND})


def admissible(values, chosen):
    try:
        return REFERENCE.set(**values, **chosen)
    except ConstraintError:
        assume(False)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(overrides(), choices)
def test_walk_equals_hand_computation(values, chosen):
    point = admissible(values, chosen)
    by_hand = oracle.compute({**oracle.DEFAULTS, **values}, chosen)
    wrong = {n: (point[n].exact, v) for n, v in by_hand.items() if n in BOOK.quantities and point[n].exact != v}
    assert not wrong


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(overrides(), choices)
def test_closed_form_equals_walk(values, chosen):
    point = admissible(values, chosen)
    for name in COMPARED:
        if name == "binding_resource":
            continue
        form = expand(point, name)
        numbers = {s: sp.Rational(*point.given[s.name].value.as_integer_ratio()) for s in form.free_symbols}
        assert form.xreplace(numbers).doit() == sp.Rational(*point[name].exact.as_integer_ratio()), name


@pytest.mark.parametrize("run", [*BOOK.presets.names("run"), BOOK.default])
def test_every_run_equals_hand_computation(run):
    point = BOOK.at(run)
    values = {n: g.value for n, g in point.given.items()}
    by_hand = oracle.compute({**oracle.DEFAULTS, **values}, dict(point.choices))
    assert {n: point[n].exact for n in by_hand if n in BOOK.quantities} == {
        n: v for n, v in by_hand.items() if n in BOOK.quantities
    }


def test_enough_is_compared():
    assert len(COMPARED) >= 120
