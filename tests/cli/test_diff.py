"""`diff` on the command line: terms that add up, tables of all, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

OF = ("diff", "model_flops_per_token")


def test_json_of_two_named_sets(run: Callable) -> None:
    answer = run(*OF, "torchtitan", "megatron_lm", "--json")
    assert answer.status == 0
    # Megatron-LM has no KDA.
    assert answer.err.startswith("symroof: estimator = megatron_lm has the rules for models with grouped-query attention, ")
    assert answer.err.endswith("; it was not checked for kimi-k3\n")
    found = answer.json
    assert found.keys() == {"of", "kind", "one", "other", "difference", "differing", "terms"}
    assert (found["kind"], found["one"]["name"], found["other"]["name"]) == ("estimator", "torchtitan", "megatron_lm")
    assert found["one"]["value"]["value"] - found["other"]["value"]["value"] == found["difference"]["value"] == 12046012992
    assert sum(Fraction(t["exact"]) for t in found["terms"]) == 12046012992
    assert next((t["term"], t["value"], t["conventions"]) for t in found["terms"]) == (
        "6*router_parameters",
        3545235456,
        ["counted_router"],
    )
    assert found["differing"]["counted_router"] == ["counted", "left_out"]


def test_text_of_two_choices(run: Callable) -> None:
    assert run(*OF, "counted", "left_out", "--convention", "counted_router").out.splitlines() == [
        "k3-gb200-4k; model_flops_per_token: counted less left_out, by counted_router",
        "",
        "  term                               value  from",
        "  6*router_parameters  +3.5452 GFLOP/token  counted_router",
        "together",
        "  difference           +3.5452 GFLOP/token  exactly 3,545,235,456",
        "of",
        "  counted               636.63 GFLOP/token  exactly 636,629,729,280",
        "  left_out              633.08 GFLOP/token  exactly 633,084,493,824",
    ]


def test_one_choice_is_set_beside_what_is_in_force(run: Callable) -> None:
    found = run(*OF, "six_n", "--json").json
    assert (found["one"]["name"], found["other"]["name"]) == ("six_n", "in force")
    assert [t["conventions"] for t in found["terms"]] == [["counted_attention"]]


def test_the_same_twice_differs_in_nothing(run: Callable) -> None:
    answer = run(*OF, "maxtext", "maxtext")
    assert answer.out.splitlines()[-1] == "the two differ in nothing that model_flops_per_token depends on"
    assert run(*OF, "maxtext", "maxtext", "--json").json["difference"]["value"] == 0


def test_the_table_of_all_named_sets(run: Callable) -> None:
    found = run(*OF, "--json").json
    assert found.keys() == {"of", "kind", "in_force", "value", "rows"}
    assert (found["kind"], found["in_force"]) == ("estimator", "model")
    values = {row["name"]: row["value"]["value"] for row in found["rows"]}
    assert (values["torchtitan"], values["megatron_bridge"]) == (645209985600, 620541149184)
    assert all(row["difference"] == values[row["name"]] - found["value"]["value"] for row in found["rows"])
    lines = run(*OF).out.splitlines()
    assert lines[2].split() == ["estimator", "value", "less", "what", "is", "in", "force"]
    assert lines[3].split()[:5] == ["model", "636.63", "GFLOP/token", "in", "force"]


def test_the_table_of_a_convention(run: Callable) -> None:
    found = run(*OF, "--convention", "causal", "--json").json
    assert (found["in_force"], [row["name"] for row in found["rows"]]) == ("exact", ["exact", "half", "full", "windowed"])


def test_what_the_reader_set_by_name_stays_under_a_named_set(run: Callable) -> None:
    found = run(*OF, "-p", "deepseek-v3", "--set", "counted_mtp=counted", "--json").json
    assert {r["name"]: r["value"]["value"] for r in found["rows"]}["megatron_lm"] == 259992950784


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((*OF, "maxtex"), "depends on no convention with a choice 'maxtex'; did you mean maxtext?"),
        ((*OF, "counted", "left_out"), "counted, left_out: choices of counted_"),
        ((*OF, "half", "torchtitan"), "half, torchtitan are no choices of one convention: say which with --convention"),
        ((*OF, "half", "ful", "--convention", "causal"), "causal has no choice 'ful'; did you mean full?"),
        ((*OF, "a", "b", "c"), "diff: at most two choices are set beside each other, not 3"),
        ((*OF, "--convention", "casual"), "depends on no convention 'casual'; did you mean causal"),
        (("diff", "EP"), "EP depends on no convention"),
        (("diff", "binding_resource"), "binding_resource is no number: its values have no difference"),
        (("diff", "nothing"), "no quantity or symbol 'nothing'"),
    ],
)
def test_what_is_refused(run: Callable, arguments: tuple[str, ...], message: str) -> None:
    answer = run(*arguments)
    assert (answer.status, answer.out) == (2, "")
    assert message in answer.err
