"""From roofline to measurement

A measured run falls short of its roofline, and the difference is a question. Before it can be asked, the numerator must be
named: public estimators differ on the same token. The chapter turns a measured throughput into a utilization under a public
count and under our own.

[kda] Three public estimators of K3 give three counts, because they differ in causal halving, in the router, in the output gate
and in how they price KDA. All three are derived here.

[moe] A metadata gather may be resident many times longer while an FSDP gather runs than alone. Residency of a communication
kernel contains waiting for peers and contention; it is no sample of bandwidth, and a correlation with FSDP does not say which of
skew, contention and earlier stalls came first.

Bars of a trace that overlap do not add up: measure the union of their intervals, and how long a consumer had to wait. In the
same way a long optimizer span on the CPU may be waiting for the last backward pass of the pipeline.
"""

from symroof import FLOP, POSITIVE, Min, quantity, symbol

measured_throughput = symbol("token/s/GPU", "measured throughput", latex=r"\tau_{\mathrm{meas}}", domain=POSITIVE)
residency_alone = symbol(
    "s",
    "median residency of metadata gathers that overlapped no FSDP gather",
    latex=r"t_{\mathrm{alone}}",
    domain=POSITIVE,
    block="moe",
)
residency_overlapped = symbol(
    "s",
    "median residency of metadata gathers that overlapped an FSDP gather",
    latex=r"t_{\mathrm{with}}",
    domain=POSITIVE,
    block="moe",
)

TITAN = "torchtitan's estimators"
BRIDGE = "Megatron-Bridge kimi_k3 estimator"
AUTOMODEL = "NeMo Automodel kimi_k3 estimator"


@quantity("FLOP/key", latex=r"F^{\mathrm{tr}}_{\mathrm{key}}", ref="three times the forward pass")
def mla_training_flops_per_key(mla_flops_per_key):
    """Training FLOPs of all MLA layers for one attended key."""
    return 3 * mla_flops_per_key


@quantity("FLOP/key", latex=r"F^{\mathrm{tr}}_{\mathrm{key,GQA}}", ref="three times the forward pass")
def gqa_training_flops_per_key(gqa_flops_per_key):
    """Training FLOPs of all layers that attend without a window, for one attended key."""
    return 3 * gqa_flops_per_key


@quantity("FLOP/key", latex=r"F^{\mathrm{tr}}_{\mathrm{key,win}}", ref="three times the forward pass")
def windowed_training_flops_per_key(windowed_flops_per_key):
    """Training FLOPs of all windowed layers for one attended key."""
    return 3 * windowed_flops_per_key


@quantity("key/token", latex=r"w_S", ref="a window is no longer than the row", block="window")
def window_of_context(sliding_window, context):
    """Keys of a windowed layer where no causal half is taken, for the configured context."""
    return Min(sliding_window, context)


@quantity(
    "FLOP/token",
    latex=r"F_{\mathrm{titan}}",
    ref=TITAN + ": all active parameters, whole attention square, 18 h d^2 for linear attention",
)
def torchtitan_flops_per_token(
    torchtitan_active_parameters,
    mla_training_flops_per_key,
    gqa_training_flops_per_key,
    windowed_training_flops_per_key,
    window_of_context,
    context,
    kda_layers,
    kda_heads,
    kda_head_dim,
    gdn_layers,
    gdn_value_heads,
    gdn_head_dim,
):
    """Training FLOPs of a token as torchtitan counts them, with the configured context and no causal halving."""
    return (
        6 * FLOP * torchtitan_active_parameters
        + mla_training_flops_per_key * context
        + gqa_training_flops_per_key * context
        + windowed_training_flops_per_key * window_of_context
        + 18 * FLOP * kda_layers * kda_heads * kda_head_dim**2
        + 18 * FLOP * gdn_layers * gdn_value_heads * gdn_head_dim**2
    )


@quantity(
    "parameter",
    latex=r"N_{\mathrm{gate}}",
    ref="K3 architecture: one [mla_heads v_head_dim, hidden] matrix a layer",
    block="output_gate",
)
def mla_gate_parameters(mla_layers, mla_heads, v_head_dim, hidden):
    """Output gates of all MLA layers."""
    return mla_layers * mla_heads * v_head_dim * hidden


@quantity("parameter", latex=r"N_{\mathrm{conv}}", ref="K3 architecture: short convolutions on q, k and v")
def kda_conv_parameters(kda_layers, kda_width, kda_conv):
    """Short convolutions of all KDA layers."""
    return kda_layers * 3 * kda_width * kda_conv


@quantity(
    "FLOP/token",
    latex=r"F_{\mathrm{bridge}}",
    ref=BRIDGE + ": no router, no MLA gate, convolutions in, causal half, 24 h d^2 for KDA",
    block="kda",
)
def megatron_bridge_flops_per_token(
    active_matrix_parameters,
    router_parameters,
    mla_gate_parameters,
    kda_conv_parameters,
    mla_training_flops_per_key,
    S_eff,
    kda_layers,
    kda_heads,
    kda_head_dim,
):
    """Training FLOPs of a token as Megatron-Bridge counts them, with packed documents."""
    return (
        6 * FLOP * (active_matrix_parameters - router_parameters - mla_gate_parameters + kda_conv_parameters)
        + mla_training_flops_per_key * S_eff / 2
        + 24 * FLOP * kda_layers * kda_heads * kda_head_dim**2
    )


@quantity(
    "FLOP/token",
    latex=r"F_{\mathrm{auto}}",
    ref=AUTOMODEL + ": no router, causal half, eq. 13 of Kimi Linear with its inner triangle, convolutions",
    block="kda",
)
def automodel_flops_per_token(
    active_matrix_parameters,
    router_parameters,
    mla_training_flops_per_key,
    context,
    kda_layers,
    kda_heads,
    kda_head_dim,
    kda_chunk,
    kda_conv,
):
    """Training FLOPs of a token as NeMo Automodel counts them."""
    return (
        6 * FLOP * (active_matrix_parameters - router_parameters)
        + mla_training_flops_per_key * context / 2
        + 6
        * FLOP
        * kda_layers
        * kda_heads
        * ((6 * kda_head_dim**2 + 3 * kda_chunk * kda_head_dim + kda_chunk**2) / 2 + 3 * kda_head_dim * kda_conv)
    )


@quantity("FLOP/row", latex=r"F^{\mathrm{row}}_{\mathrm{auto}}", ref=AUTOMODEL + ", whose merged test has the value for a row")
def automodel_flops_per_row(automodel_flops_per_token, context):
    """Training FLOPs of a row as NeMo Automodel counts them."""
    return automodel_flops_per_token * context


@quantity("s", latex=r"t_{\mathrm{meas}}", ref="tokens of an update over measured throughput")
def measured_step_time(global_batch_tokens, world, measured_throughput):
    """Time of an update at the measured throughput."""
    return global_batch_tokens / (world * measured_throughput)


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{titan}}", ref="measured throughput under torchtitan's estimator")
def measured_MFU_torchtitan(torchtitan_flops_per_token, measured_throughput, peak_flops):
    """Utilization of a measured run, by torchtitan's estimator."""
    return torchtitan_flops_per_token * measured_throughput / peak_flops


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{bridge}}", ref="measured throughput under Megatron-Bridge's estimator")
def measured_MFU_megatron_bridge(megatron_bridge_flops_per_token, measured_throughput, peak_flops):
    """Utilization of a measured run, by Megatron-Bridge's estimator."""
    return megatron_bridge_flops_per_token * measured_throughput / peak_flops


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{auto}}", ref="measured throughput under NeMo Automodel's estimator")
def measured_MFU_automodel(automodel_flops_per_token, measured_throughput, peak_flops):
    """Utilization of a measured run, by NeMo Automodel's estimator."""
    return automodel_flops_per_token * measured_throughput / peak_flops


@quantity("1", latex=r"\mathrm{MFU}_{\mathrm{model}}", ref="measured throughput under chapter 4's count")
def measured_MFU_model(model_flops_per_token, measured_throughput, peak_flops):
    """Utilization of a measured run, by the useful work of this book."""
    return model_flops_per_token * measured_throughput / peak_flops


@quantity("1", latex=r"\mathrm{HFU}_{\mathrm{meas}}", ref="measured throughput under chapter 4's executed work")
def measured_HFU(executed_flops_per_token, measured_throughput, peak_flops):
    """Hardware utilization of a measured run, by the executed work of this book."""
    return executed_flops_per_token * measured_throughput / peak_flops


@quantity("1", latex=r"\gamma", ref="measured over sketched time")
def measured_over_sketch(measured_step_time, step_time):
    """How many times longer the measured update takes than the sketch."""
    return measured_step_time / step_time


@quantity(
    "byte/s",
    latex=r"\beta_{\mathrm{app}}",
    ref="remote map bytes over the residency of the kernel that gathered them",
    assumes="no bandwidth sample: residency contains waiting for peers and contention",
)
def apparent_metadata_bandwidth(routing_map_remote_bytes, metadata_residency):
    """What a residency would mean if it were all service time."""
    return routing_map_remote_bytes / metadata_residency


@quantity(
    "1", latex=r"\gamma_{\mathrm{res}}", ref="the article: the two medians of a trace", assumes="a correlation, not a cause"
)
def residency_ratio(residency_overlapped, residency_alone):
    """How much longer metadata gathers were resident when they overlapped an FSDP gather."""
    return residency_overlapped / residency_alone


@quantity(
    "s",
    latex=r"t_{\mathrm{exp}}",
    ref="gathers of an update times a residency",
    assumes="indicative only: a median times a count bounds nothing",
)
def exposed_metadata_time(metadata_all_gathers, metadata_residency):
    """What an update would wait if every metadata gather were exposed for this long."""
    return metadata_all_gathers * metadata_residency
