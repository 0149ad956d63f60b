"""Every derived value is one that its quantity may be, in whatever run may exist, of whatever model."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import symroof
from symroof.errors import DomainError, EvaluationError, MissingValueError
from symroof.passes.check import check_domains

BOOK = symroof.load()
MODELS = ("kimi-k3", "deepseek-v3", "gpt-oss-120b", "gemma3-27b", "qwen3-next-80b-a3b", "llama31-8b")
RUNS, MACHINES = BOOK.presets.names("run"), BOOK.presets.names("machine")
FACTORS = [Fraction(n) for n in ("1/1000", "1/16", "1/8", "1/4", "1/3", "1/2", "2", "3", "4", "8", "100", "1000", "1000000")]


def contradictions(point: symroof.Point) -> set[str]:
    found = set()
    for name in point.book.quantities:
        try:
            point.evaluator.value(name)
        except DomainError as error:
            found.add(str(error))
        except (MissingValueError, EvaluationError):
            continue
    return found


def composed(*parts: str) -> symroof.Point | None:
    try:
        return BOOK.at("+".join(parts))
    except symroof.SymroofError:
        return None


@st.composite
def runs(draw):
    """A composed preset with some symbols moved by factors or steps, and some conventions chosen."""
    point = composed(draw(st.sampled_from(MODELS)), draw(st.sampled_from(MACHINES)), draw(st.sampled_from(RUNS)))
    assume(point is not None)
    given_ = [n for n in point.book.symbols if n in point.given and not point.book.symbols[n].is_list]
    moved = draw(st.lists(st.sampled_from(given_), max_size=3, unique=True))
    values = {n: point.given[n].value * draw(st.sampled_from(FACTORS)) for n in moved}
    values |= {n: Fraction(int(v)) for n, v in values.items() if point.book.domain(n).whole}
    conventions = draw(st.lists(st.sampled_from(sorted(point.book.conventions)), max_size=8, unique=True))
    chosen = {c: draw(st.sampled_from(sorted(point.book.conventions[c].choices))) for c in conventions}
    return point.trial(**values, **chosen)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(runs())
def test_no_value_of_a_run_that_may_exist_contradicts_its_declaration(point: symroof.Point) -> None:
    assume(point.admissible)
    assert contradictions(point) == set()


def test_no_value_of_a_preset_does() -> None:
    verdicts = check_domains(BOOK.at())
    assert [v.says for v in verdicts if not v.holds] == []
    assert len(verdicts) > 50 * len(BOOK.presets.names("model"))


@pytest.mark.parametrize(("quantity", "preset"), [("memory_turn", "4k-no-checkpoint"), ("memory_headroom", "a100-sxm")])
def test_what_is_negative_somewhere_says_so_and_may_be_pinned_there(quantity: str, preset: str) -> None:
    point = BOOK.at(preset)
    here = point[quantity].exact
    assert here < 0
    assert point.set(**{quantity: here})[quantity].exact == here
    assert any(s.is_nonnegative is None for s in point[quantity].closed_form({quantity}).expression.free_symbols)
