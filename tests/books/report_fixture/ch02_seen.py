"""What was seen

Somebody measured.
"""

from symroof import quantity


@quantity("1", latex=r"\gamma", ref="observed over derived")
def observed_ratio(observed, step_time):
    """How much longer it took."""
    return observed / step_time
