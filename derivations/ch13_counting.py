"""What counts

The work of a token is one number in a GPU and many in print. Tools that report utilization count the same model differently:
with or without a causal half, routers, output gates, norms, embeddings; by the row or by the documents in it; with a count of
their own for linear attention. None of this is wrong as long as it is said, and none of it can be compared until it is.

The chapter makes each of these choices a convention of its own, and the estimators in public use are named sets of them:
choosing an estimator makes all of its choices at once. A tool need not treat every model alike, so a set may choose otherwise
for models with windows, an indexer or linear attention, as the tool's code does; each set says for which kinds of model these are
its rules and at which models it was held against that code. A few choices are no conventions but mistakes that were made in
public, such as counting every expert, or one of attention's two contractions. They are here to be recognized when a number was
counted that way, and no estimator uses them.
"""

from fractions import Fraction

from symroof import FLOP, Min, argument, convention, named_sets, quantity, rules

counted_work = convention(
    "which passes a count has",
    default="training",
    ref="6 N for training; 8 N with a recomputed forward pass; 2 N for inference",
    mistaken=("forward",),
    training="forward and backward, three times the forward pass: 6 N",
    recomputed="with the forward pass computed twice, four times the forward pass: 8 N",
    partly_recomputed="with a share of the forward pass computed twice",
    forward="the forward pass alone, 2 N: what inference costs, not training",
)
counted_attention = convention(
    "whether attention is counted beside the matrices",
    default="counted",
    ref="the plain 6 N leaves it out",
    counted="scores, their product with the values, and linear attention",
    left_out="matrices alone",
)
contractions = convention(
    "how many contractions softmax attention has in training",
    default="six",
    ref="two forward and four backward; a flash kernel computes the scores once more in the backward pass",
    mistaken=("three",),
    six="two forward, four backward",
    seven="two forward, five backward: what a flash kernel does",
    three="one of two forward: the product with the values is forgotten",
)
counted_span = convention(
    "which length a token's attention is charged for",
    default="documents",
    ref="Megatron-LM sums the squares of documents; torchtitan and MaxText take the configured length",
    documents="the documents that are packed into the row",
    row="the whole row, as if it were one document",
)
counted_window = convention(
    "how many keys a token is charged for where a layer has a sliding window",
    default="causal",
    ref="Megatron-LM's transformer_flops has no window; torchtitan has one since its pull request 4300",
    causal="those within the window, by the causal convention",
    exact="the triangle with its diagonal within the window, however full attention is charged: Megatron-Bridge",
    half="half of the window, or of a document that is shorter: MaxText and Megatron-Bridge before they had the triangle",
    ignored="as if the layer had no window: Megatron-LM, and torchtitan before its pull request 4300",
)
counted_indexer = convention(
    "how attention to the keys that an indexer picks is charged",
    default="causal",
    ref="NeMo Automodel's mla_moe_flops; Megatron-LM before its pull request 6753",
    causal="the keys that it leaves and those that it looks at, by the causal convention",
    square="as many keys as it may leave, from the first token on, and a look at the whole length: NeMo Automodel",
    ignored="as if there were none: attention to all keys, and no matrices of an indexer",
)
counted_router = convention(
    "whether routers are counted",
    default="counted",
    ref="MaxText and torchtitan count them, Megatron-LM and NeMo Automodel do not",
    counted="as the matrices that they are",
    left_out="no router, and no gate on shared experts",
    every_layer="one in every layer, dense ones included: SimuMax",
)
counted_gate = convention(
    "whether output gates of softmax attention are counted",
    default="counted",
    ref="Megatron-Bridge leaves them out for Kimi K3",
    counted="as the matrices that they are",
    left_out="no output gate",
)
counted_small = convention(
    "which weights that are no matrices are charged as if they were",
    default="none",
    ref="6 N with N from a list of parameters charges norms and biases as matrices",
    none="none: they cost no product",
    all="norms, biases and convolutions alike",
    torchtitan="as torchtitan lists them, which is nearly all",
    latent_norms="the norms of MLA's compressed queries and keys, and those of MTP: Megatron-LM adds one to each rank",
    convolutions="the short convolutions of linear attention",
)
counted_head = convention(
    "whether the LM head is counted",
    default="counted",
    ref="every estimator here counts it; 6 N without embeddings does not",
    counted="as the matrix that it is",
    left_out="layers alone",
)
counted_embedding = convention(
    "whether the input embedding is counted",
    default="left_out",
    ref="6 N with all stored parameters charges it",
    left_out="a look-up costs no product",
    counted="as if it were a matrix",
)
counted_mtp = convention(
    "whether layers that predict a further token are counted",
    default="left_out",
    ref="Megatron-LM counts them where they are trained",
    left_out="the main model",
    counted="each with its layer, its projection and the LM head once more",
)
counted_experts = convention(
    "how many routed experts a token is charged for",
    default="active",
    ref="a count of all parameters charges all of them",
    mistaken=("all",),
    active="those that it is sent to",
    all="all that are stored",
)
counted_width = convention(
    "on which width routed experts are charged",
    default="latent",
    ref="Kimi K3 compresses the routed stream",
    mistaken=("hidden",),
    latent="the compressed width that they work on, and the projections to it and back",
    hidden="the hidden width, as if nothing were compressed",
)
counted_head_dim = convention(
    "how wide a head of grouped-query attention is taken to be",
    default="given",
    ref="configurations give head_dim; some tools divide",
    mistaken=("divided",),
    given="as the model has it",
    divided="hidden width over heads, which many models do not have, in attention alone",
    divided_throughout="hidden width over heads, in the projections as well: NeMo Automodel for gpt-oss",
)
linear_attention = convention(
    "how linear attention with a delta rule is counted",
    default="chunked",
    ref="public estimators of Kimi K3 differ",
    chunked="three times the chunked forward pass of Kimi Linear, eq. 13",
    torchtitan="18 FLOPs for each entry of the state",
    megatron_bridge="24 FLOPs for each entry of the state",
    automodel="KDA by eq. 13 with its inner triangle, gated delta net by 24 FLOPs for each entry of the state; the convolutions",
)

# An estimator says what a token is charged for; what the GPUs execute does not change with it.
EXECUTED = {"attention_work": "exact"}
# Megatron's count of gated delta net, which MaxText and NeMo Automodel have taken over: the state four times, and convolutions.
MEGATRON_GDN = {"counted_small": "convolutions", "linear_attention": "megatron_bridge"}

estimator = named_sets(
    "public estimators of a token's FLOPs",
    model=(
        "this book: matrices and exact attention of the documents, nothing that is no product",
        {
            "causal": "exact",
            "attention_work": "as_counted",
            "counted_work": "training",
            "counted_attention": "counted",
            "contractions": "six",
            "counted_span": "documents",
            "counted_window": "causal",
            "counted_indexer": "causal",
            "counted_router": "counted",
            "counted_gate": "counted",
            "counted_small": "none",
            "counted_head": "counted",
            "counted_embedding": "left_out",
            "counted_mtp": "left_out",
            "counted_experts": "active",
            "counted_width": "latent",
            "counted_head_dim": "given",
            "linear_attention": "chunked",
        },
    ),
    # pytorch/torchtitan, torchtitan/models/utils.py since pull request 4300; before it, counted_window = ignored.
    torchtitan=rules(
        "torchtitan: every active parameter, attention over the configured length without a causal half",
        {
            **EXECUTED,
            "causal": "windowed",
            "counted_span": "row",
            "counted_small": "torchtitan",
            "linear_attention": "torchtitan",
        },
        kinds="dense models and models of experts with grouped-query attention or MLA, windows since pull request 4300, and for KDA",
        checked=("kimi-k3", "deepseek-v3", "gpt-oss-*", "qwen3-30b-a3b", "llama3*"),
    ),
    # NVIDIA/Megatron-LM, megatron/training/training.py, num_floating_point_operations: transformer_flops as of commit 001b00c2.
    megatron_lm=rules(
        "Megatron-LM: no routers, causal half over the documents, norms of the latent ranks, MTP where it is trained",
        {
            **EXECUTED,
            "causal": "half",
            "counted_window": "ignored",
            "counted_indexer": "ignored",
            "counted_router": "left_out",
            "counted_small": "latent_norms",
            "linear_attention": "megatron_bridge",
        },
        having={"gdn": MEGATRON_GDN},
        kinds="models with grouped-query attention, MLA or gated delta net, in which windows and indexers are not looked at",
        checked=("deepseek-v*", "gemma*", "glm45-*", "gpt-oss-*", "kimi-k2", "llama*", "mi[sx]tral-*", "qwen3-*"),
    ),
    # NVIDIA-NeMo/Megatron-Bridge, src/megatron/bridge/training/utils/flop_utils.py, as of commit 0494433b; Kimi K3 counts itself.
    megatron_bridge=rules(
        "Megatron-Bridge: no routers, causal half over the documents, the triangle in windows; for Kimi K3 no output gates",
        {
            **EXECUTED,
            "causal": "half",
            "counted_window": "exact",
            "counted_indexer": "ignored",
            "counted_router": "left_out",
            "counted_small": "latent_norms",
            "linear_attention": "megatron_bridge",
        },
        having={"gdn": MEGATRON_GDN, "kda": {"counted_gate": "left_out", "counted_small": "convolutions"}},
        kinds="models with grouped-query attention, MLA or gated delta net, a window where its configuration has one, and Kimi K3",
        checked=("deepseek-v*", "glm45-*", "gpt-oss-*", "kimi-k[23]", "llama*", "mixtral-*", "qwen3-*"),
    ),
    # AI-Hypercomputer/maxtext, src/maxtext/utils/maxtext_utils.py, as of commit 00902f36; at 65dda9ae, counted_window = half.
    maxtext=rules(
        "MaxText since its pull request 1988: matrices with routers and LM head, causal half of the row",
        {**EXECUTED, "causal": "half", "counted_span": "row"},
        kinds="models with grouped-query attention or MLA, windows of Gemma 2, Gemma 3 and gpt-oss only, no indexer and no KDA",
        checked=("deepseek-v*", "gemma*", "gpt-oss-*", "kimi-k2", "llama*", "mixtral-*", "qwen3-[1-9]*", "qwen3-0.6b"),
    ),
    # NVIDIA-NeMo/Automodel, nemo_automodel/components/utils/flops_utils.py: qwen3_flops, llama2_flops, mixtral_flops,
    # deepseekv3_flops, mla_moe_flops, glm4_moe_flops, qwen3_5_flops (Qwen3-Next) and gpt_oss_flops; any other model has the generic
    # transformer_flops. The triangle, and heads as wide as hidden width over heads, are gpt_oss_flops.
    automodel=rules(
        "NeMo Automodel: no routers, causal half of the row, for gpt-oss the triangle and heads of divided width",
        {**EXECUTED, "causal": "half", "counted_span": "row", "counted_router": "left_out", "linear_attention": "automodel"},
        having={
            "window": {"causal": "exact", "counted_head_dim": "divided_throughout"},
            "indexer": {"counted_indexer": "square", "counted_mtp": "counted"},
        },
        kinds="Llama, Mixtral, Qwen3, Qwen3-Next, GLM, DeepSeek-V3, Kimi and gpt-oss; it has a generic formula for other models",
        checked=(
            "deepseek-v3",
            "glm*",
            "gpt-oss-*",
            "kimi-k[23]",
            "llama*",
            "mixtral-*",
            "qwen3-*",
        ),
    ),
    simumax=rules(
        "SimuMax: routers in every layer, the whole square of the row",
        {**EXECUTED, "causal": "full", "counted_span": "row", "counted_router": "every_layer"},
        kinds="models of experts with MLA",
        checked=("deepseek-v3",),
    ),
    six_n=(
        "6 N: six FLOPs for each matrix weight that a token meets, no attention",
        {**EXECUTED, "counted_attention": "left_out"},
    ),
)


@argument(
    "1", latex=r"\kappa_{\mathrm{part}}", ref="as the run has it: all or nothing; a selective checkpoint has a share of its own"
)
def recomputed_share(checkpoint):
    """Share of the forward pass that is computed twice, where a count has a share."""
    return checkpoint


@quantity("1", latex=r"n_{\mathrm{pass}}", ref="a backward pass costs two forward passes")
def counted_passes(counted_work, recomputed_share):
    """How many times the forward pass a count has."""
    return counted_work.choose(training=3, recomputed=4, partly_recomputed=3 + recomputed_share, forward=1)


@quantity("channel", latex=r"d_{e}", ref="the width on which routed experts are charged", block="moe")
def counted_expert_width(counted_width, latent_width, hidden):
    """Width that the routed experts are charged on."""
    return counted_width.choose(latent=latent_width, hidden=hidden)


@quantity("expert", latex=r"n_{e}", ref="the experts that a token is charged for", block="moe")
def counted_routed_experts(counted_experts, top_k, experts):
    """Routed experts that a token is charged for in a layer."""
    return counted_experts.choose(active=top_k, all=experts)


@quantity("parameter", latex=r"N'_{\mathrm{routed}}", ref="experts, width and matrices that are charged")
def counted_routed_parameters(moe_layers, counted_routed_experts, counted_expert_width, expert_ffn, gated):
    """Routed expert weights that a token is charged for."""
    weights = moe_layers * counted_routed_experts * counted_expert_width * expert_ffn
    return gated.either(3 * weights, 2 * weights)


@quantity("parameter", latex=r"N'_{\mathrm{router}}", ref="the routers that are charged", block="moe")
def counted_router_parameters(counted_router, router_parameters, layers, experts, hidden):
    """Router weights that a token is charged for."""
    return counted_router.choose(counted=router_parameters, left_out=0, every_layer=layers * experts * hidden)


@quantity("parameter", latex=r"N'_{\mathrm{sg}}", ref="charged as routers are, where there is one", block="shared_gate")
def uncharged_gate_parameters(counted_router, moe_layers, hidden):
    """Gates on shared experts that a token is not charged for."""
    return counted_router.choose(counted=0, left_out=moe_layers * hidden, every_layer=0)


@quantity("1", latex=r"\delta_h", ref="the width of a head that is charged over the one that the model has", block="gqa")
def counted_head_share(counted_head_dim, hidden, heads, head_dim):
    """Width of a head as it is charged in attention, over what it is."""
    divided = hidden / heads / head_dim
    return counted_head_dim.choose(given=1, divided=divided, divided_throughout=divided)


@quantity("1", latex=r"\delta_P", ref="the same in the projections to and from the heads", block="gqa")
def counted_projection_share(counted_head_dim, counted_head_share):
    """Width of a head as it is charged in its projections, over what it is."""
    return counted_head_dim.choose(given=1, divided=1, divided_throughout=counted_head_share)


@quantity("parameter", latex=r"N'_{\mathrm{GQA}}", ref="every projection is as wide as the heads are taken to be")
def counted_gqa_parameters(counted_projection_share, gqa_parameters):
    """Matrix weights of all layers with grouped-query attention, as they are charged."""
    return counted_projection_share * gqa_parameters


@quantity("parameter", latex=r"N'_{\mathrm{idx}}", ref="the matrices of the indexers, where they are charged", block="indexer")
def counted_indexer_parameters(counted_indexer, indexer_parameters):
    """Matrix weights of all indexers that a token is charged for."""
    return counted_indexer.choose(causal=indexer_parameters, square=indexer_parameters, ignored=0)


@quantity("parameter", latex=r"N_{g}", ref="one matrix as large as the output projection in each layer", block="output_gate")
def output_gate_parameters(mla_gate_parameters, gqa_layers, heads, head_dim, hidden, counted_projection_share):
    """Output gates of all layers with softmax attention, as wide as the heads are taken to be."""
    return mla_gate_parameters + counted_projection_share * gqa_layers * heads * head_dim * hidden


@quantity("parameter", latex=r"N'_{\mathrm{small}}", ref="the small weights that are charged as matrices")
def counted_small_parameters(
    counted_small,
    non_matrix_parameters,
    torchtitan_active_parameters,
    active_matrix_parameters,
    mla_layers,
    q_lora_rank,
    kv_lora_rank,
    kda_conv_parameters,
    gdn_layers,
    gdn_key_heads,
    gdn_value_heads,
    gdn_head_dim,
    gdn_conv,
    active_expert_bias_parameters,
    expert_bias_parameters,
    moe_layers,
    counted_routed_experts,
    counted_experts,
    correction_bias,
    experts,
):
    """Weights that are no matrices and are charged all the same."""
    biases = moe_layers * counted_routed_experts * expert_bias_parameters - active_expert_bias_parameters
    biases = biases + counted_experts.choose(active=0, all=correction_bias.only(moe_layers * experts))
    return counted_small.choose(
        none=0,
        all=non_matrix_parameters + biases,
        torchtitan=torchtitan_active_parameters - active_matrix_parameters + biases,
        latent_norms=mla_layers * (q_lora_rank + kv_lora_rank),
        convolutions=kda_conv_parameters + gdn_layers * (2 * gdn_key_heads + gdn_value_heads) * gdn_head_dim * gdn_conv,
    )


@quantity(
    "parameter",
    latex=r"P'_{\mathrm{MTP}}",
    ref="Megatron-LM counts the norms of these layers where it counts those of others",
    block="mtp",
)
def counted_mtp_small_parameters(counted_small, norms_per_layer, hidden, q_lora_rank, kv_lora_rank):
    """Weights of a layer that predicts a further token which are no matrices and are charged all the same."""
    norms = (norms_per_layer + 3) * hidden + (q_lora_rank + kv_lora_rank)
    return counted_small.choose(
        none=0, all=norms, torchtitan=norms, latent_norms=3 * hidden + (q_lora_rank + kv_lora_rank), convolutions=0
    )


@quantity(
    "parameter", latex=r"N'_{\mathrm{MTP}}", ref="a layer with the router and experts as they are charged in others", block="mtp"
)
def counted_mtp_parameters(
    counted_mtp,
    mtp_active_parameters,
    mtp_layers,
    lm_head_parameters,
    counted_router,
    counted_routed_experts,
    experts,
    top_k,
    expert_parameters,
    hidden,
    counted_mtp_small_parameters,
):
    """Weights of the layers that predict a further token, as they are charged: each with its projection and the LM head once more."""
    return counted_mtp.choose(
        left_out=0,
        counted=mtp_active_parameters
        + mtp_layers
        * (
            lm_head_parameters
            - counted_router.choose(counted=0, left_out=experts * hidden, every_layer=0)
            + (counted_routed_experts - top_k) * expert_parameters
            + counted_mtp_small_parameters
        ),
    )


@quantity("parameter", latex=r"N'", ref="the sum of the families, each as the conventions charge it")
def counted_parameters(
    kda_parameters,
    mla_parameters,
    counted_gqa_parameters,
    gdn_parameters,
    counted_indexer_parameters,
    counted_gate,
    output_gate_parameters,
    dense_ffn_parameters,
    counted_router_parameters,
    counted_width,
    latent_projection_parameters,
    shared_expert_parameters,
    uncharged_gate_parameters,
    counted_routed_parameters,
    counted_head,
    lm_head_parameters,
    counted_embedding,
    embedding_parameters,
    tied,
    counted_small_parameters,
    counted_mtp_parameters,
):
    """Weights that a token is charged for as matrices."""
    return (
        kda_parameters
        + mla_parameters
        + counted_gqa_parameters
        + gdn_parameters
        + counted_indexer_parameters
        - counted_gate.choose(counted=0, left_out=output_gate_parameters)
        + dense_ffn_parameters
        + counted_router_parameters
        + counted_width.choose(latent=latent_projection_parameters, hidden=0)
        + shared_expert_parameters
        - uncharged_gate_parameters
        + counted_routed_parameters
        + counted_head.choose(counted=lm_head_parameters, left_out=0)
        + tied.unless(counted_embedding.choose(left_out=0, counted=embedding_parameters))
        + counted_small_parameters
        + counted_mtp_parameters
    )


@quantity("FLOP/token", latex=r"F'_{N}", ref="2 FLOPs a weight and forward pass")
def counted_matrix_flops(counted_passes, counted_parameters):
    """FLOPs of the matrices for one token, as the conventions count them."""
    return 2 * FLOP * counted_passes * counted_parameters


@quantity("1", latex=r"n_{\mathrm{att}}", ref="contractions of softmax attention, in forward passes of two")
def counted_attention_passes(contractions, counted_work, counted_passes):
    """How many times the forward pass of softmax attention a count has; the seventh contraction is in the backward pass."""
    again = counted_work.choose(training=Fraction(1, 2), recomputed=Fraction(1, 2), partly_recomputed=Fraction(1, 2), forward=0)
    return contractions.choose(six=counted_passes, seven=counted_passes + again, three=counted_passes / 2)


@quantity("key/token", latex=r"n'_{\mathrm{key}}", ref="the causal convention over the length that is charged")
def counted_keys(counted_span, S_eff, context, causal):
    """Keys that a token is charged for, in the mean."""
    return counted_span.choose(
        documents=causal.choose(exact=(S_eff + 1) / 2, half=S_eff / 2, full=S_eff, windowed=S_eff),
        row=causal.choose(exact=(context + 1) / 2, half=context / 2, full=context, windowed=context),
    )


def row_triangle(width, context):
    """Keys of a token of a row that is one document, where a layer attends to at most `width`: the triangle with its diagonal."""
    return width - width * (width - 1) / (2 * context)


def row_keys(width, context, causal):
    """Keys of a token of a row that is one document, by the causal convention."""
    return causal.choose(exact=row_triangle(width, context), half=width - width**2 / (2 * context), full=context, windowed=width)


@quantity("key/token", latex=r"n'_{\mathrm{win}}", ref="the same where a layer attends to so many at most", block="window")
def counted_windowed_keys(
    counted_window,
    counted_span,
    charged_windowed_keys,
    triangle_windowed_keys,
    spanned_windowed_keys,
    context,
    sliding_window,
    causal,
    counted_keys,
):
    """Keys that a token is charged for in a windowed layer, in the mean."""
    reached = Min(sliding_window, context)
    return counted_window.choose(
        causal=counted_span.choose(documents=charged_windowed_keys, row=row_keys(reached, context, causal)),
        exact=counted_span.choose(documents=triangle_windowed_keys, row=row_triangle(reached, context)),
        half=counted_span.choose(documents=spanned_windowed_keys, row=reached) / 2,
        ignored=counted_keys,
    )


@quantity("key/token", latex=r"n'_{\mathrm{idx}}", ref="the same where an indexer leaves so many at most", block="indexer")
def counted_selected_keys(counted_indexer, counted_span, charged_selected_keys, context, index_topk, causal, counted_keys):
    """Keys that a token is charged for after the indexer, in the mean."""
    row = row_keys(Min(index_topk, context), context, causal)
    return counted_indexer.choose(
        causal=counted_span.choose(documents=charged_selected_keys, row=row), square=index_topk, ignored=counted_keys
    )


@quantity("key/token", latex=r"n'_{\mathrm{seen}}", ref="the keys from which an indexer picks", block="indexer")
def counted_index_keys(counted_indexer, counted_span, S_eff, context, counted_keys):
    """Keys that a token is charged for in the indexer, in the mean."""
    return counted_indexer.choose(causal=counted_keys, square=counted_span.choose(documents=S_eff, row=context), ignored=0)


@quantity("FLOP/token", latex=r"F'_{\mathrm{soft}}", ref="FLOPs a key times keys, one forward pass")
def counted_softmax_forward_flops(
    mla_flops_per_key,
    counted_keys,
    indexer,
    counted_selected_keys,
    indexer_flops_per_key,
    counted_index_keys,
    counted_head_share,
    gqa_flops_per_key,
    windowed_flops_per_key,
    counted_windowed_keys,
):
    """Forward FLOPs of softmax attention for one token, as the conventions count them."""
    return (
        indexer.either(mla_flops_per_key * counted_selected_keys, mla_flops_per_key * counted_keys)
        + indexer_flops_per_key * counted_index_keys
        + counted_head_share * gqa_flops_per_key * counted_keys
        + counted_head_share * windowed_flops_per_key * counted_windowed_keys
    )


@quantity("FLOP/token", latex=r"F'_{\mathrm{lin}}", ref="public estimators of linear attention with a delta rule")
def counted_linear_attention_flops(
    linear_attention,
    counted_passes,
    kda_forward_flops,
    gdn_forward_flops,
    kda_layers,
    kda_heads,
    kda_head_dim,
    kda_chunk,
    kda_conv,
    gdn_layers,
    gdn_key_heads,
    gdn_value_heads,
    gdn_head_dim,
    gdn_conv,
):
    """FLOPs of linear attention for one token, as the conventions count them."""
    state = kda_layers * kda_heads * kda_head_dim**2 + gdn_layers * gdn_value_heads * gdn_head_dim**2
    triangle = (6 * kda_head_dim**2 + 3 * kda_chunk * kda_head_dim + kda_chunk**2) / 2 + 3 * kda_head_dim * kda_conv
    convolutions = gdn_layers * (2 * gdn_key_heads + gdn_value_heads) * gdn_head_dim * gdn_conv
    return linear_attention.choose(
        chunked=counted_passes * (kda_forward_flops + gdn_forward_flops),
        torchtitan=6 * FLOP * counted_passes * state,
        megatron_bridge=8 * FLOP * counted_passes * state,
        automodel=2
        * FLOP
        * counted_passes
        * (kda_layers * kda_heads * triangle + 4 * gdn_layers * gdn_value_heads * gdn_head_dim**2 + convolutions),
    )


@quantity("FLOP/key", latex=r"F'_{\mathrm{key,MTP}}", ref="a layer's softmax attention, as in the main model", block="mtp")
def mtp_flops_per_key(mtp_layers, mla_heads, qk_nope_dim, qk_rope_dim, v_head_dim, heads, head_dim, counted_head_share):
    """Forward FLOPs of the layers that predict a further token, for one attended key."""
    return mtp_layers * (
        mla_heads * 2 * FLOP * (qk_nope_dim + qk_rope_dim + v_head_dim) + counted_head_share * heads * 4 * FLOP * head_dim
    )


@quantity(
    "FLOP/token",
    latex=r"F'_{\mathrm{MTP}}",
    ref="such a layer attends as the others do, by an indexer where they have one",
    block="mtp",
)
def counted_mtp_attention_flops(
    mtp_flops_per_key, counted_keys, indexer, counted_selected_keys, mtp_layers, index_heads, index_head_dim, counted_index_keys
):
    """Forward attention FLOPs of the layers that predict a further token, for one token, as the conventions count them."""
    picks = mtp_layers * index_heads * 2 * FLOP * index_head_dim * counted_index_keys
    return indexer.either(mtp_flops_per_key * counted_selected_keys + picks, mtp_flops_per_key * counted_keys)


@quantity("FLOP/token", latex=r"F'_{\mathrm{att}}", ref="softmax and linear attention, and what layers for a further token add")
def counted_attention_flops(
    counted_attention,
    counted_attention_passes,
    counted_softmax_forward_flops,
    counted_linear_attention_flops,
    counted_mtp,
    counted_mtp_attention_flops,
):
    """Attention FLOPs for one token, as the conventions count them."""
    further = counted_mtp.choose(left_out=0, counted=counted_attention_passes * counted_mtp_attention_flops)
    return counted_attention.choose(
        counted=counted_attention_passes * counted_softmax_forward_flops + counted_linear_attention_flops + further, left_out=0
    )
