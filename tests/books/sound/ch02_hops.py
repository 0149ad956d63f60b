"""Hops"""

from symroof import byte, quantity, total, total_range


@quantity("token", ref="token-weighted mean")
def mean_length(lengths):
    """Length of the document of a token picked at random."""
    return total(lengths, lambda x: x**2) / total(lengths, lambda x: x)


@quantity("byte", ref="what has been gathered so far")
def hop_bytes(size, hop):
    """Bytes of a hop."""
    return size * hop


@quantity("byte", ref="a header a hop")
def sent_bytes(hop_bytes, n):
    """Bytes of a hop with the headers of all ranks."""
    return hop_bytes + 8 * byte * n


@quantity("byte", ref="the hop after the last rank but one")
def last_bytes(sent_bytes, n):
    """Bytes of the last hop."""
    return sent_bytes(hop=n - 1)


@quantity("byte", ref="sum over the hops")
def all_bytes(sent_bytes, n):
    """Bytes of all hops."""
    return total_range(1, n - 1, lambda k: sent_bytes(hop=k))


@quantity("1", ref="a ratio")
def per_rank_beyond_two(n):
    """A ratio that two ranks do not have."""
    return 1 / (n - 2)
