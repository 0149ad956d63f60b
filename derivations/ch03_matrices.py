"""What a token is multiplied with

[moe] The size of a checkpoint says little about the work of a token, which meets few of the experts in each layer.

What costs FLOPs is a matrix that a token is multiplied with, and this chapter counts those one family at a time: attention,
FFNs and the LM head. The embedding is a look-up and a vision path sees no text token; neither is matrix work.

[latent] Routed experts work in the latent width and shared experts on the full one, and the projections between the two are
matrices as well.

Small vectors such as norms and biases are parameters without being matrices. They are why the conventional active count is a
little above the matrix count, and public tools disagree on some of them.

[kda, attn_res] A token of K3 is multiplied with 104 billion parameters of 2.78 trillion. torchtitan's count of the active ones
misses 16,544 small ones: it sizes decay rates by heads, and has no AttnRes vectors on the first layer's attention.
"""

from symroof import FLOP, convention, quantity

MTP = "DeepSeek-V3, arXiv 2412.19437: a decoder layer, a projection of two streams to one, and three norms"

active_small = convention(
    "whether norms, biases and convolutions are active parameters",
    default="counted",
    ref="torchtitan and the article count them; Megatron-LM and MaxText count matrices",
    counted="every weight that a token meets",
    left_out="matrices alone",
)
active_head = convention(
    "whether the LM head is an active parameter",
    default="counted",
    ref="the published 2.4B of DeepSeek-V2-Lite has it; counts without embeddings leave it out",
    counted="it is a matrix that every token is multiplied with",
    left_out="layers alone",
)
active_embedding = convention(
    "whether the input embedding is an active parameter",
    default="left_out",
    ref="a look-up; published counts of Qwen3 and gpt-oss differ on it",
    left_out="a look-up costs no product",
    counted="the whole table",
)
active_experts = convention(
    "which routed experts are active parameters",
    default="active",
    ref="a count of all parameters is sometimes printed as the active one",
    mistaken=("all",),
    active="those that a token is sent to",
    all="all that are stored",
)
stored_mtp = convention(
    "whether layers that predict a further token are counted in what is stored",
    default="left_out",
    ref="published totals differ: DeepSeek-V3 is 671B without and 685B with them",
    left_out="the main model",
    counted="with the layers that predict a further token, and what they share counted once",
    with_tables="with those layers, and with the copies of embedding and LM head that a checkpoint has for them",
)
active_mtp = convention(
    "whether layers that predict a further token are active parameters",
    default="left_out",
    ref="they train, and most counts leave them out",
    left_out="the main model",
    counted="with the layers that predict a further token",
)

CONFIG = "published configurations"


@quantity("parameter/expert", latex=r"P_{\mathrm{exp}}", ref=CONFIG + ": gate, up and down matrices, in the width that is routed")
def expert_parameters(latent_width, expert_ffn, gated):
    """Weights of one routed expert."""
    return gated.either(3 * latent_width * expert_ffn, 2 * latent_width * expert_ffn)


@quantity("parameter", latex=r"N_{\mathrm{routed}}", ref="the article: layers, experts, matrices and their two sides")
def routed_active_parameters(moe_layers, top_k, latent_width, expert_ffn, gated):
    """Routed expert weights that a token is multiplied with."""
    return gated.either(moe_layers * top_k * 3 * latent_width * expert_ffn, moe_layers * top_k * 2 * latent_width * expert_ffn)


@quantity("parameter", latex=r"P_{\mathrm{routed}}", ref=CONFIG)
def routed_total_parameters(moe_layers, experts, expert_parameters):
    """Routed expert weights that are stored."""
    return moe_layers * experts * expert_parameters


@quantity("parameter", latex=r"N_{\mathrm{shared}}", ref=CONFIG + ": shared experts keep the full hidden width")
def shared_expert_parameters(moe_layers, hidden, shared_ffn, gated, shared_gate):
    """Weights of the shared experts, with their gate where they have one."""
    return gated.either(moe_layers * 3 * hidden * shared_ffn, moe_layers * 2 * hidden * shared_ffn) + shared_gate.only(
        moe_layers * hidden
    )


@quantity("parameter", latex=r"N_{\mathrm{latent}}", ref=CONFIG + ": down before dispatch, up after combine", block="latent")
def latent_projection_parameters(moe_layers, hidden, latent_width):
    """Weights that take the routed stream to the latent width and back."""
    return moe_layers * 2 * hidden * latent_width


@quantity("parameter", latex=r"N_{\mathrm{router}}", ref=CONFIG)
def router_parameters(moe_layers, experts, hidden):
    """Weights of the routers, one row an expert."""
    return moe_layers * experts * hidden


@quantity("parameter", latex=r"N_{\mathrm{ffn}}", ref=CONFIG + ": gated, three matrices; else two")
def dense_ffn_parameters(dense_layers, hidden, dense_ffn, gated):
    """Weights of the dense FFN layers."""
    return gated.either(dense_layers * 3 * hidden * dense_ffn, dense_layers * 2 * hidden * dense_ffn)


@quantity("parameter", latex=r"N_{\mathrm{head}}", ref=CONFIG + ": a matrix also where it shares its weights with the embedding")
def lm_head_parameters(vocab, hidden):
    """Weights of the LM head, which is matrix work for every token."""
    return vocab * hidden


@quantity("parameter", latex=r"P_{\mathrm{emb}}", ref=CONFIG + "; a look-up, so no matrix work")
def embedding_parameters(vocab, hidden):
    """Weights of the input embedding."""
    return vocab * hidden


@quantity("channel", latex=r"w_{\mathrm{KDA}}", ref=CONFIG)
def kda_width(kda_heads, kda_head_dim):
    """Width of all heads of a KDA layer together."""
    return kda_heads * kda_head_dim


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{KDA}}",
    ref=CONFIG + ": q, k, v; low-rank decay; beta; output gate and output projection",
)
def kda_layer_parameters(kda_width, hidden, kda_decay_rank, kda_heads):
    """Matrix weights of one KDA layer."""
    return 3 * kda_width * hidden + kda_decay_rank * (hidden + kda_width) + kda_heads * hidden + 2 * kda_width * hidden


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{MLA}}",
    ref=CONFIG + ": queries, keys and values, down and up where they are compressed; the output projection, and its gate if any",
)
def mla_layer_parameters(
    mla_heads, q_lora_rank, kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim, hidden, query_rank, output_gate
):
    """Matrix weights of one MLA layer, its output gate included where it has one."""
    return (
        q_lora_rank * hidden
        + query_rank.either(
            mla_heads * (qk_nope_dim + qk_rope_dim) * q_lora_rank, mla_heads * (qk_nope_dim + qk_rope_dim) * hidden
        )
        + (kv_lora_rank + qk_rope_dim) * hidden
        + mla_heads * (qk_nope_dim + v_head_dim) * kv_lora_rank
        + output_gate.either(2 * mla_heads * v_head_dim * hidden, mla_heads * v_head_dim * hidden)
    )


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{GQA}}",
    ref="grouped-query attention, arXiv 2305.13245: query, key, value and output projections",
)
def gqa_layer_parameters(heads, kv_heads, head_dim, hidden, output_gate):
    """Matrix weights of one layer with grouped-query attention, its output gate included where it has one."""
    return output_gate.either((3 * heads + 2 * kv_heads) * head_dim * hidden, (2 * heads + 2 * kv_heads) * head_dim * hidden)


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{GDN}}",
    ref="gated delta net as in Qwen3-Next: q, k, v, gate and output projections, decay and beta",
)
def gdn_layer_parameters(gdn_key_heads, gdn_value_heads, gdn_head_dim, hidden):
    """Matrix weights of one gated delta layer."""
    return (2 * gdn_key_heads + 3 * gdn_value_heads) * gdn_head_dim * hidden + 2 * gdn_value_heads * hidden


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{idx}}",
    ref="DeepSeek sparse attention: queries from the compressed query, one key and a weight a head from the hidden stream",
)
def indexer_layer_parameters(q_lora_rank, index_heads, index_head_dim, hidden):
    """Matrix weights of one layer's indexer."""
    return q_lora_rank * index_heads * index_head_dim + hidden * index_head_dim + hidden * index_heads


@quantity("parameter", latex=r"N_{\mathrm{KDA}}", ref="one layer times the layers of its kind")
def kda_parameters(kda_layers, kda_layer_parameters):
    """Matrix weights of all KDA layers."""
    return kda_layers * kda_layer_parameters


@quantity("parameter", latex=r"N_{\mathrm{MLA}}", ref="one layer times the layers of its kind")
def mla_parameters(mla_layers, mla_layer_parameters):
    """Matrix weights of all MLA layers."""
    return mla_layers * mla_layer_parameters


@quantity("parameter", latex=r"N_{\mathrm{GQA}}", ref="one layer times the layers of its kind")
def gqa_parameters(gqa_layers, gqa_layer_parameters):
    """Matrix weights of all layers with grouped-query attention."""
    return gqa_layers * gqa_layer_parameters


@quantity("parameter", latex=r"N_{\mathrm{GDN}}", ref="one layer times the layers of its kind")
def gdn_parameters(gdn_layers, gdn_layer_parameters):
    """Matrix weights of all gated delta layers."""
    return gdn_layers * gdn_layer_parameters


@quantity("parameter", latex=r"N_{\mathrm{idx}}", ref="every MLA layer has an indexer")
def indexer_parameters(mla_layers, indexer_layer_parameters):
    """Matrix weights of all indexers."""
    return mla_layers * indexer_layer_parameters


@quantity("parameter", latex=r"N", ref="the article: all learned active matrices, LM head in, embedding and vision out")
def active_matrix_parameters(
    kda_parameters,
    mla_parameters,
    gqa_parameters,
    gdn_parameters,
    indexer_parameters,
    dense_ffn_parameters,
    router_parameters,
    latent_projection_parameters,
    shared_expert_parameters,
    routed_active_parameters,
    lm_head_parameters,
):
    """Matrix weights that every token is multiplied with."""
    return (
        kda_parameters
        + mla_parameters
        + gqa_parameters
        + gdn_parameters
        + indexer_parameters
        + dense_ffn_parameters
        + router_parameters
        + latent_projection_parameters
        + shared_expert_parameters
        + routed_active_parameters
        + lm_head_parameters
    )


@quantity("parameter", latex=r"N_{\mathrm{qk}}", ref="a norm on queries and one on keys, shared by the heads", block="qk_norm")
def head_norm_parameters(gqa_layers, head_dim):
    """Norm vectors on the queries and keys of all layers with grouped-query attention."""
    return 2 * gqa_layers * head_dim


@quantity("parameter", latex=r"N_{\mathrm{bias}}", ref="biases of the query, key, value and output projections, and sinks")
def attention_bias_parameters(gqa_layers, heads, kv_heads, head_dim, hidden, qkv_bias, output_bias, sinks):
    """Biases of all layers with grouped-query attention, and sinks where they have them."""
    return gqa_layers * (qkv_bias.only((heads + 2 * kv_heads) * head_dim) + output_bias.only(hidden) + sinks.only(heads))


@quantity("parameter", latex=r"N_{\mathrm{GDN,s}}", ref="gated delta net: convolutions, decay rates and biases, output norm")
def gdn_small_parameters(gdn_layers, gdn_key_heads, gdn_value_heads, gdn_head_dim, gdn_conv):
    """Active weights of all gated delta layers that are no matrices."""
    return gdn_layers * ((2 * gdn_key_heads + gdn_value_heads) * gdn_head_dim * gdn_conv + 2 * gdn_value_heads + gdn_head_dim)


@quantity("parameter", latex=r"N_{\mathrm{idx,s}}", ref="the indexer's key has a norm with a bias")
def indexer_norm_parameters(mla_layers, index_head_dim):
    """Norms of all indexers."""
    return 2 * mla_layers * index_head_dim


@quantity("parameter", latex=r"N_{\mathrm{rb}}", ref="one bias an expert", block="router_bias")
def router_bias_parameters(moe_layers, experts):
    """Biases of the routers."""
    return moe_layers * experts


@quantity("parameter/expert", latex=r"P_{\mathrm{eb}}", ref="a bias on each of an expert's projections", block="expert_bias")
def expert_bias_parameters(expert_ffn, latent_width, gated):
    """Biases of one routed expert."""
    return gated.either(2 * expert_ffn + latent_width, expert_ffn + latent_width)


@quantity("parameter", latex=r"N_{\mathrm{eb}}", ref="biases of the experts that a token is sent to")
def active_expert_bias_parameters(moe_layers, top_k, expert_bias_parameters):
    """Biases of the routed experts that a token meets."""
    return moe_layers * top_k * expert_bias_parameters


@quantity(
    "parameter",
    latex=r"N_{\mathrm{small}}",
    ref="checkpoint headers: norms, biases and convolutions, whichever the model has",
)
def non_matrix_parameters(
    kda_layers,
    kda_width,
    kda_conv,
    kda_head_dim,
    mla_layers,
    q_lora_rank,
    kv_lora_rank,
    moe_layers,
    latent_width,
    layers,
    hidden,
    latent,
    attn_res,
    attention_bias_parameters,
    head_norm_parameters,
    gdn_small_parameters,
    indexer_norm_parameters,
    router_bias_parameters,
    active_expert_bias_parameters,
    norms_per_layer,
):
    """Active weights that are no matrices: they are stored and updated, and cost no matrix product."""
    return (
        kda_layers * 3 * kda_width * kda_conv
        + kda_layers * kda_width
        + 2 * kda_layers * kda_head_dim
        + mla_layers * (q_lora_rank + kv_lora_rank)
        + latent.only(moe_layers * latent_width)
        + attn_res.either((6 * layers + 3) * hidden, (norms_per_layer * layers + 1) * hidden)
        + head_norm_parameters
        + attention_bias_parameters
        + gdn_small_parameters
        + indexer_norm_parameters
        + router_bias_parameters
        + active_expert_bias_parameters
    )


@quantity(
    "parameter", latex=r"N_{\mathrm{active}}", ref="the article: the conventional count, small weights in and the embedding out"
)
def active_parameters(
    active_matrix_parameters,
    non_matrix_parameters,
    lm_head_parameters,
    embedding_parameters,
    mtp_active_parameters,
    tied,
    active_experts,
    routed_total_parameters,
    routed_active_parameters,
    moe_layers,
    experts,
    top_k,
    expert_bias_parameters,
    correction_bias,
    active_small,
    active_head,
    active_embedding,
    active_mtp,
):
    """Active parameters as they are usually quoted: matrices and small weights, without the embedding."""
    return (
        active_matrix_parameters
        + active_small.choose(counted=non_matrix_parameters, left_out=0)
        - active_head.choose(counted=0, left_out=lm_head_parameters)
        + tied.unless(active_embedding.choose(left_out=0, counted=embedding_parameters))
        + active_mtp.choose(left_out=0, counted=mtp_active_parameters)
        + active_experts.choose(
            active=0,
            all=routed_total_parameters
            - routed_active_parameters
            + moe_layers * (experts - top_k) * expert_bias_parameters
            + correction_bias.only(moe_layers * experts),
        )
    )


@quantity(
    "parameter",
    latex=r"N_{\mathrm{titan}}",
    ref="torchtitan's estimators, which list the weights of a model themselves",
)
def torchtitan_active_parameters(
    active_matrix_parameters, non_matrix_parameters, kda_layers, kda_head_dim, kda_heads, hidden, attn_res
):
    """Active parameters as torchtitan's estimator counts them."""
    return active_matrix_parameters + non_matrix_parameters - kda_layers * (kda_head_dim - kda_heads) - attn_res.only(2 * hidden)


@quantity("parameter", latex=r"P_{\mathrm{stored}}", ref="checkpoint headers: every tensor of the model once")
def stored_parameters(
    active_matrix_parameters,
    routed_active_parameters,
    routed_total_parameters,
    non_matrix_parameters,
    embedding_parameters,
    moe_layers,
    experts,
    vision_parameters,
    projector_parameters,
    active_expert_bias_parameters,
    expert_bias_parameters,
    tied,
    correction_bias,
    stored_mtp,
    mtp_stored_parameters,
    mtp_layers,
):
    """Parameters of the model that are stored.

    Layers that predict a further token, which a checkpoint may have besides, are in it only where a convention counts them.
    """
    return (
        active_matrix_parameters
        - routed_active_parameters
        + routed_total_parameters
        + non_matrix_parameters
        + tied.unless(embedding_parameters)
        + correction_bias.only(moe_layers * experts)
        + vision_parameters
        + projector_parameters
        - active_expert_bias_parameters
        + moe_layers * experts * expert_bias_parameters
        + stored_mtp.choose(
            left_out=0,
            counted=mtp_stored_parameters,
            with_tables=mtp_stored_parameters + 2 * mtp_layers * embedding_parameters,
        )
    )


@quantity(
    "parameter",
    latex=r"P_{\mathrm{dense}}",
    ref="attention, what every token meets of FFNs, the LM head, and the embedding unless it is the LM head's",
    assumes="matrices only: the small vectors and a vision tower are left out",
)
def dense_matrix_parameters(active_matrix_parameters, routed_active_parameters, embedding_parameters, tied):
    """Matrix weights of the model that a rank shares with its whole stage, the embedding included."""
    return active_matrix_parameters - routed_active_parameters + tied.unless(embedding_parameters)


@quantity("parameter/layer", latex=r"P_{\mathrm{ffn}}", ref=CONFIG + ": gated, three matrices; else two", block="dense")
def ffn_layer_parameters(hidden, dense_ffn, gated):
    """Matrix weights of one dense FFN."""
    return gated.either(3 * hidden * dense_ffn, 2 * hidden * dense_ffn)


@quantity(
    "parameter/layer",
    latex=r"P_{\mathrm{moe,dense}}",
    ref=CONFIG + ": the router, and what else of the layer is not routed",
    block="moe",
)
def moe_layer_dense_parameters(hidden, shared_ffn, latent_width, experts, gated, latent, shared_gate):
    """Matrix weights of one MoE layer's FFN that every token meets."""
    return (
        gated.either(3 * hidden * shared_ffn, 2 * hidden * shared_ffn)
        + shared_gate.only(hidden)
        + latent.only(2 * hidden * latent_width)
        + experts * hidden
    )


@quantity("parameter/layer", latex=r"P_{\mathrm{moe}}", ref="what every token meets, and the experts that it is sent to")
def moe_layer_active_parameters(moe_layer_dense_parameters, top_k, expert_parameters):
    """Matrix weights of one MoE layer's FFN that a token is multiplied with."""
    return moe_layer_dense_parameters + top_k * expert_parameters


@quantity("parameter/layer", latex=r"P_{\mathrm{MTP}}", ref=MTP, block="mtp")
def mtp_layer_parameters(
    mla_layer_parameters, gqa_layer_parameters, indexer_layer_parameters, moe_layer_active_parameters, hidden
):
    """Matrix weights that a token is multiplied with in one layer that predicts a further token, its LM head not counted."""
    return mla_layer_parameters + gqa_layer_parameters + indexer_layer_parameters + moe_layer_active_parameters + 2 * hidden**2


@quantity("parameter", latex=r"N_{\mathrm{MTP}}", ref=MTP)
def mtp_active_parameters(mtp_layers, mtp_layer_parameters):
    """Matrix weights that a token is multiplied with in the layers that predict a further token; they share the LM head."""
    return mtp_layers * mtp_layer_parameters


@quantity("parameter", latex=r"P_{\mathrm{MTP,stored}}", ref=MTP, assumes="embedding and LM head are shared with the main model")
def mtp_stored_parameters(
    mtp_layers,
    mtp_layer_parameters,
    experts,
    top_k,
    expert_parameters,
    hidden,
    norms_per_layer,
    kv_lora_rank,
    q_lora_rank,
    attention_bias_parameters,
    head_norm_parameters,
    gqa_layers,
    indexer_norm_parameters,
    mla_layers,
    correction_bias,
):
    """Parameters of the layers that predict a further token, beyond what they share with the main model."""
    return mtp_layers * (
        mtp_layer_parameters
        + (experts - top_k) * expert_parameters
        + (norms_per_layer + 3) * hidden
        + (q_lora_rank + kv_lora_rank)
        + (attention_bias_parameters + head_norm_parameters) / gqa_layers
        + indexer_norm_parameters / mla_layers
        + correction_bias.only(experts)
    )


@quantity("FLOP/token", latex=r"F_N", ref="the article: 6 FLOPs for each activated matrix weight, not for each stored one")
def matrix_training_flops(active_matrix_parameters):
    """Training FLOPs of the learned matrices, for one token."""
    return 6 * FLOP * active_matrix_parameters


@quantity("FLOP/microbatch", latex=r"F_{N,\mu}", ref="the article: the same for two 2K rows as for one 4K row")
def matrix_flops_per_microbatch(matrix_training_flops, rows, context):
    """Training FLOPs of the learned matrices for the rows of one microbatch of one replica."""
    return matrix_training_flops * rows * context


@quantity("FLOP/update", latex=r"F_{N,D}", ref="the article: 6 N D")
def matrix_flops_per_update(matrix_training_flops, global_batch_tokens):
    """Training FLOPs of the learned matrices for an optimizer update."""
    return matrix_training_flops * global_batch_tokens


@quantity(
    "FLOP/token",
    latex=r"\hat F_N",
    ref="full activation checkpointing repeats the forward pass of the layers",
    assumes="the LM head is outside the checkpointed layers and is not computed twice",
)
def executed_matrix_flops(active_matrix_parameters, checkpoint, lm_head_parameters):
    """Matrix FLOPs that are executed for one token, the recomputed forward pass included."""
    return 6 * FLOP * active_matrix_parameters + 2 * FLOP * checkpoint * (active_matrix_parameters - lm_head_parameters)
