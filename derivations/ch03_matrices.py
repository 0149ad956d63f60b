"""What a token is multiplied with

A checkpoint of 2.78 trillion parameters says little about the work of a token, which meets 16 of 896 experts in each
layer. What costs FLOPs is a matrix that a token is multiplied with, and this chapter counts those one family at a time:
the routed experts in the latent width, the shared experts on the full width, the projections between the two, routers,
attention and the LM head. The embedding is a look-up and the vision path sees no text token; neither is matrix work.

Small vectors (norms, decays, short convolutions) are parameters without being matrices. They are why the conventional
active count is a little above the matrix count, and public tools disagree on some of them: one count misses 16,544.
"""

from symroof import FLOP, quantity

CONFIG = "K3 architecture (released config.json, arXiv 2607.24653)"


@quantity("parameter/expert", latex=r"P_{\mathrm{exp}}", ref=CONFIG + ": gate, up and down matrices, in the latent width")
def expert_parameters(latent_width, expert_ffn):
    """Weights of one routed expert."""
    return 3 * latent_width * expert_ffn


@quantity("parameter", latex=r"N_{\mathrm{routed}}", ref="the article: layers, experts, matrices and their two sides")
def routed_active_parameters(moe_layers, top_k, latent_width, expert_ffn):
    """Routed expert weights that a token is multiplied with."""
    return moe_layers * top_k * 3 * latent_width * expert_ffn


@quantity("parameter", latex=r"P_{\mathrm{routed}}", ref=CONFIG)
def routed_total_parameters(moe_layers, experts, expert_parameters):
    """Routed expert weights that are stored."""
    return moe_layers * experts * expert_parameters


@quantity("parameter", latex=r"N_{\mathrm{shared}}", ref=CONFIG + ": shared experts keep the full hidden width")
def shared_expert_parameters(moe_layers, hidden, shared_ffn):
    """Weights of the shared experts."""
    return moe_layers * 3 * hidden * shared_ffn


@quantity("parameter", latex=r"N_{\mathrm{latent}}", ref=CONFIG + ": down before dispatch, up after combine")
def latent_projection_parameters(moe_layers, hidden, latent_width):
    """Weights that take the routed stream to the latent width and back."""
    return moe_layers * 2 * hidden * latent_width


@quantity("parameter", latex=r"N_{\mathrm{router}}", ref=CONFIG)
def router_parameters(moe_layers, experts, hidden):
    """Weights of the routers, one row an expert."""
    return moe_layers * experts * hidden


@quantity("parameter", latex=r"N_{\mathrm{ffn}}", ref=CONFIG + ": gated, three matrices")
def dense_ffn_parameters(dense_layers, hidden, dense_ffn):
    """Weights of the dense FFN layers."""
    return dense_layers * 3 * hidden * dense_ffn


@quantity("parameter", latex=r"N_{\mathrm{head}}", ref=CONFIG + ": untied from the embedding")
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
    ref=CONFIG + ": query down and up, key-value down and up, output gate and output projection",
)
def mla_layer_parameters(mla_heads, q_lora_rank, kv_lora_rank, qk_nope_dim, qk_rope_dim, v_head_dim, hidden):
    """Matrix weights of one gated MLA layer."""
    return (
        q_lora_rank * hidden
        + mla_heads * (qk_nope_dim + qk_rope_dim) * q_lora_rank
        + (kv_lora_rank + qk_rope_dim) * hidden
        + mla_heads * (qk_nope_dim + v_head_dim) * kv_lora_rank
        + 2 * mla_heads * v_head_dim * hidden
    )


@quantity("parameter", latex=r"N_{\mathrm{KDA}}", ref="one layer times the layers of its kind")
def kda_parameters(kda_layers, kda_layer_parameters):
    """Matrix weights of all KDA layers."""
    return kda_layers * kda_layer_parameters


@quantity("parameter", latex=r"N_{\mathrm{MLA}}", ref="one layer times the layers of its kind")
def mla_parameters(mla_layers, mla_layer_parameters):
    """Matrix weights of all MLA layers."""
    return mla_layers * mla_layer_parameters


@quantity("parameter", latex=r"N", ref="the article: all learned active matrices, LM head in, embedding and vision out")
def active_matrix_parameters(
    kda_parameters,
    mla_parameters,
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
        + dense_ffn_parameters
        + router_parameters
        + latent_projection_parameters
        + shared_expert_parameters
        + routed_active_parameters
        + lm_head_parameters
    )


@quantity(
    "parameter",
    latex=r"N_{\mathrm{small}}",
    ref="K3 checkpoint headers: short convolutions, decay biases and rates, output norms, MLA norms, expert norms, hidden-width vectors",
)
def non_matrix_parameters(
    kda_layers, kda_width, kda_conv, kda_head_dim, mla_layers, q_lora_rank, kv_lora_rank, moe_layers, latent_width, layers, hidden
):
    """Active weights that are no matrices: they are stored and updated, and cost no matrix product."""
    return (
        kda_layers * 3 * kda_width * kda_conv
        + kda_layers * kda_width
        + 2 * kda_layers * kda_head_dim
        + mla_layers * (q_lora_rank + kv_lora_rank)
        + moe_layers * latent_width
        + (6 * layers + 3) * hidden
    )


@quantity("parameter", latex=r"N_{\mathrm{active}}", ref="the article: the conventional 104.1895B")
def active_parameters(active_matrix_parameters, non_matrix_parameters):
    """Active parameters as they are usually quoted: matrices and small weights, without the embedding."""
    return active_matrix_parameters + non_matrix_parameters


@quantity(
    "parameter",
    latex=r"N_{\mathrm{titan}}",
    ref="torchtitan kimi_k3: decay rates sized by heads, no AttnRes vectors on the first layer's attention",
)
def torchtitan_active_parameters(active_parameters, kda_layers, kda_head_dim, kda_heads, hidden):
    """Active parameters as torchtitan's estimator counts them, 16,544 fewer."""
    return active_parameters - kda_layers * (kda_head_dim - kda_heads) - 2 * hidden


@quantity("parameter", latex=r"P_{\mathrm{stored}}", ref="K3 checkpoint headers: routers carry a correction bias for each expert")
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
):
    """Parameters of the whole checkpoint."""
    return (
        active_matrix_parameters
        - routed_active_parameters
        + routed_total_parameters
        + non_matrix_parameters
        + embedding_parameters
        + moe_layers * experts
        + vision_parameters
        + projector_parameters
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
