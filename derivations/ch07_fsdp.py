"""Sharded weights and their collectives

FSDP is an acronym for a family of schedules. How often a group is gathered depends on whether its weights are dropped after
the forward pass, whether a pipeline keeps them for all microbatches, and whether gradients accumulate; the bytes of one
collective are the smaller half of the answer. The convention below names the settings in use, and everything multiplies by
it.

Dense weights are sharded over all ranks of a stage. Where those span several domains, a hierarchical collective imports what
a domain lacks once and shares it inside; dividing the import by the NICs of the domain gives a budget for each rank, not the
measured volume of any algorithm that NCCL picks.

[moe] Where an EP group fills its stage, a routed expert lives on one rank of it and there is nothing to gather. Where groups
are smaller, several ranks hold the same experts, and a weight gather appears from nothing.
"""

from symroof import argument, convention, nvlink, quantity, scaleout, where

RING = "ring collective: a rank passes on every shard but one of its own"
IMPORT = "the article: what a of n shards lack, P (1 - a/n), enters a domain once; an ideal bound"

fsdp_lifecycle = convention(
    "when FSDP gathers and drops the weights of a group",
    default="pipeline_never",
    ref="torchtitan and FSDP2: reshard_after_forward, with and without a pipeline",
    pipeline_never="weights kept for all microbatches of a pipeline; with PP = 1 as no_pipeline_never",
    pipeline_always="weights dropped after each forward pass of a pipeline; with PP = 1 as no_pipeline_always",
    no_pipeline_always="each microbatch gathers and reduces for itself, weights dropped after each forward pass",
    no_pipeline_never="each microbatch gathers and reduces for itself, weights kept between forward and backward",
)


@quantity(
    "parameter",
    latex=r"P_s",
    ref="the layers of an interior stage, and without a pipeline embedding and LM head too",
    assumes="matrices only: the small vectors are left out",
)
def stage_dense_parameters(PP, stage_layer_parameters, dense_matrix_parameters):
    """Dense matrix weights of an interior stage; of the whole model where it is not cut into stages."""
    return where(PP >= 2, stage_layer_parameters, dense_matrix_parameters)


@quantity(
    "parameter",
    latex=r"P_{s,\mathrm{layer}}",
    ref="what layers have beside routed experts: attention, and a dense FFN where they do not route",
    assumes="matrices only: the small vectors are left out",
)
def stage_layer_parameters(
    stage_kda_layers,
    kda_layer_parameters,
    stage_mla_layers,
    mla_layer_parameters,
    stage_gqa_layers,
    gqa_layer_parameters,
    stage_gdn_layers,
    gdn_layer_parameters,
    indexer_layer_parameters,
    stage_moe_layers,
    moe_layer_dense_parameters,
    stage_layers,
    ffn_layer_parameters,
):
    """Dense matrix weights of an interior stage's layers."""
    return (
        stage_kda_layers * kda_layer_parameters
        + stage_mla_layers * mla_layer_parameters
        + stage_gqa_layers * gqa_layer_parameters
        + stage_gdn_layers * gdn_layer_parameters
        + stage_mla_layers * indexer_layer_parameters
        + stage_moe_layers * moe_layer_dense_parameters
        + (stage_layers - stage_moe_layers) * ffn_layer_parameters
    )


@quantity("parameter", latex=r"P_{s,\mathrm{routed}}", ref="the experts that a rank computes with, gathered if they are sharded")
def stage_routed_parameters_per_rank(stage_moe_layers, experts_per_rank, expert_parameters):
    """Routed expert weights of an interior stage that a rank computes with."""
    return stage_moe_layers * experts_per_rank * expert_parameters


@quantity("byte", latex=r"B_{\mathrm{AG}}", ref="the article: 2P (1 - 1/n) received bytes a rank; " + RING)
def ring_all_gather_bytes(bf16_bytes, stage_dense_parameters, dense_FSDP):
    """Bytes that a rank receives when a stage's dense weights are gathered once, in BF16."""
    return bf16_bytes * stage_dense_parameters * (1 - 1 / dense_FSDP)


@quantity("byte", latex=r"B_{\mathrm{RS}}", ref="the article: 4P (1 - 1/n) for FP32 gradients; " + RING)
def ring_reduce_scatter_bytes(fp32_bytes, stage_dense_parameters, dense_FSDP):
    """Bytes that a rank sends when a stage's dense gradients are reduced and scattered once, in FP32."""
    return fp32_bytes * stage_dense_parameters * (1 - 1 / dense_FSDP)


@quantity("collective/update", latex=r"n_{\mathrm{AG}}", ref="FSDP2 collective counts for each parameter group")
def all_gathers_per_update(M, PP, fsdp_lifecycle):
    """Weight all-gathers of a parameter group in an update."""
    return fsdp_lifecycle.choose(
        pipeline_never=where(PP >= 2, 1, M),
        pipeline_always=where(PP >= 2, M + 1, 2 * M),
        no_pipeline_always=2 * M,
        no_pipeline_never=M,
    )


@quantity("collective/update", latex=r"n_{\mathrm{RS}}", ref="FSDP2 collective counts for each parameter group")
def reduce_scatters_per_update(M, PP, fsdp_lifecycle):
    """Gradient reduce-scatters of a parameter group in an update."""
    once = where(PP >= 2, 1, M)
    return fsdp_lifecycle.choose(pipeline_never=once, pipeline_always=once, no_pipeline_always=M, no_pipeline_never=M)


@quantity(
    "byte/update",
    latex=r"B^{\mathrm{upd}}_{\mathrm{fsdp}}",
    ref="the article: bytes of a collective times how many of them there are",
)
def fsdp_bytes_per_update(all_gathers_per_update, ring_all_gather_bytes, reduce_scatters_per_update, ring_reduce_scatter_bytes):
    """Dense FSDP bytes of a rank in an update, on all carriers."""
    return all_gathers_per_update * ring_all_gather_bytes + reduce_scatters_per_update * ring_reduce_scatter_bytes


@quantity("parameter", latex=r"P_{\mathrm{imp}}", ref=IMPORT)
def hierarchical_import_parameters(stage_dense_parameters, local_FSDP_ranks, dense_FSDP):
    """Dense weights of a stage that a domain lacks and must import for one gather."""
    return stage_dense_parameters * (1 - local_FSDP_ranks / dense_FSDP)


@quantity("byte", latex=r"B_{\mathrm{imp}}", ref=IMPORT)
def hierarchical_import_bytes(bf16_bytes, hierarchical_import_parameters):
    """Bytes that a domain imports for one dense all-gather, in BF16."""
    return bf16_bytes * hierarchical_import_parameters


@argument("NIC", latex=r"n_{\mathrm{nic}}", ref="one NIC for each GPU, as in GB200 NVL72")
def domain_nics(local_FSDP_ranks):
    """NICs of a domain that share the import of a dense collective: by default one for each of its ranks in the group."""
    return local_FSDP_ranks


@quantity(
    "byte", latex=r"B^{\mathrm{rank}}_{\mathrm{imp}}", ref="the article: dividing by a models a rank's share of an a-NIC budget"
)
def hierarchical_import_bytes_per_rank(hierarchical_import_bytes, domain_nics):
    """A rank's share of its domain's import for one dense all-gather."""
    return hierarchical_import_bytes / domain_nics


@quantity("byte", latex=r"B^{\mathrm{rank}}_{\mathrm{exp}}", ref="the gather's import turned round, with FP32 gradients")
def hierarchical_export_bytes_per_rank(fp32_bytes, hierarchical_import_parameters, domain_nics):
    """A rank's share of what its domain sends out for one dense reduce-scatter."""
    return fp32_bytes * hierarchical_import_parameters / domain_nics


@quantity("byte@scaleout/update", latex=r"B_{\mathrm{fsdp,net}}", ref="layout: a group over several domains imports on scale-out")
def fsdp_bytes_scaleout(
    all_gathers_per_update, hierarchical_import_bytes_per_rank, reduce_scatters_per_update, hierarchical_export_bytes_per_rank
):
    """Dense FSDP bytes of a rank in an update that the scale-out network moves."""
    return scaleout * (
        all_gathers_per_update * hierarchical_import_bytes_per_rank
        + reduce_scatters_per_update * hierarchical_export_bytes_per_rank
    )


@quantity("byte@nvlink/update", latex=r"B_{\mathrm{fsdp,nvl}}", ref="layout: what does not cross domains moves on NVLink")
def fsdp_bytes_nvlink(
    all_gathers_per_update,
    ring_all_gather_bytes,
    bf16_bytes,
    reduce_scatters_per_update,
    ring_reduce_scatter_bytes,
    fp32_bytes,
    hierarchical_import_parameters,
    local_FSDP_ranks,
):
    """Dense FSDP bytes of a rank in an update that NVLink moves, in the mean over the domain, however many NICs it has."""
    return nvlink * (
        all_gathers_per_update * (ring_all_gather_bytes - bf16_bytes * hierarchical_import_parameters / local_FSDP_ranks)
        + reduce_scatters_per_update
        * (ring_reduce_scatter_bytes - fp32_bytes * hierarchical_import_parameters / local_FSDP_ranks)
    )


@quantity("byte", latex=r"B_{\mathrm{rAG}}", ref="the article: expert FSDP1 has no routed-weight gather; " + RING)
def routed_weight_all_gather_bytes(bf16_bytes, stage_routed_parameters_per_rank, expert_FSDP):
    """Bytes that a rank receives when its stage's routed experts are gathered once, in BF16."""
    return bf16_bytes * stage_routed_parameters_per_rank * (1 - 1 / expert_FSDP)


@quantity("byte", latex=r"B_{\mathrm{rRS}}", ref="as for dense gradients; " + RING)
def routed_weight_reduce_scatter_bytes(fp32_bytes, stage_routed_parameters_per_rank, expert_FSDP):
    """Bytes that a rank sends when its stage's routed gradients are reduced and scattered once, in FP32."""
    return fp32_bytes * stage_routed_parameters_per_rank * (1 - 1 / expert_FSDP)


@quantity("byte/update", latex=r"B^{\mathrm{upd}}_{\mathrm{routed}}", ref="the lifecycle of the dense weights")
def routed_weight_bytes_per_update(
    all_gathers_per_update, routed_weight_all_gather_bytes, reduce_scatters_per_update, routed_weight_reduce_scatter_bytes
):
    """Routed-weight FSDP bytes of a rank in an update, on all carriers."""
    return (
        all_gathers_per_update * routed_weight_all_gather_bytes + reduce_scatters_per_update * routed_weight_reduce_scatter_bytes
    )


@quantity("1", latex=r"\phi_{\mathrm{net}}", ref="layout: a domain's ranks of the group import what it lacks once and share it")
def routed_import_share(expert_FSDP, local_expert_FSDP_ranks):
    """A rank's scale-out share of a routed-weight collective, as a part of the weights: zero inside one domain."""
    return (1 - local_expert_FSDP_ranks / expert_FSDP) / local_expert_FSDP_ranks


@quantity("byte/update", latex=r"B_{\mathrm{routed}}^{1}", ref="the lifecycle of the dense weights; BF16 weights, FP32 gradients")
def routed_weight_bytes_whole(
    all_gathers_per_update, bf16_bytes, reduce_scatters_per_update, fp32_bytes, stage_routed_parameters_per_rank
):
    """Size of all routed weights and gradients that an update's collectives handle, before any share is taken."""
    return (all_gathers_per_update * bf16_bytes + reduce_scatters_per_update * fp32_bytes) * stage_routed_parameters_per_rank


@quantity(
    "byte@scaleout/update", latex=r"B_{\mathrm{routed,net}}", ref="layout: a group over several domains imports on scale-out"
)
def routed_weight_bytes_scaleout(routed_weight_bytes_whole, routed_import_share):
    """Routed-weight bytes of a rank in an update that the scale-out network moves."""
    return scaleout * routed_weight_bytes_whole * routed_import_share


@quantity("byte@nvlink/update", latex=r"B_{\mathrm{routed,nvl}}", ref="layout: what does not cross domains moves on NVLink")
def routed_weight_bytes_nvlink(routed_weight_bytes_whole, expert_FSDP, routed_import_share):
    """Routed-weight bytes of a rank in an update that NVLink moves."""
    return nvlink * routed_weight_bytes_whole * (1 - 1 / expert_FSDP - routed_import_share)
