"""The dimension walk: what may meet what, carriers above all."""

from __future__ import annotations

import pytest

import symroof
from symroof.errors import CarrierError, SymroofError, UnitError
from symroof.passes.dimensions import dimension_of
from symroof.term import Num, Ref, as_term, byte, ceiling, either, equal, hbm, nvlink, scaleout, second, total, total_range, where
from symroof.units import Dimension, parse_unit

NAMES = {
    "n": "1",
    "t": "s",
    "size": "byte",
    "on_hbm": "byte@hbm",
    "on_link": "byte@nvlink",
    "on_net": "byte@scaleout",
    "hbm_speed": "byte@hbm/s",
    "link_speed": "byte@nvlink/s",
    "work": "FLOP",
    "peak": "FLOP/s",
    "docs": "token",
    "sizes": "byte",
}
n, t, size, on_hbm, on_link, on_net, hbm_speed, link_speed, work, peak, docs, sizes = (Ref(name) for name in NAMES)


def dimension(term: object) -> Dimension | None:
    return dimension_of(as_term(term), lambda name: parse_unit(NAMES[name]).dimension)


@pytest.mark.parametrize(
    ("term", "unit"),
    [
        (on_link / link_speed, "s"),
        (size * nvlink / link_speed, "s"),
        (work / peak + on_hbm / hbm_speed, "s"),
        (peak / hbm_speed, "FLOP/byte@hbm"),
        (2 * byte * n, "byte"),
        (size**2 / size, "byte"),
        ((size * hbm) ** 3 / on_hbm**2, "byte@hbm"),
        (t**-1, "1/s"),
        (2**n, "1"),
        (symroof.Max(t, work / peak), "s"),
        (ceiling(size), "byte"),
        (symroof.binomial(n, 2), "1"),
        (where(t > second, size, 3 * byte), "byte"),
        (total(sizes, lambda x: x * x), "byte*byte"),
        (total_range(1, n, lambda i: i * size), "byte"),
        (Ref("size")(n=n - 1), "byte"),
        (equal(on_hbm, size * hbm), "1"),
        (either(t > 0, n > 0), "1"),
        (symroof.largest(t=t), "1"),
        (-t, "s"),
    ],
)
def test_sound_formulas(term: object, unit: str) -> None:
    assert dimension(term) == parse_unit(unit).dimension


@pytest.mark.parametrize(
    "term", [Num(0), 0 * size, as_term(0) / t, -as_term(0), as_term(0) ** 2, where(n > 1, 0, 0)], ids=lambda t: type(t).__name__
)
def test_zero_has_every_dimension(term: object) -> None:
    assert dimension(term) is None
    assert dimension(on_link + term) == parse_unit("byte@nvlink").dimension
    assert dimension(symroof.Max(term, t)) == parse_unit("s").dimension


@pytest.mark.parametrize(
    ("term", "kind", "message"),
    [
        (on_hbm + on_link, UnitError, "adds byte@hbm and byte@nvlink"),
        (on_net - on_link, UnitError, "adds byte@scaleout and byte@nvlink"),
        (size + on_link, UnitError, "adds byte and byte@nvlink"),
        (on_hbm / link_speed, CarrierError, "mixes hbm and nvlink: bytes go over the bandwidth that carries them"),
        (on_link / on_net, CarrierError, "mixes nvlink and scaleout"),
        (size * hbm * nvlink, CarrierError, "mixes hbm and nvlink"),
        (size / link_speed, CarrierError, "bytes without a carrier meet nvlink"),
        (on_hbm * size, CarrierError, "bytes without a carrier meet hbm"),
        (n * scaleout, CarrierError, "bytes without a carrier meet scaleout"),
        (on_hbm / link_speed + t, CarrierError, "mixes hbm and nvlink"),
        (where(n > 1, on_hbm / link_speed, 0), CarrierError, "mixes hbm and nvlink"),
        (t + size, UnitError, "adds s and byte"),
        (t + 1, UnitError, "adds s and 1"),
        (symroof.Max(t, n), UnitError, "takes Max of s and 1"),
        (where(n > 1, t, n), UnitError, "chooses between s and 1"),
        (where(t > n, 1, 2), UnitError, "compares s and 1"),
        (equal(t, size), UnitError, "compares s and byte"),
        (either(t > 0, size > t), UnitError, "compares byte and s"),
        (symroof.largest(t=t, n=n), UnitError, "compares s and 1"),
        (symroof.binomial(size, 2), UnitError, "a pure number is needed where byte stands"),
        (2**t, UnitError, "a pure number is needed where s stands"),
        (t**n, UnitError, "s to a power that is no integer"),
        (t ** as_term(1).__class__(as_term(1).value / 2), UnitError, "s to a power that is no integer"),
        (total_range(1, t, lambda i: i), UnitError, "a pure number is needed where s stands"),
        (total_range(1, n, lambda i: i + t), UnitError, "adds 1 and s"),
        (size(n=t), UnitError, "takes size at n in 1 and s"),
    ],
)
def test_unsound_formulas_and_what_is_said_of_them(term: object, kind: type[SymroofError], message: str) -> None:
    with pytest.raises(kind) as raised:
        dimension(term)
    assert str(raised.value).startswith(message)
