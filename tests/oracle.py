"""Hand computation of the training roofline of Kimi K3 on GB200, in exact fractions.

Nothing symbolic happens here: `compute` takes numbers and returns numbers. Sizes are
bytes, bandwidths bytes a second, times seconds. Unless its name says otherwise a
quantity of communication or of a step belongs to one GPU.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import ceil, comb, floor
from typing import NamedTuple

MODEL: dict[str, object] = {
    "layers": 93,
    "dense_layers": 1,
    "hidden": 7168,
    "vocab": 163840,
    "latent_width": 3584,
    "experts": 896,
    "top_k": 16,
    "expert_ffn": 3072,
    "shared_ffn": 6144,
    "dense_ffn": 33792,
    "kda_layers": 69,
    "kda_heads": 96,
    "kda_head_dim": 128,
    "kda_decay_rank": 128,
    "kda_conv": 4,
    "kda_chunk": 64,
    "mla_layers": 24,
    "mla_period": 4,
    "mla_heads": 96,
    "q_lora_rank": 1536,
    "kv_lora_rank": 512,
    "qk_nope_dim": 128,
    "qk_rope_dim": 64,
    "v_head_dim": 128,
    "attn_res_block": 6,
    "vision_parameters": 401_214_464,
    "projector_parameters": 46_144_512,
}

MACHINE: dict[str, object] = {
    "peak_flops": 2_500 * 10**12,
    "peak_flops_sparse": 5_000 * 10**12,
    "hbm_bandwidth": 8 * 10**12,
    "hbm_capacity": 184 * 2**30,
    "nvlink_bandwidth": 900 * 10**9,
    "scaleout_bandwidth": 50 * 10**9,
    "domain_ranks": 64,
}

RUN: dict[str, object] = {
    "world": 512,
    "TP": 1,
    "PP": 8,
    "CP": 1,
    "EP": 64,
    "M": 64,
    "rows": 1,
    "context": 4096,
    "doc_length": 4096,
    "documents": None,
    "checkpoint": 1,
    "newton_schulz_steps": 5,
    "bf16_bytes": 2,
    "fp32_bytes": 4,
    "bool_bytes": 1,
    "compute_efficiency": 1,
    "virtual_stages": 2,
    "wanted_overhead": Fraction(1, 20),
}

DEFAULTS: dict[str, object] = {**MODEL, **RUN, **MACHINE}

CHOICES = {
    "causal": "exact",
    "dispatch": "assignments",
    "fsdp_lifecycle": "pipeline_never",
}

RESOURCES = ("compute_time", "hbm_time", "nvlink_time", "scaleout_time")


class Carried(NamedTuple):
    """Bytes that one GPU moves on each of the two networks."""

    nvlink: Fraction
    scaleout: Fraction


class Sheet:
    """The numbers so far: all are read as attributes, results are written by `put`."""

    def __init__(self, values: Mapping[str, object], choices: Mapping[str, str]) -> None:
        self.documents = [exact(length) for length in values.get("documents") or ()]
        self.given = {name: exact(value) for name, value in values.items() if name != "documents" and value is not None}
        self.choices = {**CHOICES, **choices}
        self.results: dict[str, Fraction | str] = {}

    def __getattr__(self, name: str) -> Fraction:
        """An input, a pinned result or a computed result."""
        if name in self.__dict__.get("given", {}):
            return self.given[name]
        if name in self.__dict__.get("results", {}):
            return self.results[name]
        raise AttributeError(f"no value for {name}")

    def has(self, name: str) -> bool:
        """True when the caller gave a value for the name."""
        return name in self.given

    def put(self, **computed: Fraction | int) -> None:
        """Record results; a value that the caller gave wins over the computed one."""
        for name, value in computed.items():
            self.results[name] = self.given.get(name, Fraction(value))

    def argument(self, name: str, default: Fraction) -> Fraction:
        """A free argument: the caller's value, or the default."""
        return self.given.get(name, default)


def exact(value: object) -> Fraction:
    """The value as a fraction; a float is refused, being only near what was meant."""
    if isinstance(value, float):
        raise TypeError(f"{value!r} is a float; give an int, a Fraction or a string")
    return Fraction(value)


def compute(values: Mapping[str, object], choices: Mapping[str, str] | None = None) -> dict[str, Fraction | str]:
    """Every quantity at the given values and conventions, by name."""
    sheet = Sheet(values, choices or {})
    shape(sheet)
    roofs(sheet)
    matrices(sheet)
    attention(sheet)
    payload = ep_payload(sheet)
    metadata = ep_metadata(sheet)
    weights = fsdp(sheet)
    pipeline = pp_packet(sheet)
    bubble(sheet)
    muon(sheet)
    gap(sheet)
    step(sheet, [payload, metadata, weights, pipeline])
    return sheet.results


def shape(s: Sheet) -> None:
    """Ranks, tokens and layers of one run; the stage is an interior one."""
    s.put(
        DP=s.world / (s.TP * s.PP * s.CP),
        local_tokens=s.rows * s.context / s.CP,
        moe_layers=s.layers - s.dense_layers,
        experts_per_rank=s.experts / s.EP,
        dense_FSDP=s.world / (s.TP * s.PP),
        expert_FSDP=s.world / (s.TP * s.PP * s.EP),
        local_EP_ranks=min(s.EP, s.domain_ranks),
        stage_layers=ceil(s.layers / s.PP),
    )
    s.put(
        global_batch_tokens=s.DP * s.M * s.rows * s.context,
        local_FSDP_ranks=min(s.dense_FSDP, s.domain_ranks),
        stage_moe_layers=min(s.stage_layers, s.moe_layers),
        stage_mla_layers=s.stage_layers / s.mla_period,
    )
    s.put(stage_kda_layers=s.stage_layers - s.stage_mla_layers)


def gemm_size(s: Sheet, m: Fraction, n: Fraction, k: Fraction) -> Fraction:
    """Bytes of [m, k], [k, n] and their product, each touched once."""
    return s.bf16_bytes * (m * k + k * n + m * n)


def roofs(s: Sheet) -> None:
    """One GEMM against compute and HBM, and the ridge of each bandwidth."""
    m = s.argument("gemm_m", s.local_tokens)
    n = s.argument("gemm_n", s.expert_ffn)
    k = s.argument("gemm_k", s.latent_width)
    s.put(
        gemm_forward_flops=2 * m * n * k,
        gemm_input_gradient_flops=2 * m * n * k,
        gemm_weight_gradient_flops=2 * m * n * k,
        gemm_bytes=gemm_size(s, m, n, k),
        ridge_hbm=s.peak_flops / s.hbm_bandwidth,
        ridge_nvlink=s.peak_flops / s.nvlink_bandwidth,
        ridge_scaleout=s.peak_flops / s.scaleout_bandwidth,
        tokens_per_local_expert=s.local_tokens * s.EP * s.top_k / s.experts,
    )
    rows = s.tokens_per_local_expert
    expert_flops = 2 * rows * s.expert_ffn * s.latent_width
    s.put(
        gemm_training_flops=s.gemm_forward_flops + s.gemm_input_gradient_flops + s.gemm_weight_gradient_flops,
        gemm_intensity=s.gemm_forward_flops / s.gemm_bytes,
        gemm_time=max(s.gemm_forward_flops / s.peak_flops, s.gemm_bytes / s.hbm_bandwidth),
        expert_gemm_intensity=expert_flops / gemm_size(s, rows, s.expert_ffn, s.latent_width),
    )
    s.put(expert_gemm_headroom=s.expert_gemm_intensity / s.ridge_hbm)


def matrices(s: Sheet) -> None:
    """Weights by family, what a token activates of them, and the work they cause."""
    kda_width = s.kda_heads * s.kda_head_dim
    kda_query_key_value = 3 * kda_width * s.hidden
    kda_decay = s.kda_decay_rank * s.hidden + kda_width * s.kda_decay_rank
    kda_beta = s.kda_heads * s.hidden
    kda_gate_and_output = 2 * kda_width * s.hidden

    mla_query = s.q_lora_rank * (s.hidden + s.mla_heads * (s.qk_nope_dim + s.qk_rope_dim))
    mla_key_value_down = (s.kv_lora_rank + s.qk_rope_dim) * s.hidden
    mla_key_value_up = s.mla_heads * (s.qk_nope_dim + s.v_head_dim) * s.kv_lora_rank
    mla_gate_and_output = 2 * s.mla_heads * s.v_head_dim * s.hidden

    s.put(
        expert_parameters=3 * s.latent_width * s.expert_ffn,
        shared_expert_parameters=s.moe_layers * 3 * s.hidden * s.shared_ffn,
        latent_projection_parameters=s.moe_layers * 2 * s.hidden * s.latent_width,
        router_parameters=s.moe_layers * s.experts * s.hidden,
        dense_ffn_parameters=s.dense_layers * 3 * s.hidden * s.dense_ffn,
        lm_head_parameters=s.vocab * s.hidden,
        embedding_parameters=s.vocab * s.hidden,
        kda_layer_parameters=kda_query_key_value + kda_decay + kda_beta + kda_gate_and_output,
        mla_layer_parameters=mla_query + mla_key_value_down + mla_key_value_up + mla_gate_and_output,
    )
    s.put(
        routed_active_parameters=s.moe_layers * s.top_k * s.expert_parameters,
        routed_total_parameters=s.moe_layers * s.experts * s.expert_parameters,
        kda_parameters=s.kda_layers * s.kda_layer_parameters,
        mla_parameters=s.mla_layers * s.mla_layer_parameters,
    )
    always_used = (
        s.kda_parameters
        + s.mla_parameters
        + s.shared_expert_parameters
        + s.latent_projection_parameters
        + s.router_parameters
        + s.dense_ffn_parameters
        + s.lm_head_parameters
    )
    s.put(active_matrix_parameters=always_used + s.routed_active_parameters)

    convolutions = s.kda_layers * 3 * kda_width * s.kda_conv
    time_step_biases = s.kda_layers * kda_width
    decay_logs = s.kda_layers * s.kda_head_dim
    kda_output_norms = s.kda_layers * s.kda_head_dim
    mla_norms = s.mla_layers * (s.q_lora_rank + s.kv_lora_rank)
    expert_norms = s.moe_layers * s.latent_width
    hidden_vectors = (6 * s.layers + 3) * s.hidden
    s.put(
        non_matrix_parameters=convolutions
        + time_step_biases
        + decay_logs
        + kda_output_norms
        + mla_norms
        + expert_norms
        + hidden_vectors
    )
    s.put(active_parameters=s.active_matrix_parameters + s.non_matrix_parameters)
    # One decay log a head instead of one a channel, and one residual mixer fewer,
    # which is two vectors.
    fewer = s.kda_layers * (s.kda_head_dim - s.kda_heads) + 2 * s.hidden
    s.put(torchtitan_active_parameters=s.active_parameters - fewer)

    router_biases = s.moe_layers * s.experts
    s.put(
        stored_parameters=s.active_matrix_parameters
        - s.routed_active_parameters
        + s.routed_total_parameters
        + s.non_matrix_parameters
        + s.embedding_parameters
        + router_biases
        + s.vision_parameters
        + s.projector_parameters,
        matrix_training_flops=6 * s.active_matrix_parameters,
    )
    recomputed = s.active_matrix_parameters - s.lm_head_parameters
    s.put(
        matrix_flops_per_microbatch=s.matrix_training_flops * s.rows * s.context,
        matrix_flops_per_update=s.matrix_training_flops * s.global_batch_tokens,
        executed_matrix_flops=s.matrix_training_flops + 2 * s.checkpoint * recomputed,
    )


def mla_flops_per_key(s: Sheet) -> Fraction:
    """Forward FLOPs of one query against one key, all heads of one MLA layer."""
    return s.mla_heads * 2 * (s.qk_nope_dim + s.qk_rope_dim + s.v_head_dim)


def kda_flops_per_head(s: Sheet) -> Fraction:
    """Forward FLOPs a token of one KDA head, chunked."""
    d, chunk = s.kda_head_dim, s.kda_chunk
    return 6 * d * d + 3 * chunk * d + chunk * chunk


def attention(s: Sheet) -> None:
    """Work of the attention cores, which no weight count shows."""
    if s.documents:
        s.put(S_eff=sum(n * n for n in s.documents) / sum(s.documents))
    else:
        s.put(S_eff=s.doc_length)
    keys = {"exact": (s.S_eff + 1) / 2, "half": s.S_eff / 2, "full": s.S_eff, "windowed": s.S_eff}
    s.put(
        mla_forward_flops=s.mla_layers * mla_flops_per_key(s) * keys[s.choices["causal"]],
        kda_forward_flops=s.kda_layers * s.kda_heads * kda_flops_per_head(s),
    )
    forward = s.mla_forward_flops + s.kda_forward_flops
    s.put(
        attention_training_flops=3 * forward,
        executed_attention_flops=(3 + s.checkpoint) * forward,
    )
    s.put(
        model_flops_per_token=s.matrix_training_flops + s.attention_training_flops,
        executed_flops_per_token=s.executed_matrix_flops + s.executed_attention_flops,
    )
    keys_equal = s.matrix_training_flops / (3 * s.mla_layers * mla_flops_per_key(s))
    lengths = {"exact": 2 * keys_equal - 1, "half": 2 * keys_equal, "full": keys_equal, "windowed": keys_equal}
    s.put(S_equal_work=lengths[s.choices["causal"]])


def chosen_somewhere(s: Sheet, held: Fraction) -> Fraction:
    """Probability that a token chooses at least one of `held` given experts."""
    total, k = int(s.experts), int(s.top_k)
    return 1 - Fraction(comb(total - int(held), k), comb(total, k))


def ep_payload(s: Sheet) -> Carried:
    """Token rows to the experts and back; returns an update's bytes by carrier."""
    local, domains = s.local_EP_ranks, s.EP / s.local_EP_ranks
    rank_hit = chosen_somewhere(s, s.experts / s.EP)
    domain_hit = chosen_somewhere(s, s.experts * local / s.EP)
    s.put(
        latent_row_bytes=s.bf16_bytes * s.latent_width,
        route_traversals=2 + s.checkpoint,
        exchanges=4 + 2 * s.checkpoint,
        remote_copies=s.top_k * (1 - 1 / s.EP),
        cross_domain_copies=s.top_k * (1 - local / s.EP),
        remote_copies_deduplicated=(s.EP - 1) * rank_hit,
        cross_domain_copies_deduplicated=(s.EP - local) * rank_hit,
        cross_domain_copies_per_domain=(domains - 1) * domain_hit,
    )
    s.put(nvlink_copies=s.remote_copies - s.cross_domain_copies)
    kept = s.remote_copies_deduplicated / s.remote_copies if s.remote_copies else Fraction(1)
    s.put(deduplication_saving=1 - kept)

    # One copy a domain lands on the sender's counterpart there, which serves the other
    # local - 1 ranks; the sender serves its own domain in the same way.
    fanned_out = domains * (local - 1) * rank_hit
    nvlink, scaleout = {
        "assignments": (s.nvlink_copies, s.cross_domain_copies),
        "per_rank": (
            s.remote_copies_deduplicated - s.cross_domain_copies_deduplicated,
            s.cross_domain_copies_deduplicated,
        ),
        "per_domain": (fanned_out, s.cross_domain_copies_per_domain),
    }[s.choices["dispatch"]]

    bytes_per_copy = s.exchanges * s.local_tokens * s.latent_row_bytes
    s.put(
        payload_bytes=bytes_per_copy * (nvlink + scaleout),
        payload_bytes_nvlink=bytes_per_copy * nvlink,
        payload_bytes_cross_domain=bytes_per_copy * scaleout,
        dispatch_probability_bytes=s.fp32_bytes * s.experts_per_rank * local,
    )
    layers_run = s.M * s.stage_moe_layers
    carrying = s.route_traversals * s.local_tokens * (nvlink + scaleout)
    s.put(
        payload_bytes_per_update=layers_run * s.payload_bytes,
        dispatch_probability_bytes_total=carrying * s.dispatch_probability_bytes,
    )
    return Carried(layers_run * s.payload_bytes_nvlink, layers_run * s.payload_bytes_cross_domain)


def ep_metadata(s: Sheet) -> Carried:
    """The gathered routing map; returns an update's bytes by carrier."""
    s.put(
        routing_map_bytes=s.local_tokens * s.experts * s.bool_bytes,
        routing_map_amplification=s.EP,
        metadata_all_gathers=s.M * s.stage_moe_layers * (1 + s.checkpoint),
    )
    s.put(
        routing_map_gathered_bytes=s.EP * s.routing_map_bytes,
        routing_map_remote_bytes=(s.EP - 1) * s.routing_map_bytes,
    )
    s.put(metadata_bytes_per_update=s.metadata_all_gathers * s.routing_map_remote_bytes)
    local = s.local_EP_ranks
    scaleout = (s.EP - local) * s.routing_map_bytes / local
    nvlink = s.routing_map_remote_bytes - scaleout
    s.put(metadata_time_ideal=max(nvlink / s.nvlink_bandwidth, scaleout / s.scaleout_bandwidth))
    return Carried(s.metadata_all_gathers * nvlink, s.metadata_all_gathers * scaleout)


def fsdp(s: Sheet) -> Carried:
    """Weights out, gradients back; returns an update's bytes by carrier."""
    dense_of_a_moe_layer = (s.shared_expert_parameters + s.latent_projection_parameters + s.router_parameters) / s.moe_layers
    whole_model = s.PP == 1
    s.put(
        stage_layer_parameters=s.stage_kda_layers * s.kda_layer_parameters
        + s.stage_mla_layers * s.mla_layer_parameters
        + s.stage_moe_layers * dense_of_a_moe_layer
        + (s.stage_layers - s.stage_moe_layers) * s.dense_ffn_parameters / s.dense_layers,
    )
    s.put(
        stage_dense_parameters=s.kda_parameters
        + s.mla_parameters
        + s.shared_expert_parameters
        + s.latent_projection_parameters
        + s.router_parameters
        + s.dense_ffn_parameters
        + s.embedding_parameters
        + s.lm_head_parameters
        if whole_model
        else s.stage_layer_parameters,
        stage_routed_parameters_per_rank=s.stage_moe_layers * s.experts_per_rank * s.expert_parameters,
    )
    by_itself = {"pipeline_never": "no_pipeline_never", "pipeline_always": "no_pipeline_always"} if whole_model else {}
    lifecycle = s.choices["fsdp_lifecycle"]
    gathers, scatters = {
        "pipeline_never": (1, 1),
        "pipeline_always": (s.M + 1, 1),
        "no_pipeline_always": (2 * s.M, s.M),
        "no_pipeline_never": (s.M, s.M),
    }[by_itself.get(lifecycle, lifecycle)]
    s.put(all_gathers_per_update=gathers, reduce_scatters_per_update=scatters)
    gathers, scatters = s.all_gathers_per_update, s.reduce_scatters_per_update

    dense, ranks, local = s.stage_dense_parameters, s.dense_FSDP, s.local_FSDP_ranks
    nics = s.argument("domain_nics", local)
    s.put(
        ring_all_gather_bytes=s.bf16_bytes * dense * (1 - 1 / ranks),
        ring_reduce_scatter_bytes=s.fp32_bytes * dense * (1 - 1 / ranks),
        hierarchical_import_parameters=dense * (1 - local / ranks),
    )
    s.put(hierarchical_import_bytes=s.bf16_bytes * s.hierarchical_import_parameters)
    s.put(
        hierarchical_import_bytes_per_rank=s.hierarchical_import_bytes / nics,
        fsdp_bytes_per_update=gathers * s.ring_all_gather_bytes + scatters * s.ring_reduce_scatter_bytes,
    )
    exported_per_rank = s.fp32_bytes * s.hierarchical_import_parameters / nics
    dense_scaleout = gathers * s.hierarchical_import_bytes_per_rank + scatters * exported_per_rank
    dense_nvlink = s.fsdp_bytes_per_update - dense_scaleout

    # Ranks with the same experts are EP apart: a domain holds domain_ranks / EP.
    routed, shards = s.stage_routed_parameters_per_rank, s.expert_FSDP
    near = max(Fraction(1), min(shards, s.domain_ranks / s.EP))
    s.put(
        routed_weight_all_gather_bytes=s.bf16_bytes * routed * (1 - 1 / shards),
        routed_weight_reduce_scatter_bytes=s.fp32_bytes * routed * (1 - 1 / shards),
    )
    s.put(
        routed_weight_bytes_per_update=gathers * s.routed_weight_all_gather_bytes
        + scatters * s.routed_weight_reduce_scatter_bytes
    )
    bytes_per_parameter = gathers * s.bf16_bytes + scatters * s.fp32_bytes
    routed_scaleout = bytes_per_parameter * routed * (1 - near / shards) / near
    routed_nvlink = s.routed_weight_bytes_per_update - routed_scaleout
    return Carried(dense_nvlink + routed_nvlink, dense_scaleout + routed_scaleout)


def streams_after(s: Sheet, layers_done: Fraction) -> Fraction:
    """The hidden stream and the residual blocks finished after so many layers."""
    return Fraction(1 + floor(layers_done / s.attn_res_block))


def hop_streams(s: Sheet, stage: int) -> Fraction:
    """Streams on the hop after `stage`; none where there is no such hop."""
    if not 1 <= stage <= s.PP - 1:
        return Fraction(0)
    if s.has("packet_bytes"):
        return s.packet_bytes / s.stream_bytes
    if s.has("packet_expansion"):
        return s.packet_expansion
    if s.has("outgoing_blocks"):
        return 1 + s.outgoing_blocks
    return streams_after(s, stage * s.stage_layers)


def pp_packet(s: Sheet) -> Carried:
    """Packets between stages; returns the busiest rank's update bytes by carrier."""
    s.put(stream_bytes=s.bf16_bytes * s.local_tokens * s.hidden)
    stages = int(s.PP)
    if s.has("stage"):
        if not 1 <= s.stage <= stages - 1:
            raise ValueError(f"stage = {s.stage} has no hop after it; PP = {stages}")
        s.put(outgoing_blocks=floor(s.stage * s.stage_layers / s.attn_res_block))
        s.put(packet_expansion=1 + s.outgoing_blocks)
        s.put(packet_bytes=s.stream_bytes * s.packet_expansion)

    packet = {hop: s.stream_bytes * hop_streams(s, hop) for hop in range(stages + 1)}
    s.put(
        final_hop_bytes=packet[stages - 1],
        final_hop_gradient_bytes=packet[stages - 1],
        total_streams=sum(hop_streams(s, hop) for hop in range(1, stages)),
    )
    far = {hop: (hop * s.world / s.PP) % s.domain_ranks == 0 for hop in packet}

    def busiest(on_scaleout: bool) -> Fraction:
        """Most a rank sends on the carrier: activations on, gradients back."""
        sent = {hop: size if far[hop] == on_scaleout else 0 for hop, size in packet.items()}
        return s.M * max(sent[stage] + sent[stage - 1] for stage in range(1, stages + 1))

    s.put(pp_bytes_per_update=busiest(on_scaleout=True))
    return Carried(busiest(on_scaleout=False), s.pp_bytes_per_update)


def bubble(s: Sheet) -> None:
    """Fill and drain of 1F1B, and what interleaving would trade for it."""
    virtual_hops = int(s.PP * s.virtual_stages) - 1 if s.PP > 1 else 0
    layers_between = s.stage_layers / s.virtual_stages
    virtual_streams = sum(streams_after(s, hop * layers_between) for hop in range(1, virtual_hops + 1))
    added = virtual_streams - s.total_streams
    s.put(
        bubble_overhead=(s.PP - 1) / s.M,
        bubble_fraction=(s.PP - 1) / (s.M + s.PP - 1),
        microbatches_for_overhead=(s.PP - 1) / s.wanted_overhead,
        interleaved_bubble_overhead=(s.PP - 1 + (s.virtual_stages - 1) * max(0, s.PP - s.M)) / (s.virtual_stages * s.M),
        interleaved_pp_bytes=2 * s.M * s.stream_bytes * added,
    )


def newton_schulz(s: Sheet, one: Fraction, other: Fraction) -> Fraction:
    """FLOPs of all iterations on one matrix, worked with its short side as rows."""
    r, c = min(one, other), max(one, other)
    return s.newton_schulz_steps * (4 * r * r * c + 2 * r * r * r)


def muon(s: Sheet) -> None:
    """Orthogonalization work and optimizer state."""
    r = s.argument("r", min(s.latent_width, s.expert_ffn))
    c = s.argument("c", max(s.latent_width, s.expert_ffn))
    s.put(
        newton_schulz_gram_flops=2 * r * r * c,
        newton_schulz_square_flops=2 * r * r * r,
        newton_schulz_update_flops=2 * r * r * c,
        newton_schulz_working_bytes=s.bf16_bytes * r * c,
    )
    s.put(newton_schulz_iteration_flops=s.newton_schulz_gram_flops + s.newton_schulz_square_flops + s.newton_schulz_update_flops)
    s.put(newton_schulz_flops=s.newton_schulz_steps * s.newton_schulz_iteration_flops)

    one_expert_matrix = newton_schulz(s, s.latent_width, s.expert_ffn)
    expert_matrices = 3 * s.moe_layers * s.experts
    s.put(
        expert_matrices_per_rank=3 * s.stage_moe_layers * s.experts_per_rank / s.expert_FSDP,
        fused_gate_up_newton_schulz_flops=newton_schulz(s, s.latent_width, 2 * s.expert_ffn),
        per_head_newton_schulz_flops=s.kda_heads * newton_schulz(s, s.kda_head_dim, s.hidden),
        muon_flops_per_token=expert_matrices * one_expert_matrix / s.global_batch_tokens,
    )
    owned = s.stage_dense_parameters / s.dense_FSDP + s.stage_routed_parameters_per_rank / s.expert_FSDP
    s.put(
        expert_muon_flops=s.expert_matrices_per_rank * one_expert_matrix,
        muon_state_bytes=2 * s.fp32_bytes * owned,
        adamw_state_bytes=3 * s.fp32_bytes * owned,
    )


def gap(s: Sheet) -> None:
    """Public FLOP estimators, and what a metadata gather's residency would imply."""
    mla_per_key = 3 * s.mla_layers * mla_flops_per_key(s)
    kda_state = s.kda_layers * s.kda_heads * s.kda_head_dim**2
    kda_width = s.kda_heads * s.kda_head_dim
    without_router = s.active_matrix_parameters - s.router_parameters

    mla_gates = s.mla_layers * s.mla_heads * s.v_head_dim * s.hidden
    convolutions = s.kda_layers * 3 * kda_width * s.kda_conv
    convolution_of_a_head = 3 * s.kda_head_dim * s.kda_conv
    kda_of_a_head = kda_flops_per_head(s) / 2 + convolution_of_a_head
    s.put(
        torchtitan_flops_per_token=6 * s.torchtitan_active_parameters + mla_per_key * s.context + 18 * kda_state,
        megatron_bridge_flops_per_token=6 * (without_router - mla_gates + convolutions)
        + mla_per_key * s.S_eff / 2
        + 24 * kda_state,
        automodel_flops_per_token=6 * without_router
        + mla_per_key * s.context / 2
        + 6 * s.kda_layers * s.kda_heads * kda_of_a_head,
    )
    if s.has("residency_alone"):
        s.put(residency_ratio=Fraction(31_464, 1_029))
    if s.has("metadata_residency"):
        s.put(
            apparent_metadata_bandwidth=s.routing_map_remote_bytes / s.metadata_residency,
            exposed_metadata_time=s.metadata_all_gathers * s.metadata_residency,
        )


def slowest_stage(s: Sheet) -> Fraction:
    """FLOPs for a token of the stage with the most, each stage by itself, layer by layer."""
    mean = s.stage_mla_layers
    dense_ffn = s.dense_ffn_parameters / s.dense_layers
    moe_ffn = (
        s.shared_expert_parameters + s.latent_projection_parameters + s.router_parameters + s.routed_active_parameters
    ) / s.moe_layers
    found = []
    for stage in range(1, int(s.PP) + 1):
        last = stage == s.PP
        held = s.layers - (s.PP - 1) * s.stage_layers if last else s.stage_layers
        mla = s.mla_layers - (s.PP - 1) * mean if last else mean
        through = (stage - 1) * s.stage_layers + held
        dense = max(0, min(s.dense_layers, through) - (through - held))
        weights = mla * s.mla_layer_parameters + (held - mla) * s.kda_layer_parameters
        weights += dense * dense_ffn + (held - dense) * moe_ffn
        attention = mla / s.mla_layers * s.mla_forward_flops + (held - mla) / s.kda_layers * s.kda_forward_flops
        head = s.lm_head_parameters if last else 0
        found.append((6 + 2 * s.checkpoint) * weights + 6 * head + (3 + s.checkpoint) * attention)
    return max(found)


def step(s: Sheet, traffic: list[Carried]) -> None:
    """Four resource times, the bubble, and the throughput they would allow."""
    rate = s.peak_flops * s.compute_efficiency
    stage_active = s.stage_layer_parameters + s.stage_moe_layers * s.top_k * s.expert_parameters
    stage_attention_forward = (
        s.stage_mla_layers / s.mla_layers * s.mla_forward_flops + s.stage_kda_layers / s.kda_layers * s.kda_forward_flops
    )
    stage_flops_per_token = (6 + 2 * s.checkpoint) * stage_active + (3 + s.checkpoint) * stage_attention_forward
    stage_ranks = s.world / s.PP

    resident = s.stage_dense_parameters + s.stage_routed_parameters_per_rank
    bytes_per_weight = s.bf16_bytes * (2 + s.checkpoint) + 2 * s.fp32_bytes
    s.put(
        compute_time=s.executed_flops_per_token * s.global_batch_tokens / (s.world * rate),
        interior_stage_compute_time=stage_flops_per_token * s.global_batch_tokens / (stage_ranks * rate),
        hbm_time=s.M * resident * bytes_per_weight / s.hbm_bandwidth,
        nvlink_time=sum(part.nvlink for part in traffic) / s.nvlink_bandwidth,
        scaleout_time=sum(part.scaleout for part in traffic) / s.scaleout_bandwidth,
    )
    times = {name: getattr(s, name) for name in RESOURCES}
    binding = max(times, key=times.get)
    s.put(resource_time=times[binding], bubble_time=s.compute_time * (s.PP - 1) / s.M)
    s.results["binding_resource"] = binding
    s.put(step_time=s.resource_time + s.bubble_time)
    s.put(slowest_stage_compute_time=slowest_stage(s) * s.global_batch_tokens / (stage_ranks * rate))
    s.put(lockstep_time=max(s.slowest_stage_compute_time, s.resource_time) * (s.M + s.PP - 1) / s.M)
    s.put(tokens_per_second_per_gpu=s.global_batch_tokens / (s.step_time * s.world))
    per_peak = s.tokens_per_second_per_gpu / s.peak_flops
    s.put(
        MFU=s.torchtitan_flops_per_token * per_peak,
        HFU=s.executed_flops_per_token * per_peak,
    )
