"""One run's accounting

Everything later counts ranks, tokens and layers, so this chapter fixes them once. The world is cut by tensor, pipeline and
context parallelism; what remains are independent data replicas. The groups that share weights are laid inside a pipeline
stage, on contiguous ranks, which decides what stays on NVLink.

Two dependencies are easy to miss. Rows and microbatches change the global batch; context parallelism changes the number of
replicas and shortens each rank's arrays, while the logical context stays as long as it was. A stage is taken from the
interior of the pipeline, or is the whole model where nothing cuts it; where its share of one kind of layers is a fraction, it
is the average over interior stages.
"""

from symroof import Max, Min, both, ceiling, constraint, divides, either, equal, quantity, total

MEAN = "the average over interior stages"


@quantity("replica", latex=r"\mathrm{DP}", ref="the article: what tensor, pipeline and context parallelism leave of the world")
def DP(world, TP, PP, CP):
    """Independent data replicas."""
    return world / (TP * PP * CP)


@quantity("token", latex="T", ref="the article: context parallelism shortens what a rank holds")
def local_tokens(rows, context, CP):
    """Tokens of a microbatch that one rank holds."""
    return rows * context / CP


@quantity("token/update", latex=r"D", ref="the article: the global batch grows with rows and with microbatches")
def global_batch_tokens(DP, M, rows, context):
    """Tokens of an optimizer update over all replicas."""
    return DP * M * rows * context


@quantity(
    "layer", latex=r"L_{\mathrm{MoE}}", ref="published configurations: every layer but the first dense ones routes", block="moe"
)
def moe_layers(layers, dense_layers):
    """Decoder layers with routed experts."""
    return layers - dense_layers


@quantity("expert", latex=r"E_r", ref="expert parallelism: experts spread evenly over the group")
def experts_per_rank(experts, EP):
    """Experts of one layer that a rank holds."""
    return experts / EP


@quantity("rank", latex=r"n_{\mathrm{fsdp}}", ref="the article: dense weights are sharded over the ranks of a stage")
def dense_FSDP(world, TP, PP):
    """Ranks over which a stage's dense weights are sharded; context-parallel ranks shard weights too."""
    return world / (TP * PP)


@quantity("rank", latex=r"n_{\mathrm{efsdp}}", ref="the article: what expert parallelism leaves of a stage's ranks")
def expert_FSDP(world, TP, PP, EP):
    """Ranks over which a routed expert's weights are sharded: the ranks of a stage that hold the same experts."""
    return world / (TP * PP * EP)


@quantity("rank", latex=r"a_{\mathrm{ep}}", ref="layout: EP groups are contiguous, the innermost of a stage")
def local_EP_ranks(EP, domain_ranks):
    """Ranks of an EP group that share one NVLink domain."""
    return Min(EP, domain_ranks)


@quantity("rank", latex=r"a_{\mathrm{fsdp}}", ref="layout: a stage's ranks are contiguous")
def local_FSDP_ranks(dense_FSDP, domain_ranks):
    """Ranks of a dense FSDP group that share one NVLink domain."""
    return Min(dense_FSDP, domain_ranks)


@quantity("rank", latex=r"a_{\mathrm{efsdp}}", ref="layout: the members of an expert FSDP group are EP ranks apart")
def local_expert_FSDP_ranks(expert_FSDP, domain_ranks, EP):
    """Ranks of an expert FSDP group that share one NVLink domain."""
    return Max(1, Min(expert_FSDP, domain_ranks / EP))


@quantity("stage/domain", latex=r"q", ref="layout: a stage's world/PP ranks are contiguous", assumes="TP = 1")
def stages_per_domain(domain_ranks, world, PP):
    """Pipeline stages that share one NVLink domain; 1 where a stage fills a domain or more."""
    return Max(1, domain_ranks / (world / PP))


@quantity(
    "layer/stage",
    latex=r"L_s",
    ref="balanced contiguous stages; what is missing is missing in the last one",
    assumes="an interior stage: with two stages there is none, and dense FFN layers, embedding and LM head are not in it",
)
def stage_layers(layers, PP):
    """Decoder layers of an interior pipeline stage."""
    return ceiling(layers / PP)


@quantity("layer/stage", latex=r"L_{s,\mathrm{MoE}}", ref="an interior stage has no dense layer unless it has nearly all layers")
def stage_moe_layers(stage_layers, moe_layers):
    """MoE layers of an interior stage."""
    return Min(stage_layers, moe_layers)


@quantity(
    "layer/stage",
    latex=r"L_{s,\mathrm{MLA}}",
    ref="published configurations: one layer of so many is MLA",
    assumes="a fraction is the average over interior stages; a layer beyond the period, at the end, is in no interior stage",
)
def stage_mla_layers(stage_layers, mla_period):
    """MLA layers of an interior stage."""
    return stage_layers / mla_period


@quantity("layer/stage", latex=r"L_{s,\mathrm{KDA}}", ref="what is not MLA is KDA", block="kda")
def stage_kda_layers(stage_layers, stage_mla_layers):
    """KDA layers of an interior stage."""
    return stage_layers - stage_mla_layers


@quantity("layer/stage", latex=r"L_{s,\mathrm{GQA}}", ref="a stage has its share of the layers of a kind", assumes=MEAN)
def stage_gqa_layers(stage_layers, gqa_layers, layers):
    """Layers with grouped-query attention of an interior stage."""
    return stage_layers * gqa_layers / layers


@quantity("layer/stage", latex=r"L_{s,\mathrm{win}}", ref="a stage has its share of the layers of a kind", assumes=MEAN)
def stage_windowed_layers(stage_layers, windowed_layers, layers):
    """Layers of an interior stage that attend within the sliding window."""
    return stage_layers * windowed_layers / layers


@quantity("layer/stage", latex=r"L_{s,\mathrm{GDN}}", ref="a stage has its share of the layers of a kind", assumes=MEAN)
def stage_gdn_layers(stage_layers, gdn_layers, layers):
    """Gated delta layers of an interior stage."""
    return stage_layers * gdn_layers / layers


@constraint
def tensor_parallel_is_one(TP):
    """The book prices no tensor parallelism."""
    return equal(TP, 1)


@constraint
def degrees_divide_world(TP, PP, CP, world):
    """Tensor, pipeline and context parallelism cut the world evenly."""
    return divides(TP * PP * CP, world)


@constraint
def ep_divides_experts(EP, experts):
    """Every rank of an EP group holds the same number of experts."""
    return divides(EP, experts)


@constraint
def ep_divides_stage(EP, world, TP, PP):
    """EP groups fill a pipeline stage."""
    return divides(EP, world / (TP * PP))


@constraint
def cp_divides_context(CP, context):
    """Context parallelism cuts a row evenly."""
    return divides(CP, context)


@constraint
def doc_length_divides_context(doc_length, context):
    """Equal documents fill a row."""
    return divides(doc_length, context)


@constraint
def documents_fill_context(documents, context):
    """The documents of a row sum to its context."""
    return equal(total(documents, lambda length: length), context)


@constraint
def ep_fits_domains(EP, domain_ranks):
    """An EP group lies in one NVLink domain or fills several."""
    return either(divides(EP, domain_ranks), divides(domain_ranks, EP))


@constraint
def fsdp_fits_domains(dense_FSDP, domain_ranks):
    """A stage lies in one NVLink domain or fills several."""
    return either(divides(dense_FSDP, domain_ranks), divides(domain_ranks, dense_FSDP))


@constraint
def top_k_within_experts(top_k, experts):
    """A token is sent to different experts."""
    return top_k <= experts


@constraint
def dense_within_layers(dense_layers, layers):
    """Dense layers are layers."""
    return dense_layers <= layers


@constraint
def attention_plan_covers_layers(kda_layers, mla_layers, gqa_layers, gdn_layers, layers):
    """Every layer has attention of one kind."""
    return equal(kda_layers + mla_layers + gqa_layers + gdn_layers, layers)


@constraint
def windowed_within_attention(windowed_layers, gqa_layers):
    """Layers with a sliding window have grouped-query attention."""
    return windowed_layers <= gqa_layers


@constraint
def kv_heads_divide_heads(kv_heads, heads):
    """Every key head serves as many query heads."""
    return divides(kv_heads, heads)


@constraint
def dense_layers_are_all(dense_layers, layers, moe):
    """A model without experts has a dense FFN in every layer."""
    return moe.unless(equal(dense_layers, layers))


@constraint
def mla_period_fits(mla_layers, mla_period, layers):
    """The period of MLA layers fits their number, give or take one at the ends."""
    return both((mla_layers - 1) * mla_period <= layers, layers <= (mla_layers + 1) * mla_period)


@constraint
def local_ep_ranks_within_group(local_EP_ranks, EP):
    """The ranks of an EP group in one domain are whole, and groups fill their domains evenly."""
    return both(divides(1, local_EP_ranks), divides(local_EP_ranks, EP))


@constraint
def local_fsdp_ranks_within_group(local_FSDP_ranks, dense_FSDP):
    """The ranks of a dense FSDP group in one domain are whole, and groups fill their domains evenly."""
    return both(divides(1, local_FSDP_ranks), divides(local_FSDP_ranks, dense_FSDP))


@constraint
def whole_groups(DP, dense_FSDP, expert_FSDP, experts_per_rank):
    """Replicas, shards and experts of a rank are whole."""
    return both(divides(1, DP), divides(1, dense_FSDP), divides(1, expert_FSDP), divides(1, experts_per_rank))


@constraint
def local_expert_fsdp_ranks_within_group(local_expert_FSDP_ranks, expert_FSDP):
    """The ranks of an expert FSDP group in one domain are members of it."""
    return both(divides(1, local_expert_FSDP_ranks), divides(local_expert_FSDP_ranks, expert_FSDP))


@constraint
def stage_layers_add_up(stage_mla_layers, stage_moe_layers, stage_layers):
    """A stage has no more layers of a kind than layers."""
    return both(stage_mla_layers <= stage_layers, stage_moe_layers <= stage_layers)


@constraint
def nics_within_domain(domain_nics, local_FSDP_ranks):
    """A domain has at least one NIC, and not more than one for each of its ranks."""
    return both(divides(1, domain_nics), domain_nics >= 1, domain_nics <= local_FSDP_ranks)


@constraint
def copies_add_up(cross_domain_copies, remote_copies, top_k):
    """Of a token's copies no more leave the domain than leave the GPU, and no more than it has experts."""
    return both(cross_domain_copies <= remote_copies, remote_copies <= top_k)


@constraint
def documents_within_context(S_eff, context):
    """A token attends within its row."""
    return S_eff <= context


@constraint
def virtual_stages_within_stage(virtual_stages, stage_layers):
    """A virtual stage has at least one layer."""
    return virtual_stages <= stage_layers


@constraint
def no_empty_stage(PP, stage_layers, layers):
    """The last stage has at least one layer."""
    return (PP - 1) * stage_layers < layers


@constraint
def hop_within_pipeline(stage, PP):
    """A hop leaves one of the stages 1 .. PP - 1."""
    return stage <= PP - 1


@constraint
def muon_sides_in_order(r, c):
    """Newton-Schulz works on the orientation with the short side first."""
    return r <= c
