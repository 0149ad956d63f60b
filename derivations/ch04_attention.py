"""Attention, which no parameter counts

Scores and their use cost FLOPs, and no parameter count shows them. For softmax attention the cost of a token grows with the
keys it attends to, so what matters is the document a token is in, not the row it is packed into: the length that a mean
token sees is the sum of squares over the sum. Four documents of 1K in a 4K row do about a quarter of the contractions of one 4K
document, and putting rows into one array does not join them. Context parallelism splits arrays, not documents.

[window] A layer with a sliding window attends to no more keys than the window has, however long the document is.

[indexer] An indexer leaves a token no more keys than it is told to, and looks at every earlier one to pick them.

[kda] KDA keeps a state of fixed size, so its cost for a token does not depend on the length at all; the chunked training
kernel adds terms in the chunk length.

[gdn] Gated delta net keeps a state of fixed size, so its cost for a token does not depend on the length at all; the chunked
training kernel adds terms in the chunk length.
"""

from symroof import FLOP, convention, quantity, total, where

causal = convention(
    "how many keys a token of a document of S tokens is charged for",
    default="exact",
    ref="estimators in public use: Megatron-LM and MaxText halve, torchtitan and SimuMax do not",
    exact="the triangle with its diagonal: token i attends to i keys, (S + 1)/2 in the mean",
    half="half of the square: S/2",
    full="the whole square: S",
    windowed="the whole square, or as wide as the window where a layer has one",
)


attention_work = convention(
    "by which keys the attention that GPUs execute is priced",
    default="as_counted",
    ref="a public estimator says what a token is charged for, not what a kernel does",
    as_counted="by those that a token is charged for",
    exact="by the triangle with its diagonal, however a token is charged: with every public estimator",
)


def mean_keys(documents, width, short, wide):
    """Keys of a token where a layer attends to at most `width`, in the mean over a row; short documents never reach the width."""
    return total(documents, lambda length: where(length <= width, short(length), wide(length))) / total(
        documents, lambda length: length
    )


def exact_keys(documents, width):
    """The triangle with its diagonal; in a document that is longer than the width all tokens but the first ones reach it."""
    return mean_keys(documents, width, lambda n: n * (n + 1) / 2, lambda n: width * n - width * (width - 1) / 2)


def keys_within(documents, width, causal):
    """Keys that a token is charged for where a layer attends to at most so many, in the mean over the tokens of a row."""
    return causal.choose(
        exact=exact_keys(documents, width),
        half=mean_keys(documents, width, lambda n: n**2 / 2, lambda n: width * n - width**2 / 2),
        full=total(documents, lambda length: length**2) / total(documents, lambda length: length),
        windowed=mean_keys(documents, width, lambda n: n**2, lambda n: width * n),
    )


@quantity("token", latex=r"S_{\mathrm{eff}}", ref="the article: packed documents; Megatron-LM counts sum(l^2)/sum(l) as well")
def S_eff(documents):
    """Token-weighted mean document length: the length that a token picked at random sees."""
    return total(documents, lambda length: length**2) / total(documents, lambda length: length)


@quantity("key/token", latex=r"\bar n_{\mathrm{key}}", ref="causal attention within a document")
def attended_keys(S_eff, causal, attention_work):
    """Keys that a token is charged for, in the mean."""
    return attention_work.choose(
        as_counted=causal.choose(exact=(S_eff + 1) / 2, half=S_eff / 2, full=S_eff, windowed=S_eff), exact=(S_eff + 1) / 2
    )


@quantity(
    "key/token", latex=r"\bar n_{\mathrm{win}}", ref="causal attention within a document and a sliding window", block="window"
)
def windowed_keys(charged_windowed_keys, triangle_windowed_keys, attention_work):
    """Keys that a token attends to in a windowed layer, in the mean."""
    return attention_work.choose(as_counted=charged_windowed_keys, exact=triangle_windowed_keys)


@quantity(
    "key/token",
    latex=r"\bar n_{\triangle}",
    ref="causal attention: all tokens of a document but the first ones reach the width of the window",
    block="window",
)
def triangle_windowed_keys(documents, sliding_window):
    """Keys that a token attends to in a windowed layer, in the mean: the triangle with its diagonal."""
    return exact_keys(documents, sliding_window)


@quantity("key/token", latex=r"\bar n_{\sqcap}", ref="the window, or a document that is shorter", block="window")
def spanned_windowed_keys(documents, sliding_window):
    """Keys that a window or a shorter document has, in the mean over the tokens of a row."""
    return mean_keys(documents, sliding_window, lambda n: n**2, lambda n: sliding_window * n)


@quantity(
    "key/token",
    latex=r"\bar n'_{\mathrm{win}}",
    ref="the causal convention within a document and a sliding window",
    block="window",
)
def charged_windowed_keys(documents, sliding_window, causal):
    """Keys that a token is charged for in a windowed layer, in the mean."""
    return keys_within(documents, sliding_window, causal)


@quantity(
    "key/token",
    latex=r"\bar n_{\mathrm{idx}}",
    ref="DeepSeek sparse attention: a token attends to index_topk keys",
    block="indexer",
)
def selected_keys(documents, index_topk, charged_selected_keys, attention_work):
    """Keys that the indexer leaves a token, in the mean."""
    return attention_work.choose(as_counted=charged_selected_keys, exact=exact_keys(documents, index_topk))


@quantity(
    "key/token",
    latex=r"\bar n'_{\mathrm{idx}}",
    ref="the causal convention over the keys that the indexer leaves",
    block="indexer",
)
def charged_selected_keys(documents, index_topk, causal):
    """Keys that a token is charged for after the indexer, in the mean."""
    return keys_within(documents, index_topk, causal)


@quantity("FLOP/key", latex=r"F_{\mathrm{key}}", ref="2 FLOPs for each channel of query times key and of weight times value")
def mla_flops_per_key(mla_layers, mla_heads, qk_nope_dim, qk_rope_dim, v_head_dim):
    """Forward FLOPs of all MLA layers for one attended key."""
    return mla_layers * mla_heads * 2 * FLOP * (qk_nope_dim + qk_rope_dim + v_head_dim)


@quantity("FLOP/key", latex=r"F_{\mathrm{key,GQA}}", ref="2 FLOPs for each channel of query times key and of weight times value")
def gqa_flops_per_key(gqa_layers, windowed_layers, heads, head_dim):
    """Forward FLOPs of all grouped-query layers without a window for one attended key; key heads that are shared save none."""
    return (gqa_layers - windowed_layers) * heads * 4 * FLOP * head_dim


@quantity("FLOP/key", latex=r"F_{\mathrm{key,win}}", ref="2 FLOPs for each channel of query times key and of weight times value")
def windowed_flops_per_key(windowed_layers, heads, head_dim):
    """Forward FLOPs of all windowed layers for one attended key."""
    return windowed_layers * heads * 4 * FLOP * head_dim


@quantity("FLOP/key", latex=r"F_{\mathrm{key,idx}}", ref="DeepSeek sparse attention: one product of query and key in each head")
def indexer_flops_per_key(mla_layers, index_heads, index_head_dim):
    """Forward FLOPs of all indexers for one key that they look at."""
    return mla_layers * index_heads * 2 * FLOP * index_head_dim


@quantity("FLOP/token", latex=r"F_{\mathrm{MLA}}", ref="scores and their product with the values; softmax is not counted")
def mla_forward_flops(mla_flops_per_key, attended_keys, indexer, selected_keys):
    """Forward attention FLOPs of all MLA layers, for one token."""
    return indexer.either(mla_flops_per_key * selected_keys, mla_flops_per_key * attended_keys)


@quantity("FLOP/token", latex=r"F_{\mathrm{GQA}}", ref="scores and their product with the values; softmax is not counted")
def gqa_forward_flops(gqa_flops_per_key, attended_keys, windowed_flops_per_key, windowed_keys):
    """Forward attention FLOPs of all grouped-query layers, for one token."""
    return gqa_flops_per_key * attended_keys + windowed_flops_per_key * windowed_keys


@quantity("FLOP/token", latex=r"F_{\mathrm{idx}}", ref="an indexer looks at every earlier key")
def indexer_forward_flops(indexer_flops_per_key, attended_keys):
    """Forward FLOPs of all indexers, for one token."""
    return indexer_flops_per_key * attended_keys


@quantity(
    "FLOP/token", latex=r"F_{\mathrm{KDA}}", ref="Kimi Linear, eq. 13: a head over T tokens costs 6 T d^2 + 3 T C d + T C^2"
)
def kda_forward_flops(kda_layers, kda_heads, kda_head_dim, kda_chunk):
    """Forward FLOPs of the chunked delta rule of all KDA layers, for one token."""
    return kda_layers * kda_heads * FLOP * (6 * kda_head_dim**2 + 3 * kda_chunk * kda_head_dim + kda_chunk**2)


@quantity("FLOP/token", latex=r"F_{\mathrm{GDN}}", ref="the chunked delta rule of Kimi Linear, eq. 13: the gate costs no product")
def gdn_forward_flops(gdn_layers, gdn_value_heads, gdn_head_dim, gdn_chunk):
    """Forward FLOPs of the chunked delta rule of all gated delta layers, for one token."""
    return gdn_layers * gdn_value_heads * FLOP * (6 * gdn_head_dim**2 + 3 * gdn_chunk * gdn_head_dim + gdn_chunk**2)


@quantity("FLOP/token", latex=r"F_{\mathrm{att}}", ref="backward costs twice the forward pass, as for matrices")
def attention_training_flops(mla_forward_flops, kda_forward_flops, gqa_forward_flops, gdn_forward_flops, indexer_forward_flops):
    """Training FLOPs of attention, for one token."""
    return 3 * (mla_forward_flops + kda_forward_flops + gqa_forward_flops + gdn_forward_flops + indexer_forward_flops)


@quantity(
    "FLOP/token",
    latex=r"\hat F_{\mathrm{att}}",
    ref="full activation checkpointing repeats the forward pass",
    assumes="no product twice in the backward pass: a flash kernel computes its scores there once more",
)
def executed_attention_flops(
    checkpoint, mla_forward_flops, kda_forward_flops, gqa_forward_flops, gdn_forward_flops, indexer_forward_flops
):
    """Attention FLOPs that are executed for one token, the recomputed forward pass included."""
    return (3 + checkpoint) * (
        mla_forward_flops + kda_forward_flops + gqa_forward_flops + gdn_forward_flops + indexer_forward_flops
    )


@quantity(
    "FLOP/token",
    latex=r"F_{\mathrm{model}}",
    ref="useful work: matrices and attention, nothing recomputed",
)
def model_flops_per_token(counted_matrix_flops, counted_attention_flops):
    """Training FLOPs of the model for one token.

    What counts is a matter of conventions, which "What counts" has one by one and as the estimators in public use.
    """
    return counted_matrix_flops + counted_attention_flops


@quantity(
    "FLOP/token",
    latex=r"\hat F",
    ref="work that the GPUs do: the useful work and what is recomputed",
    assumes="the main model: layers for a further token (MTP) are not in it, whatever an estimator counts",
)
def executed_flops_per_token(executed_matrix_flops, executed_attention_flops):
    """FLOPs that are executed for one token."""
    return executed_matrix_flops + executed_attention_flops


@quantity("key/token", latex=r"n^{*}_{\mathrm{key}}", ref="three times the forward attention equals six FLOPs a weight")
def keys_equal_work(active_matrix_parameters, mla_flops_per_key, gqa_flops_per_key, indexer, window):
    """Attended keys at which the training work of softmax attention equals that of all matrices."""
    return indexer.unless(window.unless(2 * FLOP * active_matrix_parameters / (mla_flops_per_key + gqa_flops_per_key)))


@quantity("token", latex=r"S^{*}", ref="the attended keys above, turned back into a document length")
def S_equal_work(keys_equal_work, causal):
    """Document length at which the training work of softmax attention equals that of all matrices."""
    return causal.choose(exact=2 * keys_equal_work - 1, half=2 * keys_equal_work, full=keys_equal_work, windowed=keys_equal_work)
