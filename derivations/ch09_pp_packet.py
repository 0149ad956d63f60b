"""What a pipeline hop carries

A stage hands on the hidden stream of its microbatch, and a gradient of the same size comes back. Whether a hop stays on NVLink
or leaves the domain is a matter of where stages lie, and the sketch takes the busiest rank of each carrier.

[attn_res] A hop is often priced as that one stream. Attention residuals let a layer look back at earlier blocks, so a stage
hands on one residual stream more for each block that is complete; with one stage a rank the receiver has seen none of them
before, and no cache can leave any out. The packet grows from hop to hop, and the last one is the largest.

[attn_res] How many layers make a block decides everything here. The article's counts of K3 are those of blocks of six decoder
layers; the released configuration has twelve, which halves the residual streams. Both are presets, and the report sets them
side by side where readings differ.
"""

from symroof import Max, divides, floor, nvlink, quantity, scaleout, total_range, where

ONE_STAGE = "one contiguous stage a rank: the receiver has seen nothing of the microbatch before"


@quantity("byte/stream", latex=r"B_{\mathrm{str}}", ref="the article: one [T, hidden] tensor in BF16")
def stream_bytes(bf16_bytes, local_tokens, hidden):
    """One stream of a microbatch on a rank."""
    return bf16_bytes * local_tokens * hidden


@quantity(
    "block",
    latex=r"n_{\mathrm{blk}}",
    ref="the article: outgoing block counts 2, 4, ..., 14",
    assumes="blocks are counted when they are complete",
)
def outgoing_blocks(stage, stage_layers, attn_res_block):
    """Residual blocks that are complete when a microbatch leaves a stage."""
    return floor(stage * stage_layers / attn_res_block)


@quantity(
    "stream",
    latex=r"\varepsilon",
    ref="the article: the hidden stream, and what else later layers look back to",
    assumes=ONE_STAGE,
)
def packet_expansion(outgoing_blocks, attn_res):
    """Streams that leave a stage for one microbatch."""
    return attn_res.either(1 + outgoing_blocks, 1)


@quantity(
    "byte", latex=r"B_{\mathrm{pkt}}", ref="streams times their size; no hop leaves before the first stage", assumes=ONE_STAGE
)
def packet_bytes(stage, stream_bytes, packet_expansion):
    """Bytes that leave a stage forward for one microbatch, on a rank."""
    return where(stage >= 1, stream_bytes * packet_expansion, 0)


@quantity("byte", latex=r"B_{\mathrm{last}}", ref="the article: the packet of the hop into the last stage")
def final_hop_bytes(PP, stream_bytes, packet_expansion):
    """Bytes of the last hop forward, which no other exceeds; a single stage has none."""
    return where(PP >= 2, stream_bytes * packet_expansion(stage=PP - 1), 0)


@quantity("byte", latex=r"B^{\nabla}_{\mathrm{last}}", ref="the article: as much comes back as gradient")
def final_hop_gradient_bytes(final_hop_bytes):
    """Bytes of the last hop's gradient, as large as what went forward."""
    return final_hop_bytes


@quantity("stream", latex=r"n_{\mathrm{stream}}", ref="the sum over all hops", assumes=ONE_STAGE)
def total_streams(PP, packet_expansion):
    """Streams over all hops of the pipeline, one microbatch forward."""
    return total_range(1, PP - 1, lambda hop: packet_expansion(stage=hop))


@quantity(
    "byte@scaleout",
    latex=r"B_{\mathrm{pkt,net}}",
    ref="layout: a hop leaves its domain where a multiple of the domain's stages ends",
)
def packet_bytes_scaleout(stages_per_domain, stage, packet_bytes):
    """Bytes of a hop forward on the scale-out network; zero where the hop stays in a domain."""
    return where(divides(stages_per_domain, stage), packet_bytes * scaleout, 0)


@quantity("byte@nvlink", latex=r"B_{\mathrm{pkt,nvl}}", ref="layout: every other hop stays in its domain")
def packet_bytes_nvlink(stages_per_domain, stage, packet_bytes):
    """Bytes of a hop forward on NVLink; zero where the hop leaves the domain."""
    return where(divides(stages_per_domain, stage), 0, packet_bytes * nvlink)


@quantity("stage", latex=r"s_{\mathrm{net}}", ref="the last multiple of the domain's stages before the pipeline's end")
def last_scaleout_hop(stages_per_domain, PP):
    """The last hop that leaves its domain; 0 where none does."""
    return stages_per_domain * floor((PP - 1) / stages_per_domain)


@quantity(
    "byte@scaleout/update",
    latex=r"B^{\mathrm{upd}}_{\mathrm{pp,net}}",
    ref="packets never shrink on the way, so no sender is busier than that of the last scale-out hop",
    assumes=ONE_STAGE,
)
def pp_bytes_per_update(M, packet_bytes_scaleout, last_scaleout_hop):
    """Scale-out bytes that the busiest rank sends in an update: its hop forward, and the gradient of the hop before it."""
    return M * (packet_bytes_scaleout(stage=last_scaleout_hop) + packet_bytes_scaleout(stage=last_scaleout_hop - 1))


@quantity(
    "byte@nvlink/update",
    latex=r"B^{\mathrm{upd}}_{\mathrm{pp,nvl}}",
    ref="of three neighbouring senders near the pipeline's end one has the most: with three or more stages in a domain, "
    "one of them has both its hops inside; with two, each has one",
    assumes=ONE_STAGE,
)
def pp_bytes_per_update_nvlink(M, packet_bytes_nvlink, PP):
    """NVLink bytes that the busiest rank sends in an update: its hop forward, and the gradient of the hop before it."""
    return M * Max(
        packet_bytes_nvlink(stage=PP - 1) + packet_bytes_nvlink(stage=PP - 2),
        packet_bytes_nvlink(stage=PP - 2) + packet_bytes_nvlink(stage=PP - 3),
        packet_bytes_nvlink(stage=PP - 3) + packet_bytes_nvlink(stage=PP - 4),
    )
