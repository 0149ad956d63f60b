"""step_time, from Kimi K3 on GB200. Printed by symroof 0.1.0.

Whatever is no argument has its value of k3-gb200-4k; conventions: causal = exact, dispatch = assignments,
fsdp_lifecycle = pipeline_never.
Arguments are numbers or arrays that broadcast, in base units (bytes, seconds, FLOPs). Everything is a 64-bit
float: whole numbers are exact below 2^53, a value too large is inf, one that divides by zero is nan or inf.
"""

import numpy as np


def _floats(values):
    """The argument as an array of 64-bit floats, whatever it was before."""
    return np.asarray(values, dtype=float)


def _divides(a, b):
    """True where the whole number b is a multiple of the whole number a."""
    return np.rint(b / a) * a == b


@np.errstate(divide="ignore", invalid="ignore", over="ignore")
def compute(
    layers=93, dense_layers=1, hidden=7168, vocab=163840, latent_width=3584, experts=896, top_k=16,
    expert_ffn=3072, shared_ffn=6144, dense_ffn=33792, kda_layers=69, kda_heads=96, kda_head_dim=128,
    kda_decay_rank=128, kda_chunk=64, mla_layers=24, mla_period=4, mla_heads=96, q_lora_rank=1536,
    kv_lora_rank=512, qk_nope_dim=128, qk_rope_dim=64, v_head_dim=128, attn_res_block=6,
    peak_flops=2500000000000000, hbm_bandwidth=8000000000000, nvlink_bandwidth=900000000000,
    scaleout_bandwidth=50000000000, domain_ranks=64, world=512, TP=1, PP=8, CP=1, EP=64, M=64, rows=1,
    context=4096, doc_length=4096, checkpoint=1, bf16_bytes=2, fp32_bytes=4, bool_bytes=1,
    compute_efficiency=1,
):
    """All results, by name.

    Args, in this order; the defaults are those of k3-gb200-4k:
        layers: decoder layers [layer]
        dense_layers: decoder layers with a dense FFN instead of experts [layer]
        hidden: width of the hidden stream [channel]
        vocab: entries of the vocabulary [token]
        latent_width: width of the compressed stream that is routed to experts [channel]
        experts: routed experts in a layer [expert]
        top_k: routed experts that a token is sent to [expert]
        expert_ffn: inner width of a routed expert [channel]
        shared_ffn: inner width of all shared experts together [channel]
        dense_ffn: inner width of a dense FFN [channel]
        kda_layers: layers with Kimi Delta Attention [layer]
        kda_heads: heads of a KDA layer [head]
        kda_head_dim: width of a KDA head, for keys and values alike [channel]
        kda_decay_rank: rank of the KDA decay projection [channel]
        kda_chunk: chunk length of the KDA training kernel [token]
        mla_layers: layers with gated Multi-head Latent Attention [layer]
        mla_period: every how many layers one is MLA [layer]
        mla_heads: heads of an MLA layer [head]
        q_lora_rank: rank of the MLA query compression [channel]
        kv_lora_rank: rank of the MLA key and value compression [channel]
        qk_nope_dim: width of an MLA head's query and key, without position [channel]
        qk_rope_dim: width of the part of query and key that heads share [channel]
        v_head_dim: width of an MLA head's value [channel]
        attn_res_block: decoder layers whose outputs one AttnRes block stands for [layer]
        peak_flops: dense BF16 peak [FLOP/s]
        hbm_bandwidth: bandwidth of the GPU's own memory [byte@hbm/s]
        nvlink_bandwidth: NVLink bandwidth, one direction [byte@nvlink/s]
        scaleout_bandwidth: scale-out network bandwidth, one direction [byte@scaleout/s]
        domain_ranks: ranks that a run uses of an NVLink domain [rank]
        world: GPUs of the run [GPU]
        TP: tensor-parallel degree [rank]
        PP: pipeline-parallel degree: stages, one on each rank of the pipeline [rank]
        CP: context-parallel degree [rank]
        EP: expert-parallel degree [rank]
        M: microbatches of an optimizer update [microbatch]
        rows: rows of a microbatch [row]
        context: tokens of a row [token]
        doc_length: length of each document, where all are equal [token]
        checkpoint: 1 with full activation checkpointing, 0 without [1]
        bf16_bytes: size of a BF16 number [byte]
        fp32_bytes: size of an FP32 number [byte]
        bool_bytes: size of a Boolean [byte]
        compute_efficiency: share of the peak that compute is priced at [1]
    Returns:
        step_time: Time of an update in the sketch [s]
    """
    (
        layers, dense_layers, hidden, vocab, latent_width, experts, top_k, expert_ffn, shared_ffn, dense_ffn,
        kda_layers, kda_heads, kda_head_dim, kda_decay_rank, kda_chunk, mla_layers, mla_period, mla_heads,
        q_lora_rank, kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim, attn_res_block, peak_flops,
        hbm_bandwidth, nvlink_bandwidth, scaleout_bandwidth, domain_ranks, world, TP, PP, CP, EP, M, rows,
        context, doc_length, checkpoint, bf16_bytes, fp32_bytes, bool_bytes, compute_efficiency
    ) = map(_floats, (
        layers, dense_layers, hidden, vocab, latent_width, experts, top_k, expert_ffn, shared_ffn, dense_ffn,
        kda_layers, kda_heads, kda_head_dim, kda_decay_rank, kda_chunk, mla_layers, mla_period, mla_heads,
        q_lora_rank, kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim, attn_res_block, peak_flops,
        hbm_bandwidth, nvlink_bandwidth, scaleout_bandwidth, domain_ranks, world, TP, PP, CP, EP, M, rows,
        context, doc_length, checkpoint, bf16_bytes, fp32_bytes, bool_bytes, compute_efficiency
    ))
    # kda_heads*kda_head_dim  [channel]
    kda_width = kda_heads * kda_head_dim
    # 3*kda_width*hidden + kda_decay_rank*(hidden + kda_width) + kda_heads*hidden + 2*kda_width*hidden
    # [parameter/layer]
    kda_layer_parameters = (
        3 * kda_width * hidden + kda_decay_rank * (hidden + kda_width) + kda_heads * hidden + 2 * kda_width
        * hidden
    )
    # kda_layers*kda_layer_parameters  [parameter]
    kda_parameters = kda_layers * kda_layer_parameters
    # q_lora_rank*hidden + mla_heads*(qk_nope_dim + qk_rope_dim)*q_lora_rank + (kv_lora_rank + qk_rope_dim)*hidden +
    # mla_heads*(qk_nope_dim + v_head_dim)*kv_lora_rank + 2*mla_heads*v_head_dim*hidden  [parameter/layer]
    mla_layer_parameters = (
        q_lora_rank * hidden + mla_heads * (qk_nope_dim + qk_rope_dim) * q_lora_rank + (kv_lora_rank
        + qk_rope_dim) * hidden + mla_heads * (qk_nope_dim + v_head_dim) * kv_lora_rank + 2 * mla_heads
        * v_head_dim * hidden
    )
    # mla_layers*mla_layer_parameters  [parameter]
    mla_parameters = mla_layers * mla_layer_parameters
    # dense_layers*3*hidden*dense_ffn  [parameter]
    dense_ffn_parameters = 3 * dense_layers * hidden * dense_ffn
    # layers - dense_layers  [layer]
    moe_layers = layers - dense_layers
    # moe_layers*experts*hidden  [parameter]
    router_parameters = moe_layers * experts * hidden
    # moe_layers*2*hidden*latent_width  [parameter]
    latent_projection_parameters = 2 * moe_layers * hidden * latent_width
    # moe_layers*3*hidden*shared_ffn  [parameter]
    shared_expert_parameters = 3 * moe_layers * hidden * shared_ffn
    # moe_layers*top_k*3*latent_width*expert_ffn  [parameter]
    routed_active_parameters = 3 * moe_layers * top_k * latent_width * expert_ffn
    # vocab*hidden  [parameter]
    lm_head_parameters = vocab * hidden
    # kda_parameters + mla_parameters + dense_ffn_parameters + router_parameters + latent_projection_parameters +
    # shared_expert_parameters + routed_active_parameters + lm_head_parameters  [parameter]
    active_matrix_parameters = (
        kda_parameters + mla_parameters + dense_ffn_parameters + router_parameters + latent_projection_parameters
        + shared_expert_parameters + routed_active_parameters + lm_head_parameters
    )
    # 6*active_matrix_parameters + 2*checkpoint*(active_matrix_parameters - lm_head_parameters)  [FLOP/token]
    executed_matrix_flops = (
        6 * active_matrix_parameters + 2 * checkpoint * (active_matrix_parameters - lm_head_parameters)
    )
    # mla_layers*mla_heads*2*(qk_nope_dim + qk_rope_dim + v_head_dim)  [FLOP/key]
    mla_flops_per_key = 2 * mla_layers * mla_heads * (qk_nope_dim + qk_rope_dim + v_head_dim)
    # sum(documents_entry**2 for documents_entry in documents)/sum(documents_entry for documents_entry in documents)
    # [token]
    S_eff = ((context / doc_length) * (doc_length ** 2)) / ((context / doc_length) * doc_length)
    # (S_eff + 1)/2  [key/token]
    attended_keys = (S_eff + 1) / 2
    # mla_flops_per_key*attended_keys  [FLOP/token]
    mla_forward_flops = mla_flops_per_key * attended_keys
    # kda_layers*kda_heads*(6*kda_head_dim**2 + 3*kda_chunk*kda_head_dim + kda_chunk**2)  [FLOP/token]
    kda_forward_flops = (
        kda_layers * kda_heads * (6 * (kda_head_dim ** 2) + 3 * kda_chunk * kda_head_dim + kda_chunk ** 2)
    )
    # (3 + checkpoint)*(mla_forward_flops + kda_forward_flops)  [FLOP/token]
    executed_attention_flops = (3 + checkpoint) * (mla_forward_flops + kda_forward_flops)
    # executed_matrix_flops + executed_attention_flops  [FLOP/token]
    executed_flops_per_token = executed_matrix_flops + executed_attention_flops
    # world/(TP*PP*CP)  [replica]
    DP = world / (TP * PP * CP)
    # DP*M*rows*context  [token/update]
    global_batch_tokens = DP * M * rows * context
    # executed_flops_per_token*global_batch_tokens/(world*peak_flops*compute_efficiency)  [s]
    compute_time = (executed_flops_per_token * global_batch_tokens) / (world * peak_flops * compute_efficiency)
    # ceiling(layers/PP)  [layer/stage]
    stage_layers = np.ceil(layers / PP)
    # stage_layers/mla_period  [layer/stage]
    stage_mla_layers = stage_layers / mla_period
    # stage_layers - stage_mla_layers  [layer/stage]
    stage_kda_layers = (stage_layers * (mla_period - 1)) / mla_period
    # Min(stage_layers, moe_layers)  [layer/stage]
    stage_moe_layers = np.minimum(stage_layers, moe_layers)
    # stage_kda_layers*kda_layer_parameters + stage_mla_layers*mla_layer_parameters +
    # stage_moe_layers*(3*hidden*shared_ffn + 2*hidden*latent_width + experts*hidden)  [parameter]
    stage_dense_parameters = (
        stage_kda_layers * kda_layer_parameters + stage_mla_layers * mla_layer_parameters + stage_moe_layers * (3
        * hidden * shared_ffn + 2 * hidden * latent_width + experts * hidden)
    )
    # experts/EP  [expert]
    experts_per_rank = experts / EP
    # 3*latent_width*expert_ffn  [parameter/expert]
    expert_parameters = 3 * latent_width * expert_ffn
    # stage_moe_layers*experts_per_rank*expert_parameters  [parameter]
    stage_routed_parameters_per_rank = stage_moe_layers * experts_per_rank * expert_parameters
    # M*(stage_dense_parameters + stage_routed_parameters_per_rank)*(bf16_bytes*(2 + checkpoint) +
    # 2*fp32_bytes)/hbm_bandwidth  [s]
    hbm_time = (
        (M * (stage_dense_parameters + stage_routed_parameters_per_rank) * (bf16_bytes * (2 + checkpoint) + 2
        * fp32_bytes)) / hbm_bandwidth
    )
    # 4 + 2*checkpoint  [exchange]
    exchanges = 4 + 2 * checkpoint
    # rows*context/CP  [token]
    local_tokens = (rows * context) / CP
    # latent_width*bf16_bytes  [byte/copy]
    latent_row_bytes = latent_width * bf16_bytes
    # Min(EP, domain_ranks)  [rank]
    local_EP_ranks = np.minimum(EP, domain_ranks)
    # top_k*(1 - local_EP_ranks/EP)  [copy/token]
    cross_domain_copies = top_k * ((EP - local_EP_ranks) / EP)
    # remote_copies - cross_domain_copies  [copy/token]
    nvlink_copies = (top_k * (local_EP_ranks - 1)) / EP
    # exchanges*local_tokens*latent_row_bytes*payload_copies_nvlink  [byte@nvlink]
    payload_bytes_nvlink = exchanges * local_tokens * latent_row_bytes * nvlink_copies
    # M*stage_moe_layers*(1 + checkpoint)  [collective/update]
    metadata_all_gathers = M * stage_moe_layers * (1 + checkpoint)
    # local_tokens*experts*bool_bytes  [byte]
    routing_map_bytes = local_tokens * experts * bool_bytes
    # (EP - 1 - (EP - local_EP_ranks)/local_EP_ranks)*routing_map_bytes  [byte@nvlink]
    metadata_bytes_nvlink = ((EP * (local_EP_ranks - 1)) / local_EP_ranks) * routing_map_bytes
    # world/(TP*PP)  [rank]
    dense_FSDP = world / (TP * PP)
    # Min(dense_FSDP, domain_ranks)  [rank]
    local_FSDP_ranks = np.minimum(dense_FSDP, domain_ranks)
    # stage_dense_parameters*(1 - local_FSDP_ranks/dense_FSDP)  [parameter]
    hierarchical_import_parameters = stage_dense_parameters * ((dense_FSDP - local_FSDP_ranks) / dense_FSDP)
    # all_gathers_per_update*(ring_all_gather_bytes - bf16_bytes*hierarchical_import_parameters/local_FSDP_ranks) +
    # reduce_scatters_per_update*(ring_reduce_scatter_bytes -
    # fp32_bytes*hierarchical_import_parameters/local_FSDP_ranks)  [byte@nvlink/update]
    fsdp_bytes_nvlink = (
        (bf16_bytes * stage_dense_parameters * (local_FSDP_ranks - 1)) / local_FSDP_ranks + (fp32_bytes
        * stage_dense_parameters * (local_FSDP_ranks - 1)) / local_FSDP_ranks
    )
    # (all_gathers_per_update*bf16_bytes + reduce_scatters_per_update*fp32_bytes)*stage_routed_parameters_per_rank
    # [byte/update]
    routed_weight_bytes_whole = (bf16_bytes + fp32_bytes) * stage_routed_parameters_per_rank
    # world/(TP*PP*EP)  [rank]
    expert_FSDP = world / (TP * PP * EP)
    # Max(1, Min(expert_FSDP, domain_ranks/EP))  [rank]
    local_expert_FSDP_ranks = np.maximum(1, np.minimum(expert_FSDP, domain_ranks / EP))
    # (1 - local_expert_FSDP_ranks/expert_FSDP)/local_expert_FSDP_ranks  [1]
    routed_import_share = ((expert_FSDP - local_expert_FSDP_ranks) / expert_FSDP) / local_expert_FSDP_ranks
    # routed_weight_bytes_whole*(1 - 1/expert_FSDP - routed_import_share)  [byte@nvlink/update]
    routed_weight_bytes_nvlink = (
        routed_weight_bytes_whole * ((local_expert_FSDP_ranks - 1) / local_expert_FSDP_ranks)
    )
    # Max(1, domain_ranks/(world/PP))  [stage/domain]
    stages_per_domain = np.maximum(1, domain_ranks / (world / PP))
    # bf16_bytes*local_tokens*hidden  [byte/stream]
    stream_bytes = bf16_bytes * local_tokens * hidden
    # outgoing_blocks at stage = PP - 1: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_2 = np.floor(((PP - 1) * stage_layers) / attn_res_block)
    # packet_expansion at stage = PP - 1: 1 + outgoing_blocks  [stream]
    packet_expansion_2 = 1 + outgoing_blocks_2
    # packet_bytes at stage = PP - 1: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0, True))  [byte]
    packet_bytes_2 = np.where((PP - 1 >= 1), stream_bytes * packet_expansion_2, 0)
    # packet_bytes_nvlink at stage = PP - 1: Piecewise((0, Eq(Mod(stage, stages_per_domain), 0)), (packet_bytes,
    # True))  [byte@nvlink]
    packet_bytes_nvlink_2 = np.where(_divides(stages_per_domain, PP - 1), 0, packet_bytes_2)
    # outgoing_blocks at stage = PP - 2: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_3 = np.floor(((PP - 2) * stage_layers) / attn_res_block)
    # packet_expansion at stage = PP - 2: 1 + outgoing_blocks  [stream]
    packet_expansion_3 = 1 + outgoing_blocks_3
    # packet_bytes at stage = PP - 2: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0, True))  [byte]
    packet_bytes_3 = np.where((PP - 2 >= 1), stream_bytes * packet_expansion_3, 0)
    # packet_bytes_nvlink at stage = PP - 2: Piecewise((0, Eq(Mod(stage, stages_per_domain), 0)), (packet_bytes,
    # True))  [byte@nvlink]
    packet_bytes_nvlink_3 = np.where(_divides(stages_per_domain, PP - 2), 0, packet_bytes_3)
    # outgoing_blocks at stage = PP - 3: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_4 = np.floor(((PP - 3) * stage_layers) / attn_res_block)
    # packet_expansion at stage = PP - 3: 1 + outgoing_blocks  [stream]
    packet_expansion_4 = 1 + outgoing_blocks_4
    # packet_bytes at stage = PP - 3: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0, True))  [byte]
    packet_bytes_4 = np.where((PP - 3 >= 1), stream_bytes * packet_expansion_4, 0)
    # packet_bytes_nvlink at stage = PP - 3: Piecewise((0, Eq(Mod(stage, stages_per_domain), 0)), (packet_bytes,
    # True))  [byte@nvlink]
    packet_bytes_nvlink_4 = np.where(_divides(stages_per_domain, PP - 3), 0, packet_bytes_4)
    # outgoing_blocks at stage = PP - 4: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_5 = np.floor(((PP - 4) * stage_layers) / attn_res_block)
    # packet_expansion at stage = PP - 4: 1 + outgoing_blocks  [stream]
    packet_expansion_5 = 1 + outgoing_blocks_5
    # packet_bytes at stage = PP - 4: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0, True))  [byte]
    packet_bytes_5 = np.where((PP - 4 >= 1), stream_bytes * packet_expansion_5, 0)
    # packet_bytes_nvlink at stage = PP - 4: Piecewise((0, Eq(Mod(stage, stages_per_domain), 0)), (packet_bytes,
    # True))  [byte@nvlink]
    packet_bytes_nvlink_5 = np.where(_divides(stages_per_domain, PP - 4), 0, packet_bytes_5)
    # M*Max(packet_bytes_nvlink(stage=PP - 1) + packet_bytes_nvlink(stage=PP - 2), packet_bytes_nvlink(stage=PP - 2)
    # + packet_bytes_nvlink(stage=PP - 3), packet_bytes_nvlink(stage=PP - 3) + packet_bytes_nvlink(stage=PP - 4))
    # [byte@nvlink/update]
    pp_bytes_per_update_nvlink = (
        M * np.maximum(np.maximum(packet_bytes_nvlink_2 + packet_bytes_nvlink_3, packet_bytes_nvlink_3
        + packet_bytes_nvlink_4), packet_bytes_nvlink_4 + packet_bytes_nvlink_5)
    )
    # M*stage_moe_layers*payload_bytes_nvlink + metadata_all_gathers*metadata_bytes_nvlink + fsdp_bytes_nvlink +
    # routed_weight_bytes_nvlink + pp_bytes_per_update_nvlink  [byte@nvlink/update]
    nvlink_bytes_per_update = (
        M * stage_moe_layers * payload_bytes_nvlink + metadata_all_gathers * metadata_bytes_nvlink
        + fsdp_bytes_nvlink + routed_weight_bytes_nvlink + pp_bytes_per_update_nvlink
    )
    # nvlink_bytes_per_update/nvlink_bandwidth  [s]
    nvlink_time = nvlink_bytes_per_update / nvlink_bandwidth
    # exchanges*local_tokens*latent_row_bytes*payload_copies_cross_domain  [byte@scaleout]
    payload_bytes_cross_domain = exchanges * local_tokens * latent_row_bytes * cross_domain_copies
    # (EP - local_EP_ranks)/local_EP_ranks*routing_map_bytes  [byte@scaleout]
    metadata_bytes_scaleout = ((EP - local_EP_ranks) / local_EP_ranks) * routing_map_bytes
    # bf16_bytes*hierarchical_import_parameters  [byte]
    hierarchical_import_bytes = bf16_bytes * hierarchical_import_parameters
    # hierarchical_import_bytes/domain_nics  [byte]
    hierarchical_import_bytes_per_rank = hierarchical_import_bytes / local_FSDP_ranks
    # fp32_bytes*hierarchical_import_parameters/domain_nics  [byte]
    hierarchical_export_bytes_per_rank = (fp32_bytes * hierarchical_import_parameters) / local_FSDP_ranks
    # all_gathers_per_update*hierarchical_import_bytes_per_rank +
    # reduce_scatters_per_update*hierarchical_export_bytes_per_rank  [byte@scaleout/update]
    fsdp_bytes_scaleout = hierarchical_import_bytes_per_rank + hierarchical_export_bytes_per_rank
    # routed_weight_bytes_whole*routed_import_share  [byte@scaleout/update]
    routed_weight_bytes_scaleout = routed_weight_bytes_whole * routed_import_share
    # stages_per_domain*floor((PP - 1)/stages_per_domain)  [stage]
    last_scaleout_hop = stages_per_domain * np.floor((PP - 1) / stages_per_domain)
    # outgoing_blocks at stage = last_scaleout_hop: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_6 = np.floor((last_scaleout_hop * stage_layers) / attn_res_block)
    # packet_expansion at stage = last_scaleout_hop: 1 + outgoing_blocks  [stream]
    packet_expansion_6 = 1 + outgoing_blocks_6
    # packet_bytes at stage = last_scaleout_hop: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0, True))
    # [byte]
    packet_bytes_6 = np.where((last_scaleout_hop >= 1), stream_bytes * packet_expansion_6, 0)
    # packet_bytes_scaleout at stage = last_scaleout_hop: Piecewise((packet_bytes, Eq(Mod(stage, stages_per_domain),
    # 0)), (0, True))  [byte@scaleout]
    packet_bytes_scaleout_2 = np.where(_divides(stages_per_domain, last_scaleout_hop), packet_bytes_6, 0)
    # outgoing_blocks at stage = last_scaleout_hop - 1: floor(stage*stage_layers/attn_res_block)  [block]
    outgoing_blocks_7 = np.floor(((last_scaleout_hop - 1) * stage_layers) / attn_res_block)
    # packet_expansion at stage = last_scaleout_hop - 1: 1 + outgoing_blocks  [stream]
    packet_expansion_7 = 1 + outgoing_blocks_7
    # packet_bytes at stage = last_scaleout_hop - 1: Piecewise((stream_bytes*packet_expansion, stage >= 1), (0,
    # True))  [byte]
    packet_bytes_7 = np.where((last_scaleout_hop - 1 >= 1), stream_bytes * packet_expansion_7, 0)
    # packet_bytes_scaleout at stage = last_scaleout_hop - 1: Piecewise((packet_bytes, Eq(Mod(stage,
    # stages_per_domain), 0)), (0, True))  [byte@scaleout]
    packet_bytes_scaleout_3 = np.where(_divides(stages_per_domain, last_scaleout_hop - 1), packet_bytes_7, 0)
    # M*(packet_bytes_scaleout(stage=last_scaleout_hop) + packet_bytes_scaleout(stage=last_scaleout_hop - 1))
    # [byte@scaleout/update]
    pp_bytes_per_update = M * (packet_bytes_scaleout_2 + packet_bytes_scaleout_3)
    # M*stage_moe_layers*payload_bytes_cross_domain + metadata_all_gathers*metadata_bytes_scaleout +
    # fsdp_bytes_scaleout + routed_weight_bytes_scaleout + pp_bytes_per_update  [byte@scaleout/update]
    scaleout_bytes_per_update = (
        M * stage_moe_layers * payload_bytes_cross_domain + metadata_all_gathers * metadata_bytes_scaleout
        + fsdp_bytes_scaleout + routed_weight_bytes_scaleout + pp_bytes_per_update
    )
    # scaleout_bytes_per_update/scaleout_bandwidth  [s]
    scaleout_time = scaleout_bytes_per_update / scaleout_bandwidth
    # Max(compute_time, hbm_time, nvlink_time, scaleout_time)  [s]
    resource_time = np.maximum(np.maximum(np.maximum(compute_time, hbm_time), nvlink_time), scaleout_time)
    # (PP - 1)/M  [1]
    bubble_overhead = (PP - 1) / M
    # compute_time*bubble_overhead  [s]
    bubble_time = compute_time * bubble_overhead
    # resource_time + bubble_time  [s]
    step_time = resource_time + bubble_time
    return {
        "step_time": step_time,
    }


def step_time(
    layers=93, dense_layers=1, hidden=7168, vocab=163840, latent_width=3584, experts=896, top_k=16,
    expert_ffn=3072, shared_ffn=6144, dense_ffn=33792, kda_layers=69, kda_heads=96, kda_head_dim=128,
    kda_decay_rank=128, kda_chunk=64, mla_layers=24, mla_period=4, mla_heads=96, q_lora_rank=1536,
    kv_lora_rank=512, qk_nope_dim=128, qk_rope_dim=64, v_head_dim=128, attn_res_block=6,
    peak_flops=2500000000000000, hbm_bandwidth=8000000000000, nvlink_bandwidth=900000000000,
    scaleout_bandwidth=50000000000, domain_ranks=64, world=512, TP=1, PP=8, CP=1, EP=64, M=64, rows=1,
    context=4096, doc_length=4096, checkpoint=1, bf16_bytes=2, fp32_bytes=4, bool_bytes=1,
    compute_efficiency=1,
):
    """Time of an update in the sketch [s]."""
    return compute(layers=layers, dense_layers=dense_layers, hidden=hidden, vocab=vocab, latent_width=latent_width, experts=experts, top_k=top_k, expert_ffn=expert_ffn, shared_ffn=shared_ffn, dense_ffn=dense_ffn, kda_layers=kda_layers, kda_heads=kda_heads, kda_head_dim=kda_head_dim, kda_decay_rank=kda_decay_rank, kda_chunk=kda_chunk, mla_layers=mla_layers, mla_period=mla_period, mla_heads=mla_heads, q_lora_rank=q_lora_rank, kv_lora_rank=kv_lora_rank, qk_nope_dim=qk_nope_dim, qk_rope_dim=qk_rope_dim, v_head_dim=v_head_dim, attn_res_block=attn_res_block, peak_flops=peak_flops, hbm_bandwidth=hbm_bandwidth, nvlink_bandwidth=nvlink_bandwidth, scaleout_bandwidth=scaleout_bandwidth, domain_ranks=domain_ranks, world=world, TP=TP, PP=PP, CP=CP, EP=EP, M=M, rows=rows, context=context, doc_length=doc_length, checkpoint=checkpoint, bf16_bytes=bf16_bytes, fp32_bytes=fp32_bytes, bool_bytes=bool_bytes, compute_efficiency=compute_efficiency)["step_time"]
