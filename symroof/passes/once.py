"""What a report asks for more than once, in a table and in a picture or for several quantities: worked out once for a point."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symroof.passes.check import Verdict
    from symroof.passes.differentiate import Sensitivities
    from symroof.passes.hold import Hold
    from symroof.passes.meet import Regimes
    from symroof.point import Point

# Points are immutable; no more of them are kept alive than a report has questions.
_KEPT = 16


@lru_cache(_KEPT)
def sensitivity_once(point: Point, of: str, to: tuple[str, ...] | None, hold: Hold | None) -> Sensitivities:
    """As `differentiate.sensitivity`."""
    from symroof.passes.differentiate import sensitivity

    return sensitivity(point, of, to, hold)


@lru_cache(_KEPT)
def own_claims_once(point: Point) -> tuple[Verdict, ...]:
    """As `check.check_own_claims`."""
    from symroof.passes.check import check_own_claims

    return check_own_claims(point)


@lru_cache(_KEPT)
def set_once(point: Point, name: str, value: object) -> Point:
    """As `Point.set` of one name."""
    return point.set(**{name: value})


@lru_cache(_KEPT)
def regimes_once(point: Point, name: str, over: str) -> Regimes:
    """As `meet.regimes` along one symbol, wherever it may be."""
    from symroof.passes.meet import regimes

    return regimes(point, name, over)
