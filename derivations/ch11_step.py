"""An optimistic sketch

Put the bytes of each carrier over its bandwidth and the FLOPs over the peak, let everything overlap perfectly, take the
slowest, and add the bubble. What comes out is a diagnostic: a time to hold a run against, and a name for what binds it. It
is optimistic where it lets everything overlap at full rate. Nobody should plan a date on this number, and a better schedule may
beat it.

[moe] It is not optimistic everywhere: the default payload is one copy for each assignment, which HybridEP stays below across
domains and may exceed over NVLink. So where EP groups span several domains, look at the dispatch conventions before blaming a
network.

Compute is priced over all GPUs, as if stages were balanced, which is what the step uses; beside it stand an interior stage
and the slowest one. With a large vocabulary that is the last stage, where the LM head may weigh more than the layers it
lacks, and the time in which every slot of the pipeline waits for it is the other end of the sketch: a run that is perfect
otherwise lies between the two. The bytes are those of an interior stage or, in the pipeline, of the busiest rank. The bubble
of the sketch is that of compute, also where another resource binds. Both utilizations use the dense peak. MFU counts useful
work by a public estimator and HFU what the GPUs execute; MFU charges attention without a causal half and no recomputation,
so the two need not be ordered, and for long documents the estimator alone can exceed what the hardware could do. Memory has
its own budget, which is not here.
"""

from symroof import FLOP, Max, hbm, largest, quantity

OVERLAP = "everything overlaps, everything reaches its peak"


@quantity(
    "s", latex=r"t_{\mathrm{comp}}", ref="executed FLOPs of an update over the peak of the world", assumes="balanced stages"
)
def compute_time(executed_flops_per_token, global_batch_tokens, world, peak_flops, compute_efficiency):
    """Time of an update's FLOPs, spread evenly over all GPUs."""
    return executed_flops_per_token * global_batch_tokens / (world * peak_flops * compute_efficiency)


@quantity("FLOP/token", latex=r"\hat F_{s}", ref="an interior stage's layers, without an LM head")
def interior_stage_flops_per_token(
    checkpoint,
    stage_layer_parameters,
    stage_moe_layers,
    top_k,
    expert_parameters,
    stage_mla_layers,
    mla_layers,
    mla_forward_flops,
    stage_kda_layers,
    kda_layers,
    kda_forward_flops,
    stage_gqa_layers,
    gqa_layers,
    gqa_forward_flops,
    stage_gdn_layers,
    gdn_layers,
    gdn_forward_flops,
    indexer_forward_flops,
):
    """FLOPs that an interior stage executes for one token, the recomputed forward pass included."""
    return (6 + 2 * checkpoint) * FLOP * (stage_layer_parameters + stage_moe_layers * top_k * expert_parameters) + (
        3 + checkpoint
    ) * (
        stage_mla_layers / mla_layers * mla_forward_flops
        + stage_kda_layers / kda_layers * kda_forward_flops
        + stage_gqa_layers / gqa_layers * gqa_forward_flops
        + stage_gdn_layers / gdn_layers * gdn_forward_flops
        + stage_mla_layers / mla_layers * indexer_forward_flops
    )


@quantity("s", latex=r"t_{\mathrm{comp},s}", ref="the FLOPs of an interior stage over the peak of its ranks")
def interior_stage_compute_time(interior_stage_flops_per_token, global_batch_tokens, world, PP, peak_flops, compute_efficiency):
    """Time of an update's FLOPs on an interior stage."""
    return interior_stage_flops_per_token * global_batch_tokens / (world / PP * peak_flops * compute_efficiency)


@quantity(
    "FLOP/token",
    latex=r"\hat F_{(s)}",
    ref="the interior stage's formula with this stage's layers; the LM head on the last stage, not computed twice",
)
def stage_flops_per_token(
    interior_stage_flops_per_token,
    memory_dense_parameters,
    memory_vocabulary_parameters,
    memory_moe_layers,
    memory_mla_layers,
    memory_kda_layers,
    memory_gqa_layers,
    memory_gdn_layers,
    is_last_stage,
    lm_head_parameters,
):
    """FLOPs that the stage of memory_stage executes for one token, the recomputed forward pass included."""
    return (
        interior_stage_flops_per_token(
            stage_layer_parameters=memory_dense_parameters - memory_vocabulary_parameters,
            stage_moe_layers=memory_moe_layers,
            stage_mla_layers=memory_mla_layers,
            stage_kda_layers=memory_kda_layers,
            stage_gqa_layers=memory_gqa_layers,
            stage_gdn_layers=memory_gdn_layers,
        )
        + 6 * FLOP * is_last_stage * lm_head_parameters
    )


@quantity(
    "FLOP/token",
    latex=r"\hat F_{s}^{\max}",
    ref="the first stage, the last one with the LM head, and one of those between, which are alike",
)
def slowest_stage_flops_per_token(stage_flops_per_token, memory_plain_stage, PP):
    """FLOPs for one token of the stage that has the most of them."""
    return Max(
        stage_flops_per_token(memory_stage=1),
        stage_flops_per_token(memory_stage=memory_plain_stage),
        stage_flops_per_token(memory_stage=PP),
    )


@quantity("s", latex=r"t_{\mathrm{comp}}^{\max}", ref="the FLOPs of the slowest stage over the peak of its ranks")
def slowest_stage_compute_time(slowest_stage_flops_per_token, global_batch_tokens, world, PP, peak_flops, compute_efficiency):
    """Time of an update's FLOPs on the stage that has the most of them."""
    return slowest_stage_flops_per_token * global_batch_tokens / (world / PP * peak_flops * compute_efficiency)


@quantity("1", latex=r"\eta_{s}", ref="the slowest stage over the mean of all stages")
def stage_imbalance(slowest_stage_compute_time, compute_time):
    """How many times longer the slowest stage computes than stages do in the mean; 1 where they are balanced."""
    return slowest_stage_compute_time / compute_time


@quantity(
    "s",
    latex=r"t_{\mathrm{hbm}}",
    ref="weights read in BF16 by each pass, FP32 gradients read and written, once a microbatch",
    assumes="weights alone: activations, optimizer and buffers are left out",
)
def hbm_time(M, stage_dense_parameters, stage_routed_parameters_per_rank, bf16_bytes, checkpoint, fp32_bytes, hbm_bandwidth):
    """Time of an interior stage's weight traffic through HBM in an update."""
    return (
        M
        * hbm
        * (stage_dense_parameters + stage_routed_parameters_per_rank)
        * (bf16_bytes * (2 + checkpoint) + 2 * fp32_bytes)
        / hbm_bandwidth
    )


@quantity("byte@nvlink/update", latex=r"B_{\mathrm{nvl}}", ref="what the chapters before have NVLink move in an update")
def nvlink_bytes_per_update(
    M,
    stage_moe_layers,
    payload_bytes_nvlink,
    metadata_all_gathers,
    metadata_bytes_nvlink,
    fsdp_bytes_nvlink,
    routed_weight_bytes_nvlink,
    pp_bytes_per_update_nvlink,
):
    """Bytes that NVLink moves for a rank in an update."""
    return (
        M * stage_moe_layers * payload_bytes_nvlink
        + metadata_all_gathers * metadata_bytes_nvlink
        + fsdp_bytes_nvlink
        + routed_weight_bytes_nvlink
        + pp_bytes_per_update_nvlink
    )


@quantity("byte@scaleout/update", latex=r"B_{\mathrm{net}}", ref="what the chapters before have leave a domain in an update")
def scaleout_bytes_per_update(
    M,
    stage_moe_layers,
    payload_bytes_cross_domain,
    metadata_all_gathers,
    metadata_bytes_scaleout,
    fsdp_bytes_scaleout,
    routed_weight_bytes_scaleout,
    pp_bytes_per_update,
):
    """Bytes that the scale-out network moves for a rank in an update."""
    return (
        M * stage_moe_layers * payload_bytes_cross_domain
        + metadata_all_gathers * metadata_bytes_scaleout
        + fsdp_bytes_scaleout
        + routed_weight_bytes_scaleout
        + pp_bytes_per_update
    )


@quantity(
    "s",
    latex=r"t_{\mathrm{nvl}}",
    ref="bytes over the bandwidth that carries them",
    assumes="one direction counted, the other one free",
)
def nvlink_time(nvlink_bytes_per_update, nvlink_bandwidth):
    """Service time of an update's NVLink bytes."""
    return nvlink_bytes_per_update / nvlink_bandwidth


@quantity(
    "s",
    latex=r"t_{\mathrm{net}}",
    ref="bytes over the bandwidth that carries them",
    assumes="one direction counted, the other one free",
)
def scaleout_time(scaleout_bytes_per_update, scaleout_bandwidth):
    """Service time of an update's scale-out bytes."""
    return scaleout_bytes_per_update / scaleout_bandwidth


@quantity("s", latex=r"t_{\mathrm{res}}^{\max}", ref="the slowest of four resources that work at the same time", assumes=OVERLAP)
def resource_time(compute_time, hbm_time, nvlink_time, scaleout_time):
    """Time of the resource that binds."""
    return Max(compute_time, hbm_time, nvlink_time, scaleout_time)


@quantity("name", latex=r"\mathrm{binding}", ref="the largest of the four", assumes=OVERLAP)
def binding_resource(compute_time, hbm_time, nvlink_time, scaleout_time):
    """Which resource binds, by the name of its time."""
    return largest(compute_time=compute_time, hbm_time=hbm_time, nvlink_time=nvlink_time, scaleout_time=scaleout_time)


@quantity(
    "s",
    latex=r"t_{\mathrm{bub}}",
    ref="the article: ordinary 1F1B, (PP - 1)/M of the useful compute",
    assumes="balanced stages; the bubble of compute, also where another resource binds",
)
def bubble_time(compute_time, bubble_overhead):
    """Idle time of the pipeline in an update."""
    return compute_time * bubble_overhead


@quantity(
    "s",
    latex=r"t_{\mathrm{step}}",
    ref="the article: resource time plus bubble, a sketch for diagnosis",
    assumes=OVERLAP,
)
def step_time(resource_time, bubble_time):
    """Time of an update in the sketch."""
    return resource_time + bubble_time


@quantity(
    "s",
    latex=r"t_{\mathrm{lock}}",
    ref="1F1B with unequal stages: M + PP - 1 slots, each as long as what is slowest in it",
    assumes="everything overlaps within a slot; a slot waits for the slowest stage and the slowest resource",
)
def lockstep_time(slowest_stage_compute_time, resource_time, bubble_overhead):
    """Time of an update where every slot of the pipeline waits for the slowest stage: above the sketch, never below it."""
    return Max(slowest_stage_compute_time, resource_time) * (1 + bubble_overhead)


@quantity("token/s/GPU", latex=r"\tau", ref="tokens of an update over its time and its GPUs", assumes=OVERLAP)
def tokens_per_second_per_gpu(global_batch_tokens, step_time, world):
    """Throughput of the sketch."""
    return global_batch_tokens / (step_time * world)


@quantity("1", latex=r"\mathrm{MFU}", ref="the article: torchtitan's estimator over the dense peak", assumes=OVERLAP)
def MFU(torchtitan_flops_per_token, tokens_per_second_per_gpu, peak_flops):
    """Model FLOP utilization of the sketch, by torchtitan's estimator."""
    return torchtitan_flops_per_token * tokens_per_second_per_gpu / peak_flops


@quantity("1", latex=r"\mathrm{HFU}", ref="executed FLOPs, recomputation included, over the dense peak", assumes=OVERLAP)
def HFU(executed_flops_per_token, tokens_per_second_per_gpu, peak_flops):
    """Hardware FLOP utilization of the sketch."""
    return executed_flops_per_token * tokens_per_second_per_gpu / peak_flops
