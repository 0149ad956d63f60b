"""Times

How long it takes.
"""

from symroof import Max, Min, largest, nvlink, quantity, scaleout


@quantity("byte@nvlink", ref="every member gets one")
def near_bytes(size, members):
    """Bytes between neighbours."""
    return size * nvlink * members


@quantity("byte@scaleout", ref="every held member sends one")
def far_bytes(size, held, kept):
    """Bytes between towns."""
    return (1 + kept) * size * scaleout * held


@quantity("s", ref="bytes over speed")
def near_time(near_bytes, near_speed, share):
    """Time between neighbours."""
    return near_bytes / (near_speed * share)


@quantity("s", ref="bytes over speed")
def far_time(far_bytes, far_speed):
    """Time between towns."""
    return far_bytes / far_speed


@quantity("s", ref="the slower of two that work at once")
def time(near_time, far_time):
    """Time of a delivery."""
    return Max(near_time, far_time)


@quantity("name", ref="the argument of the maximum")
def slowest(near_time, far_time):
    """What a delivery waits for."""
    return largest(near_time=near_time, far_time=far_time)


@quantity("s", ref="the time that overlaps")
def overlap(near_time, far_time):
    """Time in which both work."""
    return Min(near_time, far_time)


@quantity("1", ref="slack over time")
def slack(time, overlap):
    """Share of the time in which one waits."""
    return (time - overlap) / time
