"""What counts as rounding, and how far a walk may go: the numbers that every arithmetic and every printed language share."""

from __future__ import annotations

from string import Template

# Powers of two: what counts as rounding, relative to the number that was rounded; how near a whole number at most; and what
# keeps the largest of several values apart from the next.
SLACK, GRAIN, TIE = -46, -20, -42
# Beyond this a binomial's product is no longer a formula somebody meant, only a way to wait; and so is a sum.
MOST_DRAWS = 20_000
LONGEST_SUM = 100_000


def filled(source: str, power: str, thousands: str = "") -> str:
    """Printed source with the limits: `$slack`, `$grain`, `$tie`, `$draws`, `$terms`; in words `$said_draws`, `$said_terms`.

    Args:
        power: how the language writes a power of two, with `{}` for the exponent.
        thousands: what it puts between groups of three digits.
    """
    powers = {name: power.format(exponent) for name, exponent in (("slack", SLACK), ("grain", GRAIN), ("tie", TIE))}
    counts = {"draws": MOST_DRAWS, "terms": LONGEST_SUM}
    written = {name: f"{count:,}".replace(",", thousands) for name, count in counts.items()}
    said = {f"said_{name}": f"{count:,}" for name, count in counts.items()}
    return Template(source).safe_substitute(powers | written | said)
