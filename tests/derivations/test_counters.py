"""Schedules by simulation, measured runs by hand, and the logit term that two formulas share."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
import sympy as sp

import symroof

BOOK = symroof.load()
GPT = str(Path(__file__).parents[1] / "cases" / "models" / "gpt.toml")


def gpipe(stage, stages, microbatches):
    """All forward passes of a stage, then all backward passes."""
    return [("F", m) for m in range(microbatches)] + [("B", m) for m in range(microbatches)]


def one_f_one_b(stage, stages, microbatches):
    """Forward passes that fill what lies behind a stage, then one forward and one backward by turns, then the rest."""
    ahead = min(stages - stage, microbatches)
    order = [("F", m) for m in range(ahead)]
    for m in range(microbatches):
        order.append(("B", m))
        if ahead + m < microbatches:
            order.append(("F", ahead + m))
    return order


def slots(schedule, stages, microbatches):
    """Slots until all is done, where a pass takes one and waits for the stage that it depends on."""
    waiting = [schedule(s, stages, microbatches) for s in range(stages)]
    done: dict[tuple[str, int, int], int] = {}
    slot = 0
    while any(waiting):
        for stage, order in enumerate(waiting):
            if order and ready(*order[0], stage, stages, done, slot):
                done[(*order.pop(0), stage)] = slot
        slot += 1
    return slot


def ready(kind, microbatch, stage, stages, done, slot):
    """True where what a pass depends on was done in an earlier slot."""
    before = {("F", microbatch, stage - 1)} if kind == "F" else {("F", microbatch, stage), ("B", microbatch, stage + 1)}
    needed = {(k, m, s) for k, m, s in before if 0 <= s < stages}
    return all(done.get(n, slot) < slot for n in needed)


@pytest.mark.parametrize("schedule", [gpipe, one_f_one_b])
@pytest.mark.parametrize(("stages", "microbatches"), [*product([1, 2, 4, 8], [8, 32]), (8, 3)])
def test_a_simulation_of_the_dependencies_takes_as_many_slots(schedule, stages, microbatches):
    point = BOOK.at("llama31-8b", PP=stages, M=microbatches, virtual_stages=1)
    assert slots(schedule, stages, microbatches) == point["schedule_slots"].exact
    assert point["idle_slot_fraction"].exact == point["bubble_fraction"].exact


def test_the_logit_term_is_the_same_with_and_without_recomputation():
    point = BOOK.at(GPT, causal="full")
    layers, hidden, vocab, context = sp.symbols("layers hidden vocab context")
    model = 72 * layers * hidden**2 * (1 + context / (6 * hidden) + vocab / (12 * layers * hidden))
    executed = 96 * layers * hidden**2 * (1 + context / (6 * hidden) + vocab / (16 * layers * hidden))
    assert sp.expand(sp.diff(model, vocab) - 6 * hidden) == sp.expand(sp.diff(executed, vocab) - 6 * hidden) == 0
    for name, paper in (("model_flops_per_token", model), ("executed_flops_per_token", executed)):
        form = sp.sympify(point[name].closed_form({"vocab"}).expression)
        (symbol,) = form.free_symbols
        assert sp.expand(form.diff(symbol)) == 6 * point["hidden"].exact
        at = {layers: 96, hidden: 12288, context: 4096, vocab: symbol}
        assert sp.expand(form - paper.subs(at)) == 0


def test_a_run_is_known_by_time_by_tokens_or_by_flops():
    llama = BOOK.at("llama31-8b+h100-sxm+64-gpu-4k")
    by_time = llama.set(observed_update_time="8 s")
    by_tokens = llama.set(measured_throughput=by_time["observed_throughput"].exact)
    by_flops = llama.set(observed_flops=by_time["observed_flops"].exact)
    assert by_time["observed_throughput"].exact == Fraction(64 * 64 * 4096, 64 * 8)
    assert by_time["observed_MFU"].exact == by_tokens["observed_MFU"].exact == by_flops["observed_MFU"].exact


@pytest.mark.parametrize(
    ("choice", "times"),
    [
        ({"gpu_normalisation": "whole_job"}, 64),
        ({"gpu_normalisation": "per_node"}, 8),
        ({"token_normalisation": "one_microbatch"}, Fraction(1, 64)),
        ({"token_normalisation": "per_cp_rank", "CP": 2}, Fraction(1, 2)),
        ({"peak": "sparse_bf16"}, Fraction(1, 2)),
        ({"peak": "half_chip"}, 2),
    ],
)
def test_a_mistake_moves_utilization_by_its_factor(choice, times):
    llama = BOOK.at("llama31-8b+h100-sxm+64-gpu-4k", measured_throughput=8000)
    right = llama.set(**{n: v for n, v in choice.items() if n == "CP"})["observed_MFU"].exact
    assert llama.set(**choice)["observed_MFU"].exact == right * times


@pytest.mark.parametrize(
    ("kept", "bytes_each"),
    [("mixed_18", 18), ("mixed_16", 16), ("fp32_20", 20), ("maxtext_12", 12), ("megatron_lm", 6 + Fraction(12, 64))],
)
def test_state_of_a_billion_parameters(kept, bytes_each):
    point = BOOK.at(memory_scheme=kept, state_parameters=10**9)
    assert point["state_bytes"].exact == bytes_each * 10**9


@pytest.mark.parametrize("choice", ["one", "both"])
def test_links_are_printed_in_one_direction_or_both(choice):
    point = BOOK.at(directions=choice, collective_time="1 ms")
    times = {"one": 1, "both": 2}[choice]
    assert point["nvlink_rate_printed"].exact == times * 900 * 10**9
    assert point["exchange_rate"].exact == times * point["collective_bytes"].exact * 1000


@pytest.mark.parametrize(
    ("choices", "expected"),
    [
        ({"self_traffic": "counted"}, 4096 * 8 * 7168 * 2),
        ({}, 4096 * 7 * 7168 * 2),
        ({"wire_precision": "fp8"}, 4096 * 7 * (7168 + 56 * 4)),
    ],
)
def test_one_dispatch_of_deepseek_v3(choices, expected):
    assert BOOK.at("deepseek-v3+64-gpu-4k", **choices)["dispatch_bytes"].exact == expected


@pytest.mark.parametrize(
    ("model", "size"), [("gpt-oss-120b", 2880 + 23 * 4), ("deepseek-v3", 7168 + 56 * 4), ("k3-gb200-4k", 3584 + 28 * 4)]
)
def test_channels_that_fill_no_group_have_a_scale_of_their_own(model, size):
    assert BOOK.at(model)["fp8_row_bytes"].exact == size
