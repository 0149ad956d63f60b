"""Does it fit

A step that does not fit is no step. Memory is counted here for one GPU and one pipeline stage at a time, because stages
differ: the first one holds the embedding and keeps the most microbatches, the last one the LM head, the logits and what
layers are left. The peak is that of the stage that holds the most: the first one, the last one, or one of those between, of
which the chapter derives which.

[attn_res] The bank of residual blocks grows on the way, while microbatches in flight become fewer: so the stage that holds the
most may be anywhere between.

Weights, gradients and optimizer states are shared out over the groups that really hold them; what FSDP gathers, and the
gradients that wait for their reduce-scatter, come on top whole. Activations are what autograd must keep: the operands of every
product, and what the elementwise parts need. How a team counts bytes for a parameter is a convention, and public figures (18,
16, 6 + 12/DP, 20 or 12) are choices of a few of them.

[moe] Dense weights are shared out over the whole stage, routed experts over the ranks with the same experts, and routing is
taken to be balanced.

Not fitting is an answer and no error. This is a budget of what must be there: what an allocator fragments, what libraries keep
for themselves and what gradients of activations need on their way come on top, so a run that fits here with little to spare
may not fit on a machine.
"""

from symroof import (
    POSITIVE,
    REAL,
    Max,
    Min,
    argument,
    both,
    ceiling,
    constraint,
    convention,
    divides,
    floor,
    largest,
    named_sets,
    quantity,
    symbol,
    where,
)

measured_memory = symbol("byte", "measured peak of the memory of a GPU", latex=r"B_{\mathrm{meas}}", domain=POSITIVE)

LEFT = "an interior stage's layers; the last stage has what is left of the model"
MEAN = "a fraction is the average over interior stages, as in chapter 2"
FLIGHT = "1F1B: stage s starts PP - s + 1 microbatches before the first one returns; Megatron-LM for the interleaved schedule"
BEGUN = "a residual block that is begun counts by its layers: exact where blocks end with stages"
KEPT = "what a backward pass reads: operands of products, and inputs or outputs of elementwise parts, each tensor once"
STATE = "mixed-precision training: each kind of state times the weights of a rank's share"
RESHARD = "FSDP2: what is gathered stays as long as the lifecycle says; gradients wait whole for their reduce-scatter"
PRESENT = "a kind of layer counts where the stage has one: the least of 1 and their number"

resident_weights = convention(
    "in which precision weights stay between steps, and whether a master copy stands beside them",
    default="fp32",
    ref="torchtitan keeps FP32 shards; Megatron-LM BF16 weights and FP32 masters",
    fp32="FP32, their own master; a BF16 copy is made where they are computed with",
    fp32_with_master="FP32, and an FP32 master copy with the optimizer",
    bf16_with_master="BF16, and an FP32 master copy with the optimizer",
    bf16="BF16 alone",
)
held_gradients = convention(
    "in which precision gradients are held until the optimizer has them",
    default="fp32",
    ref="gradient accumulation in Megatron-LM and FSDP2; XLA may consume them as they come",
    fp32="FP32",
    bf16="BF16",
    none="not at all: each is consumed as it comes",
)
optimizer = convention(
    "which optimizer's history is kept",
    default="muon",
    ref="Muon, as Kimi K3, unless told otherwise; embedding and LM head stay with AdamW, as is usual",
    muon="one momentum a weight; embedding and LM head have AdamW's two",
    adamw="two moments a weight",
)
moments = convention(
    "in which precision the optimizer's history is kept",
    default="fp32",
    ref="FP32 in Megatron-LM and torchtitan; PyTorch's AdamW takes the precision of the weights",
    fp32="FP32",
    bf16="BF16",
)
sharded_state = convention(
    "what is shared out over the ranks that hold the same weights",
    default="all",
    ref="FSDP and ZeRO-3; Megatron-LM's distributed optimizer and ZeRO-1; plain data parallelism",
    all="weights, gradients and optimizer states",
    optimizer="optimizer states and master weights; weights and gradients are whole on every rank",
    none="nothing",
)
recompute = convention(
    "what is computed again in layers that are not checkpointed whole",
    default="nothing",
    ref="Megatron-LM's selective recomputation of norms and activation functions",
    nothing="nothing: all that the backward pass needs is kept",
    selective="norms, activation functions, gates and mixers: no product is repeated, so counts of FLOPs stand",
)
attention_kernel = convention(
    "what softmax attention keeps besides its operands and its result",
    default="flash",
    ref="FlashAttention, arXiv 2205.14135; Korthikanti et al., arXiv 2205.05198, for scores that are written out",
    flash="one FP32 number a token and head, from which the scores are computed again",
    materialized="the probabilities of every key, in BF16",
    dropout="the same with dropout: its masks, and what is left of the probabilities",
)
pipeline_schedule = convention(
    "how many microbatches a stage keeps",
    default="one_f_one_b",
    ref="Megatron-LM, arXiv 2104.04473; GPipe, arXiv 1811.06965",
    one_f_one_b="1F1B: those that later stages have not given back",
    interleaved="interleaved 1F1B with virtual_stages: more, in parts of a stage",
    all_forward="GPipe: all of an update",
)
memory_scheme = named_sets(
    "public ways to count the state of a parameter",
    torchtitan=(
        "torchtitan with FSDP2: FP32 shards are the masters",
        {"resident_weights": "fp32", "held_gradients": "fp32", "optimizer": "adamw", "moments": "fp32", "sharded_state": "all"},
    ),
    mixed_18=(
        "18 bytes: BF16 weights, FP32 gradients, masters and two moments, nothing shared out",
        {
            "resident_weights": "bf16_with_master",
            "held_gradients": "fp32",
            "optimizer": "adamw",
            "moments": "fp32",
            "sharded_state": "none",
        },
    ),
    mixed_16=(
        "16 bytes: ZeRO, arXiv 1910.02054, with gradients in the precision of the weights",
        {
            "resident_weights": "bf16_with_master",
            "held_gradients": "bf16",
            "optimizer": "adamw",
            "moments": "fp32",
            "sharded_state": "none",
        },
    ),
    megatron_lm=(
        "6 + 12/DP bytes: Megatron-LM's distributed optimizer",
        {
            "resident_weights": "bf16_with_master",
            "held_gradients": "fp32",
            "optimizer": "adamw",
            "moments": "fp32",
            "sharded_state": "optimizer",
        },
    ),
    fp32_20=(
        "20 bytes: FP32 weights, gradients, masters and two moments",
        {
            "resident_weights": "fp32_with_master",
            "held_gradients": "fp32",
            "optimizer": "adamw",
            "moments": "fp32",
            "sharded_state": "none",
        },
    ),
    maxtext_12=(
        "12 bytes: MaxText, FP32 weights and two moments, gradients consumed as they come",
        {
            "resident_weights": "fp32",
            "held_gradients": "none",
            "optimizer": "adamw",
            "moments": "fp32",
            "sharded_state": "none",
        },
    ),
    bf16_alone=(
        "8 bytes: everything in BF16, no master",
        {"resident_weights": "bf16", "held_gradients": "bf16", "optimizer": "adamw", "moments": "bf16", "sharded_state": "all"},
    ),
)


@argument("stage", latex=r"s", ref="stages are counted from 1, the one with the embedding, to PP, the one with the LM head")
def memory_stage():
    """The pipeline stage that memory is counted for: the first one by default, which keeps the most microbatches."""
    return 1


@constraint
def memory_stage_within_pipeline(memory_stage, PP):
    """Memory is counted for one of the stages 1 .. PP."""
    return both(divides(1, memory_stage), memory_stage >= 1, memory_stage <= PP)


# What a stage is made of.


@quantity("1", latex=r"[s = 1]", ref="stages are whole numbers from 1 to PP")
def is_first_stage(memory_stage):
    """1 on the first stage, 0 on the others."""
    return Max(0, 2 - memory_stage)


@quantity("1", latex=r"[s = \mathrm{PP}]", ref="stages are whole numbers from 1 to PP")
def is_last_stage(memory_stage, PP):
    """1 on the last stage, 0 on the others."""
    return Max(0, memory_stage - PP + 1)


@quantity("layer", latex=r"L_{\leq s}", ref="contiguous stages of stage_layers layers; the last one has what is left")
def memory_layers_through(memory_stage, stage_layers, layers):
    """Decoder layers of the stages up to this one."""
    return Min(layers, memory_stage * stage_layers)


@quantity("layer", latex=r"n_s", ref=LEFT)
def memory_layers(stage_layers, is_last_stage, layers, PP):
    """Decoder layers of the stage."""
    return stage_layers + is_last_stage * (layers - PP * stage_layers)


@quantity("layer", latex=r"n_{s,\mathrm{dense}}", ref="dense layers come first", block="dense")
def memory_dense_layers(dense_layers, memory_layers_through, memory_layers):
    """Layers of the stage with a dense FFN."""
    return Min(dense_layers, memory_layers_through) - Min(dense_layers, memory_layers_through - memory_layers)


@quantity("layer", latex=r"n_{s,\mathrm{MoE}}", ref="what is not dense routes", block="moe")
def memory_moe_layers(memory_layers, memory_dense_layers):
    """Layers of the stage with routed experts."""
    return memory_layers - memory_dense_layers


@quantity("layer", latex=r"n_{s,\mathrm{MLA}}", ref=LEFT, assumes=MEAN, block="mla", domain=REAL)
def memory_mla_layers(stage_mla_layers, is_last_stage, mla_layers, PP):
    """Layers of the stage with MLA."""
    return stage_mla_layers + is_last_stage * (mla_layers - PP * stage_mla_layers)


@quantity("layer", latex=r"n_{s,\mathrm{KDA}}", ref=LEFT, assumes=MEAN, block="kda", domain=REAL)
def memory_kda_layers(stage_kda_layers, is_last_stage, kda_layers, PP):
    """Layers of the stage with KDA."""
    return stage_kda_layers + is_last_stage * (kda_layers - PP * stage_kda_layers)


@quantity("layer", latex=r"n_{s,\mathrm{GQA}}", ref=LEFT, assumes=MEAN, block="gqa", domain=REAL)
def memory_gqa_layers(stage_gqa_layers, is_last_stage, gqa_layers, PP):
    """Layers of the stage with grouped-query attention."""
    return stage_gqa_layers + is_last_stage * (gqa_layers - PP * stage_gqa_layers)


@quantity("layer", latex=r"n_{s,\mathrm{GDN}}", ref=LEFT, assumes=MEAN, block="gdn", domain=REAL)
def memory_gdn_layers(stage_gdn_layers, is_last_stage, gdn_layers, PP):
    """Gated delta layers of the stage."""
    return stage_gdn_layers + is_last_stage * (gdn_layers - PP * stage_gdn_layers)


@quantity(
    "parameter",
    latex=r"P_{s,\mathrm{voc}}",
    ref="the embedding on the first stage, the LM head on the last one",
    assumes="tied weights are held on both stages, once where they are the same stage",
)
def memory_vocabulary_parameters(is_first_stage, is_last_stage, embedding_parameters, lm_head_parameters, tied):
    """Weights of embedding and LM head that the stage has."""
    first = is_first_stage * embedding_parameters
    last = is_last_stage * lm_head_parameters
    return tied.either(Max(first, last), first + last)


@quantity(
    "parameter",
    latex=r"P_{s,\mathrm{dense}}",
    ref="everything of the stage but routed experts",
    assumes="matrices only: small vectors, a vision tower and layers for a further token are left out",
)
def memory_dense_parameters(
    memory_vocabulary_parameters,
    memory_kda_layers,
    kda_layer_parameters,
    memory_mla_layers,
    mla_layer_parameters,
    indexer_layer_parameters,
    memory_gqa_layers,
    gqa_layer_parameters,
    memory_gdn_layers,
    gdn_layer_parameters,
    memory_moe_layers,
    moe_layer_dense_parameters,
    memory_dense_layers,
    ffn_layer_parameters,
):
    """Matrix weights of the stage that are shared out over all its ranks."""
    return (
        memory_vocabulary_parameters
        + memory_kda_layers * kda_layer_parameters
        + memory_mla_layers * mla_layer_parameters
        + memory_mla_layers * indexer_layer_parameters
        + memory_gqa_layers * gqa_layer_parameters
        + memory_gdn_layers * gdn_layer_parameters
        + memory_moe_layers * moe_layer_dense_parameters
        + memory_dense_layers * ffn_layer_parameters
    )


@quantity("parameter", latex=r"P_{s,\mathrm{exp}}", ref="the experts of a rank, before expert FSDP shares them out")
def memory_routed_parameters(memory_moe_layers, experts_per_rank, expert_parameters):
    """Routed expert weights of the stage that a rank computes with."""
    return memory_moe_layers * experts_per_rank * expert_parameters


# Weights, gradients and optimizer states.


@quantity("byte/parameter", latex=r"B_W", ref="the convention in force")
def resident_weight_bytes(resident_weights, fp32_bytes, bf16_bytes):
    """Size of a weight between steps."""
    return resident_weights.choose(fp32=fp32_bytes, fp32_with_master=fp32_bytes, bf16_with_master=bf16_bytes, bf16=bf16_bytes)


@quantity("byte/parameter", latex=r"B_{\mathrm{master}}", ref="the convention in force")
def master_weight_bytes(resident_weights, fp32_bytes):
    """Size of the master copy of a weight that stands with the optimizer; nothing where the weight is its own."""
    return resident_weights.choose(fp32=0, fp32_with_master=fp32_bytes, bf16_with_master=fp32_bytes, bf16=0)


@quantity("byte/parameter", latex=r"B_G", ref="the convention in force")
def held_gradient_bytes(held_gradients, fp32_bytes, bf16_bytes):
    """Size of a weight's gradient while it is held."""
    return held_gradients.choose(fp32=fp32_bytes, bf16=bf16_bytes, none=0)


@quantity("byte/parameter", latex=r"B_{\mathrm{mom}}", ref="the convention in force")
def moment_bytes(moments, fp32_bytes, bf16_bytes):
    """Size of one moment of a weight."""
    return moments.choose(fp32=fp32_bytes, bf16=bf16_bytes)


@quantity("byte/parameter", latex=r"B_{\mathrm{opt}}", ref="Muon has one momentum, AdamW two moments")
def optimizer_bytes_per_parameter(master_weight_bytes, optimizer, moment_bytes):
    """Optimizer state of a matrix weight, its master copy included."""
    return master_weight_bytes + optimizer.choose(muon=moment_bytes, adamw=2 * moment_bytes)


@quantity("rank", latex=r"n_{\mathrm{sh}}", ref="FSDP and ZeRO-3 share out weights and gradients; the stage's dense group")
def dense_weight_shards(sharded_state, dense_FSDP):
    """Ranks over which dense weights and their gradients are shared out."""
    return sharded_state.choose(all=dense_FSDP, optimizer=1, none=1)


@quantity("rank", latex=r"n_{\mathrm{sh,exp}}", ref="the same over the ranks that hold the same experts", block="moe")
def expert_weight_shards(sharded_state, expert_FSDP):
    """Ranks over which routed weights and their gradients are shared out."""
    return sharded_state.choose(all=expert_FSDP, optimizer=1, none=1)


@quantity("rank", latex=r"n_{\mathrm{opt}}", ref="a distributed optimizer shares out its state alone")
def dense_optimizer_shards(sharded_state, dense_FSDP):
    """Ranks over which the optimizer state of dense weights is shared out."""
    return sharded_state.choose(all=dense_FSDP, optimizer=dense_FSDP, none=1)


@quantity("rank", latex=r"n_{\mathrm{opt,exp}}", ref="the same over the ranks that hold the same experts", block="moe")
def expert_optimizer_shards(sharded_state, expert_FSDP):
    """Ranks over which the optimizer state of routed weights is shared out."""
    return sharded_state.choose(all=expert_FSDP, optimizer=expert_FSDP, none=1)


@quantity(
    "byte/parameter",
    latex=r"B_{P}",
    ref="public figures: 18 or 16, and 6 + 12/DP in Megatron-LM; 20 against 12 in MaxText issue 606",
    assumes="a dense weight; nothing that is gathered for a while",
)
def held_bytes_per_parameter(
    resident_weight_bytes, held_gradient_bytes, dense_weight_shards, optimizer_bytes_per_parameter, dense_optimizer_shards
):
    """State that a rank holds for each matrix weight of its stage: weight, gradient and optimizer."""
    return (
        resident_weight_bytes + held_gradient_bytes
    ) / dense_weight_shards + optimizer_bytes_per_parameter / dense_optimizer_shards


@quantity("parameter", latex=r"P^{\mathrm{rank}}_{s}", ref="shared out by their real groups")
def memory_weight_share(memory_dense_parameters, dense_weight_shards, memory_routed_parameters, expert_weight_shards):
    """Weights of the stage that a rank holds between steps."""
    return memory_dense_parameters / dense_weight_shards + memory_routed_parameters / expert_weight_shards


@quantity("byte", latex=r"M_W", ref=STATE)
def memory_weights(resident_weight_bytes, memory_weight_share):
    """Weights that stay on a rank between steps, masters that stand with the optimizer not counted."""
    return resident_weight_bytes * memory_weight_share


@quantity("byte", latex=r"M_G", ref=STATE)
def memory_gradients(held_gradient_bytes, memory_weight_share):
    """Gradients of the weights that a rank holds."""
    return held_gradient_bytes * memory_weight_share


@quantity("byte", latex=r"M_{\mathrm{opt}}", ref=STATE, assumes="embedding and LM head stay with AdamW")
def memory_optimizer(
    optimizer_bytes_per_parameter,
    memory_dense_parameters,
    dense_optimizer_shards,
    memory_routed_parameters,
    expert_optimizer_shards,
    optimizer,
    moment_bytes,
    memory_vocabulary_parameters,
):
    """What the optimizer keeps on a rank of the stage: moments, and master copies where `resident_weights` has any.

    FP32 weights are their own masters and counted as weights, so that moments are left here. Embedding and LM head of the stage
    are in it, with two moments under either optimizer.
    """
    return (
        optimizer_bytes_per_parameter
        * (memory_dense_parameters / dense_optimizer_shards + memory_routed_parameters / expert_optimizer_shards)
        + optimizer.choose(muon=moment_bytes, adamw=0) * memory_vocabulary_parameters / dense_optimizer_shards
    )


@quantity("byte", latex=r"M_{\mathrm{state}}", ref="weights, gradients and optimizer states")
def memory_state(memory_weights, memory_gradients, memory_optimizer):
    """What a rank holds from step to step."""
    return memory_weights + memory_gradients + memory_optimizer


# What FSDP holds whole for a while.


@quantity(
    "parameter", latex=r"P_{\mathrm{layer}}", ref="the larger kinds of attention and FFN that the stage has", assumes=PRESENT
)
def memory_layer_parameters(
    memory_kda_layers,
    kda_layer_parameters,
    memory_mla_layers,
    mla_layer_parameters,
    indexer_layer_parameters,
    memory_gqa_layers,
    gqa_layer_parameters,
    memory_gdn_layers,
    gdn_layer_parameters,
    memory_moe_layers,
    moe_layer_dense_parameters,
    memory_dense_layers,
    ffn_layer_parameters,
):
    """Dense matrix weights of the stage's largest layer."""
    return Max(
        Min(1, ceiling(memory_kda_layers)) * kda_layer_parameters,
        Min(1, ceiling(memory_mla_layers)) * (mla_layer_parameters + indexer_layer_parameters),
        Min(1, ceiling(memory_gqa_layers)) * gqa_layer_parameters,
        Min(1, ceiling(memory_gdn_layers)) * gdn_layer_parameters,
    ) + Max(Min(1, memory_moe_layers) * moe_layer_dense_parameters, Min(1, memory_dense_layers) * ffn_layer_parameters)


@quantity("parameter", latex=r"P_{2,\mathrm{dense}}", ref="one group in use and the next one on its way", assumes=PRESENT)
def memory_window_dense_parameters(
    memory_dense_parameters, memory_layer_parameters, memory_vocabulary_parameters, embedding_parameters
):
    """Dense weights that are whole at a time where groups are dropped after use: a layer, and a layer or a table."""
    table = Min(memory_vocabulary_parameters, embedding_parameters)
    return Min(memory_dense_parameters, memory_layer_parameters + Max(memory_layer_parameters, table))


@quantity("parameter", latex=r"P_{2,\mathrm{exp}}", ref="one group in use and the next one on its way")
def memory_window_routed_parameters(memory_moe_layers, experts_per_rank, expert_parameters):
    """Routed weights of a rank that are whole at a time where groups are dropped after use: two layers."""
    return Min(2, memory_moe_layers) * experts_per_rank * expert_parameters


@quantity("1", latex=r"\nu", ref="BF16 weights that are whole on a rank are computed with as they are; others need a copy")
def dense_copy(resident_weights, dense_FSDP):
    """1 where dense weights are computed with in a copy of those that stay on the rank."""
    gathered = Min(1, dense_FSDP - 1)
    return resident_weights.choose(fp32=1, fp32_with_master=1, bf16_with_master=gathered, bf16=gathered)


@quantity("1", latex=r"\nu_{\mathrm{exp}}", ref="the same for routed experts", block="moe")
def expert_copy(resident_weights, expert_FSDP):
    """1 where routed weights are computed with in a copy of those that stay on the rank."""
    gathered = Min(1, expert_FSDP - 1)
    return resident_weights.choose(fp32=1, fp32_with_master=1, bf16_with_master=gathered, bf16=gathered)


@quantity(
    "byte",
    latex=r"M_{\mathrm{AG}}",
    ref=RESHARD,
    assumes="without FSDP weights are computed with as they stand",
)
def memory_gathered_weights(
    sharded_state,
    fsdp_lifecycle,
    bf16_bytes,
    dense_copy,
    memory_dense_parameters,
    memory_window_dense_parameters,
    expert_copy,
    memory_routed_parameters,
    memory_window_routed_parameters,
):
    """BF16 weights that FSDP keeps whole while it computes."""
    stage = dense_copy * memory_dense_parameters + expert_copy * memory_routed_parameters
    window = dense_copy * memory_window_dense_parameters + expert_copy * memory_window_routed_parameters
    return sharded_state.choose(
        all=bf16_bytes
        * fsdp_lifecycle.choose(pipeline_never=stage, pipeline_always=window, no_pipeline_always=window, no_pipeline_never=stage),
        optimizer=0,
        none=0,
    )


@quantity("byte", latex=r"M_{\mathrm{RS}}", ref=RESHARD)
def memory_whole_gradients(
    sharded_state,
    fsdp_lifecycle,
    PP,
    held_gradient_bytes,
    dense_FSDP,
    memory_dense_parameters,
    memory_window_dense_parameters,
    expert_FSDP,
    memory_routed_parameters,
    memory_window_routed_parameters,
):
    """Gradients that wait whole for their reduce-scatter, beside the shares that a rank keeps."""
    stage = Min(1, dense_FSDP - 1) * memory_dense_parameters + Min(1, expert_FSDP - 1) * memory_routed_parameters
    window = Min(1, dense_FSDP - 1) * memory_window_dense_parameters + Min(1, expert_FSDP - 1) * memory_window_routed_parameters
    piped = where(PP >= 2, stage, window)
    return sharded_state.choose(
        all=held_gradient_bytes
        * fsdp_lifecycle.choose(pipeline_never=piped, pipeline_always=piped, no_pipeline_always=window, no_pipeline_never=window),
        optimizer=0,
        none=0,
    )


# Activations: bytes for each token, layer by layer.


@quantity(
    "byte/token", latex=r"a_{\mathrm{in}}", ref="the stream that enters a layer, in BF16: all that full checkpointing keeps"
)
def layer_input_bytes(bf16_bytes, hidden):
    """Input of a layer for one token."""
    return bf16_bytes * hidden


@quantity(
    "byte/token",
    latex=r"a_{\mathrm{str}}",
    ref=KEPT + ", before attention and before the FFN",
)
def stream_activation_bytes(attention_kernel, recompute, bf16_bytes, bool_bytes, hidden, norms_per_layer, norms, attn_res):
    """What a layer keeps of the hidden stream for one token besides its input: inputs and results of norms and mixers, masks."""
    results = norms.either(Min(2, norms_per_layer) * hidden, 2 * hidden) + attn_res.only(2 * hidden)
    return (
        bf16_bytes * hidden * norms.either(norms_per_layer - 1, 1)
        + recompute.choose(nothing=bf16_bytes * results, selective=0)
        + attention_kernel.choose(flash=0, materialized=0, dropout=2 * bool_bytes * hidden)
    )


@quantity(
    "byte/token/head",
    latex=r"a_{\mathrm{key}}",
    ref="FlashAttention keeps a log-sum-exp; without it Korthikanti et al.: 2 bytes a key, 5 with dropout",
)
def score_activation_bytes(attention_kernel, fp32_bytes, bf16_bytes, bool_bytes, context):
    """What a head of softmax attention keeps of its scores for one token."""
    return attention_kernel.choose(
        flash=fp32_bytes, materialized=bf16_bytes * context, dropout=(2 * bf16_bytes + bool_bytes) * context
    )


@quantity("byte/token", latex=r"a_{\mathrm{GQA}}", ref=KEPT)
def gqa_activation_bytes(recompute, bf16_bytes, heads, kv_heads, head_dim, score_activation_bytes, qk_norm, output_gate):
    """What grouped-query attention keeps for one token: q, k, v, the result, and what norms and gates need."""
    return (
        bf16_bytes * head_dim * ((2 * heads + 2 * kv_heads) + qk_norm.only(heads + kv_heads) + output_gate.only(heads))
        + output_gate.only(recompute.choose(nothing=bf16_bytes * head_dim * heads, selective=0))
        + heads * score_activation_bytes
    )


@quantity(
    "byte/token", latex=r"a_{\mathrm{MLA}}", ref=KEPT, assumes="keys and values are expanded for every head, as in training"
)
def mla_activation_bytes(
    recompute,
    bf16_bytes,
    mla_heads,
    q_lora_rank,
    kv_lora_rank,
    qk_nope_dim,
    qk_rope_dim,
    v_head_dim,
    score_activation_bytes,
    indexer_activation_bytes,
    output_gate,
):
    """What MLA keeps for one token: compressed streams and their norms, q, k, v, the result, and what a gate needs."""
    ranks = q_lora_rank + kv_lora_rank
    return (
        bf16_bytes * (ranks + qk_rope_dim)
        + bf16_bytes * mla_heads * (2 * (qk_nope_dim + qk_rope_dim) + 2 * v_head_dim)
        + output_gate.only(bf16_bytes * mla_heads * v_head_dim)
        + recompute.choose(nothing=bf16_bytes * (ranks + output_gate.only(mla_heads * v_head_dim)), selective=0)
        + mla_heads * score_activation_bytes
        + indexer_activation_bytes
    )


@quantity(
    "byte/token",
    latex=r"a_{\mathrm{idx}}",
    ref="queries, one key, a weight a head, and the keys that were picked, as 32-bit indices",
    assumes="index scores are not kept",
)
def indexer_activation_bytes(bf16_bytes, fp32_bytes, index_heads, index_head_dim, index_topk):
    """What a layer's indexer keeps for one token."""
    return bf16_bytes * (index_heads * index_head_dim + index_head_dim + index_heads) + fp32_bytes * index_topk


@quantity(
    "byte/token",
    latex=r"a_{\mathrm{KDA}}",
    ref=KEPT + "; the chunked kernel of Kimi Linear keeps its FP32 decays and two triangles of a chunk a head",
    assumes="states of chunks are computed again; q and k are normalized inside the kernel",
)
def kda_activation_bytes(recompute, bf16_bytes, fp32_bytes, kda_width, kda_heads, kda_decay_rank, kda_chunk):
    """What KDA keeps for one token: q, k, v around their convolution, decays, beta, chunk triangles, the result, its gate."""
    return (
        bf16_bytes * (6 * kda_width + kda_decay_rank + kda_width + kda_heads + 2 * kda_heads * kda_chunk + 2 * kda_width)
        + fp32_bytes * kda_width
        + recompute.choose(nothing=bf16_bytes * kda_width, selective=0)
    )


@quantity(
    "byte/token",
    latex=r"a_{\mathrm{GDN}}",
    ref=KEPT + "; one decay a head, and one triangle of a chunk a head",
    assumes="states of chunks are computed again; q and k are normalized inside the kernel",
)
def gdn_activation_bytes(recompute, bf16_bytes, fp32_bytes, gdn_key_heads, gdn_value_heads, gdn_head_dim, gdn_chunk):
    """What a gated delta layer keeps for one token: q, k, v around their convolution, decay, beta, triangle, result, gate."""
    values = gdn_value_heads * gdn_head_dim
    return (
        bf16_bytes
        * (2 * (2 * gdn_key_heads * gdn_head_dim + values) + gdn_value_heads + gdn_value_heads * gdn_chunk + 2 * values)
        + fp32_bytes * gdn_value_heads
        + recompute.choose(nothing=bf16_bytes * values, selective=0)
    )


@quantity("byte/token/channel", latex=r"a_f", ref=KEPT, assumes="an activation function and its gate are one kernel")
def ffn_channel_bytes(recompute, bf16_bytes, gated):
    """What an FFN keeps for one token and channel of its inner width: gate and up, and their product."""
    return gated.either(2 * bf16_bytes, bf16_bytes) + recompute.choose(nothing=bf16_bytes, selective=0)


@quantity("byte/token", latex=r"a_{\mathrm{ffn}}", ref="channels of the inner width", block="dense")
def dense_ffn_activation_bytes(ffn_channel_bytes, dense_ffn):
    """What a dense FFN keeps for one token."""
    return ffn_channel_bytes * dense_ffn


@quantity(
    "byte/token",
    latex=r"a_{\mathrm{moe}}",
    ref=KEPT + "; under balanced routing a rank computes as many copies as it sends",
    assumes=(
        "balanced routing: the copies that a rank computes are top_k for each of its tokens",
        "routing weights act before the last product, so results of experts are not kept",
    ),
)
def moe_activation_bytes(bf16_bytes, fp32_bytes, experts, top_k, latent_width, expert_ffn, shared_ffn, ffn_channel_bytes, latent):
    """What an MoE layer's FFN keeps for one token: router outputs, inputs and inner widths of experts, streams around them."""
    return (
        fp32_bytes * (experts + 2 * top_k)
        + top_k * (bf16_bytes * latent_width + ffn_channel_bytes * expert_ffn)
        + ffn_channel_bytes * shared_ffn
        + latent.only(2 * bf16_bytes * latent_width)
    )


@quantity("1", latex=r"\beta_{\mathrm{fly}}", ref=FLIGHT)
def flight_slope(pipeline_schedule, virtual_stages):
    """By how many microbatches in flight a stage has fewer than the one before it."""
    return pipeline_schedule.choose(one_f_one_b=1, interleaved=(1 + Min(1, virtual_stages - 1)) / virtual_stages, all_forward=0)


@quantity("microbatch", latex=r"\alpha_{\mathrm{fly}}", ref=FLIGHT)
def flight_start(pipeline_schedule, PP, flight_slope, virtual_stages, M):
    """Microbatches that would be in flight on a stage before the first one."""
    return pipeline_schedule.choose(
        one_f_one_b=PP + 1,
        interleaved=flight_slope * PP + ((virtual_stages - 1) * PP + 1) / virtual_stages,
        all_forward=M,
    )


@quantity("microbatch", latex=r"n_{\mathrm{fly}}", ref=FLIGHT)
def microbatches_in_flight(M, flight_start, flight_slope, memory_stage):
    """Microbatches whose activations a stage keeps at the same time, in whole stages; no more than an update has."""
    return Min(M, flight_start - flight_slope * memory_stage)


@quantity("byte/token", latex=r"a_{s,\mathrm{in}}", ref="a layer's input for each layer")
def stage_input_bytes(memory_layers, layer_input_bytes):
    """Inputs of the stage's layers for one token."""
    return memory_layers * layer_input_bytes


@quantity("byte/token", latex=r"a_s", ref="a layer's own terms for each layer of its kind")
def stage_activation_bytes(
    memory_layers,
    stream_activation_bytes,
    memory_kda_layers,
    kda_activation_bytes,
    memory_mla_layers,
    mla_activation_bytes,
    memory_gqa_layers,
    gqa_activation_bytes,
    memory_gdn_layers,
    gdn_activation_bytes,
    memory_moe_layers,
    moe_activation_bytes,
    memory_dense_layers,
    dense_ffn_activation_bytes,
):
    """What the stage's layers keep for one token besides their inputs, where nothing is checkpointed whole."""
    return (
        memory_layers * stream_activation_bytes
        + memory_kda_layers * kda_activation_bytes
        + memory_mla_layers * mla_activation_bytes
        + memory_gqa_layers * gqa_activation_bytes
        + memory_gdn_layers * gdn_activation_bytes
        + memory_moe_layers * moe_activation_bytes
        + memory_dense_layers * dense_ffn_activation_bytes
    )


@quantity("byte/token", latex=r"a_{\max}", ref="the larger kinds of attention and FFN that the stage has", assumes=PRESENT)
def layer_working_bytes(
    stream_activation_bytes,
    memory_kda_layers,
    kda_activation_bytes,
    memory_mla_layers,
    mla_activation_bytes,
    memory_gqa_layers,
    gqa_activation_bytes,
    memory_gdn_layers,
    gdn_activation_bytes,
    memory_moe_layers,
    moe_activation_bytes,
    memory_dense_layers,
    dense_ffn_activation_bytes,
):
    """What the stage's largest layer keeps for one token while it is computed again."""
    return (
        stream_activation_bytes
        + Max(
            Min(1, ceiling(memory_kda_layers)) * kda_activation_bytes,
            Min(1, ceiling(memory_mla_layers)) * mla_activation_bytes,
            Min(1, ceiling(memory_gqa_layers)) * gqa_activation_bytes,
            Min(1, ceiling(memory_gdn_layers)) * gdn_activation_bytes,
        )
        + Max(Min(1, memory_moe_layers) * moe_activation_bytes, Min(1, memory_dense_layers) * dense_ffn_activation_bytes)
    )


@quantity(
    "byte",
    latex=r"M_{\mathrm{act}}",
    ref="inputs of layers, and without full checkpointing what layers keep, for every microbatch in flight",
)
def memory_activations(microbatches_in_flight, local_tokens, stage_input_bytes, checkpoint, stage_activation_bytes):
    """Activations that a rank keeps for the backward pass."""
    return microbatches_in_flight * local_tokens * (stage_input_bytes + (1 - checkpoint) * stage_activation_bytes)


@quantity("byte", latex=r"M_{\mathrm{re}}", ref="full checkpointing computes one layer again at a time, for one microbatch")
def memory_recomputation(checkpoint, local_tokens, layer_working_bytes):
    """Working set of the layer that is computed again."""
    return checkpoint * local_tokens * layer_working_bytes


@quantity(
    "stream",
    latex=r"n_{\mathrm{bank}}",
    ref="AttnRes: one stream for each block that is complete by the end of the stage",
    assumes=BEGUN,
    block="attn_res",
)
def bank_streams(memory_layers_through, attn_res_block):
    """Residual streams that a stage has of one microbatch, received ones included."""
    return memory_layers_through / attn_res_block


@quantity("byte", latex=r"M_{\mathrm{bank}}", ref="layers share the streams of a microbatch")
def memory_bank(microbatches_in_flight, stream_bytes, bank_streams):
    """Residual blocks that a rank keeps for the microbatches in flight."""
    return microbatches_in_flight * stream_bytes * bank_streams


@quantity(
    "byte",
    latex=r"M_{\mathrm{logit}}",
    ref="logits in FP32, and the stream before and after the last norm",
    assumes="one microbatch at a time, and the gradient of the logits takes their place",
)
def memory_logits(is_last_stage, local_tokens, fp32_bytes, vocab, bf16_bytes, hidden):
    """Logits of the last stage."""
    return is_last_stage * local_tokens * (fp32_bytes * vocab + 2 * bf16_bytes * hidden)


# Buffers of collectives, and the optimizer's.


@quantity(
    "byte",
    latex=r"M_{\mathrm{disp}}",
    ref="rows that arrive for a rank's experts and their results on the way back; the gathered routing map",
    assumes=(
        "balanced routing: top_k rows for each token of a rank",
        "one layer at a time; no buffer without expert parallelism",
    ),
)
def memory_dispatch(memory_moe_layers, EP, local_tokens, top_k, latent_row_bytes, routing_map_gathered_bytes):
    """Buffers of the expert exchange."""
    return Min(1, EP - 1, memory_moe_layers) * (2 * local_tokens * top_k * latent_row_bytes + routing_map_gathered_bytes)


@quantity(
    "byte",
    latex=r"M_{\mathrm{pp}}",
    ref="the packet of the hop before this stage, and the gradient of the hop after it",
    assumes=("one of each on its way, beside those that became activations", "what a hop carries in part counts by its layers"),
)
def memory_pipeline_buffers(stream_bytes, is_first_stage, is_last_stage, memory_layers_through, memory_layers, attn_res_block):
    """Receive buffers of the pipeline: a packet and a gradient, of all the streams that the hop carries."""
    received = (1 - is_first_stage) * (memory_layers_through - memory_layers) / attn_res_block
    returned = (1 - is_last_stage) * memory_layers_through / attn_res_block
    return stream_bytes * ((1 - is_first_stage) + (1 - is_last_stage) + received + returned)


@quantity("channel", latex=r"w_{\max}", ref="the widest product with the hidden stream that the stage has", assumes=PRESENT)
def memory_widest_matrix(
    memory_dense_layers,
    dense_ffn,
    shared_ffn,
    memory_kda_layers,
    kda_width,
    memory_mla_layers,
    mla_heads,
    v_head_dim,
    memory_gqa_layers,
    heads,
    head_dim,
    memory_gdn_layers,
    gdn_value_heads,
    gdn_head_dim,
    expert_ffn,
):
    """Width of the widest matrix on the hidden stream, other than embedding and LM head."""
    return Max(
        Min(1, memory_dense_layers) * dense_ffn,
        shared_ffn,
        expert_ffn,
        Min(1, ceiling(memory_kda_layers)) * kda_width,
        Min(1, ceiling(memory_mla_layers)) * mla_heads * v_head_dim,
        Min(1, ceiling(memory_gqa_layers)) * heads * head_dim,
        Min(1, ceiling(memory_gdn_layers)) * gdn_value_heads * gdn_head_dim,
    )


@quantity(
    "byte",
    latex=r"M_{\mathrm{NS}}",
    ref="X and its successor [r, c], A and B [r, r], in BF16",
    assumes="one whole matrix at a time, the widest one on the hidden stream",
)
def memory_newton_schulz(optimizer, bf16_bytes, hidden, memory_widest_matrix):
    """Workspace of Muon's Newton-Schulz iterations."""
    short, long = Min(hidden, memory_widest_matrix), Max(hidden, memory_widest_matrix)
    return optimizer.choose(muon=bf16_bytes * (2 * short * long + 2 * short**2), adamw=0)


@quantity("byte", latex=r"M_{\mathrm{work}}", ref="what is there while microbatches run, and gone when the optimizer does")
def memory_working(
    memory_gathered_weights,
    memory_whole_gradients,
    memory_activations,
    memory_recomputation,
    memory_bank,
    memory_logits,
    memory_dispatch,
    memory_pipeline_buffers,
):
    """What a rank holds beside its state while it computes."""
    return (
        memory_gathered_weights
        + memory_whole_gradients
        + memory_activations
        + memory_recomputation
        + memory_bank
        + memory_logits
        + memory_dispatch
        + memory_pipeline_buffers
    )


# Whether it fits.


@quantity("byte", latex=r"M_s", ref="the state, and the larger of what computing and what the optimizer needs beside it")
def memory_total(memory_state, memory_working, memory_newton_schulz):
    """Memory that a rank of the stage needs."""
    return memory_state + Max(memory_working, memory_newton_schulz)


@quantity("stage", latex=r"s_{\mathrm{m}}", ref="dense layers come first, so stages from here on are alike up to the last one")
def memory_plain_stage(PP, dense_layers, stage_layers, dense, moe):
    """The first stage that is like those behind it: neither the first one, nor one with layers of both kinds."""
    second = Min(PP, 2)
    return moe.either(dense.either(Min(PP, Max(2, 1 + ceiling(dense_layers / stage_layers))), second), second)


@quantity(
    "byte",
    latex=r"B_{\mu}",
    ref="layers' inputs, and without full checkpointing what layers keep",
    block="attn_res",
)
def plain_stage_activations(local_tokens, stage_input_bytes, checkpoint, stage_activation_bytes, memory_plain_stage):
    """Activations of one microbatch on a plain interior stage, residual blocks aside."""
    return local_tokens * (
        stage_input_bytes(memory_stage=memory_plain_stage)
        + (1 - checkpoint) * stage_activation_bytes(memory_stage=memory_plain_stage)
    )


@quantity(
    "stage",
    latex=r"s^{\circ}",
    ref="zero of the derivative of (alpha - beta s)(B_mu + b s) + 2 b s in s, with b the bytes of a stage's blocks; "
    "before the pipeline's M microbatches run short only the blocks grow",
    block="attn_res",
    domain=REAL,
)
def memory_turn(
    pipeline_schedule,
    flight_start,
    flight_slope,
    M,
    plain_stage_activations,
    attn_res_block,
    stream_bytes,
    stage_layers,
    PP,
):
    """Where along the interior stages memory is largest, as a real number: blocks become more, microbatches in flight fewer."""
    falls = Max(
        (flight_start - M) / flight_slope,
        (flight_start + 2) / (2 * flight_slope) - plain_stage_activations * attn_res_block / (2 * stream_bytes * stage_layers),
    )
    return pipeline_schedule.choose(one_f_one_b=falls, interleaved=falls, all_forward=PP)


@quantity("stage", latex=r"s^{\bullet}", ref="memory falls from stage to stage where nothing grows on the way")
def memory_busiest_stage(PP, memory_plain_stage, memory_turn, attn_res):
    """The plain interior stage of which it or the next one needs the most of them."""
    return attn_res.either(Min(PP, Max(memory_plain_stage, Min(PP - 1, floor(memory_turn)))), memory_plain_stage)


@quantity("byte", latex=r"M_{1}", ref="memory at the stage with the embedding")
def memory_first_stage(memory_total):
    """Memory that the first stage needs."""
    return memory_total(memory_stage=1)


@quantity(
    "byte",
    latex=r"M_{\mathrm{int}}",
    ref="memory rises up to the turn and falls behind it, among plain stages; the stages before those have dense layers",
    assumes="dense layers end in the second stage, or nothing grows on the way",
)
def memory_interior_stage(memory_total, PP, memory_plain_stage, memory_busiest_stage):
    """Memory that the interior stage which needs the most of them needs."""
    return Max(
        memory_total(memory_stage=Min(PP, 2)),
        memory_total(memory_stage=Min(PP, Max(2, memory_plain_stage - 1))),
        memory_total(memory_stage=memory_busiest_stage),
        memory_total(memory_stage=Min(PP, memory_busiest_stage + 1)),
    )


@quantity("byte", latex=r"M_{\mathrm{PP}}", ref="memory at the stage with the LM head")
def memory_last_stage(memory_total, PP):
    """Memory that the last stage needs."""
    return memory_total(memory_stage=PP)


@quantity("byte", latex=r"M_{\max}", ref="the stage that needs the most decides")
def memory_peak(memory_first_stage, memory_interior_stage, memory_last_stage):
    """Memory that the run needs on a GPU: that of its worst stage."""
    return Max(memory_first_stage, memory_interior_stage, memory_last_stage)


@quantity("name", latex=r"\mathrm{worst}", ref="the largest of the three")
def memory_worst_stage(memory_first_stage, memory_interior_stage, memory_last_stage):
    """Which stage needs the most memory, by the name of what it needs."""
    return largest(
        memory_first_stage=memory_first_stage,
        memory_interior_stage=memory_interior_stage,
        memory_last_stage=memory_last_stage,
    )


@quantity(
    "byte", latex=r"M_{\mathrm{free}}", ref="what programs see, less the peak; below zero the run does not fit", domain=REAL
)
def memory_headroom(hbm_capacity, memory_peak):
    """Memory that is left on a GPU of the worst stage."""
    return hbm_capacity - memory_peak


@quantity("byte", latex=r"M_{?}", ref="measured less counted", domain=REAL)
def measured_memory_gap(measured_memory, memory_peak):
    """How much more a measured run held than this budget has."""
    return measured_memory - memory_peak
