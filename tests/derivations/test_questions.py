"""Derivatives, held changes, boundaries and regimes of the book, each against exact evaluation on both sides."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

import pytest

import symroof
from symroof.errors import EvaluationError
from symroof.passes.branch import smooth
from symroof.passes.depend import dependencies
from symroof.passes.differentiate import sensitivity
from symroof.passes.hold import Hold, held_point
from symroof.passes.pieces import inside
from symroof.passes.search import fraction

BOOK = symroof.load().at().book
POINT = BOOK.at(stage=7)
# A hop that is asked for keeps a pipeline from being shorter.
PLAIN = BOOK.at()
# Small enough that a one-sided difference is the derivative to far more digits than are compared.
STEP = Fraction(1, 2**100)
NUMBERS = [n for n, q in BOOK.quantities.items() if q.unit != "name"]


@cache
def moved(symbol: str, direction: int) -> tuple[symroof.Point, Fraction]:
    """The point with one symbol a tiny step away, and the step; shared by all quantities."""
    step = POINT.evaluator.number(symbol) * STEP * direction
    return POINT.trial(**{symbol: POINT.evaluator.number(symbol) + step}), step


def slope(name: str, symbol: str, direction: int) -> Fraction | None:
    """The exact difference quotient on one side; None where the quantity has no value there, or jumps."""
    there, step = moved(symbol, direction)
    here = POINT.evaluator.number(name)
    try:
        value = there.evaluator.number(name)
    except EvaluationError:
        return None
    return None if abs(value - here) > max(abs(here), 1) / 2**50 else (value - here) / step


def close(one: Fraction, other: Fraction) -> bool:
    return abs(one - other) <= Fraction(1, 10**15) * max(abs(one), abs(other), STEP)


def answered(name: str) -> bool:
    try:
        POINT.evaluator.number(name)
    except symroof.SymroofError:
        return False
    return True


@pytest.mark.parametrize("name", [n for n in NUMBERS if answered(n)])
def test_every_derivative_is_the_exact_difference(name: str) -> None:
    """On the side it is for; where a rounding or a sum jumps on both sides, there is no difference to compare with."""
    found = sensitivity(POINT, name)
    for one in found:
        below, above = (slope(name, one.to, d) for d in (-1, 1))
        if one.value is None:
            continue
        beyond = one.value if one.above is None else one.above.value
        assert below is None or close(one.value, below), (one.to, "below")
        assert above is None or close(beyond, above), (one.to, "above")


def test_nearly_every_pair_is_compared() -> None:
    """What has neither a derivative nor a difference to compare it with is a rounding, a sum or a choice of whole things."""
    pairs = [(n, s.to) for n in NUMBERS if answered(n) for s in sensitivity(POINT, n)]
    compared = [(n, s) for n, s in pairs if slope(n, s, -1) is not None or slope(n, s, 1) is not None]
    assert len(compared) > 0.95 * len(pairs)
    assert {s for _, s in compared} == {s for _, s in pairs}
    assert {n for n, _ in pairs} - {n for n, _ in compared} <= {"total_streams", "interleaved_streams"}


HELD = [
    ("step_time", "M", "global_batch_tokens", "rows"),
    ("bubble_overhead", "M", "global_batch_tokens", "rows"),
    ("payload_bytes", "M", "global_batch_tokens", "context"),
    ("nvlink_bytes_per_update", "M", "global_batch_tokens", "rows"),
    ("step_time", "EP", "tokens_per_local_expert", "rows"),
    ("MFU", "latent_width", "expert_parameters", "expert_ffn"),
    ("MFU", "top_k", "routed_active_parameters", "expert_ffn"),
]


@pytest.mark.parametrize(("name", "to", "kept", "by"), HELD)
def test_a_held_derivative_is_the_difference_along_the_constraint(name: str, to: str, kept: str, by: str) -> None:
    """The symbol that gives way is solved again at a tiny step, by bisection of the exact quantity alone."""
    (one,) = sensitivity(POINT, name, [to], Hold(kept, by))
    assert one.value is not None
    target, step = POINT.evaluator.number(kept), POINT.evaluator.number(to) * STEP
    differences = []
    for direction in (-1, 1):
        changed = POINT.evaluator.number(to) + direction * step
        moved_by = solved(kept, by, {to: changed}, target)
        there = POINT.trial(**{to: changed, by: moved_by})
        differences.append((there.evaluator.number(name) - POINT.evaluator.number(name)) / (direction * step))
    beyond = one.value if one.above is None else one.above.value
    for got, exact in zip((one.value, beyond), differences, strict=True):
        assert abs(got - exact) <= Fraction(1, 10**10) * abs(exact)


def solved(kept: str, by: str, changes: dict[str, Fraction], target: Fraction) -> Fraction:
    """The value of a symbol at which a quantity has a value, near its own: the secant, which is exact to many digits here."""
    at = POINT.evaluator.number(by)
    low, high = at * (1 - STEP * 8), at * (1 + STEP * 8)
    for _ in range(3):
        below, above = (POINT.trial(**changes, **{by: v}).evaluator.number(kept) - target for v in (low, high))
        if above == below:
            break
        low, high = high, high - above * (high - low) / (above - below)
    return high


@pytest.mark.parametrize("M", [1, 2, 4, 8, 16, 32])
def test_a_held_change_keeps_the_quantity_exactly(M: int) -> None:
    there = held_point(POINT, {"M": M}, Hold("global_batch_tokens", "rows"))
    assert there.evaluator.number("global_batch_tokens") == POINT.evaluator.number("global_batch_tokens")
    assert there.evaluator.number("rows") == Fraction(64, M)
    assert there.admissible


CONDITIONS = [
    ("bubble_overhead <= 5%", "M"),
    ("bubble_overhead > 5%", "PP"),
    ("step_time <= 10 s", "M"),
    ("step_time < 12 s", "hidden"),
    ("MFU >= 0.4", "nvlink_bandwidth"),
    ("MFU >= 50%", "scaleout_bandwidth"),
    ("HFU >= 0.9", "compute_efficiency"),
    ("deduplication_saving >= 10%", "top_k"),
    ("total_streams <= 20", "PP"),
    ("stage_layers <= 12", "PP"),
    ("metadata_bytes_per_update <= 1 GB", "EP"),
    ("payload_bytes >= 2.56 GiB", "EP"),
    ("S_eff >= 1000", "doc_length"),
    ("expert_gemm_headroom >= 5", "rows"),
]


@pytest.mark.parametrize(("condition", "symbol"), CONDITIONS)
def test_a_condition_turns_where_it_is_said_to(condition: str, symbol: str) -> None:
    found = PLAIN.solve(condition, symbol)
    assert found.boundaries
    assert found.inside is not None
    assert found.outside is not None
    for value, expected in ((found.inside, True), (found.outside, False)):
        there = PLAIN.trial(**{symbol: value})
        assert there.evaluator.holds(found.condition) is expected
        assert found.formal or not found.whole or there.admissible
    if found.whole:
        between = range(int(min(found.inside, found.outside)) + 1, int(max(found.inside, found.outside)))
        assert not any(PLAIN.trial(**{symbol: v}).admissible for v in between)
    for form in found.solutions:
        values = {s: fraction_of(s.name) for s in form.free_symbols}
        assert any(abs(form.xreplace(values) - b).evalf(30) < abs(b.evalf(30)) * 1e-20 for b in found.boundaries)


def fraction_of(name: str) -> object:
    import sympy

    value = PLAIN.evaluator.number(name)
    return sympy.Rational(value.numerator, value.denominator)


def test_a_pinned_bubble_takes_140_microbatches() -> None:
    found = PLAIN.solve("bubble_overhead <= 5%", "M")
    assert (found.first, found.boundary, [str(s) for s in found.solutions]) == (140, 140, ["20*PP - 20"])


MEETINGS = [
    ("nvlink_time", "compute_time", "nvlink_bandwidth"),
    ("scaleout_time", "compute_time", "scaleout_bandwidth"),
    ("attention_training_flops", "matrix_training_flops", "doc_length"),
    ("hbm_time", "compute_time", "EP"),
    ("scaleout_time", "compute_time", "EP"),
    ("payload_bytes", "routing_map_remote_bytes", "top_k"),
]


@pytest.mark.parametrize(("one", "other", "over"), MEETINGS)
def test_two_quantities_meet_where_they_are_said_to(one: str, other: str, over: str) -> None:
    found = PLAIN.crossover(one, other, over)
    assert found.points
    for meeting in found.points:
        there = PLAIN.trial(**{over: fraction(meeting.at)})
        left, right = (there.evaluator.number(n) for n in (one, other))
        assert abs(left - right) <= abs(left) / 10**25
    ends = [(found.points[0].at, Fraction(999, 1000), found.below), (found.points[-1].at, Fraction(1001, 1000), found.above)]
    for at, aside, larger in ends:
        there = PLAIN.trial(**{over: fraction(at) * aside})
        assert max((one, other), key=there.evaluator.number) == larger


def test_mla_work_equals_matrix_work_at_a_length_that_the_preset_forbids() -> None:
    found = PLAIN.crossover("attention_training_flops", "matrix_training_flops", "doc_length")
    assert found.formal
    assert [m.at for m in found.points] == [Fraction(12665183, 45)]


@pytest.mark.parametrize(
    "over", ["nvlink_bandwidth", "scaleout_bandwidth", "peak_flops", "hbm_bandwidth", "EP", "M", "PP", "top_k"]
)
def test_what_binds_is_what_is_said_to(over: str) -> None:
    found = PLAIN.regimes("step_time", over)
    for regime in found.pieces:
        ends = [v for v in (regime.low, regime.high) if v is not None]
        inner = [fraction(v) for v in ends] if BOOK.symbols[over].domain.whole else within(regime)
        for value in inner:
            assert PLAIN.trial(**{over: value}).evaluator.value("binding_resource") == regime.binding
    for before, after in zip(found.pieces, found.pieces[1:], strict=False):
        if after.boundary is None:
            continue
        at = fraction(after.boundary)
        assert before.high is None or fraction(before.high) <= at <= fraction(after.low)
        for binding, aside in ((before.binding, Fraction(999999, 1000000)), (after.binding, Fraction(1000001, 1000000))):
            assert PLAIN.trial(**{over: at * aside}).evaluator.value("binding_resource") == binding


def within(regime: object) -> list[Fraction]:
    low = Fraction(1) if regime.low is None else fraction(regime.low)
    high = Fraction(10**30) if regime.high is None else fraction(regime.high)
    return [v for v in (low + (high - low) * Fraction(i, 7) for i in range(1, 7)) if inside(v, low, high)]


EXPERTS = (8, 60, 256, 384, 896)


@pytest.mark.parametrize("experts", EXPERTS)
def test_deduplicated_copies_never_exceed_assignments(experts: int) -> None:
    """Over the whole valid domain: every EP that divides the experts, every top_k up to 64.

    Why: a rank that holds E/EP of E experts is needed with probability p, and p is at most the mean number of a token's
    experts that it holds, because a count that is a whole number is at least 1 wherever it is not 0. That mean is
    top_k/EP. So (EP - 1) p <= (EP - 1) top_k/EP = top_k (1 - 1/EP), the assignments that leave the rank.
    """
    for EP in (d for d in range(1, experts + 1) if experts % d == 0):
        for top_k in range(1, min(64, experts) + 1):
            evaluator = POINT.trial(experts=experts, EP=EP, top_k=top_k).evaluator
            assert evaluator.number("remote_copies_deduplicated") <= evaluator.number("remote_copies")
            assert evaluator.number("cross_domain_copies_per_domain") <= evaluator.number("cross_domain_copies")


def test_half_the_expert_parallelism_brings_a_weight_gather_from_nothing() -> None:
    found = BOOK.at().whatif(EP=32)
    gather = found["routed_weight_all_gather_bytes"]
    assert (gather.before, gather.ratio) == (0, None)
    assert gather.after == 710280216576 // 64
    assert found["expert_FSDP"].after == 2
    assert found["payload_bytes"].after < found["payload_bytes"].before
    assert found.unaffected + len(found.effects) == len(BOOK.quantities)


@pytest.mark.parametrize(
    "changes", [{"EP": 32}, {"M": 128, "rows": 2}, {"PP": 4}, {"checkpoint": 0}, {"nvlink_bandwidth": "450 GB/s"}]
)
def test_a_closed_form_gives_both_ends_of_a_change(changes: dict[str, object]) -> None:
    found = BOOK.at().whatif(**changes)
    for effect in found.effects:
        if isinstance(effect.after, str):
            continue
        form = effect.closed_form()
        assert {s.name for s in form.free_symbols} <= set(changes)
        for point, value in ((found.before, effect.before), (found.after, effect.after)):
            at = {s: number_at(point, s.name) for s in form.free_symbols}
            assert form.xreplace(at).doit() == value, effect.name


def number_at(point: symroof.Point, name: str) -> object:
    import sympy

    value = point.evaluator.number(name)
    return sympy.Rational(value.numerator, value.denominator)


def test_the_reverse_form_has_the_change_inside() -> None:
    effect = BOOK.at().whatif(EP=32)["payload_bytes"]
    form = effect.symbolic()
    assert "EP" not in {s.name for s in form.free_symbols}
    assert form.xreplace({s: number_at(effect.there, s.name) for s in form.free_symbols}) == effect.after


def test_smooth_forms_have_the_values_of_their_quantities() -> None:
    for name in ("step_time", "nvlink_time", "scaleout_time", "hbm_time", "MFU"):
        for symbol in sorted(dependencies(POINT, name)):
            if symbol in BOOK.symbols and not BOOK.symbols[symbol].is_list and symbol in POINT.given:
                form = smooth(POINT, name, {symbol}).expression
                values = {s: fraction_of(s.name) for s in form.free_symbols}
                assert form.xreplace(values).doit() == fraction_of(name)
