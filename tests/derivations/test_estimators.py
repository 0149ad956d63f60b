"""Public numbers explained: every case whose cause is known is found, every combination is, and differences add up."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import symroof
from symroof.figure import read_figure
from symroof.passes.depend import conventions_of
from symroof.passes.diff import diff
from symroof.passes.explain import Explained, explain
from symroof.passes.sets import sets_of

BOOK = symroof.load()
FLOPS, ACTIVE = "model_flops_per_token", "active_parameters"
MODELS = [n for n in BOOK.presets.names("model") if n != "kimi-k3-released"]


@cache
def at(model: str) -> symroof.Point:
    return BOOK.at(model)


def of(point: symroof.Point, text: str, name: str = FLOPS) -> Explained:
    return explain(point, name, read_figure(name, text, point[name].unit))


def told(found: Explained) -> list[dict[str, str]]:
    """Each explanation as a reader sees it: named sets, departures from them, and the factor."""
    return [{**m.way.named, **m.way.beside, **({"factor": m.factor.name} if m.factor else {})} for m in found.matches]


# torchtitan, pull request 4300: which experts, which tables, how many contractions, which layers have a window.
TITAN = {
    ("qwen3-30b-a3b", 8192, "37578559488"): {"estimator": "torchtitan"},
    ("qwen3-30b-a3b", 8192, "192856412160"): {
        "estimator": "torchtitan",
        "contractions": "three",
        "counted_experts": "all",
        "counted_embedding": "counted",
    },
    ("gpt-oss-20b", 4096, "24141260160"): {"estimator": "torchtitan"},
    ("gpt-oss-20b", 4096, "26481681792"): {"estimator": "torchtitan", "causal": "full"},
    ("kimi-k3", 4096, "645209985600"): {"estimator": "torchtitan"},
    ("kimi-k3", 4096, "620541149184"): {"estimator": "megatron_bridge"},
    ("kimi-k3", 4096, "633143328768"): {"estimator": "automodel"},
}
# DeepSeek-V3 at 4,096 tokens, in GFLOP, as tools print it.
DEEPSEEK = {
    "249.8113 GFLOP": {"estimator": "automodel"},
    "249.8121 GFLOP": {"estimator": "megatron_lm"},
    "250.4499 GFLOP": {"estimator": "maxtext"},
    "250.45 GFLOP": {"estimator": "maxtext"},
    "281.152 GFLOP": {"causal": "full"},
    "281.185 GFLOP": {"estimator": "simumax"},
    "259.993 GFLOP": {"estimator": "megatron_lm", "counted_mtp": "counted"},
}


@pytest.mark.parametrize(("case", "cause"), TITAN.items(), ids=lambda v: str(v[2]) if isinstance(v, tuple) else "")
def test_a_public_number_and_its_cause(case: tuple[str, int, str], cause: dict[str, str]) -> None:
    model, context, printed = case
    found = of(at(model).set(context=context), printed)
    assert found.how == "exact"
    assert told(found)[0] == cause


@pytest.mark.parametrize(("printed", "cause"), DEEPSEEK.items())
def test_what_tools_print_of_deepseek_v3(printed: str, cause: dict[str, str]) -> None:
    assert told(of(at("deepseek-v3").set(context=4096, doc_length=4096), printed))[0] == cause


def test_a_step_printed_as_a_token() -> None:
    point = at("deepseek-v3").set(context=4096, doc_length=4096, rows=4)
    found = of(point, "4103.370952409088 TFLOP")
    assert (found.how, told(found)[0]) == ("exact", {"estimator": "maxtext", "factor": "of_a_microbatch"})


def test_one_table_is_published_and_a_reader_counts_both() -> None:
    point = at("deepseek-v2-lite")
    assert told(of(point, "2661023744", ACTIVE)) == [{"active_embedding": "counted", "active_small": "left_out"}]
    assert told(of(point, "2451308544", ACTIVE)) == [{"active_small": "left_out"}]
    assert told(of(point, "2241593344", ACTIVE)) == [{"active_small": "left_out", "active_head": "left_out"}]
    assert of(point, "2.4B", ACTIVE).how == "cut"


def test_the_latent_width_is_ignored() -> None:
    wrong = at("kimi-k3").set(counted_width="hidden")[FLOPS].exact
    (match,) = of(at("kimi-k3"), str(wrong)).matches
    assert (dict(match.way.beside), match.way.mistakes) == ({"counted_width": "hidden"}, ("counted_width",))
    routed = at("kimi-k3")["routed_active_parameters"].exact
    assert (2 * routed) / (routed + at("kimi-k3")["latent_projection_parameters"].exact) == Fraction(
        "1.8227848101265822"
    ).limit_denominator(1000)


def test_the_peak_is_that_of_sparse_matrices() -> None:
    measured = {"model_flops_per_token": "420 TFLOP", "measured_throughput": 1, "peak_flops": "989.5 TFLOP/s"}
    point = at("kimi-k3").set(**measured)
    assert told(of(point, "0.2122", "measured_MFU_model")) == [{"factor": "sparse_peak"}]
    assert told(of(point, "42.45%", "measured_MFU_model")) == [{}]


# MaxText, pull request 644: TFLOP per device and step, before and after it, at 12 rows of 2,048 tokens.
MAXTEXT = {
    "llama2-7b": ("1033.202231672832", "1053.418038755328"),
    "llama2-13b": ("1981.11481823232", "2018.7420033024"),
    "mistral-7b": ("1107.419266547712", "1127.635073630208"),
    "llama2-70b": ("10368.932728799233", "10527.99563464704"),
    "mixtral-8x7b": ("6926.18941956096", "6946.405226643456"),
    "gemma-7b": ("1293.624872534016", "1328.233668673536"),
    "gemma-2b": ("380.721369710592", "391.842751315968"),
}


@pytest.mark.parametrize("name", MAXTEXT)
def test_what_maxtext_printed_before_and_after(name: str) -> None:
    # MaxText pads Gemma's vocabulary of 256,000.
    padded = {"vocab": 256128} if "gemma" in name else {}
    point = at(name).set(context=2048, doc_length=2048, rows=12, **padded)
    before, after = (of(point, f"{printed} TFLOP") for printed in MAXTEXT[name])
    experts = {"counted_experts": "all"} if "moe" in point.book.blocks else {}
    table = {} if "tied" in point.book.blocks else {"counted_embedding": "counted"}
    assert {"estimator": "torchtitan", "causal": "half", **experts, **table, "factor": "of_a_microbatch"} in told(before)
    assert told(after)[0] == {"estimator": "simumax", **experts, "factor": "of_a_microbatch"}
    assert any(way.choices.keys() == {"causal", *experts} for way in after.matches[0].same)


@pytest.mark.parametrize("model", MODELS)
def test_the_terms_of_any_two_estimators_add_up(model: str) -> None:
    point = at(model)
    under = sets_of(point, "estimator")
    values = {name: point.trial(**choices)[FLOPS].exact for name, choices in under.items()}
    for one, other in permutations(under, 2):
        found = diff(point, FLOPS, under[one], under[other])
        assert (found.one, found.other) == (values[one], values[other])
        assert sum((p.value for p in found.parts), start=Fraction(0)) == values[one] - values[other], (one, other)


def random_choices(point: symroof.Point, name: str) -> st.SearchStrategy[dict[str, str]]:
    known = {c: list(point.book.conventions[c].choices) for c in conventions_of(point, name)}
    return st.fixed_dictionaries({c: st.sampled_from(choices) for c, choices in known.items()})


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_combination_is_found_from_its_value(data: st.DataObject) -> None:
    model = data.draw(st.sampled_from(MODELS))
    name = data.draw(st.sampled_from([FLOPS, ACTIVE]))
    point = at(model)
    chosen = data.draw(random_choices(point, name))
    value = point.set(**chosen)[name].exact
    found = of(point, str(value), name)
    assert found.how == "exact"
    best = found.matches[0]
    assert best.error == 0
    assert point.set(**best.way.choices)[name].exact * best.by == value
    assert best.factor is not None or best.departures <= sum(chosen[c] != point.choices[c] for c in chosen)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_any_two_combinations_differ_in_terms_that_add_up(data: st.DataObject) -> None:
    point = at(data.draw(st.sampled_from(MODELS)))
    one, other = (data.draw(random_choices(point, FLOPS)) for _ in range(2))
    found = diff(point, FLOPS, {**point.choices, **one}, {**point.choices, **other})
    assert sum((p.value for p in found.parts), start=Fraction(0)) == found.one - found.other
