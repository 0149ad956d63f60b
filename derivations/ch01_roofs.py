"""One product under three roofs

A roofline divides work by the rate of the resource that does it. Inside one kernel that resource is the tensor core or
HBM; across ranks it is NVLink or the scale-out network, and each of them moves bytes of its own. A fast NVLink does
nothing for bytes that leave the domain. So a size is plain bytes, bytes that move name the carrier that moves them, and a
formula that divides the bytes of one carrier by the bandwidth of another does not load.

The chapter starts with one matrix product, its forward pass and the two contractions of its backward pass, and asks how
many FLOPs each byte must pay for on each carrier.

[moe] It ends with the experts, which share a microbatch between them: the question is whether a single one still sees enough
tokens to stay under the compute roof.
"""

from symroof import FLOP, Max, argument, hbm, quantity


@argument("token", latex="m", ref="rows of a product [m, k] [k, n]: the tokens of a microbatch on a rank")
def gemm_m(local_tokens):
    """Rows of the matrix product."""
    return local_tokens


@argument(
    "channel", latex="n", ref="columns of a product [m, k] [k, n]: the inner width of an FFN, of an expert if there are any"
)
def gemm_n(expert_ffn, dense_ffn, moe):
    """Columns of the matrix product."""
    return moe.either(expert_ffn, dense_ffn)


@argument("channel", latex=r"k_{\mathrm{g}}", ref="contracted width of a product [m, k] [k, n]: the width on which FFNs work")
def gemm_k(latent_width):
    """Contracted width of the matrix product."""
    return latent_width


@quantity(
    "FLOP", latex=r"F_{\mathrm{fwd}}", ref="the article: 2MNK; a multiplication and an addition for each term of each dot product"
)
def gemm_forward_flops(gemm_m, gemm_n, gemm_k):
    """FLOPs of the forward product Y = X W, with X [m, k] and W [k, n]."""
    return 2 * FLOP * gemm_m * gemm_n * gemm_k


@quantity("FLOP", latex=r"F_{\mathrm{d}X}", ref="the article: the backward pass adds two products of this size")
def gemm_input_gradient_flops(gemm_m, gemm_n, gemm_k):
    """FLOPs of the gradient of the input, dX = dY W^T."""
    return 2 * FLOP * gemm_m * gemm_n * gemm_k


@quantity("FLOP", latex=r"F_{\mathrm{d}W}", ref="the article: the backward pass adds two products of this size")
def gemm_weight_gradient_flops(gemm_m, gemm_n, gemm_k):
    """FLOPs of the gradient of the weight, dW = X^T dY."""
    return 2 * FLOP * gemm_m * gemm_n * gemm_k


@quantity("FLOP", latex=r"F_{\mathrm{gemm}}", ref="the article: three contractions give 6MNK")
def gemm_training_flops(gemm_forward_flops, gemm_input_gradient_flops, gemm_weight_gradient_flops):
    """FLOPs of one matrix product in training, forward and backward."""
    return gemm_forward_flops + gemm_input_gradient_flops + gemm_weight_gradient_flops


@quantity(
    "byte@hbm",
    latex=r"B_{\mathrm{gemm}}",
    ref="roofline model: compulsory traffic, each operand and the result once, in BF16",
    assumes="no operand is read from HBM twice",
)
def gemm_bytes(bf16_bytes, gemm_m, gemm_n, gemm_k):
    """HBM bytes of the forward product: X, W and Y once."""
    return bf16_bytes * hbm * (gemm_m * gemm_k + gemm_k * gemm_n + gemm_m * gemm_n)


@quantity("FLOP/byte@hbm", latex=r"I_{\mathrm{gemm}}", ref="roofline model: arithmetic intensity")
def gemm_intensity(gemm_forward_flops, gemm_bytes):
    """FLOPs that the forward product does for each byte it moves through HBM."""
    return gemm_forward_flops / gemm_bytes


@quantity("FLOP/byte@hbm", latex=r"I^{*}_{\mathrm{hbm}}", ref="roofline model: ridge point")
def ridge_hbm(peak_flops, hbm_bandwidth):
    """FLOPs a byte of HBM traffic must pay for before compute is the roof."""
    return peak_flops / hbm_bandwidth


@quantity("FLOP/byte@nvlink", latex=r"I^{*}_{\mathrm{nvl}}", ref="roofline model: ridge point")
def ridge_nvlink(peak_flops, nvlink_bandwidth):
    """FLOPs a byte of NVLink traffic must pay for before compute is the roof."""
    return peak_flops / nvlink_bandwidth


@quantity("FLOP/byte@scaleout", latex=r"I^{*}_{\mathrm{net}}", ref="roofline model: ridge point")
def ridge_scaleout(peak_flops, scaleout_bandwidth):
    """FLOPs a byte on the scale-out network must pay for before compute is the roof."""
    return peak_flops / scaleout_bandwidth


@quantity(
    "s",
    latex=r"t_{\mathrm{gemm}}",
    ref="roofline model: the slower of two resources that work at the same time",
    assumes="the whole peak and the whole bandwidth are reached",
)
def gemm_time(gemm_forward_flops, peak_flops, gemm_bytes, hbm_bandwidth):
    """Time of the forward product under the compute roof and the HBM roof."""
    return Max(gemm_forward_flops / peak_flops, gemm_bytes / hbm_bandwidth)


@quantity(
    "token/expert",
    latex=r"m_{\mathrm{exp}}",
    ref="assignments of the EP group's microbatch, spread over its experts",
    assumes="uniform routing; with fewer, slower and larger batches than the mean an expert's products differ",
)
def tokens_per_local_expert(local_tokens, EP, top_k, experts):
    """Tokens that one expert receives from the ranks of its EP group in a microbatch."""
    return local_tokens * EP * top_k / experts


@quantity("FLOP/byte@hbm", latex=r"I_{\mathrm{exp}}", ref="the intensity above, at an expert's own shape")
def expert_gemm_intensity(gemm_intensity, tokens_per_local_expert, expert_ffn, latent_width):
    """Arithmetic intensity of one expert's product, of the tokens that it receives and its own width."""
    return gemm_intensity(gemm_m=tokens_per_local_expert, gemm_n=expert_ffn, gemm_k=latent_width)


@quantity("1", latex=r"\chi_{\mathrm{exp}}", ref="intensity over ridge: above 1 the compute roof binds")
def expert_gemm_headroom(expert_gemm_intensity, ridge_hbm):
    """How far an expert's product is above the HBM ridge; below 1 the expert waits for memory."""
    return expert_gemm_intensity / ridge_hbm
