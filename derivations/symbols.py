"""The symbols that every chapter shares.

Their values come from the presets: the model's architecture, the machine's peaks and bandwidths, and the run's layout.
"""

from symroof import COUNT, LENGTHS, POSITIVE, SHARE, SWITCH, TALLY, block, symbol

# What a model may be made of. What belongs to a block that a model lacks appears in none of its formulas.
dense = block("layers with a dense FFN")
moe = block("layers with routed experts")
latent = block("routed experts in a compressed width, with projections to it and back")
shared = block("shared experts, which every token uses")
shared_gate = block("a gate on the shared experts, one number for each token")
gated = block("FFNs with a gate: three matrices instead of two")
kda = block("Kimi Delta Attention")
gdn = block("gated delta net: linear attention with a gate on the output")
mla = block("Multi-head Latent Attention")
query_rank = block("queries of MLA that are compressed")
gqa = block("attention with grouped queries; with as many key heads as query heads it is multi-head attention")
window = block("layers that attend no further than a sliding window")
indexer = block("an indexer that picks the keys which MLA attends to")
output_gate = block("a gate on the output of softmax attention")
attn_res = block("attention residuals between blocks of layers")
mtp = block("layers that predict a further token")
vision = block("a vision tower and its projector")
tied = block("an LM head that shares its weights with the embedding")
norms = block("norm vectors on the hidden stream, as many in each layer")
qk_norm = block("norms on the queries and keys of each head")
qkv_bias = block("biases on queries, keys and values")
output_bias = block("a bias on the output projection of attention")
sinks = block("a sink in each head's softmax")
router_bias = block("a bias in each router, learned with it")
correction_bias = block("a bias for each expert that corrects its load and costs no token anything")
expert_bias = block("biases in each expert")

# The model.
layers = symbol("layer", "decoder layers", latex="L")
dense_layers = symbol("layer", "decoder layers with a dense FFN", latex=r"L_{\mathrm{dense}}", domain=TALLY, block="dense")
hidden = symbol("channel", "width of the hidden stream", latex="d")
vocab = symbol("token", "entries of the vocabulary", latex="V")
latent_width = symbol(
    "channel",
    "width of the compressed stream that is routed to experts",
    latex=r"d_\ell",
    block="latent",
    otherwise=lambda hidden: hidden,
)
experts = symbol("expert", "routed experts in a layer", latex="E", block="moe")
top_k = symbol("expert", "routed experts that a token is sent to", latex="k", block="moe")
expert_ffn = symbol("channel", "inner width of a routed expert", latex="f", block="moe")
shared_ffn = symbol(
    "channel", "inner width of all shared experts together", latex=r"f_{\mathrm{shared}}", domain=TALLY, block="shared"
)
dense_ffn = symbol("channel", "inner width of a dense FFN", latex=r"f_{\mathrm{dense}}", block="dense")
kda_layers = symbol("layer", "layers with Kimi Delta Attention", latex=r"L_{\mathrm{KDA}}", domain=TALLY, block="kda")
kda_heads = symbol("head", "heads of a KDA layer", latex=r"h_{\mathrm{KDA}}", block="kda")
kda_head_dim = symbol("channel", "width of a KDA head, for keys and values alike", latex=r"d_{\mathrm{KDA}}", block="kda")
kda_decay_rank = symbol("channel", "rank of the KDA decay projection", latex=r"r_{\mathrm{decay}}", block="kda")
kda_conv = symbol("token", "taps of the KDA short convolutions", latex=r"w_{\mathrm{conv}}", block="kda")
kda_chunk = symbol("token", "chunk length of the KDA training kernel", latex="C", block="kda")
mla_layers = symbol("layer", "layers with Multi-head Latent Attention", latex=r"L_{\mathrm{MLA}}", domain=TALLY, block="mla")
mla_period = symbol("layer", "every how many layers one is MLA", latex=r"n_{\mathrm{MLA}}", block="mla")
mla_heads = symbol("head", "heads of an MLA layer", latex=r"h_{\mathrm{MLA}}", block="mla")
q_lora_rank = symbol("channel", "rank of the MLA query compression", latex="r_q", block="query_rank")
kv_lora_rank = symbol("channel", "rank of the MLA key and value compression", latex=r"r_{kv}", block="mla")
qk_nope_dim = symbol("channel", "width of an MLA head's query and key, without position", latex=r"d_{\mathrm{nope}}", block="mla")
qk_rope_dim = symbol(
    "channel", "width of the part of query and key that heads share", latex=r"d_{\mathrm{rope}}", domain=TALLY, block="mla"
)
v_head_dim = symbol("channel", "width of an MLA head's value", latex="d_v", block="mla")
gqa_layers = symbol(
    "layer", "layers with grouped-query attention, windowed ones included", latex=r"L_{\mathrm{GQA}}", domain=TALLY, block="gqa"
)
heads = symbol("head", "query heads of a layer with grouped-query attention", latex="h", block="gqa")
kv_heads = symbol("head", "key and value heads of a layer with grouped-query attention", latex=r"h_{kv}", block="gqa")
head_dim = symbol("channel", "width of a head of grouped-query attention", latex=r"d_h", block="gqa")
windowed_layers = symbol(
    "layer", "layers that attend within the sliding window", latex=r"L_{\mathrm{win}}", domain=TALLY, block="window"
)
sliding_window = symbol(
    "token", "keys that a windowed layer attends to at most, the token itself included", latex="w", block="window"
)
index_heads = symbol("head", "heads of the indexer", latex=r"h_{\mathrm{idx}}", block="indexer")
index_head_dim = symbol("channel", "width of an indexer head", latex=r"d_{\mathrm{idx}}", block="indexer")
index_topk = symbol("key", "keys that the indexer leaves for attention", latex=r"k_{\mathrm{idx}}", block="indexer")
gdn_layers = symbol("layer", "layers with gated delta net", latex=r"L_{\mathrm{GDN}}", domain=TALLY, block="gdn")
gdn_key_heads = symbol("head", "query and key heads of a gated delta layer", latex=r"h_{\mathrm{GDN},k}", block="gdn")
gdn_value_heads = symbol("head", "value heads of a gated delta layer", latex=r"h_{\mathrm{GDN}}", block="gdn")
gdn_head_dim = symbol(
    "channel", "width of a head of a gated delta layer, for keys and values alike", latex=r"d_{\mathrm{GDN}}", block="gdn"
)
gdn_conv = symbol("token", "taps of the short convolution of a gated delta layer", latex=r"w_{\mathrm{GDN}}", block="gdn")
gdn_chunk = symbol("token", "chunk length of the gated delta training kernel", latex=r"C_{\mathrm{GDN}}", block="gdn")
norms_per_layer = symbol("1", "norm vectors of the hidden width in a layer", latex=r"n_{\mathrm{norm}}", block="norms")
mtp_layers = symbol("layer", "layers that predict a further token", latex=r"L_{\mathrm{MTP}}", block="mtp")
attn_res_block = symbol(
    "layer", "decoder layers whose outputs one AttnRes block stands for", latex=r"b_{\mathrm{res}}", block="attn_res"
)
vision_parameters = symbol("parameter", "weights of the vision tower", latex=r"P_{\mathrm{vision}}", domain=TALLY, block="vision")
projector_parameters = symbol(
    "parameter", "weights between the vision tower and the decoder", latex=r"P_{\mathrm{proj}}", domain=TALLY, block="vision"
)

# The machine, per GPU.
peak_flops = symbol("FLOP/s", "dense BF16 peak", latex=r"F_{\mathrm{peak}}", domain=POSITIVE)
peak_flops_sparse = symbol(
    "FLOP/s", "BF16 peak with 2:4 sparsity, which training does not use", latex=r"F_{\mathrm{sparse}}", domain=POSITIVE
)
peak_flops_fp8 = symbol("FLOP/s", "dense FP8 peak", latex=r"F_{8}", domain=POSITIVE)
peak_flops_fp4 = symbol("FLOP/s", "dense FP4 peak", latex=r"F_{4}", domain=POSITIVE)
peak_flops_elsewhere = symbol(
    "FLOP/s", "dense BF16 peak as other places print it, where they differ", latex=r"F_{\mathrm{else}}", domain=POSITIVE
)
hbm_bandwidth = symbol("byte@hbm/s", "bandwidth of the GPU's own memory", latex=r"\beta_{\mathrm{hbm}}", domain=POSITIVE)
hbm_capacity = symbol("byte", "memory that a program sees", latex=r"C_{\mathrm{hbm}}", domain=POSITIVE)
nvlink_bandwidth = symbol("byte@nvlink/s", "NVLink bandwidth, one direction", latex=r"\beta_{\mathrm{nvl}}", domain=POSITIVE)
scaleout_bandwidth = symbol(
    "byte@scaleout/s", "scale-out network bandwidth, one direction", latex=r"\beta_{\mathrm{net}}", domain=POSITIVE
)
domain_ranks = symbol("rank", "ranks that a run uses of an NVLink domain", latex=r"n_{\mathrm{dom}}")
node_gpus = symbol("GPU", "GPUs of a node", latex=r"g_{\mathrm{node}}")

# The run.
world = symbol("GPU", "GPUs of the run", latex="W")
TP = symbol("rank", "tensor-parallel degree", latex=r"\mathrm{TP}")
PP = symbol("rank", "pipeline-parallel degree: stages, one on each rank of the pipeline", latex=r"\mathrm{PP}")
CP = symbol("rank", "context-parallel degree", latex=r"\mathrm{CP}")
EP = symbol("rank", "expert-parallel degree", latex=r"\mathrm{EP}", block="moe")
M = symbol("microbatch", "microbatches of an optimizer update", latex="M")
rows = symbol("row", "rows of a microbatch", latex="b")
context = symbol("token", "tokens of a row", latex="S")
doc_length = symbol("token", "length of each document, where all are equal", latex=r"\ell")
documents = symbol(
    "token",
    "lengths of the documents packed in a row",
    latex=r"\mathrm{docs}",
    domain=LENGTHS,
    instead=lambda doc_length, context: (doc_length, context / doc_length),
)
checkpoint = symbol("1", "1 with full activation checkpointing, 0 without", latex=r"\kappa", domain=SWITCH)
newton_schulz_steps = symbol("iteration", "Newton-Schulz iterations of a Muon update", latex=r"n_{\mathrm{NS}}")
bf16_bytes = symbol("byte", "size of a BF16 number", latex=r"B_{16}")
fp32_bytes = symbol("byte", "size of an FP32 number", latex=r"B_{32}")
bool_bytes = symbol("byte", "size of a Boolean", latex=r"B_{\mathrm{bool}}")
compute_efficiency = symbol("1", "share of the peak that compute is priced at", latex=r"\eta", domain=SHARE)

# Arguments of single quantities.
stage = symbol("stage", "which pipeline hop: the one that leaves this stage, from 1 to PP - 1", latex="s", domain=COUNT)
virtual_stages = symbol("stage", "virtual stages on a rank of an interleaved pipeline", latex="v")
wanted_overhead = symbol("1", "bubble overhead that one is willing to pay", latex=r"\omega", domain=POSITIVE)
metadata_residency = symbol(
    "s", "time that a metadata all-gather's kernel was seen resident", latex=r"t_{\mathrm{res}}", domain=POSITIVE, block="moe"
)
