"""Attention, which no parameter counts

Scores and their use cost FLOPs, and no parameter count shows them. For softmax attention the cost of a token grows with the
keys it attends to, so what matters is the document a token is in, not the row it is packed into: the length that a mean
token sees is the sum of squares over the sum. Four documents of 1K in a 4K row do about a quarter of the contractions of one 4K
document, and putting rows into one array does not join them. Context parallelism splits arrays, not documents.

KDA keeps a state of fixed size, so its cost for a token does not depend on the length at all; the chunked training kernel
adds terms in the chunk length.
"""

from symroof import FLOP, convention, quantity, total

causal = convention(
    "how many keys a token of a document of S tokens is charged for",
    default="exact",
    ref="estimators in public use: Megatron-LM and MaxText halve, torchtitan and SimuMax do not",
    exact="the triangle with its diagonal: token i attends to i keys, (S + 1)/2 in the mean",
    half="half of the square: S/2",
    full="the whole square: S",
)


@quantity("token", latex=r"S_{\mathrm{eff}}", ref="the article: packed documents; Megatron-LM counts sum(l^2)/sum(l) as well")
def S_eff(documents):
    """Token-weighted mean document length: the length that a token picked at random sees."""
    return total(documents, lambda length: length**2) / total(documents, lambda length: length)


@quantity("key/token", latex=r"\bar n_{\mathrm{key}}", ref="causal attention within a document")
def attended_keys(S_eff, causal):
    """Keys that a token is charged for, in the mean."""
    return causal.choose(exact=(S_eff + 1) / 2, half=S_eff / 2, full=S_eff)


@quantity("FLOP/key", latex=r"F_{\mathrm{key}}", ref="2 FLOPs for each channel of query times key and of weight times value")
def mla_flops_per_key(mla_layers, mla_heads, qk_nope_dim, qk_rope_dim, v_head_dim):
    """Forward FLOPs of all MLA layers for one attended key."""
    return mla_layers * mla_heads * 2 * FLOP * (qk_nope_dim + qk_rope_dim + v_head_dim)


@quantity("FLOP/token", latex=r"F_{\mathrm{MLA}}", ref="scores and their product with the values; softmax is not counted")
def mla_forward_flops(mla_flops_per_key, attended_keys):
    """Forward attention FLOPs of all MLA layers, for one token."""
    return mla_flops_per_key * attended_keys


@quantity(
    "FLOP/token", latex=r"F_{\mathrm{KDA}}", ref="Kimi Linear, eq. 13: a head over T tokens costs 6 T d^2 + 3 T C d + T C^2"
)
def kda_forward_flops(kda_layers, kda_heads, kda_head_dim, kda_chunk):
    """Forward FLOPs of the chunked delta rule of all KDA layers, for one token."""
    return kda_layers * kda_heads * FLOP * (6 * kda_head_dim**2 + 3 * kda_chunk * kda_head_dim + kda_chunk**2)


@quantity("FLOP/token", latex=r"F_{\mathrm{att}}", ref="backward costs twice the forward pass, as for matrices")
def attention_training_flops(mla_forward_flops, kda_forward_flops):
    """Training FLOPs of attention, for one token."""
    return 3 * (mla_forward_flops + kda_forward_flops)


@quantity("FLOP/token", latex=r"\hat F_{\mathrm{att}}", ref="full activation checkpointing repeats the forward pass")
def executed_attention_flops(checkpoint, mla_forward_flops, kda_forward_flops):
    """Attention FLOPs that are executed for one token, the recomputed forward pass included."""
    return (3 + checkpoint) * (mla_forward_flops + kda_forward_flops)


@quantity("FLOP/token", latex=r"F_{\mathrm{model}}", ref="useful work: matrices and attention, nothing recomputed")
def model_flops_per_token(matrix_training_flops, attention_training_flops):
    """Training FLOPs of the model for one token."""
    return matrix_training_flops + attention_training_flops


@quantity("FLOP/token", latex=r"\hat F", ref="work that the GPUs do: the useful work and what is recomputed")
def executed_flops_per_token(executed_matrix_flops, executed_attention_flops):
    """FLOPs that are executed for one token."""
    return executed_matrix_flops + executed_attention_flops


@quantity("key/token", latex=r"n^{*}_{\mathrm{key}}", ref="three times the forward attention equals six FLOPs a weight")
def keys_equal_work(active_matrix_parameters, mla_flops_per_key):
    """Attended keys at which MLA's training work equals that of all matrices."""
    return 2 * FLOP * active_matrix_parameters / mla_flops_per_key


@quantity("token", latex=r"S^{*}", ref="the attended keys above, turned back into a document length")
def S_equal_work(keys_equal_work, causal):
    """Document length at which MLA's training work equals that of all matrices."""
    return causal.choose(exact=2 * keys_equal_work - 1, half=2 * keys_equal_work, full=keys_equal_work)
