"""Stages of a pipeline: what each computes, what they come to together, and what the slowest one does to the step."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import ConstraintError

BOOK = symroof.load()
MODELS = (
    "kimi-k3",
    "deepseek-v3",
    "llama31-8b",
    "qwen3-30b-a3b",
    "qwen3-0.6b",
    "gpt-oss-120b",
    "qwen3-next-80b-a3b",
    "gemma3-27b",
    "glm5-744b",
)


def value(point: symroof.Point, name: str) -> Fraction:
    return point.evaluator.number(name)


def pipelines(model: str) -> list[symroof.Point]:
    base = BOOK.at(f"{model}+64-gpu-4k" if model not in ("kimi-k3", "deepseek-v3") else model)
    tried = [base.trial(PP=PP, world=64 * PP, checkpoint=c, virtual_stages=1) for PP in (1, 2, 3, 4, 8) for c in (0, 1)]
    return [point for point in tried if point.admissible]


@pytest.mark.parametrize("model", MODELS)
def test_the_stages_execute_what_the_model_executes(model: str) -> None:
    points = pipelines(model)
    assert len(points) >= 4
    for point in points:
        stages = [point.trial(memory_stage=s) for s in range(1, int(point["PP"].exact) + 1)]
        each = [value(p, "stage_flops_per_token") for p in stages]
        assert sum(each) == value(point, "executed_flops_per_token")
        assert max(each) == value(point, "slowest_stage_flops_per_token")
        assert value(point, "stage_imbalance") == max(each) * len(each) / sum(each)


@pytest.mark.parametrize("model", MODELS)
def test_the_interior_stage_of_the_step_is_one_of_the_pipeline(model: str) -> None:
    for point in pipelines(model):
        plain = value(point, "memory_plain_stage")
        if 1 < plain < point["PP"].exact:
            stage = point.trial(memory_stage=plain)
            assert value(stage, "stage_flops_per_token") == value(point, "interior_stage_flops_per_token")
            assert value(stage, "memory_dense_parameters") == value(point, "stage_dense_parameters")


@pytest.mark.parametrize("model", MODELS)
def test_without_a_pipeline_the_stage_is_the_model_and_nothing_waits(model: str) -> None:
    point = pipelines(model)[0]
    assert point["PP"].exact == 1
    assert value(point, "stage_dense_parameters") == value(point, "memory_dense_parameters")
    assert value(point, "stage_imbalance") == 1
    assert value(point, "lockstep_time") == value(point, "step_time") == value(point, "resource_time")


@pytest.mark.parametrize("model", MODELS)
def test_waiting_for_the_slowest_stage_is_never_faster_than_the_sketch(model: str) -> None:
    for point in pipelines(model):
        assert value(point, "lockstep_time") >= value(point, "step_time")


def test_a_small_model_with_a_large_head_has_a_slow_last_stage() -> None:
    # 48 layers of 128 experts, 8 of them active, and 151,936 x 2,048 in the LM head, over 8 stages.
    point = BOOK.at("qwen3-30b-a3b")
    last = 6 * (2048 * (4096 + 2 * 512) + 4096 * 2048 + 128 * 2048 + 8 * 3 * 2048 * 768)
    attention = 6 * 2 * 4096 * 2 * Fraction(4097, 2)
    assert value(point, "slowest_stage_flops_per_token") == 8 * last + 6 * 151936 * 2048 + 4 * attention
    assert value(point, "stage_imbalance") == pytest.approx(1.4334, abs=1e-4)


@pytest.mark.parametrize(
    ("lifecycle", "alone"), [("pipeline_never", "no_pipeline_never"), ("pipeline_always", "no_pipeline_always")]
)
def test_a_lifecycle_of_a_pipeline_is_that_of_single_microbatches_without_one(lifecycle: str, alone: str) -> None:
    names = ("all_gathers_per_update", "reduce_scatters_per_update", "memory_whole_gradients", "memory_gathered_weights")
    one, other = (BOOK.at("llama31-8b+64-gpu-4k", fsdp_lifecycle=c) for c in (lifecycle, alone))
    assert [value(one, n) for n in names] == [value(other, n) for n in names]
    piped = [BOOK.at(fsdp_lifecycle=c) for c in (lifecycle, alone)]
    assert value(piped[0], "reduce_scatters_per_update") == 1
    assert value(piped[1], "reduce_scatters_per_update") == 64


def rounds(PP: int, M: int, chunks: int) -> int:
    """Slots that the forward passes of an interleaved pipeline take, each as early as its rank and its predecessor allow."""
    free, done = [0] * PP, {}
    for turn in range(0, M, PP):
        for chunk in range(chunks):
            for microbatch in range(turn, min(turn + PP, M)):
                at = done.get((microbatch, chunk * PP - 1), 0)
                for rank in range(PP):
                    at = max(at, free[rank]) + 1
                    free[rank] = at
                    done[microbatch, chunk * PP + rank] = at
    return max(free)


@pytest.mark.parametrize("PP", [2, 4, 8])
@pytest.mark.parametrize("chunks", [1, 2, 5])
@pytest.mark.parametrize("M", [1, 2, 3, 4, 8, 16, 64])
def test_interleaving_idles_as_a_pipeline_of_slots_does(PP: int, chunks: int, M: int) -> None:
    if M > PP and M % PP:
        M = PP * (M // PP)
    try:
        point = BOOK.at(PP=PP, world=64 * PP, M=M, virtual_stages=chunks)
    except ConstraintError as refused:
        pytest.fail(str(refused))
    assert value(point, "interleaved_bubble_overhead") == Fraction(rounds(PP, M, chunks), chunks * M) - 1


def test_experts_without_a_gate_have_two_matrices(tmp_path: Path) -> None:
    gated = BOOK.at("qwen3-30b-a3b")
    assert value(gated, "expert_matrices_per_rank") == 6 * 2 * 3
    assert value(gated, "expert_parameters") == 3 * 2048 * 768
    blocks = sorted({*gated.book.blocks} - {"gated"})
    file = tmp_path / "plain.toml"
    file.write_text(f'says = "two matrices"\nbase = "qwen3-30b-a3b"\nsource = "a test"\nblocks = {blocks}\n')
    plain = BOOK.at(str(file))
    assert value(plain, "expert_matrices_per_rank") == 6 * 2 * 2
    assert value(plain, "expert_parameters") == 2 * 2048 * 768
