"""Three roofs, three byte counts

A roofline divides work by the rate of the resource that does it. Within one kernel the resource is HBM; across ranks it is
NVLink or the scale-out network, and each of them moves bytes of its own. This chapter prices one matrix product against
all three, and shows how few tokens an expert sees when 896 of them share a microbatch.
"""

from symroof import FLOP, Max, argument, hbm, quantity


@argument("token", latex="m", ref="a microbatch's rows of a product, [m, k] times [k, n]")
def gemm_m(local_tokens):
    """Rows of the matrix product."""
    return local_tokens


@argument("channel", latex="n", ref="one expert matrix, [latent_width, expert_ffn]")
def gemm_n(expert_ffn):
    """Columns of the matrix product."""
    return expert_ffn


@argument("channel", latex=r"k_{\mathrm{gemm}}", ref="one expert matrix, [latent_width, expert_ffn]")
def gemm_k(latent_width):
    """Contracted width of the matrix product."""
    return latent_width


@quantity("FLOP", latex=r"F_{\mathrm{fwd}}", ref="a multiplication and an addition for each of m n k products")
def gemm_forward_flops(gemm_m, gemm_n, gemm_k):
    """FLOPs of Y = X W, with X [m, k] and W [k, n]."""
    return 2 * FLOP * gemm_m * gemm_n * gemm_k


@quantity("byte@hbm", latex=r"B_{\mathrm{gemm}}", ref="each operand and the result cross HBM once, in BF16", assumes="no operand is read twice: the caches hold what the kernel reuses")
def gemm_bytes(bf16_bytes, gemm_m, gemm_n, gemm_k):
    """HBM bytes of one product."""
    return bf16_bytes * hbm * (gemm_m * gemm_k + gemm_k * gemm_n + gemm_m * gemm_n)


@quantity("s", latex=r"t_{\mathrm{gemm}}", ref="roofline: the slower of two resources that work at once")
def gemm_time(gemm_forward_flops, peak_flops, gemm_bytes, hbm_bandwidth):
    """Time of the product under the compute roof and the HBM roof."""
    return Max(gemm_forward_flops / peak_flops, gemm_bytes / hbm_bandwidth)
