"""One run's accounting

Every count follows from the degrees of parallelism.
"""

from symroof import Min, ceiling, constraint, divides, either, equal, quantity, total


@quantity("token", latex="T", ref="a microbatch's rows, their tokens split over context parallelism")
def local_tokens(rows, context, CP):
    """Tokens of a microbatch on a rank."""
    return rows * context / CP


@quantity("layer", latex=r"L_s", ref="balanced contiguous stages; the last may be shorter")
def stage_layers(layers, PP):
    """Decoder layers of an interior pipeline stage."""
    return ceiling(layers / PP)


@quantity("copy/token", latex=r"\rho_{\mathrm{gpu}}", ref="one copy per assignment", assumes="uniform routing")
def remote_copies(top_k, EP):
    """Copies of a token that leave its GPU."""
    return top_k * (1 - 1 / EP)


@constraint
def ep_divides_experts(EP, experts):
    """Every rank of an expert-parallel group holds the same number of experts."""
    return divides(EP, experts)


@constraint
def documents_fill_a_row(documents, context):
    """The documents of a row sum to its context."""
    return equal(total(documents, lambda length: length), context)


@constraint
def whole_documents(documents):
    """A row holds a whole number of documents."""
    return divides(1, total(documents, lambda length: 1))
