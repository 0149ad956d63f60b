"""Values worked out by hand, the arithmetic beside each; and no quantity of the book that no hand ever reached."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from fractions import Fraction

import pytest

import symroof
from symroof.passes.check import check_claims
from symroof.passes.evaluate import Evaluator
from tests import oracle
from tests.cases import test_cases as cases
from tests.derivations import test_estimators as estimators
from tests.derivations import test_memory as memory

BOOK = symroof.load()
GPT_OSS, NEXT, GLM = "gpt-oss-20b", "qwen3-next-80b-a3b", "glm5-744b"
LLAMA = "llama31-8b+h100-sxm+64-gpu-4k"

# Llama-3.1-8B: 32 layers of q, o (4096 by 4096), k, v (4096 by 1024) and three matrices of 4096 by 14336, and the LM head.
# Each token meets (4096 + 1) / 2 keys; 32 heads of 128 channels multiply each with q, and the weight of each with v.
LLAMA_LAYER = 2 * (2 * 4096**2 + 2 * 4096 * 1024 + 3 * 4096 * 14336) + 32 * 2 * 2 * 128 * Fraction(4096 + 1, 2)
LLAMA_HEAD = 2 * 128256 * 4096
LLAMA_FORWARD = 32 * LLAMA_LAYER + LLAMA_HEAD
# Three passes without recomputation, 8,000 tokens a second, 989.5 TFLOP/s.
LLAMA_HFU = 3 * LLAMA_FORWARD * 8000 / (9895 * 10**11)

# A row of 4,096 tokens where the i-th token sees i keys, but no more than 128, or 2,048.
WINDOWED = Fraction(sum(min(i, 128) for i in range(1, 4097)), 4096)
SELECTED = Fraction(sum(min(i, 2048) for i in range(1, 4097)), 4096)
SEEN = Fraction(sum(range(1, 4097)), 4096)

# quantity, preset, what is set, value
BY_HAND: list[tuple[str, str | None, dict[str, object], Fraction | int | str]] = [
    # Two matrices, five iterations of X X^T (2 r^2 c), its square (2 r^3), the product with X (2 r^2 c): r = 3072, c = 3584.
    ("split_gate_up_newton_schulz_flops", None, {}, 2 * 5 * (2 * 2 * 3072**2 * 3584 + 2 * 3072**3)),
    # What torchtitan and Megatron-Bridge print for a token of K3, a thousand times a second, over 2.5 PFLOP/s.
    ("measured_MFU_torchtitan", None, {"measured_throughput": 1000}, Fraction(645_209_985_600 * 1000, 25 * 10**14)),
    ("measured_MFU_megatron_bridge", None, {"measured_throughput": 1000}, Fraction(620_541_149_184 * 1000, 25 * 10**14)),
    ("executed_flops_per_token", LLAMA, {"checkpoint": 0}, 3 * LLAMA_FORWARD),
    ("measured_HFU", LLAMA, {"checkpoint": 0, "measured_throughput": 8000}, LLAMA_HFU),
    ("measured_MFU_model", LLAMA, {"measured_throughput": 8000}, LLAMA_HFU),
    # Two stages of 16 layers, the second with the head: its work over the mean of both.
    (
        "stage_imbalance",
        LLAMA,
        {"checkpoint": 0, "PP": 2, "world": 128},
        (16 * LLAMA_LAYER + LLAMA_HEAD) / (LLAMA_FORWARD / 2),
    ),
    # A flash kernel computes its scores twice, in the backward pass, which a count of the forward pass does not have.
    ("counted_attention_passes", None, {"contractions": "seven"}, 3 + Fraction(1, 2)),
    ("counted_attention_passes", None, {"contractions": "seven", "counted_work": "forward"}, 1),
    ("observed_HFU", LLAMA, {"checkpoint": 0, "measured_throughput": 8000}, LLAMA_HFU),
    # 512 / 8 ranks with 64 microbatches of 4,096 tokens, at 1,000 tokens a second on each of 512, against 10 s.
    (
        "measured_over_sketch",
        None,
        {"measured_throughput": 1000, "step_time": "10 s"},
        Fraction(512 // 8 * 64 * 4096, 512 * 1000) / 10,
    ),
    # 64 microbatches in 12 layers of a stage, forward and again in recomputation, 1 ms each.
    ("exposed_metadata_time", None, {"metadata_residency": "1 ms"}, Fraction(64 * 12 * 2, 1000)),
    ("measured_memory_gap", None, {"measured_memory": "180 GiB", "memory_peak": "150 GiB"}, 30 * 2**30),
    ("measured_memory_gap", None, {"measured_memory": "150 GiB", "memory_peak": "180 GiB"}, -30 * 2**30),
    *(
        ("memory_worst_stage", None, {f"memory_{s}_stage": 2 if s == worst else 1 for s in ("first", "interior", "last")}, name)
        for worst, name in ((s, f"memory_{s}_stage") for s in ("first", "interior", "last"))
    ),
    # 24 layers in two stages, every second one windowed; 48 in eight stages, three of four gated delta layers.
    ("stage_windowed_layers", GPT_OSS, {"PP": 2, "world": 128}, 24 // 2 // 2),
    ("stage_gdn_layers", NEXT, {}, Fraction(48 * 3, 8 * 4)),
    ("memory_gdn_layers", NEXT, {"memory_stage": 8}, 36 - 7 * Fraction(48 * 3, 8 * 4)),
    # Twelve layers of 64 heads with 64 channels: a key costs a product with q and one of its weight with v, thrice in training.
    ("gqa_training_flops_per_key", GPT_OSS, {}, 3 * 12 * 64 * 2 * 2 * 64),
    ("windowed_training_flops_per_key", GPT_OSS, {}, 3 * 12 * 64 * 2 * 2 * 64),
    ("windowed_keys", GPT_OSS, {}, WINDOWED),
    ("windowed_keys", GPT_OSS, {"attention_work": "exact", "causal": "full"}, WINDOWED),
    ("triangle_windowed_keys", GPT_OSS, {}, WINDOWED),
    ("charged_windowed_keys", GPT_OSS, {}, WINDOWED),
    ("spanned_windowed_keys", GPT_OSS, {}, 128),
    ("window_of_context", GPT_OSS, {}, 128),
    # 36 layers of 32 heads: three products with the state (128 by 128), three in a chunk of 64 keys, and the triangle's.
    ("gdn_forward_flops", NEXT, {}, 36 * 32 * (3 * 2 * 128 * 128 + 3 * 64 * 128 + 64 * 64)),
    # q and k of 16 heads, v of 32, around their convolution; beta, triangle, result and gate, and in FP32 the decay; then the
    # gated result, which is kept where nothing is computed again. Two bytes each, four of the decay.
    (
        "gdn_activation_bytes",
        NEXT,
        {},
        2 * (2 * (2 * 16 * 128 + 32 * 128) + 32 + 32 * 64 + 2 * 32 * 128) + 4 * 32 + 2 * 32 * 128,
    ),
    ("uncharged_gate_parameters", NEXT, {"counted_router": "left_out"}, 48 * 2048),
    ("uncharged_gate_parameters", NEXT, {"counted_router": "counted"}, 0),
    # 78 layers of 32 heads with 128 channels: q from 2,048 channels, one k and 32 weights from 6,144.
    ("counted_indexer_parameters", GLM, {}, 78 * (2048 * 32 * 128 + 6144 * 128 + 6144 * 32)),
    ("indexer_flops_per_key", GLM, {}, 78 * 32 * 2 * 128),
    ("indexer_forward_flops", GLM, {}, 78 * 32 * 2 * 128 * SEEN),
    ("indexer_activation_bytes", GLM, {}, 2 * (32 * 128 + 128 + 32) + 4 * 2048),
    ("counted_index_keys", GLM, {}, SEEN),
    ("selected_keys", GLM, {}, SELECTED),
    ("selected_keys", GLM, {"attention_work": "exact", "causal": "full"}, SELECTED),
    ("charged_selected_keys", GLM, {}, SELECTED),
    ("counted_selected_keys", GLM, {}, SELECTED),
    # A row of 4,096 tokens to seven experts elsewhere of eight, 7,168 channels of two bytes.
    ("dispatch_bytes", "deepseek-v3+64-gpu-4k", {}, 4096 * 7 * 7168 * 2),
    ("nvlink_rate_printed", None, {"directions": "one"}, 900 * 10**9),
    ("nvlink_rate_printed", None, {"directions": "both"}, 2 * 900 * 10**9),
]


def by_hand(name: str, preset: str | None, at: dict[str, object]) -> Fraction | str:
    return BOOK.at(preset, **at).evaluator.value(name)


@pytest.mark.parametrize(("name", "preset", "at", "value"), BY_HAND)
def test_a_value_is_what_a_hand_computes(
    name: str, preset: str | None, at: dict[str, object], value: Fraction | int | str
) -> None:
    assert by_hand(name, preset, at) == value


def held_against_something() -> Iterator[object]:
    """Computes every value that is held against a claim, an oracle or a hand; each is new, so that nothing is remembered."""
    yield check_claims(BOOK.at())
    sheet, point = oracle.compute(oracle.DEFAULTS, oracle.CHOICES), BOOK.at()
    yield [point.evaluator.value(n) for n in sheet if n in point.book.quantities]
    yield [cases.derived(entry.values[0]) for entry in (*cases.entries("right"), *cases.entries("printed"))]
    yield [by_hand(*row[:3]) for row in BY_HAND]
    for (model, context, _), cause in estimators.TITAN.items():
        yield BOOK.at(model).set(context=context, **cause).evaluator.number(estimators.FLOPS)
    # The tests of memory compare whole sums, which have the rest in them.
    for name, test in vars(memory).items():
        if name.startswith("test_") and not inspect.signature(test).parameters:
            yield test()


def test_no_quantity_is_out_of_reach_of_what_is_held_against_something(monkeypatch: pytest.MonkeyPatch) -> None:
    reached: set[str] = set()
    compute = Evaluator._compute
    monkeypatch.setattr(Evaluator, "_compute", lambda self, name: (reached.add(name), compute(self, name))[1])
    list(held_against_something())
    unreached = sorted(set(BOOK.whole.quantities) - reached)
    assert not unreached, f"no claim, oracle or hand computes {', '.join(unreached)}: give each a row of BY_HAND"
