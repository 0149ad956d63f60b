"""What tools print

Benchmarks and trainers print bytes, rates and bubbles that look alike and are not. A collective's algorithm bandwidth
is its size over its time; its bus bandwidth is what a link would show. A link's rate may be that of one direction or the sum of
two. Gradients may be reduced in FP32 or in BF16.

[moe] A dispatcher's counter may have the copies that stay at home. A mesh may fold expert parallelism into data parallelism or
divide by both.

Each of these is a convention here, over the same formulas that the earlier chapters derive. What is a mistake is marked as
one; the rest is a matter of saying which.
"""

from symroof import POSITIVE, argument, byte, ceiling, constraint, convention, quantity, symbol

collective_time = symbol(
    "s",
    "time of what is measured: of a collective, or of the exchange that is asked about",
    latex=r"t_{\mathrm{coll}}",
    domain=POSITIVE,
)
counter_rate = symbol(
    "byte/s",
    "rate that a dispatcher prints for its copies across domains",
    latex=r"\beta_{\mathrm{ctr}}",
    domain=POSITIVE,
    block="moe",
)

NCCL = "nccl-tests, PERFORMANCE.md"
LOW_LATENCY = "DeepEP, test of the low-latency kernels"

bandwidth = convention(
    "which bandwidth of a collective is printed",
    default="algorithm",
    ref=NCCL,
    algorithm="size over time",
    bus="what each link carries: the algorithm bandwidth times a factor of the collective",
)
directions = convention(
    "which directions of a link are counted",
    default="one",
    ref="vendors print the sum of both directions",
    one="one direction, which is what a roofline needs",
    both="both directions together",
)
self_traffic = convention(
    "whether copies that stay at home are counted as traffic",
    default="left_out",
    ref="DeepEP issue 51 and its tests: counters have a rank's own part; links do not carry it",
    left_out="what a link carries",
    counted="all copies, those to oneself included",
)
wire_precision = convention(
    "in which precision a token is dispatched",
    default="bf16",
    ref="DeepEP dispatches in FP8 where asked to, and combines in BF16",
    bf16="BF16",
    fp8="FP8 with a scale for each 128 channels",
)
map_encoding = convention(
    "how a routing map is gathered",
    default="boolean",
    ref="DeepEP pull requests 673 and 716",
    boolean="a Boolean for each token and expert",
    indices="a 16-bit index for each expert that a token is sent to",
)
gradient_reduction = convention(
    "in which precision gradients are reduced",
    default="fp32",
    ref="FSDP2 MixedPrecisionPolicy, reduce_dtype",
    fp32="FP32, twice the bytes of a gather",
    bf16="BF16, as many bytes as a gather",
)
bubble_ends = convention(
    "which ends of a pipeline schedule are counted as idle",
    default="both",
    ref="algolocal pull request 95, which a simulation of the dependencies refutes",
    mistaken=("fill",),
    both="it fills and it drains",
    fill="it fills; the drain is forgotten",
)
mesh = convention(
    "whether expert parallelism is part of data parallelism",
    default="folded",
    ref="pith-train pull request 93; Megatron-Core parallel folding",
    mistaken=("divided",),
    folded="experts are spread over the ranks of a stage, whatever else those do",
    divided="expert-parallel ranks are divided out of the world like the others",
)
symmetric_products = convention(
    "whether Newton-Schulz computes symmetric matrices by half",
    default="whole",
    ref="flash-muon; blueberry-llm pull request 39",
    mistaken=("all_halved",),
    whole="every product as a whole",
    halved="the Gram matrix and its square are symmetric: half of each is enough",
    all_halved="every product by half, though the update of X is not symmetric",
)


@argument("rank", latex=r"n_{\mathrm{coll}}", ref="ranks of a collective: by default those that shard dense weights")
def collective_ranks(dense_FSDP):
    """Ranks that take part in a collective."""
    return dense_FSDP


@argument("byte", latex=r"B_{\mathrm{coll}}", ref="size as nccl-tests has it: what a rank holds when everything is gathered")
def collective_bytes(bf16_bytes, stage_dense_parameters):
    """Size of a collective; by default a stage's dense weights in BF16."""
    return bf16_bytes * stage_dense_parameters


@quantity("1", latex=r"\phi_{\mathrm{bus}}", ref=NCCL + ": (n - 1)/n; a rank need not move its own part")
def bus_share(collective_ranks):
    """Part of a collective's size that every rank must move in one pass."""
    return 1 - 1 / collective_ranks


@quantity("byte/s", latex=r"\beta_{\mathrm{AR}}", ref=NCCL + ": an all-reduce is a reduce-scatter and an all-gather")
def all_reduce_rate(collective_bytes, collective_time, bandwidth, bus_share, directions):
    """Bandwidth of an all-reduce, as it is printed."""
    return (
        collective_bytes / collective_time * bandwidth.choose(algorithm=1, bus=2 * bus_share) * directions.choose(one=1, both=2)
    )


@quantity("byte/s", latex=r"\beta_{\mathrm{X}}", ref=NCCL + ": all-gather, reduce-scatter and all-to-all have the same factor")
def exchange_rate(collective_bytes, collective_time, bandwidth, bus_share, directions):
    """Bandwidth of an all-gather, a reduce-scatter or an all-to-all, as it is printed."""
    return collective_bytes / collective_time * bandwidth.choose(algorithm=1, bus=bus_share) * directions.choose(one=1, both=2)


@quantity("byte@nvlink/s", latex=r"\beta_{\mathrm{nvl}}'", ref="vendors print both directions together")
def nvlink_rate_printed(nvlink_bandwidth, directions):
    """NVLink bandwidth as it is printed."""
    return nvlink_bandwidth * directions.choose(one=1, both=2)


@quantity("rank/token", latex=r"n_{\mathrm{rank}}", ref="chapter 5's rule for every rank of the group, one's own included")
def distinct_ranks(EP, rank_hit_probability):
    """Ranks that hold at least one of a token's experts."""
    return EP * rank_hit_probability


@quantity("domain/token", latex=r"n_{\mathrm{dom},t}", ref="chapter 5's rule for every domain, one's own included")
def distinct_domains(EP, local_EP_ranks, domain_hit_probability):
    """Domains that hold at least one of a token's experts."""
    return EP / local_EP_ranks * domain_hit_probability


@quantity("rank/domain", latex=r"n_{\mathrm{rank}}/n_{\mathrm{dom}}", ref="DeepEP's normal kernels count a copy for each")
def ranks_over_domains(distinct_ranks, distinct_domains):
    """Copies by rank over copies by domain: the ratio of the two rates that a dispatcher prints."""
    return distinct_ranks / distinct_domains


@quantity("byte/s", latex=r"\beta_{\mathrm{net},t}", ref="DeepEP issue 51: a counter has the own domain, the network has not")
def network_rate(self_traffic, counter_rate, local_EP_ranks, EP):
    """Rate of the copies across domains, from what a dispatcher's counter shows."""
    return self_traffic.choose(left_out=counter_rate * (1 - local_EP_ranks / EP), counted=counter_rate)


@quantity("copy/token", latex=r"\rho'", ref="llm-analysis counts top_k; SimuMax and Primus top_k (1 - 1/EP)")
def assignment_copies(self_traffic, remote_copies, top_k):
    """Copies of a token in one exchange, one for each assignment."""
    return self_traffic.choose(left_out=remote_copies, counted=top_k)


@quantity(
    "byte/copy",
    latex=r"B_{\mathrm{row},8}",
    ref="DeepEP: FP8 channels, and an FP32 scale for each 128 of them, one for what is left of them too",
    block="moe",
)
def fp8_row_bytes(latent_width, fp32_bytes):
    """One token of the routed stream on the wire, in FP8 with its scales."""
    return latent_width * byte + ceiling(latent_width / 128) * fp32_bytes


@quantity("byte", latex=r"B_{\mathrm{disp}}", ref="tokens, copies and row multiply, by the conventions in force")
def dispatch_bytes(local_tokens, assignment_copies, wire_precision, latent_row_bytes, fp8_row_bytes):
    """Bytes that a rank sends in one exchange, one direction, one copy for each assignment."""
    return local_tokens * assignment_copies * wire_precision.choose(bf16=latent_row_bytes, fp8=fp8_row_bytes)


@argument("copy", latex=r"n_{\mathrm{mask}}", ref="selections that a test leaves empty; none in a run", block="moe")
def masked_selections():
    """Selections of experts that are masked out."""
    return 0


@quantity("copy", latex=r"n_{\mathrm{sel}}", ref=LOW_LATENCY + ": every selection is a copy, none is deduplicated")
def low_latency_copies(local_tokens, assignment_copies, masked_selections):
    """Copies that a low-latency dispatch sends."""
    return local_tokens * assignment_copies - masked_selections


@constraint
def masked_within_selections(masked_selections, local_tokens, assignment_copies):
    """No more selections are masked out than there are."""
    return masked_selections <= local_tokens * assignment_copies


@quantity("byte/copy", latex=r"B_{\mathrm{LL}}", ref=LOW_LATENCY + ": a row in FP8 behind 16 bytes of header")
def low_latency_dispatch_bytes(fp8_row_bytes):
    """One token of a low-latency dispatch on the wire."""
    return fp8_row_bytes + 16 * byte


@quantity("byte", latex=r"B_{\mathrm{LL,both}}", ref=LOW_LATENCY + ": dispatch in FP8, combine in BF16")
def low_latency_bytes(low_latency_copies, low_latency_dispatch_bytes, latent_row_bytes):
    """Bytes of a low-latency dispatch and its combine."""
    return low_latency_copies * (low_latency_dispatch_bytes + latent_row_bytes)


@quantity("byte/s", latex=r"\beta_{\mathrm{LL}}", ref=LOW_LATENCY + ": bytes over time")
def low_latency_rate(low_latency_bytes, collective_time):
    """Bandwidth of a low-latency dispatch and its combine, as it is printed."""
    return low_latency_bytes / collective_time


@quantity("byte", latex=r"B_{\mathrm{map}}'", ref="the encoding in force")
def gathered_map_bytes(map_encoding, routing_map_gathered_bytes, EP, local_tokens, top_k):
    """Routing map of an EP group as it lies on every rank after the gather."""
    return map_encoding.choose(boolean=routing_map_gathered_bytes, indices=EP * local_tokens * top_k * 2 * byte)


@quantity("byte", latex=r"B_{\mathrm{map,all}}'", ref="every rank holds the gathered map")
def gathered_map_bytes_all_ranks(EP, gathered_map_bytes):
    """Gathered routing maps of all ranks of an EP group together."""
    return EP * gathered_map_bytes


@quantity("byte", latex=r"B_{\mathrm{RS}}'", ref="the precision in force")
def counted_reduce_scatter_bytes(gradient_reduction, ring_reduce_scatter_bytes, bf16_bytes, fp32_bytes):
    """Bytes that a rank sends in one reduce-scatter of a stage's dense gradients."""
    return gradient_reduction.choose(fp32=ring_reduce_scatter_bytes, bf16=ring_reduce_scatter_bytes * bf16_bytes / fp32_bytes)


@quantity(
    "byte/update", latex=r"B_{\mathrm{fsdp}}'", ref="chapter 7's counts of collectives, gradients in the precision in force"
)
def counted_fsdp_bytes(all_gathers_per_update, ring_all_gather_bytes, reduce_scatters_per_update, counted_reduce_scatter_bytes):
    """Dense FSDP bytes of a rank in an update, on all carriers."""
    return all_gathers_per_update * ring_all_gather_bytes + reduce_scatters_per_update * counted_reduce_scatter_bytes


@quantity(
    "1",
    latex=r"n_{\mathrm{slot}}",
    ref="dependencies of GPipe and 1F1B alike: each stage waits for the one before it, forward and backward",
    assumes="forward and backward take a slot each",
)
def schedule_slots(bubble_ends, M, PP):
    """Slots from the first forward to the last backward pass of an update."""
    return 2 * M + bubble_ends.choose(both=2 * (PP - 1), fill=PP - 1)


@quantity("1", latex=r"\beta_{\mathrm{slot}}", ref="slots of a stage without work, over all slots")
def idle_slot_fraction(M, schedule_slots):
    """Part of a schedule's slots in which a stage idles."""
    return 1 - 2 * M / schedule_slots


@argument("parameter", latex=r"P_{\mathrm{state}}", ref="the parameters whose state is kept: by default all that are stored")
def state_parameters(stored_parameters):
    """Parameters whose state is kept."""
    return stored_parameters


@quantity(
    "byte",
    latex=r"B_{\mathrm{state}}",
    ref="MaxText issue 606: bytes of a parameter times parameters",
    assumes="every parameter is shared out like a dense weight, and no pipeline cuts the model",
)
def state_bytes(held_bytes_per_parameter, state_parameters):
    """State of so many parameters as tools print it: weights, gradients and optimizer, by the next chapter's conventions.

    It is what a tool multiplies, and no rank of a pipeline holds it: what a rank of a stage holds is memory_state.
    """
    return held_bytes_per_parameter * state_parameters


@quantity("replica", latex=r"\mathrm{DP}'", ref="the mesh in force", block="moe")
def data_parallel_degree(mesh, DP, EP):
    """Data-parallel degree of the dense weights, as a mesh has it."""
    return mesh.choose(folded=DP, divided=DP / EP)


@quantity("FLOP/matrix", latex=r"F_{\mathrm{NS}}'", ref="chapter 10's products, symmetric ones as the convention has them")
def counted_newton_schulz_flops(
    symmetric_products,
    newton_schulz_flops,
    newton_schulz_steps,
    newton_schulz_gram_flops,
    newton_schulz_square_flops,
    newton_schulz_update_flops,
):
    """FLOPs to orthogonalize one matrix."""
    return symmetric_products.choose(
        whole=newton_schulz_flops,
        halved=newton_schulz_steps * (newton_schulz_gram_flops / 2 + newton_schulz_square_flops / 2 + newton_schulz_update_flops),
        all_halved=newton_schulz_flops / 2,
    )


@quantity("1", latex=r"\sigma_{\mathrm{NS}}", ref="one minus what is left of the whole products")
def newton_schulz_saving(counted_newton_schulz_flops, newton_schulz_flops):
    """Share of the Newton-Schulz work that symmetric products save."""
    return 1 - counted_newton_schulz_flops / newton_schulz_flops
