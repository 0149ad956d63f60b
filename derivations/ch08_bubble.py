"""The pipeline's bubble

An update fills its pipeline and drains it again, whatever ran before. With balanced stages the ordinary 1F1B schedule idles
for PP - 1 microbatches' worth of work, which is an overhead over useful work or, counted over the whole interval, a
slightly smaller fraction; the two are easily confused. A model that is not cut into stages has no bubble. Nor is a bubble a
ban on overlap: communication may still hide under the work of other microbatches.

More microbatches amortize it. At a fixed global batch each microbatch then shrinks and its products lose efficiency; at
fixed rows, as here, the global batch grows, and whether that is acceptable is not a question of throughput. Interleaving
divides the bubble on paper. In a run there are more boundaries to cross, and a stage keeps other activations; so the division
stands next to the bytes that it costs, and is not the whole model.

[attn_res] With several stages on a rank residual caches begin to pay off, because a rank has seen some of the blocks before.
The bytes here are those without a cache.
"""

from symroof import Max, quantity, total_range, where

BALANCED = "balanced stages, one contiguous stage a rank"
NO_CACHE = "all that a boundary carries is sent: no cache on the receiving rank"


@quantity("1", latex=r"\beta_{\mathrm{over}}", ref="the article: (PP - 1)/M relative to useful work", assumes=BALANCED)
def bubble_overhead(PP, M):
    """Idle time of ordinary 1F1B over the useful compute time."""
    return (PP - 1) / M


@quantity("1", latex=r"\beta_{\mathrm{frac}}", ref="the article: of the compute-plus-bubble interval", assumes=BALANCED)
def bubble_fraction(PP, M):
    """Idle time of ordinary 1F1B over compute and bubble together."""
    return (PP - 1) / (M + PP - 1)


@quantity("microbatch", latex=r"M^{*}", ref="the bubble overhead solved for M", assumes=BALANCED)
def microbatches_for_overhead(PP, wanted_overhead):
    """Microbatches at which the bubble overhead is what one is willing to pay."""
    return (PP - 1) / wanted_overhead


@quantity(
    "1",
    latex=r"\beta_{\mathrm{int}}",
    ref="interleaved 1F1B: each rank's work comes in smaller pieces",
    assumes=(
        "balanced stages, and microbatches in rounds of PP",
        "idle slots alone: added boundaries, caches and memory are not in it",
    ),
)
def interleaved_bubble_overhead(PP, virtual_stages, M):
    """Idle time of interleaved 1F1B over the useful compute time, read together with interleaved_pp_bytes.

    Fewer microbatches than stages wait for themselves to come round: each round but the last then idles for PP - M slots.
    """
    return (PP - 1 + (virtual_stages - 1) * (Max(PP, M) - M)) / (virtual_stages * M)


@quantity(
    "stream",
    latex=r"n^{\mathrm{int}}_{\mathrm{stream}}",
    ref="the packet rule of the next chapter at PP times virtual_stages boundaries",
    assumes=(
        NO_CACHE,
        "virtual stages are equal, as if a layer could be split where they do not divide a stage",
    ),
)
def interleaved_streams(PP, virtual_stages, stage_layers, packet_expansion):
    """Streams over all boundaries of an interleaved pipeline, one microbatch forward; a single rank has none to cross."""
    return where(
        PP >= 2,
        total_range(
            1, PP * virtual_stages - 1, lambda hop: packet_expansion(stage=hop, stage_layers=stage_layers / virtual_stages)
        ),
        0,
    )


@quantity(
    "byte/update",
    latex=r"B_{\mathrm{int}}",
    ref="streams of the interleaved pipeline less those of the ordinary one, forward and gradient",
    assumes=NO_CACHE,
)
def interleaved_pp_bytes(M, stream_bytes, interleaved_streams, total_streams):
    """Pipeline bytes that interleaving adds in an update, over all boundaries of one pipeline."""
    return 2 * M * stream_bytes * (interleaved_streams - total_streams)
