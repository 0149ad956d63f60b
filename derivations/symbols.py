"""The symbols that every chapter shares.

Their values come from the presets: the model's architecture, the machine's peaks and bandwidths, and the run's layout.
"""

from symroof import COUNT, LENGTHS, POSITIVE, SHARE, SWITCH, TALLY, symbol

# The model.
layers = symbol("layer", "decoder layers", latex="L")
dense_layers = symbol("layer", "decoder layers with a dense FFN instead of experts", latex=r"L_{\mathrm{dense}}", domain=TALLY)
hidden = symbol("channel", "width of the hidden stream", latex="d")
vocab = symbol("token", "entries of the vocabulary", latex="V")
latent_width = symbol("channel", "width of the compressed stream that is routed to experts", latex=r"d_\ell")
experts = symbol("expert", "routed experts in a layer", latex="E")
top_k = symbol("expert", "routed experts that a token is sent to", latex="k")
expert_ffn = symbol("channel", "inner width of a routed expert", latex="f")
shared_ffn = symbol("channel", "inner width of all shared experts together", latex=r"f_{\mathrm{shared}}", domain=TALLY)
dense_ffn = symbol("channel", "inner width of a dense FFN", latex=r"f_{\mathrm{dense}}")
kda_layers = symbol("layer", "layers with Kimi Delta Attention", latex=r"L_{\mathrm{KDA}}", domain=TALLY)
kda_heads = symbol("head", "heads of a KDA layer", latex=r"h_{\mathrm{KDA}}")
kda_head_dim = symbol("channel", "width of a KDA head, for keys and values alike", latex=r"d_{\mathrm{KDA}}")
kda_decay_rank = symbol("channel", "rank of the KDA decay projection", latex=r"r_{\mathrm{decay}}")
kda_conv = symbol("token", "taps of the KDA short convolutions", latex=r"w_{\mathrm{conv}}")
kda_chunk = symbol("token", "chunk length of the KDA training kernel", latex="C")
mla_layers = symbol("layer", "layers with gated Multi-head Latent Attention", latex=r"L_{\mathrm{MLA}}", domain=TALLY)
mla_period = symbol("layer", "every how many layers one is MLA", latex=r"n_{\mathrm{MLA}}")
mla_heads = symbol("head", "heads of an MLA layer", latex=r"h_{\mathrm{MLA}}")
q_lora_rank = symbol("channel", "rank of the MLA query compression", latex="r_q")
kv_lora_rank = symbol("channel", "rank of the MLA key and value compression", latex=r"r_{kv}")
qk_nope_dim = symbol("channel", "width of an MLA head's query and key, without position", latex=r"d_{\mathrm{nope}}")
qk_rope_dim = symbol("channel", "width of the part of query and key that heads share", latex=r"d_{\mathrm{rope}}", domain=TALLY)
v_head_dim = symbol("channel", "width of an MLA head's value", latex="d_v")
attn_res_block = symbol("layer", "decoder layers whose outputs one AttnRes block stands for", latex=r"b_{\mathrm{res}}")
vision_parameters = symbol("parameter", "weights of the vision tower", latex=r"P_{\mathrm{vision}}", domain=TALLY)
projector_parameters = symbol(
    "parameter", "weights between the vision tower and the decoder", latex=r"P_{\mathrm{proj}}", domain=TALLY
)

# The machine, per GPU.
peak_flops = symbol("FLOP/s", "dense BF16 peak", latex=r"F_{\mathrm{peak}}", domain=POSITIVE)
peak_flops_sparse = symbol(
    "FLOP/s", "BF16 peak with 2:4 sparsity, which training does not use", latex=r"F_{\mathrm{sparse}}", domain=POSITIVE
)
hbm_bandwidth = symbol("byte@hbm/s", "bandwidth of the GPU's own memory", latex=r"\beta_{\mathrm{hbm}}", domain=POSITIVE)
hbm_capacity = symbol("byte", "memory that a program sees", latex=r"C_{\mathrm{hbm}}", domain=POSITIVE)
nvlink_bandwidth = symbol("byte@nvlink/s", "NVLink bandwidth, one direction", latex=r"\beta_{\mathrm{nvl}}", domain=POSITIVE)
scaleout_bandwidth = symbol(
    "byte@scaleout/s", "scale-out network bandwidth, one direction", latex=r"\beta_{\mathrm{net}}", domain=POSITIVE
)
domain_ranks = symbol("rank", "ranks that a run uses of an NVLink domain", latex=r"n_{\mathrm{dom}}")

# The run.
world = symbol("GPU", "GPUs of the run", latex="W")
TP = symbol("rank", "tensor-parallel degree", latex=r"\mathrm{TP}")
PP = symbol("rank", "pipeline-parallel degree: stages, one on each rank of the pipeline", latex=r"\mathrm{PP}")
CP = symbol("rank", "context-parallel degree", latex=r"\mathrm{CP}")
EP = symbol("rank", "expert-parallel degree", latex=r"\mathrm{EP}")
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
    "s", "time that a metadata all-gather's kernel was seen resident", latex=r"t_{\mathrm{res}}", domain=POSITIVE
)
