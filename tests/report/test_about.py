"""What the report of a model says is about that model: no caution is lost, and nothing of another is printed as its own."""

from __future__ import annotations

import re

import pytest

import symroof
from symroof.book import Book
from symroof.report.model import report

BOOK = symroof.load()
MODELS = BOOK.presets.names("model")
# One model of each kind that there is: what is printed depends on blocks alone.
KINDS = list({frozenset(BOOK.presets.read("model", m).blocks or ()): m for m in MODELS}.values())
# What only a model with the block may be told of.
WORDS = {
    "attn_res": r"AttnRes|residual|bank of blocks",
    "kda": r"\bKDA\b",
    "gdn": r"[Gg]ated delta",
    "moe": r"HybridEP|EP group|routed|dispatch|[Ee]xpert (payload|FSDP|matri)|metadata gather",
    "latent": r"latent (expert|width|stream|row|projection)",
    "shared": r"[Ss]hared experts",
    "window": r"sliding window",
    "indexer": r"An indexer",
}
# The chapter on conventions of counting explains them by all models together.
GENERAL = {"counting"}


def settled(model: str) -> Book:
    return BOOK.at(model).book


def texts(book: Book) -> dict[str, str]:
    """What a report prints of chapters and quantities, whatever the values are."""
    chapters = [c for c in book.numbered if c.name not in GENERAL]
    found = {f"introduction of {c.name}": c.introduction for c in chapters}
    for name in (n for c in chapters for n in c.names if n in book.quantities):
        declared = book.quantities[name]
        found[name] = " | ".join((declared.says, declared.ref, *declared.assumes))
    return found


@pytest.mark.parametrize("model", KINDS)
def test_every_chapter_is_introduced_for_every_kind_of_model(model: str) -> None:
    for chapter in settled(model).numbered:
        assert chapter.introduction, chapter.name
        assert not re.search(r"^\[", chapter.introduction, re.MULTILINE), chapter.name


@pytest.mark.parametrize("model", KINDS)
def test_cautions_that_hold_for_every_model_are_in_every_report(model: str) -> None:
    said = {c.name: " ".join(c.introduction.split()) for c in settled(model).numbered}
    assert "Nobody should plan a date on this number" in said["step"]
    assert "Both utilizations use the dense peak" in said["step"]
    assert "This is a budget of what must be there" in said["memory"]
    assert "That is a count of work, not a time" in said["muon"]
    assert "the division stands next to the bytes that it costs" in said["bubble"]


@pytest.mark.parametrize("model", ["llama31-405b", "gpt-oss-120b", "deepseek-v3"])
def test_a_report_prints_the_cautions(model: str) -> None:
    step, memory = report(BOOK.at(model), ["step", "memory"]).chapters
    assert any("Nobody should plan a date on this number" in p for p in step.introduction)
    assert any("This is a budget of what must be there" in p for p in memory.introduction)


@pytest.mark.parametrize("model", KINDS)
def test_no_model_is_told_of_blocks_that_it_lacks(model: str) -> None:
    book = settled(model)
    lacking = {block: words for block, words in WORDS.items() if block not in book.blocks}
    for where, text in texts(book).items():
        for block, words in lacking.items():
            # A sentence may say in general what experts are left out of: "beside routed experts".
            assert not re.search(words, re.sub(r"(beside|but) routed experts", "", text)), f"{where} is about {block}: {text}"


def test_the_dispatch_caution_is_told_to_models_with_experts_alone() -> None:
    said = {m: settled(m).chapter("step").introduction for m in ("gpt-oss-120b", "llama31-405b")}
    assert "one copy for each assignment" in said["gpt-oss-120b"]
    assert "assignment" not in said["llama31-405b"]


def test_what_one_trace_measured_is_a_value_of_the_reference_alone() -> None:
    measured = {"residency_alone", "residency_overlapped"}
    assert measured <= BOOK.at().given.keys()
    for name in (*MODELS, "4k-reference", "4k-ep32", "kimi-k3+gb200-nvl72+4k-reference"):
        assert not measured & BOOK.at(name).given.keys(), name
    assert "packed" not in BOOK.at("qwen3-235b-a22b").given["doc_length"].note


def test_a_dense_model_has_no_dispatcher() -> None:
    dense = settled("llama31-405b")
    routed = ("network_rate", "fp8_row_bytes", "masked_selections", "low_latency_copies", "low_latency_bytes", "counter_rate")
    for name in (*routed, "expert_weight_shards", "expert_optimizer_shards", "expert_copy"):
        assert name not in dense.declared, name
    assert not {"self_traffic", "wire_precision", "dispatch"} & dense.conventions.keys()


def test_a_dense_model_has_its_ffn_for_an_example() -> None:
    point = BOOK.at("llama31-405b")
    assert [point[n].value for n in ("gemm_m", "gemm_k", "gemm_n")] == [4096, 16384, 53248]
    assert (point["r"].value, point["c"].value) == (16384, 53248)
    assert point["newton_schulz_iteration_flops"].value == 4 * 16384**2 * 53248 + 2 * 16384**3
