"""Public estimators at every model that they say they were checked at: each tool's count by hand, from its own code.

What is written here shares no formula with the book, only the figures of the models. Everything is in weights that a token meets,
of which a tool charges six FLOPs each; sequences are one document of 4,096 tokens unless said otherwise.

Sources, as read: Megatron-LM, megatron/training/training.py at commit 001b00c2; Megatron-Bridge,
src/megatron/bridge/training/utils/flop_utils.py at 0494433b; MaxText, src/maxtext/utils/maxtext_utils.py at 00902f36, and at
65dda9ae, which halves windows; NeMo Automodel, nemo_automodel/components/utils/flops_utils.py; torchtitan,
torchtitan/models/utils.py since pull request 4300.
"""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

import pytest

import symroof
from symroof.figure import read_figure
from symroof.passes.explain import explain
from symroof.passes.sets import unchecked

BOOK = symroof.load()
FLOPS = "model_flops_per_token"
S = 4096
MODELS = BOOK.presets.names("model")
RULES = BOOK.named_sets["estimator"].sets
Model = Mapping[str, Fraction]


@cache
def at(model: str, context: int = S) -> symroof.Point:
    return BOOK.at(model).set(context=context, doc_length=context)


@cache
def figures(model: str) -> Model:
    """What the model's preset gives; zero for what it lacks."""
    point = at(model)
    given = {n: g.value for n, g in point.given.items() if n in BOOK.symbols}
    return defaultdict(Fraction, given | {b: Fraction(1) for b in point.book.blocks})


def ffn(m: Model) -> Fraction:
    moe = m["layers"] - m["dense_layers"]
    experts = 3 * m["hidden"] * (m["top_k"] * m["expert_ffn"] + m["shared_ffn"])
    return m["dense_layers"] * 3 * m["hidden"] * m["dense_ffn"] + (moe * experts if m["moe"] else 0)


def routers(m: Model) -> Fraction:
    return (m["layers"] - m["dense_layers"]) * m["hidden"] * m["experts"]


def grouped(m: Model, width: Fraction) -> Fraction:
    """Projections of grouped-query attention with heads of a width."""
    heads = (3 if m["output_gate"] else 2) * m["heads"] + 2 * m["kv_heads"]
    return m["gqa_layers"] * m["hidden"] * width * heads


def latent(m: Model) -> Fraction:
    """Projections of MLA."""
    d, h, q = m["hidden"], m["mla_heads"], m["q_lora_rank"]
    query = h * (m["qk_nope_dim"] + m["qk_rope_dim"])
    queries = q * (d + query) if q else d * query
    kv = d * (m["kv_lora_rank"] + m["qk_rope_dim"]) + m["kv_lora_rank"] * h * (m["qk_nope_dim"] + m["v_head_dim"])
    return m["mla_layers"] * (queries + kv + h * m["v_head_dim"] * d)


def delta(m: Model) -> Fraction:
    """A gated delta net as Megatron-LM has it: projections, convolutions, and four products with the state."""
    k, v = m["gdn_key_heads"] * m["gdn_head_dim"], m["gdn_value_heads"] * m["gdn_head_dim"]
    projections = m["hidden"] * (2 * k + 2 * v + 2 * m["gdn_value_heads"]) + m["hidden"] * v
    return m["gdn_layers"] * (projections + m["gdn_conv"] * (2 * k + v) + 4 * m["gdn_value_heads"] * m["gdn_head_dim"] ** 2)


def weights(m: Model) -> Fraction:
    return ffn(m) + grouped(m, m["head_dim"]) + latent(m) + delta(m) + m["vocab"] * m["hidden"]


def softmax(m: Model, keys: Fraction, windowed: Fraction, width: Fraction | None = None) -> Fraction:
    """Scores and their use, over so many keys in layers without a window and in those with one."""
    full = m["gqa_layers"] - m["windowed_layers"]
    mla = m["mla_layers"] * m["mla_heads"] * (m["qk_nope_dim"] + m["qk_rope_dim"] + m["v_head_dim"])
    head = 2 * m["heads"] * (m["head_dim"] if width is None else width)
    return head * (full * keys + m["windowed_layers"] * windowed) + mla * keys


def ranks(m: Model) -> Fraction:
    return m["mla_layers"] * (m["q_lora_rank"] + m["kv_lora_rank"])


HALF = Fraction(S, 2)


def megatron_lm(m: Model) -> Fraction:
    return weights(m) + ranks(m) + softmax(m, HALF, HALF)


def megatron_bridge(m: Model) -> Fraction:
    w = m["sliding_window"]
    return weights(m) + ranks(m) + softmax(m, HALF, w - w * (w - 1) / (2 * S) if w < S else HALF)


def maxtext(m: Model) -> Fraction:
    w = min(m["sliding_window"], S)
    return weights(m) + routers(m) + softmax(m, HALF, w - w**2 / (2 * S))


def automodel(m: Model) -> Fraction:
    if m["window"]:  # gpt_oss_flops
        width, w = m["hidden"] / m["heads"], m["sliding_window"]
        triangle, band = Fraction(S + 1, 2), (w * (w + 1) / 2 + (S - w) * w) / S
        return ffn(m) + grouped(m, width) + m["vocab"] * m["hidden"] + softmax(m, triangle, band, width)
    if m["indexer"]:  # mla_moe_flops, which reads num_nextn_predict_layers
        picked = m["mla_heads"] * (m["qk_nope_dim"] + m["qk_rope_dim"] + m["v_head_dim"]) * m["index_topk"]
        index = m["index_heads"] * m["index_head_dim"]
        index = m["q_lora_rank"] * index + m["hidden"] * (m["index_head_dim"] + m["index_heads"]) + index * S
        layer = latent(m) / m["mla_layers"] + picked + index
        expert = 3 * m["hidden"] * (m["top_k"] * m["expert_ffn"] + m["shared_ffn"])
        further = layer + expert + m["vocab"] * m["hidden"] + 2 * m["hidden"] ** 2
        return m["layers"] * layer + ffn(m) + m["vocab"] * m["hidden"] + m["mtp_layers"] * further
    return weights(m) + softmax(m, HALF, HALF)


def simumax(m: Model) -> Fraction:
    return weights(m) + m["layers"] * m["hidden"] * m["experts"] + softmax(m, Fraction(S), Fraction(S))


def torchtitan(m: Model) -> Fraction:
    """Every parameter but the embedding, experts by the share of them that is active."""
    norms = (m["norms_per_layer"] * m["layers"] + 1) * m["hidden"] + ranks(m)
    heads = 2 * m["gqa_layers"] * m["head_dim"] if m["qk_norm"] else 0
    biases = m["gqa_layers"] * (m["heads"] + 2 * m["kv_heads"]) * m["head_dim"] if m["qkv_bias"] else 0
    biases += m["gqa_layers"] * m["hidden"] if m["output_bias"] else 0
    biases += m["gqa_layers"] * m["heads"] if m["sinks"] else 0
    biases += m["layers"] * m["experts"] if m["router_bias"] else 0
    biases += m["layers"] * m["top_k"] * (2 * m["expert_ffn"] + m["hidden"]) if m["expert_bias"] else 0
    span = softmax(m, Fraction(S), min(m["sliding_window"], Fraction(S)))
    return weights(m) + routers(m) + norms + heads + biases + span


BY_HAND: dict[str, Callable[[Model], Fraction]] = {
    f.__name__: f for f in (megatron_lm, megatron_bridge, maxtext, automodel, simumax, torchtitan)
}
# Kimi K3 has counts of its own, which the projects print in their tests and reports.
K3 = {"torchtitan": 645_209_985_600, "megatron_bridge": 620_541_149_184, "automodel": 633_143_328_768}
CHECKED = [(tool, m) for tool, rules in RULES.items() if rules.checked for m in MODELS if rules.covers(m)]


@pytest.mark.parametrize(("tool", "model"), CHECKED)
def test_a_set_counts_as_its_tool_where_it_says_so(tool: str, model: str) -> None:
    counted = at(model).set(estimator=tool)[FLOPS].exact
    assert counted == (K3[tool] if model == "kimi-k3" else 6 * BY_HAND[tool](figures(model)))


def test_every_set_that_says_where_it_was_checked_was_checked_somewhere() -> None:
    assert {tool for tool, _ in CHECKED} == BY_HAND.keys() == RULES.keys() - {"model", "six_n"}
    for tool, rules in RULES.items():
        assert all(fnmatch.filter(MODELS, pattern) for pattern in rules.checked), tool


def told(model: str, text: str, context: int = S, **given: object) -> list[dict[str, str]]:
    """Each explanation as a reader sees it; the first of them calls nothing a mistake."""
    point = at(model, context).set(**given)
    found = explain(point, FLOPS, read_figure(FLOPS, text, point[FLOPS].unit))
    # A float that was printed with all its digits may be a last digit off.
    assert found.how == "exact" or (found.how == "rounded" and found.matches[0].error < Fraction(1, 10**15))
    assert found.matches[0].way.mistakes == ()
    return [{**m.way.named, **m.way.beside, **({"factor": m.factor.name} if m.factor else {})} for m in found.matches]


# What the tools print, counted with their code as it stands; for torchtitan as its pull request 4300 prints it.
PRINTED = {
    ("gpt-oss-120b", "34330853376"): {"estimator": "megatron_lm"},
    ("gpt-oss-20b", "24045502464"): {"estimator": "megatron_lm"},
    ("gemma3-27b", "168289075200"): {"estimator": "megatron_lm"},
    ("gpt-oss-120b", "32630404608"): {"estimator": "megatron_bridge"},
    ("gpt-oss-120b", "30357686520"): {"estimator": "automodel"},
    ("glm5-744b", "293293129728"): {"estimator": "automodel"},
    ("glm5-744b", "283542552576"): {"estimator": "automodel", "counted_mtp": "left_out"},
    ("qwen3-next-80b-a3b", "22739681280"): {"estimator": "automodel"},
    ("gpt-oss-120b", "34534221696"): {"estimator": "torchtitan"},
    ("gemma3-27b", "165344673792"): {"estimator": "maxtext"},
}


@pytest.mark.parametrize(("case", "cause"), PRINTED.items(), ids=lambda v: " ".join(v) if isinstance(v, tuple) else "")
def test_what_a_tool_prints_is_explained_by_the_tool(case: tuple[str, str], cause: dict[str, str]) -> None:
    assert told(*case)[0] == cause


def test_a_count_of_qwen3_next_is_the_same_in_three_tools() -> None:
    values = {at("qwen3-next-80b-a3b").set(estimator=t)[FLOPS].exact for t in ("automodel", "megatron_lm", "megatron_bridge")}
    assert values == {22_739_681_280}


def test_a_tool_before_it_had_windows_is_named_as_well() -> None:
    # torchtitan before its pull request 4300.
    assert {"estimator": "torchtitan", "counted_window": "ignored"} in told("gpt-oss-120b", "38044854144")


# MaxText, pull request 2265: TFLOP per device and step at 12 rows of 2,048 tokens, when it halved the window.
HALVED = {
    "gemma3-4b": "584.149911994368",
    "gemma3-12b": "1769.4578064752639",
    "gpt-oss-20b": "547.665909645312",
    "gpt-oss-120b": "780.268185059328",
}


@pytest.mark.parametrize("model", HALVED)
def test_maxtext_halved_the_window(model: str) -> None:
    # MaxText has Gemma 3 with a vocabulary of 262,144.
    padded = {"vocab": 262144} if "gemma" in model else {}
    ways = told(model, f"{HALVED[model]} TFLOP", 2048, rows=12, **padded)
    assert ways[0] == {"estimator": "maxtext", "counted_window": "half", "factor": "of_a_microbatch"}


def test_packed_documents_are_charged_within_the_window_by_every_rule() -> None:
    point = BOOK.at("gpt-oss-20b").set(context=4096, doc_length=1024, counted_span="documents")
    keys = {c: point.set(counted_window=c, causal="half")["counted_windowed_keys"].exact for c in ("exact", "half", "ignored")}
    w, n = 128, 1024
    assert keys == {
        "exact": w - Fraction(w * (w - 1), 2 * n),
        "half": Fraction(w, 2),
        "ignored": Fraction(n, 2),
    }
    short = BOOK.at("gpt-oss-20b").set(context=4096, doc_length=64, counted_window="half")
    assert short["counted_windowed_keys"].exact == 32


def test_an_estimator_leaves_what_gpus_execute_as_it_is() -> None:
    for model in ("gpt-oss-20b", "gemma3-4b", "glm5-744b", "qwen3-next-80b-a3b"):
        executed = {at(model).set(estimator=tool)["executed_flops_per_token"].exact for tool in RULES}
        assert len(executed) == 1, model


def test_a_model_at_which_a_set_was_not_checked_is_said() -> None:
    said = unchecked(at("gemma3-27b"), "estimator", "automodel")
    assert said is not None
    assert said.startswith("estimator = automodel has the rules for Llama, ")
    assert said.endswith("it was not checked for gemma3-27b")
    assert unchecked(at("gpt-oss-120b"), "estimator", "automodel") is None
    assert unchecked(at("gemma3-27b"), "estimator", "model") is None
