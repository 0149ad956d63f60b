from collections import defaultdict
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.errors import EvaluationError
from symroof.pictures import draw, schedule
from symroof.pictures.schedule import BACKWARD, FORWARD, RECOMPUTE, Pass, Schedule, simulate
from symroof.point import Point

TIMES = st.fractions(min_value=Fraction(1, 10), max_value=5, max_denominator=20)
RUNS = st.tuples(st.integers(1, 9), st.integers(1, 24), TIMES, TIMES, st.one_of(st.just(Fraction(0)), TIMES))


def by_stage(passes: list[Pass]) -> dict[int, list[Pass]]:
    found = defaultdict(list)
    for one in sorted(passes, key=lambda p: p.start):
        found[one.stage].append(one)
    return found


@given(RUNS)
def test_the_bubble_is_the_work_of_one_microbatch_less_than_there_are_stages(run: tuple) -> None:
    stages, microbatches, forward, backward, recompute = run
    passes = simulate(stages, microbatches, forward, backward, recompute)
    work = microbatches * (forward + backward + recompute)
    span = max(p.end for p in passes) - min(p.start for p in passes)
    assert (span - work) / work == Fraction(stages - 1, microbatches)
    scene = Schedule(*run)
    assert (scene.total, scene.busy, scene.idle) == (span, work, span - work)
    for stage in by_stage(passes).values():
        assert sum(p.end - p.start for p in stage) == work


@given(RUNS)
def test_nothing_starts_before_what_it_depends_on_and_a_stage_does_one_thing_at_a_time(run: tuple) -> None:
    stages = run[0]
    passes = simulate(*run)
    ends = {(p.stage, p.kind, p.microbatch): p.end for p in passes}
    begin = {(p.stage, p.kind, p.microbatch): p.start for p in passes}
    for stage, kind, m in begin:
        if kind == FORWARD and stage:
            assert begin[stage, kind, m] >= ends[stage - 1, FORWARD, m]
        if kind == BACKWARD:
            first = begin.get((stage, RECOMPUTE, m), begin[stage, kind, m])
            assert first >= ends[stage, FORWARD, m]
            assert stage == stages - 1 or first >= ends[stage + 1, BACKWARD, m]
    for one in by_stage(passes).values():
        assert all(a.end <= b.start for a, b in pairwise(one))


@given(RUNS)
def test_a_stage_holds_no_more_microbatches_than_stages_from_it_to_the_end(run: tuple) -> None:
    for stage, passes in by_stage(simulate(*run)).items():
        held = 0
        for one in passes:
            held += {FORWARD: 1, BACKWARD: -1, RECOMPUTE: 0}[one.kind]
            assert 0 <= held <= run[0] - stage


@pytest.mark.parametrize("values", [{}, {"M": 5}, {"PP": 1}, {"checkpoint": 0}, {"PP": 4, "M": 300}])
def test_the_schedule_of_the_book_has_the_bubble_of_the_book(k3: Point, values: dict[str, int]) -> None:
    point = k3.set(**values)
    scene = draw(point, "schedule").scene
    passes = simulate(scene.stages, scene.microbatches, scene.forward, scene.backward, scene.recompute)
    work = sum(p.end - p.start for p in passes if p.stage == 0)
    assert max(p.end for p in passes) / work - 1 == point["bubble_overhead"].exact


def test_a_backward_pass_takes_two_forward_passes_and_recomputation_one(k3: Point) -> None:
    scene = draw(k3, "schedule").scene
    assert (scene.forward, scene.backward, scene.recompute) == (1, 2, 1)
    assert draw(k3.set(checkpoint=0), "schedule").scene.recompute == 0


def test_a_bubble_that_is_another_one_is_no_picture(k3: Point) -> None:
    with pytest.raises(EvaluationError, match="the schedule's bubble is 7/64, but bubble_overhead is 1/2 here"):
        draw(k3.set(bubble_overhead="1/2"), "schedule")


def test_a_schedule_with_another_bubble_than_the_book_derives_is_no_picture(k3: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    # Every stage passes a microbatch back before it takes the next: 8 stages work one after the other, so each works 64
    # microbatches in the time of 8 * 64, and idles 7 for each that it works.
    def one_by_one(stage: int, stages: int, microbatches: int) -> list[tuple[bool, int]]:
        return [(ahead, m) for m in range(microbatches) for ahead in (True, False)]

    monkeypatch.setattr(schedule, "order_1f1b", one_by_one)
    schedule.simulate.cache_clear()
    with pytest.raises(EvaluationError, match="the schedule's bubble is 7, but bubble_overhead is 7/64 here"):
        draw(k3, "schedule")
    schedule.simulate.cache_clear()


def test_too_many_passes_are_no_picture(k3: Point) -> None:
    with pytest.raises(EvaluationError, match=r"8 stages by 65,536 microbatches are too many"):
        draw(k3.set(M=65536), "schedule")


def test_many_passes_make_no_large_file(k3: Point) -> None:
    assert len(draw(k3.set(M=2000), "schedule").svg()) < 400_000
