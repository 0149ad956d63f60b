"""A step

The slower of two resources binds.
"""

from symroof import FLOP, Max, constraint, convention, divides, hbm, largest, quantity

counting = convention("whom to count", default="everyone", ref="this book", everyone="all ranks", others="all ranks but one")


@quantity("s", latex=r"t_{\mathrm{work}}", ref="work over rate", assumes="work is spread evenly")
def compute_time(work, n, peak):
    """Time of the work."""
    return work / (n * peak)


@quantity("s", ref="bytes over bandwidth")
def memory_time(size, bandwidth):
    """Time of the bytes."""
    return size * hbm / bandwidth


@quantity("s", ref="two resources that work at once")
def step_time(compute_time, memory_time):
    """Time of a step."""
    return Max(compute_time, memory_time)


@quantity("name", ref="the largest of the two")
def binding_resource(compute_time, memory_time):
    """Which time binds."""
    return largest(compute_time=compute_time, memory_time=memory_time)


@quantity("rank", ref="a count")
def partners(counting, n):
    """Ranks that take part."""
    return counting.choose(everyone=n, others=n - 1)


@quantity("FLOP", ref="a count of pairs")
def pair_work(partners, n):
    """Work of all pairs."""
    return FLOP * partners * n


@constraint
def even_ranks(n):
    """Ranks come in pairs."""
    return divides(2, n)
