"""What travels to the experts and back

[latent] The routed stream is compressed before it leaves the rank: K3's to half its width, so that a row on the wire is 7,168
bytes.

A row goes out and comes back: dispatch and combine forward, the same again when a checkpointed layer is recomputed, and their
two reverses in the backward pass.

[shared] Shared experts work where the token is, on the full width, and send nothing.

How many copies of a token travel depends on who counts. One copy for each assignment charges a rank twice when two of its
experts were chosen. A dispatcher that sends a token once to each rank sends fewer; under uniform routing without replacement
the saving is a ratio of binomials. It never sends more: the probability that a rank is needed is at most the expected number
of its experts among the chosen, k/EP, so (EP - 1) times it is at most k (1 - 1/EP), with equality only where a token has one
expert.

HybridEP sends one copy to each domain and fans it out inside. Across domains that is fewer than either count, so there the
assignments are a bound from above. Over NVLink it is not: a token that crosses once is copied on inside the other domain, so
with several domains HybridEP moves more bytes over NVLink than the assignments say, and where domains are small even more in
all. The sum is then no budget at all; the carriers are, each by itself.

Metadata, alignment padding and routing weights come on top; the probability vectors that ride along are priced at the end.
"""

from symroof import binomial, convention, equal, nvlink, quantity, scaleout, where

routed_width = convention(
    "which width a routed row is taken to have on the wire",
    default="latent",
    ref="simulators that do not know of the compressed stream charge the hidden width",
    mistaken=("hidden",),
    latent="the width that is sent",
    hidden="the hidden width, as if nothing were compressed",
)

UNIFORM = "uniform routing: every set of top_k experts is equally likely"
BY_RANK = "the article: ideal deduplication by rank, sampling without replacement; ratios in DeepEP logs agree to 0.3%"
BY_DOMAIN = "the same rule, by domain: DeepEP hybrid-ep sends one copy to each domain"

dispatch = convention(
    "what one copy of a token stands for on its way to the experts",
    default="assignments",
    ref="the article's two accounting options; DeepEP hybrid-ep branch",
    assignments="one copy for each chosen expert elsewhere: bounds the copies by rank, and those across domains",
    per_rank="one copy for each rank that holds a chosen expert",
    per_domain="across domains one copy for each domain, fanned out there over NVLink: HybridEP",
)


@quantity(
    "byte/copy",
    latex=r"B_{\mathrm{row}}",
    ref="the article: a row of the routed stream, in the width in which it is sent",
    block="moe",
)
def latent_row_bytes(routed_width, latent_width, bf16_bytes, hidden):
    """One token of the routed stream on the wire, in BF16."""
    return routed_width.choose(latent=latent_width * bf16_bytes, hidden=hidden * bf16_bytes)


@quantity("traversal", latex=r"n_{\mathrm{route}}", ref="the article: forward, recomputed forward, backward", block="moe")
def route_traversals(checkpoint):
    """How often a token goes to its experts and back in one layer and microbatch."""
    return 2 + checkpoint


@quantity("exchange", latex=r"n_{\mathrm{ex}}", ref="the article: 4 payload exchanges, 6 with full checkpointing", block="moe")
def exchanges(checkpoint):
    """Payload exchanges of one layer and microbatch: two for each traversal."""
    return 4 + 2 * checkpoint


@quantity("copy/token", latex=r"\rho", ref="the article: top_k (1 - 1/EP), one copy per assignment", assumes=UNIFORM)
def remote_copies(top_k, EP):
    """Copies of a token that leave its GPU, one for each assignment."""
    return top_k * (1 - 1 / EP)


@quantity("copy/token", latex=r"\rho_{\mathrm{net}}", ref="the article: top_k (1 - local_EP_ranks/EP)", assumes=UNIFORM)
def cross_domain_copies(top_k, local_EP_ranks, EP):
    """Copies of a token that leave its NVLink domain, one for each assignment."""
    return top_k * (1 - local_EP_ranks / EP)


@quantity("copy/token", latex=r"\rho_{\mathrm{nvl}}", ref="what leaves the GPU and stays in its domain", assumes=UNIFORM)
def nvlink_copies(remote_copies, cross_domain_copies):
    """Copies of a token that go to other GPUs of its own domain, one for each assignment."""
    return remote_copies - cross_domain_copies


@quantity("1", latex=r"p_{\mathrm{rank}}", ref=BY_RANK, assumes=UNIFORM)
def rank_hit_probability(experts, EP, top_k):
    """Probability that a given rank holds at least one of a token's experts."""
    return 1 - binomial(experts - experts / EP, top_k) / binomial(experts, top_k)


@quantity("1", latex=r"p_{\mathrm{dom}}", ref=BY_DOMAIN, assumes=UNIFORM)
def domain_hit_probability(experts, local_EP_ranks, EP, top_k):
    """Probability that the EP ranks of a given domain hold at least one of a token's experts."""
    return 1 - binomial(experts - experts * local_EP_ranks / EP, top_k) / binomial(experts, top_k)


@quantity("copy/token", latex=r"\tilde\rho", ref=BY_RANK, assumes=UNIFORM)
def remote_copies_deduplicated(EP, rank_hit_probability):
    """Other ranks that a token is needed on."""
    return (EP - 1) * rank_hit_probability


@quantity("copy/token", latex=r"\tilde\rho_{\mathrm{net}}", ref=BY_RANK, assumes=UNIFORM)
def cross_domain_copies_deduplicated(EP, local_EP_ranks, rank_hit_probability):
    """Ranks of other domains that a token is needed on."""
    return (EP - local_EP_ranks) * rank_hit_probability


@quantity("copy/token", latex=r"\tilde\rho_{\mathrm{dom}}", ref=BY_DOMAIN, assumes=UNIFORM)
def cross_domain_copies_per_domain(EP, local_EP_ranks, domain_hit_probability):
    """Other domains that a token is needed in."""
    return (EP / local_EP_ranks - 1) * domain_hit_probability


@quantity(
    "copy/token",
    latex=r"\tilde\rho_{\mathrm{fan}}",
    ref="DeepEP hybrid-ep: a token enters a domain at its sender's counterpart, which serves the others",
    assumes=UNIFORM,
)
def fanned_out_copies(EP, local_EP_ranks, rank_hit_probability):
    """NVLink copies of a token over all domains: it enters each at its sender's counterpart, which serves the other ranks that need it."""
    return EP / local_EP_ranks * (local_EP_ranks - 1) * rank_hit_probability


@quantity("1", latex=r"\sigma", ref="one minus deduplicated over assigned copies; zero where no copy leaves")
def deduplication_saving(EP, remote_copies_deduplicated, remote_copies):
    """Share of the assignment budget that one copy for each rank saves."""
    return where(equal(EP, 1), 0, 1 - remote_copies_deduplicated / remote_copies)


@quantity("copy/token", latex=r"\rho^{\mathrm{pay}}_{\mathrm{nvl}}", ref="the dispatch convention in force", assumes=UNIFORM)
def payload_copies_nvlink(
    dispatch, nvlink_copies, remote_copies_deduplicated, cross_domain_copies_deduplicated, fanned_out_copies
):
    """Copies of a token that NVLink moves in one exchange."""
    return dispatch.choose(
        assignments=nvlink_copies,
        per_rank=remote_copies_deduplicated - cross_domain_copies_deduplicated,
        per_domain=fanned_out_copies,
    )


@quantity("copy/token", latex=r"\rho^{\mathrm{pay}}_{\mathrm{net}}", ref="the dispatch convention in force", assumes=UNIFORM)
def payload_copies_cross_domain(dispatch, cross_domain_copies, cross_domain_copies_deduplicated, cross_domain_copies_per_domain):
    """Copies of a token that the scale-out network moves in one exchange."""
    return dispatch.choose(
        assignments=cross_domain_copies,
        per_rank=cross_domain_copies_deduplicated,
        per_domain=cross_domain_copies_per_domain,
    )


@quantity("copy/token", latex=r"\rho^{\mathrm{pay}}", ref="the two carriers together")
def payload_copies(payload_copies_nvlink, payload_copies_cross_domain):
    """Copies of a token that are moved in one exchange, on either carrier."""
    return payload_copies_nvlink + payload_copies_cross_domain


@quantity("byte", latex=r"B_{\mathrm{pay}}", ref="the article: exchanges, local tokens, row and copies multiply")
def payload_bytes(exchanges, local_tokens, latent_row_bytes, payload_copies):
    """Payload that a rank sends for one layer and microbatch, on all carriers."""
    return exchanges * local_tokens * latent_row_bytes * payload_copies


@quantity("byte@nvlink", latex=r"B_{\mathrm{pay,nvl}}", ref="the same, for the copies that NVLink moves")
def payload_bytes_nvlink(exchanges, local_tokens, latent_row_bytes, payload_copies_nvlink):
    """Payload that a rank sends over NVLink for one layer and microbatch."""
    return exchanges * local_tokens * latent_row_bytes * payload_copies_nvlink * nvlink


@quantity("byte@scaleout", latex=r"B_{\mathrm{pay,net}}", ref="the same, for the copies that leave the domain")
def payload_bytes_cross_domain(exchanges, local_tokens, latent_row_bytes, payload_copies_cross_domain):
    """Payload that a rank sends over the scale-out network for one layer and microbatch."""
    return exchanges * local_tokens * latent_row_bytes * payload_copies_cross_domain * scaleout


@quantity("byte/update", latex=r"B^{\mathrm{upd}}_{\mathrm{pay}}", ref="every MoE layer of a stage, every microbatch")
def payload_bytes_per_update(M, stage_moe_layers, payload_bytes):
    """Payload that a rank of an interior stage sends in an update, on all carriers."""
    return M * stage_moe_layers * payload_bytes


@quantity(
    "byte/copy",
    latex=r"B_{\mathrm{prob}}",
    ref="DeepEP hybrid-ep: an FP32 probability for each expert of the receiving domain",
)
def dispatch_probability_bytes(experts_per_rank, local_EP_ranks, fp32_bytes):
    """Probability vector that rides along with a copied token."""
    return experts_per_rank * local_EP_ranks * fp32_bytes


@quantity(
    "byte",
    latex=r"B^{\mathrm{tot}}_{\mathrm{prob}}",
    ref="DeepEP hybrid-ep: forward dispatch and the backward of combine carry it, one exchange of each traversal",
    assumes="not in the payload above, and not in the step sketch",
)
def dispatch_probability_bytes_total(route_traversals, local_tokens, payload_copies, dispatch_probability_bytes):
    """Probability bytes that a rank sends for one layer and microbatch."""
    return route_traversals * local_tokens * payload_copies * dispatch_probability_bytes
