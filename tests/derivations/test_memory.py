"""Memory of a rank, against sums by hand, against every stage of a pipeline, and against public figures."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symroof

BOOK = symroof.load()
MODELS = ("kimi-k3", "kimi-k3-released", "deepseek-v3", "llama31-8b", "qwen3-30b-a3b", "gpt-oss-20b", "deepseek-v2-lite")


def value(point: symroof.Point, name: str) -> Fraction:
    return point.evaluator.number(name)


def test_an_interior_stage_of_kimi_k3_comes_to_what_a_hand_computes() -> None:
    point = BOOK.at(memory_stage=3)
    d, latent, f, w, rows = 7168, 3584, 3072, 12288, 4096
    kda = 3 * w * d + 128 * d + w * 128 + 96 * d + 2 * w * d
    mla = 1536 * d + 18432 * 1536 + 576 * d + 24576 * 512 + 2 * w * d
    dense = 9 * kda + 3 * mla + 12 * (896 * d + 2 * d * latent + 3 * d * 6144)
    routed = 12 * 14 * 3 * latent * f
    state = (4 + 4 + 4) * (Fraction(dense, 64) + routed)
    whole = 2 * (dense + routed) + 4 * dense
    inputs = 6 * rows * 12 * 2 * d
    bank = 6 * rows * 2 * d * 6
    # One KDA layer with its MoE, computed again: streams, q k v twice, decay, beta, triangles, result, gate, gated result.
    streams = 2 * d * (1 + 2 + 2)
    attention = 2 * (6 * w + 128 + w + 96 + 2 * 96 * 64 + 2 * w) + 4 * w + 2 * w
    experts = 4 * (896 + 32) + 16 * (2 * latent + 6 * f) + 6 * 6144 + 2 * 2 * latent
    again = rows * (streams + attention + experts)
    dispatch = 2 * rows * 16 * 2 * latent + 64 * rows * 896
    packets = 2 * rows * d * (5 + 7)
    assert value(point, "memory_total") == state + whole + inputs + bank + again + dispatch + packets


def test_the_last_stage_of_kimi_k3_has_what_is_left_the_head_and_the_logits() -> None:
    point = BOOK.at(memory_stage=8)
    assert [value(point, f"memory_{kind}layers") for kind in ("", "kda_", "mla_", "moe_", "dense_")] == [9, 6, 3, 9, 0]
    assert value(point, "memory_vocabulary_parameters") == 163840 * 7168
    assert value(point, "memory_logits") == 4096 * (4 * 163840 + 4 * 7168)
    assert value(point, "microbatches_in_flight") == 1


def pipeline(model: str, PP: int) -> symroof.Point:
    return BOOK.at(model).trial(PP=PP, world=64 * PP)


# Stages of four layers leave none of DeepSeek-V2-Lite's 27 for an eighth.
PIPELINES = [(model, PP) for model in MODELS for PP in (1, 2, 4, 8) if (model, PP) != ("deepseek-v2-lite", 8)]


@pytest.mark.parametrize(("model", "PP"), PIPELINES)
def test_the_stages_of_a_pipeline_add_up_to_the_model(model: str, PP: int) -> None:
    base = pipeline(model, PP)
    stages = [base.trial(memory_stage=s) for s in range(1, PP + 1)]
    has = base.book.quantities
    dense = sum(value(p, "memory_dense_parameters") for p in stages)
    routed = (
        sum(value(p, "memory_routed_parameters") * value(p, "EP") for p in stages) if "memory_routed_parameters" in has else 0
    )
    matrices = value(base, "active_matrix_parameters") + value(base, "embedding_parameters")
    if routed:
        matrices += value(base, "routed_total_parameters") - value(base, "routed_active_parameters")
    assert dense + routed == matrices


@settings(max_examples=120, deadline=None)
@given(
    model=st.sampled_from(MODELS),
    PP=st.integers(1, 40),
    M=st.integers(1, 40),
    rows=st.integers(1, 4),
    virtual_stages=st.integers(1, 4),
    attn_res_block=st.integers(1, 24),
    dense_layers=st.integers(1, 9),
    checkpoint=st.integers(0, 1),
    schedule=st.sampled_from(("one_f_one_b", "interleaved", "all_forward")),
    lifecycle=st.sampled_from(("pipeline_never", "pipeline_always")),
)
def test_the_peak_is_that_of_the_stage_that_needs_the_most(
    model: str, PP: int, attn_res_block: int, dense_layers: int, schedule: str, lifecycle: str, **values: int
) -> None:
    base = BOOK.at(model)
    if "attn_res_block" in base.book.symbols:
        values["attn_res_block"] = attn_res_block
    elif {"moe", "dense"} <= set(base.book.blocks):
        values["dense_layers"] = dense_layers
    base = base.trial(PP=PP, world=64 * PP, pipeline_schedule=schedule, fsdp_lifecycle=lifecycle, **values)
    if (PP - 1) * value(base, "stage_layers") >= value(base, "layers"):
        return
    stages = [value(base.trial(memory_stage=s), "memory_total") for s in range(1, PP + 1)]
    assert value(base, "memory_peak") == max(stages)


@pytest.mark.parametrize(
    ("scheme", "expected"),
    [("mixed_18", 18), ("mixed_16", 16), ("fp32_20", 20), ("maxtext_12", 12), ("megatron_lm", 6 + Fraction(12, 64))],
)
def test_public_counts_of_state_are_named_sets(scheme: str, expected: Fraction) -> None:
    assert value(BOOK.at(memory_scheme=scheme), "held_bytes_per_parameter") == expected


def test_twenty_bytes_a_parameter_are_134_gb_and_twelve_are_80_for_a_model_of_six_point_seven_billion() -> None:
    for scheme, gigabytes in (("fp32_20", 134), ("maxtext_12", Fraction(804, 10))):
        assert value(BOOK.at(memory_scheme=scheme), "held_bytes_per_parameter") * 6_700_000_000 == gigabytes * 10**9


def test_a_dense_layer_without_flash_keeps_34_bytes_and_5_a_key_as_korthikanti_et_al_count() -> None:
    # Three matrices of 8/3 the width keep as much as two of four times the width.
    s, h, a = 4096, 3072, 24
    point = BOOK.at("llama31-8b", hidden=h, dense_ffn=8192, heads=a, kv_heads=a, checkpoint=0, attention_kernel="dropout")
    layers = value(point, "memory_layers")
    assert value(point, "stage_input_bytes") + value(point, "stage_activation_bytes") == layers * (34 * h + 5 * a * s)


def test_the_microbatches_in_flight_are_those_that_later_stages_have_not_given_back() -> None:
    def flying(**values: object) -> list[Fraction]:
        return [value(BOOK.at(memory_stage=s, **values), "microbatches_in_flight") for s in range(1, 9)]

    assert flying() == [8, 7, 6, 5, 4, 3, 2, 1]
    assert flying(M=3) == [3, 3, 3, 3, 3, 3, 2, 1]
    assert flying(pipeline_schedule="all_forward") == [64] * 8
    # Narayanan et al., arXiv 2104.04473: the first stage keeps 1 + (PP - 1)/(PP v) times as much.
    assert flying(pipeline_schedule="interleaved")[0] == 8 * (1 + Fraction(7, 16))
    assert flying(pipeline_schedule="interleaved", virtual_stages=1) == flying()


def test_a_degree_of_one_needs_no_buffer() -> None:
    alone = BOOK.at("qwen3-30b-a3b").trial(PP=1, EP=1, world=64)
    assert value(alone, "memory_pipeline_buffers") == 0
    assert value(alone, "memory_dispatch") == 0
    assert value(alone, "memory_peak") == value(alone, "memory_total")


def test_context_parallelism_shortens_activations_and_leaves_the_state() -> None:
    whole, cut = BOOK.at(memory_stage=2), BOOK.at(memory_stage=2, CP=4)
    for name in ("memory_activations", "memory_bank", "memory_recomputation", "memory_dispatch"):
        assert value(whole, name) == 4 * value(cut, name)
    assert value(whole, "memory_state") == value(cut, "memory_state")


def test_selective_recomputation_keeps_less_than_nothing_recomputed_and_more_than_whole_layers() -> None:
    kept = [
        value(BOOK.at(checkpoint=c, recompute=r), "memory_activations")
        for c, r in ((1, "nothing"), (0, "selective"), (0, "nothing"))
    ]
    assert kept == sorted(set(kept))
    assert value(BOOK.at(recompute="selective"), "executed_flops_per_token") == value(BOOK.at(), "executed_flops_per_token")


@pytest.mark.parametrize("lifecycle", ["pipeline_always", "no_pipeline_always"])
def test_weights_that_are_dropped_after_use_are_whole_a_layer_or_two_at_a_time(lifecycle: str) -> None:
    point = BOOK.at(memory_stage=2, fsdp_lifecycle=lifecycle)
    largest = 443_580_416 + 189_923_328
    assert value(point, "memory_gathered_weights") == 2 * (2 * largest + 2 * 14 * 3 * 3584 * 3072)


def test_where_a_run_stops_fitting_is_solved_exactly() -> None:
    found = BOOK.at().solve("memory_headroom >= 0 byte", "rows")
    assert found.method == "exact"
    assert value(BOOK.at(rows=found.first), "memory_headroom") >= 0 > value(BOOK.at(rows=found.first + 1), "memory_headroom")


def test_a_run_that_does_not_fit_is_an_answer() -> None:
    point = BOOK.at("4k-no-checkpoint")
    assert point.admissible
    assert value(point, "memory_headroom") < 0


def test_a_stage_outside_the_pipeline_is_refused() -> None:
    with pytest.raises(symroof.SymroofError, match="memory_stage = 9 is above PP = 8"):
        BOOK.at(memory_stage=9)
