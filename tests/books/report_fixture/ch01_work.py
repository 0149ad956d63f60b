"""Work, counted

A row of [T, d] costs what it costs: 50% of $2 & no #more, κ ≤ 1 · ε, `code_here` and <angle> brackets.

Two paragraphs are two paragraphs.
"""

from symroof import Max, ceiling, convention, largest, nvlink, quantity, total, where

counting = convention(
    "how many keys a token is charged for",
    default="half",
    ref="two habits",
    half="half of the square",
    full="the whole_square",
)


@quantity("token", latex=r"S_{\mathrm{eff}}", ref="the sum of squares over the sum")
def mean_length(docs):
    """Length that a mean token sees."""
    return total(docs, lambda one: one**2) / total(docs, lambda one: one)


@quantity("key/token", latex=r"n^{\mathrm{key}}", ref="a convention", assumes=("documents are independent", "nothing_else"))
def keys(counting, mean_length):
    """Keys that a token is charged for.

    The second paragraph says more, with 10^6 reasons.
    """
    return counting.choose(half=mean_length / 2, full=mean_length)


@quantity("copy/token", latex=r"\rho", ref="one copy per assignment")
def copies(top_k, EP):
    """Copies of a token that leave its GPU."""
    return top_k * (1 - 1 / EP)


@quantity("byte@nvlink", ref="copies times bytes")
def payload_bytes(copies, row_bytes, context):
    """Bytes on the wire."""
    return copies * row_bytes * context * nvlink


@quantity("s", latex=r"t_{\mathrm{wire}}", ref="bytes over bandwidth")
def wire_time(payload_bytes, bandwidth):
    """Time on the wire."""
    return payload_bytes / bandwidth


@quantity("s", latex=r"t_{\mathrm{idle}}", ref="a third of it")
def idle_time(wire_time):
    """Time of waiting."""
    return wire_time / 3


@quantity("s", latex=r"t_{\mathrm{step}}", ref="the slower of the two")
def step_time(wire_time, idle_time):
    """Time of a step."""
    return Max(wire_time, idle_time)


@quantity("name", latex=r"\mathrm{slowest}", ref="the largest")
def slowest(wire_time, idle_time):
    """Which time is the longest."""
    return largest(wire_time=wire_time, idle_time=idle_time)


@quantity("1", latex=r"n_{\mathrm{hop}}", ref="blocks of two")
def hop_blocks(stage):
    """Blocks that a hop sends."""
    return where(stage >= 2, ceiling(stage / 2), 0)
