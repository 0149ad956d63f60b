"""The step sketch written by hand in NumPy, as somebody would who wants nothing but this number: what `compile` is held to.

The formulas are the book's, with the conventions of its default preset. Nothing is generated, checked or guarded, and
parts that two formulas share are computed once.
"""

from __future__ import annotations

import numpy as np

Array = np.ndarray


def step_time(
    *,
    world: Array, TP: Array, PP: Array, CP: Array, EP: Array, M: Array, rows: Array, context: Array, doc_length: Array,
    domain_ranks: Array, checkpoint: Array, layers: Array, dense_layers: Array, hidden: Array, vocab: Array,
    latent_width: Array, experts: Array, top_k: Array, expert_ffn: Array, shared_ffn: Array, dense_ffn: Array,
    kda_layers: Array, kda_heads: Array, kda_head_dim: Array, kda_decay_rank: Array, kda_chunk: Array, mla_layers: Array,
    mla_period: Array, mla_heads: Array, q_lora_rank: Array, kv_lora_rank: Array, qk_nope_dim: Array, qk_rope_dim: Array,
    v_head_dim: Array, attn_res_block: Array, bf16_bytes: Array, fp32_bytes: Array, bool_bytes: Array,
    compute_efficiency: Array, peak_flops: Array, hbm_bandwidth: Array, nvlink_bandwidth: Array, scaleout_bandwidth: Array,
) -> Array:  # fmt: skip
    """Seconds of an optimizer update."""
    # Shape.
    moe_layers = layers - dense_layers
    stage_layers = np.ceil(layers / PP)
    stage_moe_layers = np.minimum(stage_layers, moe_layers)
    stage_mla_layers = stage_layers / mla_period
    stage_kda_layers = stage_layers - stage_mla_layers
    stage_ranks = world / (TP * PP)
    local_tokens = rows * context / CP
    batch = stage_ranks / CP * M * rows * context
    # Matrices.
    width = kda_heads * kda_head_dim
    kda = 5 * width * hidden + kda_decay_rank * (hidden + width) + kda_heads * hidden
    mla = (
        q_lora_rank * hidden
        + mla_heads * (qk_nope_dim + qk_rope_dim) * q_lora_rank
        + (kv_lora_rank + qk_rope_dim) * hidden
        + mla_heads * (qk_nope_dim + v_head_dim) * kv_lora_rank
        + 2 * mla_heads * v_head_dim * hidden
    )
    expert = 3 * latent_width * expert_ffn
    moe_dense = 3 * hidden * shared_ffn + 2 * hidden * latent_width + experts * hidden
    head = vocab * hidden
    body = kda_layers * kda + mla_layers * mla + dense_layers * 3 * hidden * dense_ffn + moe_layers * (moe_dense + top_k * expert)
    # Work.
    attention = mla_layers * mla_heads * (qk_nope_dim + qk_rope_dim + v_head_dim) * (doc_length + 1) + kda_layers * kda_heads * (
        6 * kda_head_dim**2 + 3 * kda_chunk * kda_head_dim + kda_chunk**2
    )
    flops = 6 * (body + head) + 2 * checkpoint * body + (3 + checkpoint) * attention
    compute = flops * batch / (world * peak_flops * compute_efficiency)
    # Memory.
    dense = stage_kda_layers * kda + stage_mla_layers * mla + stage_moe_layers * moe_dense
    routed = stage_moe_layers * experts / EP * expert
    memory = M * (dense + routed) * (bf16_bytes * (2 + checkpoint) + 2 * fp32_bytes) / hbm_bandwidth
    # Experts.
    local = np.minimum(EP, domain_ranks)
    sent = M * stage_moe_layers * (4 + 2 * checkpoint) * local_tokens * latent_width * bf16_bytes * top_k / EP
    maps = M * stage_moe_layers * (1 + checkpoint) * local_tokens * experts * bool_bytes
    maps_out = (EP - local) / local
    # Weights.
    near = np.minimum(stage_ranks, domain_ranks)
    weights = (bf16_bytes + fp32_bytes) * dense
    import_share = (1 - near / stage_ranks) / near
    expert_ranks = stage_ranks / EP
    expert_near = np.maximum(1, np.minimum(expert_ranks, domain_ranks / EP))
    expert_share = (1 - expert_near / expert_ranks) / expert_near
    expert_weights = (bf16_bytes + fp32_bytes) * routed
    # Pipeline.
    per_domain = np.maximum(1, domain_ranks / (world / PP))
    stream = bf16_bytes * local_tokens * hidden

    def packet(stage: Array) -> Array:
        return np.where(stage >= 1, stream * (1 + np.floor(stage * stage_layers / attn_res_block)), 0)

    def leaves(stage: Array) -> Array:
        return stage % per_domain == 0

    last = per_domain * np.floor((PP - 1) / per_domain)
    hops_out = np.where(leaves(last), packet(last), 0) + np.where(leaves(last - 1), packet(last - 1), 0)
    first, second, third, fourth = (np.where(leaves(PP - i), 0, packet(PP - i)) for i in (1, 2, 3, 4))
    hops_near = np.maximum(np.maximum(first + second, second + third), third + fourth)
    # The four resources and the bubble.
    nvlink = (
        sent * (local - 1)
        + maps * (EP - 1 - maps_out)
        + weights * (1 - 1 / stage_ranks - import_share)
        + expert_weights * (1 - 1 / expert_ranks - expert_share)
        + M * hops_near
    ) / nvlink_bandwidth
    scaleout = (
        sent * (EP - local) + maps * maps_out + weights * import_share + expert_weights * expert_share + M * hops_out
    ) / scaleout_bandwidth
    slowest = np.maximum(np.maximum(np.maximum(compute, memory), nvlink), scaleout)
    return slowest + compute * (PP - 1) / M
