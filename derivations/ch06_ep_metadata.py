"""What HybridEP gathers before it dispatches

Before HybridEP moves a token, every rank of the group learns where all tokens go: a Boolean map of tokens by experts is
all-gathered. A trace shows an all-gather next to the experts and invites a wrong name for it; no weight moves. The map is
small on a rank and large once it is gathered, and a checkpointed layer gathers it twice, because only the combine and the
backward pass reuse what the dispatch learned. The count is what deserves attention: a short dependency, repeated for every
layer, microbatch and forward pass.

That is HybridEP's way, which the book prices for every model with routed experts. A dispatcher that learns the routes otherwise
has other metadata.
"""

from symroof import Max, nvlink, quantity, scaleout


@quantity("byte", latex=r"B_{\mathrm{map}}", ref="the article: a Boolean map of local tokens by experts")
def routing_map_bytes(local_tokens, experts, bool_bytes):
    """Routing map of one rank's tokens."""
    return local_tokens * experts * bool_bytes


@quantity("byte", latex=r"B^{\mathrm{all}}_{\mathrm{map}}", ref="the article: gathered across the EP group")
def routing_map_gathered_bytes(EP, routing_map_bytes):
    """Routing map of the whole EP group, as it lies on every rank after the gather."""
    return EP * routing_map_bytes


@quantity("byte", latex=r"B^{\mathrm{rem}}_{\mathrm{map}}", ref="the article: what came from other ranks")
def routing_map_remote_bytes(EP, routing_map_bytes):
    """Part of the gathered map that a rank receives."""
    return (EP - 1) * routing_map_bytes


@quantity("1", latex=r"A_{\mathrm{map}}", ref="gathered over local")
def routing_map_amplification(routing_map_gathered_bytes, routing_map_bytes):
    """How much larger the gathered map is than what a rank puts in."""
    return routing_map_gathered_bytes / routing_map_bytes


@quantity("collective/update", latex=r"n_{\mathrm{map}}", ref="the article: original and recomputed forward each gather it")
def metadata_all_gathers(M, stage_moe_layers, checkpoint):
    """Metadata all-gathers of an interior stage in an update."""
    return M * stage_moe_layers * (1 + checkpoint)


@quantity("byte/update", latex=r"B^{\mathrm{upd}}_{\mathrm{map}}", ref="received bytes, every gather of an update")
def metadata_bytes_per_update(metadata_all_gathers, routing_map_remote_bytes):
    """Routing-map bytes that a rank receives in an update, on all carriers."""
    return metadata_all_gathers * routing_map_remote_bytes


@quantity(
    "byte@scaleout",
    latex=r"B_{\mathrm{map,net}}",
    ref="hierarchical gather: a domain imports each foreign map once, its ranks share the import evenly",
)
def metadata_bytes_scaleout(EP, local_EP_ranks, routing_map_bytes):
    """Routing-map bytes of one gather that a rank takes from the scale-out network."""
    return (EP - local_EP_ranks) / local_EP_ranks * routing_map_bytes * scaleout


@quantity("byte@nvlink", latex=r"B_{\mathrm{map,nvl}}", ref="the rest of what a rank receives comes from its own domain")
def metadata_bytes_nvlink(EP, local_EP_ranks, routing_map_bytes):
    """Routing-map bytes of one gather that a rank takes from NVLink."""
    return (EP - 1 - (EP - local_EP_ranks) / local_EP_ranks) * routing_map_bytes * nvlink


@quantity(
    "s",
    latex=r"t_{\mathrm{map}}",
    ref="the slower of two carriers that work at the same time",
    assumes="bandwidth alone: no start-up, no waiting for a late rank",
)
def metadata_time_ideal(metadata_bytes_nvlink, nvlink_bandwidth, metadata_bytes_scaleout, scaleout_bandwidth):
    """Least time of one metadata all-gather."""
    return Max(metadata_bytes_nvlink / nvlink_bandwidth, metadata_bytes_scaleout / scaleout_bandwidth)
