"""What Muon costs

Muon replaces a matrix's update by an orthogonalized one. Its history is an FP32 momentum; the orthogonalization itself is a
handful of Newton-Schulz iterations on a BF16 working matrix, each of them three matrix products. That is a count of work, not
a time: it leaves out redistribution, normalization and communication. Whether a model is trained with Muon is not asked here.

[moe] What is counted together are the matrices of the experts, as many as a rank of an interior stage has; all others are left
out.

[gated] Storage is no excuse for a different update. Gate and up projections are often stored as one matrix and are two logical
ones; orthogonalizing the fused shape costs something else and computes something else.

[kda] Heads cut the other way: applied to each head of a projection, the same iteration is far cheaper than on the whole.
"""

from symroof import FLOP, Max, Min, argument, quantity

LEADING = "leading contractions; normalization and elementwise work are left out"


SIDES = "Newton-Schulz works on the short side; by default a matrix of an FFN, of an expert if there are any"


@argument("channel", latex="r", ref=SIDES)
def r(latent_width, expert_ffn, hidden, dense_ffn, moe):
    """Short side of the matrix."""
    return moe.either(Min(latent_width, expert_ffn), Min(hidden, dense_ffn))


@argument("channel", latex="c", ref=SIDES)
def c(latent_width, expert_ffn, hidden, dense_ffn, moe):
    """Long side of the matrix."""
    return moe.either(Max(latent_width, expert_ffn), Max(hidden, dense_ffn))


@quantity(
    "FLOP/iteration",
    latex=r"F_{XX^{T}}",
    ref="the article: A = X X^T, a product [r, c] [c, r]",
    assumes="the symmetry of A is not used",
)
def newton_schulz_gram_flops(r, c):
    """FLOPs of the Gram matrix A."""
    return 2 * FLOP * r**2 * c


@quantity(
    "FLOP/iteration",
    latex=r"F_{A^{2}}",
    ref="the article: B = bA + cA^2, a product [r, r] [r, r]",
    assumes="the symmetry of A is not used",
)
def newton_schulz_square_flops(r):
    """FLOPs of the square of A."""
    return 2 * FLOP * r**3


@quantity("FLOP/iteration", latex=r"F_{BX}", ref="the article: X is updated with B X, a product [r, r] [r, c]")
def newton_schulz_update_flops(r, c):
    """FLOPs of the product B X."""
    return 2 * FLOP * r**2 * c


@quantity("FLOP/iteration", latex=r"F_{\mathrm{it}}", ref="the article: 4 r^2 c + 2 r^3", assumes=LEADING)
def newton_schulz_iteration_flops(newton_schulz_gram_flops, newton_schulz_square_flops, newton_schulz_update_flops):
    """FLOPs of one Newton-Schulz iteration."""
    return newton_schulz_gram_flops + newton_schulz_square_flops + newton_schulz_update_flops


@quantity("FLOP/matrix", latex=r"F_{\mathrm{NS}}", ref="every iteration costs the same", assumes=LEADING)
def newton_schulz_flops(newton_schulz_steps, newton_schulz_iteration_flops):
    """FLOPs to orthogonalize one matrix."""
    return newton_schulz_steps * newton_schulz_iteration_flops


@quantity(
    "byte/matrix",
    latex=r"B_{\mathrm{NS}}",
    ref="the article: a BF16 working matrix",
    assumes="the matrix itself, without A and B",
)
def newton_schulz_working_bytes(bf16_bytes, r, c):
    """Size of the BF16 working matrix X."""
    return bf16_bytes * r * c


@quantity("matrix/expert", latex=r"n_{\mathrm{exp}}", ref="gate, up and down, however they are stored", block="moe")
def matrices_per_expert(gated):
    """Logical matrices of one routed expert."""
    return gated.either(3, 2)


@quantity("matrix/rank", latex=r"n_{\mathrm{mat}}", ref="layers, experts a rank and logical matrices an expert")
def expert_matrices_per_rank(stage_moe_layers, experts_per_rank, matrices_per_expert, expert_FSDP):
    """Expert matrices that a rank of an interior stage orthogonalizes; expert FSDP ranks share them."""
    return stage_moe_layers * experts_per_rank * matrices_per_expert / expert_FSDP


@quantity(
    "FLOP/update",
    latex=r"F_{\mathrm{Muon}}",
    ref="the article: the expert matrices of a rank, times the work on one",
    assumes=LEADING,
)
def expert_muon_flops(expert_matrices_per_rank, newton_schulz_flops, latent_width, expert_ffn):
    """Newton-Schulz FLOPs of a rank's expert matrices in an update."""
    return expert_matrices_per_rank * newton_schulz_flops(r=Min(latent_width, expert_ffn), c=Max(latent_width, expert_ffn))


@quantity(
    "FLOP/matrix",
    latex=r"F_{\mathrm{fused}}",
    ref="the same iteration on the two side by side",
    assumes="shown to be avoided: it is another update, at another cost",
)
def fused_gate_up_newton_schulz_flops(newton_schulz_flops, latent_width, expert_ffn):
    """FLOPs to orthogonalize gate and up as the one matrix they are stored in."""
    return newton_schulz_flops(r=Min(latent_width, 2 * expert_ffn), c=Max(latent_width, 2 * expert_ffn))


@quantity("FLOP/matrix", latex=r"F_{\mathrm{split}}", ref="the article: Muon orthogonalizes gate and up separately")
def split_gate_up_newton_schulz_flops(newton_schulz_flops, latent_width, expert_ffn):
    """FLOPs to orthogonalize gate and up as the two logical matrices that they are."""
    return 2 * newton_schulz_flops(r=Min(latent_width, expert_ffn), c=Max(latent_width, expert_ffn))


@quantity("FLOP", latex=r"F_{\mathrm{head}}", ref="K3: Muon for each head of q, k and v; blocks [head_dim, hidden]")
def per_head_newton_schulz_flops(kda_heads, newton_schulz_flops, kda_head_dim, hidden):
    """FLOPs to orthogonalize one of a KDA layer's q, k, v projections, head by head."""
    return kda_heads * newton_schulz_flops(r=Min(kda_head_dim, hidden), c=Max(kda_head_dim, hidden))


@quantity("FLOP", latex=r"F_{\mathrm{proj}}", ref="the same projection as one matrix, to compare with")
def whole_projection_newton_schulz_flops(newton_schulz_flops, kda_width, hidden):
    """FLOPs to orthogonalize one of a KDA layer's q, k, v projections as a whole."""
    return newton_schulz_flops(r=Min(kda_width, hidden), c=Max(kda_width, hidden))


@quantity(
    "FLOP/token", latex=r"F_{\mathrm{Muon},t}", ref="all expert matrices of the model over the global batch", assumes=LEADING
)
def muon_flops_per_token(
    moe_layers, experts, matrices_per_expert, newton_schulz_flops, latent_width, expert_ffn, global_batch_tokens
):
    """Newton-Schulz FLOPs of all expert matrices, spread over the tokens of an update."""
    return (
        moe_layers
        * experts
        * matrices_per_expert
        * newton_schulz_flops(r=Min(latent_width, expert_ffn), c=Max(latent_width, expert_ffn))
        / global_batch_tokens
    )


@quantity("parameter/rank", latex=r"P_{\mathrm{opt}}", ref="sharded by their real groups, as chapter 7 has them")
def optimizer_parameters_per_rank(stage_dense_parameters, dense_FSDP, stage_routed_parameters_per_rank, expert_FSDP):
    """Weights whose optimizer state a rank of an interior stage keeps."""
    return stage_dense_parameters / dense_FSDP + stage_routed_parameters_per_rank / expert_FSDP


@quantity(
    "byte/rank",
    latex=r"B_{\mathrm{Muon}}",
    ref="FP32 master weight and FP32 momentum",
    assumes="every weight under one optimizer",
)
def muon_state_bytes(fp32_bytes, optimizer_parameters_per_rank):
    """What Muon keeps for a rank's matrices of an interior stage: an FP32 master copy and one momentum.

    The master copy is in it whatever `resident_weights` says, and a pipeline's embedding and LM head are not: both unlike
    memory_optimizer, which is what a rank of a given stage keeps by the conventions in force.
    """
    return 2 * fp32_bytes * optimizer_parameters_per_rank


@quantity(
    "byte/rank",
    latex=r"B_{\mathrm{AdamW}}",
    ref="FP32 master weight and two FP32 moments",
    assumes="every weight under one optimizer",
)
def adamw_state_bytes(fp32_bytes, optimizer_parameters_per_rank):
    """What AdamW keeps for a rank's matrices of an interior stage: an FP32 master copy and two moments.

    The master copy is in it whatever `resident_weights` says, and a pipeline's embedding and LM head are not: both unlike
    memory_optimizer, which is what a rank of a given stage keeps by the conventions in force.
    """
    return 3 * fp32_bytes * optimizer_parameters_per_rank
