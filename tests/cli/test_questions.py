"""The symbolic questions on the command line: their JSON to the letter of the contract, their text, their messages."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from sympy import Symbol
from sympy.parsing.sympy_parser import parse_expr

import symroof

VALUE = {"value", "exact", "unit", "display", "pinned"}


def test_whatif_json(ask: Callable) -> None:
    answer = ask("whatif", "n=8", "--of", "compute_time,memory_time", "--symbolic", "--json")
    assert (answer.status, answer.err) == (0, "")
    assert answer.json == {
        "held": None,
        "changes": {"n": {"before": "4 rank", "after": "8 rank"}},
        "affected": {
            "compute_time": {
                "before": {"value": 0.003, "exact": "3/1000", "unit": "s", "display": "3 ms", "pinned": False},
                "after": {"value": 0.0015, "exact": "3/2000", "unit": "s", "display": "1.5 ms", "pinned": False},
                "ratio": 0.5,
                "difference": -0.0015,
                "closed_form": "3/(250*n)",
                "symbolic": "work/(8*peak)",
            }
        },
        "unaffected": 1,
        "broken": [],
    }


def test_whatif_text(ask: Callable) -> None:
    assert ask("whatif", "n=8", "--of", "compute_time,pair_work,memory_time").out.splitlines() == [
        "base; n: 4 rank -> 8 rank",
        "",
        "  quantity       before    after  difference  ratio  closed form",
        "1 A step",
        "  compute_time     3 ms   1.5 ms     -1.5 ms  x 0.5  3/(250*n)",
        "  pair_work     16 FLOP  64 FLOP    +48 FLOP    x 4  n**2",
        "",
        "1 other does not move",
    ]


def test_whatif_of_a_choice_a_name_and_a_part(ask: Callable) -> None:
    chosen = ask("whatif", "counting=others", "--json").json
    assert chosen["changes"] == {"counting": {"before": "everyone", "after": "others"}}
    assert set(chosen["affected"]) == {"partners", "pair_work"}
    assert chosen["affected"]["partners"]["closed_form"] == "3"
    named = ask("whatif", "bandwidth=1 GB/s", "--json").json["affected"]["binding_resource"]
    assert (named["before"]["value"], named["after"]["value"]) == ("compute_time", "memory_time")
    assert (named["ratio"], named["difference"]) == (None, None)
    assert set(ask("whatif", "run=others", "--json").json["affected"]) == {"partners", "pair_work"}


def test_whatif_formats(ask: Callable) -> None:
    markdown = ask("whatif", "n=8", "--of", "pair_work", "--format", "markdown").out
    assert "| `pair_work` | 16 FLOP | 64 FLOP | +48 FLOP | x 4 | $`n^{2}`$ |" in markdown
    assert r"\begin{tabular}{lrrrrl}" in ask("whatif", "n=8", "--of", "pair_work", "--format", "latex").out


def test_whatif_that_breaks_says_what(ask: Callable) -> None:
    answer = ask("whatif", "n=7", "--json")
    assert answer.status == 2
    assert answer.err == "symroof: 2 does not divide n = 7; nearest valid: 6, 8\n"
    assert answer.json["broken"] == [{"constraint": "even_ranks", "says": "2 does not divide n = 7; nearest valid: 6, 8"}]
    assert answer.json["changes"] == {"n": {"before": "4 rank", "after": "7"}}
    assert answer.json["affected"] == {}
    assert ask("whatif", "n=7") == (2, "", answer.err)


def test_whatif_held(run: Callable) -> None:
    held = run("whatif", "M=32", "--hold", "global_batch_tokens", "--by", "rows", "--of", "local_tokens", "--json").json
    assert held["held"] == {"quantity": "global_batch_tokens", "by": "rows", "before": "1 row", "after": "2 row"}
    assert held["affected"]["local_tokens"]["ratio"] == 2
    refused = run("whatif", "M=128", "--hold", "global_batch_tokens", "--by", "rows", "--json")
    says = (
        "with M = 128, global_batch_tokens is kept only by rows = 1/2, which must be a positive integer; "
        "nearest changes that work: M = 32 with rows = 2"
    )
    assert (refused.status, refused.err) == (2, f"symroof: {says}\n")
    assert refused.json["broken"] == [{"constraint": "global_batch_tokens", "says": says}]


def test_sensitivity_json(run: Callable) -> None:
    answer = run("sensitivity", "bubble_overhead", "--to", "M", "--json")
    assert (answer.status, answer.err) == (0, "")
    assert answer.json == {
        "of": "bubble_overhead",
        "held": None,
        "to": {
            "M": {
                "derivative": "-(PP - 1)/M**2",
                "value": -7 / 4096,
                "elasticity": -1,
                "elasticity_form": "-1",
                "step": -7 / 4160,
                "doubling": 0.5,
                "branch": None,
                "ties": [],
                "above": None,
                "unit": "(1)/(microbatch)",
            }
        },
    }


def test_sensitivity_of_a_max_names_the_branch(run: Callable) -> None:
    data = run("sensitivity", "step_time", "--to", "M,EP,nvlink_bandwidth", "--json").json["to"]
    assert data["M"]["branch"] == "compute_time"
    assert data["M"]["elasticity_form"] == "M/(M + PP - 1)"
    assert (data["EP"]["derivative"], data["EP"]["value"], data["EP"]["step"]) == ("0", 0, None)
    tied = run("sensitivity", "local_EP_ranks", "--to", "EP", "--json").json["to"]["EP"]
    assert (tied["value"], tied["ties"], tied["above"]) == (1, ["domain_ranks"], {"derivative": "0", "value": 0})
    assert "EP and domain_ranks tie; the derivative is 1 from below and 0 from above" in run("sensitivity", "local_EP_ranks").out


def test_sensitivity_to_all_is_ranked(run: Callable) -> None:
    data = run("sensitivity", "step_time", "--json").json["to"]
    sizes = [abs(s["elasticity"]) for s in data.values()]
    assert sizes == sorted(sizes, reverse=True)
    assert len(data) > 40
    text = " ".join(str(s["derivative"]) for s in data.values())
    assert not any(word in text for word in ("Heaviside", "Derivative", "Subs", "Max"))


def test_sensitivity_text(run: Callable) -> None:
    assert run("sensitivity", "bubble_overhead").out.splitlines() == [
        "k3-gb200-4k; bubble_overhead = 0.109375",
        "",
        "  to  elasticity                derivative    one more  twice  derivative's form  elasticity's form",
        "  PP      1.1429         0.015625 per rank                     1/M                PP/(PP - 1)",
        "  M           -1  -0.001709 per microbatch  -0.0016827  x 0.5  -(PP - 1)/M**2",
    ]


def test_sensitivity_held(run: Callable) -> None:
    asked = ("sensitivity", "bubble_overhead", "--to", "M", "--hold", "global_batch_tokens", "--by", "rows", "--json")
    data = run(*asked).json
    assert data["held"] == {"quantity": "global_batch_tokens", "by": "rows"}
    assert (data["to"]["M"]["step"], data["to"]["M"]["doubling"]) == (None, None)


def test_solve_json(run: Callable) -> None:
    data = run("solve", "bubble_overhead <= 5%", "--for", "M", "--json").json
    assert data["for"] == "M"
    assert data["solutions"] == ["20*(PP - 1)"]
    assert (data["boundary"], data["first_integer"], data["holds_for"]) == (140, 140, "M >= 140")
    assert set(data["checked"]["at"]) == set(data["checked"]["next"]) == VALUE
    assert data["checked"]["at"]["value"] == 0.05
    assert data["checked"]["next"]["exact"] == "7/139"
    assert data["checked"]["values"] == {"at": "140", "next": "139"}
    real = run("solve", "MFU >= 0.4", "--for", "nvlink_bandwidth", "--json").json
    assert real["first_integer"] is None
    assert real["boundary"] == pytest.approx(126.81e9, rel=1e-4)
    assert real["method"] == "exact"
    none = run("solve", "step_time <= 10 s", "--for", "PP", "--json").json
    assert (none["boundary"], none["first_integer"], none["holds_for"]) == (None, None, "no admissible PP")
    assert none["checked"] == {"at": None, "next": None, "values": {"at": None, "next": None}}


def test_solve_text(run: Callable) -> None:
    assert run("solve", "bubble_overhead <= 5%", "--for", "M").out.splitlines()[:8] == [
        "k3-gb200-4k; bubble_overhead <= 0.05 for M",
        "",
        "  holds for    M >= 140",
        "  boundary     M = 140 microbatch",
        "  closed form  20*(PP - 1)",
        "  first value  140 microbatch, the nearest to the boundary of all admissible values",
        "  checked      M = 140 microbatch: 0.05, holds",
        "  checked      M = 139 microbatch: 0.05036, does not hold",
    ]


def test_crossover_json(run: Callable) -> None:
    data = run("crossover", "nvlink_time", "compute_time", "--over", "nvlink_bandwidth", "--json").json
    assert data["over"] == "nvlink_bandwidth"
    assert data["equation"] == "Eq(nvlink_bytes_per_update/nvlink_bandwidth, compute_time)"
    (point,) = data["points"]
    assert point["closed_form"] == "nvlink_bytes_per_update/compute_time"
    assert point["value"] == pytest.approx(float(parse_expr(point["exact"])))
    assert (data["below"], data["above"], data["formal"]) == ("nvlink_time", "compute_time", False)


def test_crossover_that_is_formal_says_so(run: Callable) -> None:
    answer = run("crossover", "attention_training_flops", "matrix_training_flops", "--over", "doc_length")
    assert "doc_length = 281,449 token, exactly 12665183/45; nearest admissible: 4096" in answer.out
    assert answer.out.endswith(
        "formal: at the admissible values of doc_length alone, matrix_training_flops is always the larger\n"
    )


def test_regimes_json(ask: Callable) -> None:
    data = ask("regimes", "step_time", "--over", "bandwidth", "--json").json
    assert data["over"] == "bandwidth"
    assert data["pieces"] == [
        {"from": None, "to": 1048576000, "binding": "memory_time", "boundary": None, "closed_form": None},
        {
            "from": 1048576000,
            "to": None,
            "binding": "compute_time",
            "boundary": "1048576000",
            "closed_form": "size/compute_time",
        },
    ]
    listed = ask("regimes", "step_time", "--over", "bandwidth=1 GB/s,2 GB/s,3e9", "--json").json["pieces"]
    assert [(p["from"], p["to"], p["binding"]) for p in listed] == [
        (10**9, 10**9, "memory_time"),
        (2 * 10**9, 3 * 10**9, "compute_time"),
    ]


def test_regimes_text(ask: Callable) -> None:
    assert ask("regimes", "step_time", "--over", "bandwidth").out.splitlines() == [
        "base; what binds in step_time over bandwidth",
        "",
        "  bandwidth              binds         takes over at                closed form",
        "  up to 1.0486 GB@hbm/s  memory_time",
        "  from 1.0486 GB@hbm/s   compute_time  bandwidth = 1.0486 GB@hbm/s  size/compute_time",
    ]


def test_a_map_is_drawn(ask: Callable) -> None:
    assert ask("regimes", "step_time", "--over", "n=1:8", "--over", "bandwidth=5e8:2e9:5e8").out.splitlines() == [
        "base; what binds in step_time over n and bandwidth",
        "",
        "   bandwidth",
        "  2 GB@hbm/s  .C.C.C.M",
        "1.5 GB@hbm/s  .C.C.M.M",
        "  1 GB@hbm/s  .C.M.M.M",
        "500 MB@hbm/s  .M.M.M.M",
        "              n: 1 rank to 8 rank, 8 values",
        "",
        "M  memory_time",
        "C  compute_time",
        ".  no run: a constraint is broken",
        "",
        "compute_time = memory_time: Eq(work/(peak*n), size/bandwidth)",
    ]
    data = ask("regimes", "step_time", "--over", "n=2,4", "--over", "bandwidth=1e9,2e9", "--json").json
    assert data["binding"] == [["compute_time", "memory_time"], ["compute_time", "compute_time"]]
    assert data["values"] == {"n": [2, 4], "bandwidth": [10**9, 2 * 10**9]}


@pytest.mark.parametrize(
    "asked",
    [
        ("whatif", "EP=32", "--json", "--symbolic", "--of", "payload_bytes,step_time,deduplication_saving"),
        ("sensitivity", "MFU", "--json"),
        ("sensitivity", "remote_copies_deduplicated", "--json"),
        ("solve", "MFU >= 0.4", "--for", "nvlink_bandwidth", "--json"),
        ("crossover", "scaleout_time", "compute_time", "--over", "EP", "--json"),
        ("regimes", "step_time", "--over", "EP", "--json"),
    ],
)
def test_every_form_is_sympys_syntax_in_names_of_the_book(asked: tuple[str, ...], run: Callable) -> None:
    book = symroof.load()
    names = {n: Symbol(n) for n in (*book.symbols, *book.quantities)}
    forms = list(_forms(run(*asked).json))
    assert forms
    for form in forms:
        parsed = parse_expr(form, local_dict=names)
        assert {s.name for s in parsed.free_symbols} <= set(names)


def _forms(data: object) -> object:
    keys = ("derivative", "elasticity_form", "closed_form", "symbolic", "equation")
    if isinstance(data, list):
        for entry in data:
            yield from _forms(entry)
    elif isinstance(data, dict):
        yield from (v for k, v in data.items() if k in keys and v is not None)
        yield from data.get("solutions", ())
        for value in data.values():
            yield from _forms(value)


REFUSED = {
    "no change": (("whatif", "n"), "whatif: 'n' is no change: write NAME=VALUE"),
    "an empty change": (("whatif", "n="), "whatif: 'n=' is no change: write NAME=VALUE"),
    "a name twice": (("whatif", "n=2", "n=4"), "whatif: n is changed twice: 2 and 4"),
    "no changes": (("whatif",), "whatif needs NAME=VALUE, as in `symroof whatif EP=32`"),
    "an unknown change": (("whatif", "wrok=4"), "no quantity or symbol 'wrok'; did you mean work?"),
    "an unknown effect": (
        ("whatif", "n=2", "--of", "step_tme"),
        "no quantity or symbol 'step_tme'; did you mean step_time or compute_time?",
    ),
    "another format": (
        ("whatif", "n=2", "--format", "pdf"),
        "whatif: --format: invalid choice: 'pdf' (choose from 'text', 'markdown', 'latex')",
    ),
    "a hold without its symbol": (
        ("whatif", "n=2", "--hold", "pair_work"),
        "--hold needs --by SYMBOL beside it, as in --hold NAME --by SYMBOL",
    ),
    "a symbol without its hold": (
        ("sensitivity", "step_time", "--by", "n"),
        "--by needs --hold NAME beside it, as in --hold NAME --by SYMBOL",
    ),
    "a hold that means nothing": (
        ("whatif", "n=2", "--hold", "pair_work", "--by", "size"),
        "pair_work does not depend on size, so size cannot keep it",
    ),
    "a sensitivity to a quantity": (
        ("sensitivity", "step_time", "--to", "compute_time"),
        "compute_time is derived: a sensitivity is to a symbol that has one",
    ),
    "a sensitivity of a name": (("sensitivity", "binding_resource"), "binding_resource is a name (compute_time), not a number"),
    "a value to solve": (
        ("solve", "step_time", "--for", "n"),
        "this is a value: a condition compares two, as in A <= B\n  step_time\n           ^",
    ),
    "an unknown token": (
        ("solve", "step_time <= 3 $", "--for", "n"),
        "'$' is no part of a condition\n  step_time <= 3 $\n                 ^",
    ),
    "no symbol to solve for": (
        ("solve", "step_time <= 3 s"),
        'solve needs --for, as in `symroof solve "bubble_overhead <= 5%" --for M`',
    ),
    "a condition that stands still": (
        ("solve", "memory_time <= 3 s", "--for", "n"),
        "memory_time <= 3 does not depend on n here",
    ),
    "two units": (("crossover", "step_time", "size", "--over", "n"), "step_time is in s and size in byte: they cannot meet"),
    "nothing in common": (
        ("crossover", "memory_time", "compute_time", "--over", "context"),
        "neither memory_time nor compute_time depends on context here",
    ),
    "three symbols": (
        ("regimes", "step_time", "--over", "n", "--over", "peak", "--over", "size"),
        "regimes: --over is given 3 times: one symbol, or two for a map",
    ),
    "a symbol twice": (("regimes", "step_time", "--over", "n", "--over", "n=2,4"), "regimes: --over n is given twice"),
    "no branch": (("regimes", "pair_work", "--over", "n"), "pair_work has no Max or Min that moves with n"),
    "a broken range": (
        ("regimes", "step_time", "--over", "n=4:2"),
        "the end of a range is not below its start\n  4:2\n    ^",
    ),
    "no run": (
        ("regimes", "step_time", "--over", "n=3,5"),
        "none of the values of n makes an admissible run: 2 does not divide n = 3",
    ),
    "a value of zero": (
        ("regimes", "step_time", "--over", "bandwidth=0"),
        "none of the values of bandwidth makes an admissible run: bandwidth must be a positive number, not 0",
    ),
    "a convention over": (
        ("regimes", "step_time", "--over", "counting"),
        "regimes: counting is a convention, not a symbol with a number: compare its choices with whatif counting=CHOICE",
    ),
    "a convention for": (
        ("solve", "memory_time <= 3 s", "--for", "counting"),
        "counting is a convention, not a symbol with a number: compare its choices with whatif counting=CHOICE",
    ),
    "a name in a condition": (
        ("solve", "binding_resource >= 1", "--for", "n"),
        "binding_resource is a name, not a number: ask regimes binding_resource --over n where it turns",
    ),
    "a division by zero": (("solve", "n/0 >= 1", "--for", "n"), "this divides by zero\n  n/0 >= 1\n   ^"),
    "a division by nothing": (
        ("solve", "1/(n - n) >= 1", "--for", "n"),
        "the condition has no value at any n: it divides by zero",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_a_request_that_is_wrong(arguments: tuple[str, ...], message: str, ask: Callable) -> None:
    assert ask(*arguments) == (2, "", f"symroof: {message}\n")


def test_json_is_all_of_the_output(ask: Callable) -> None:
    for asked in (("whatif", "n=8"), ("sensitivity", "step_time"), ("regimes", "step_time", "--over", "n")):
        json.loads(ask(*asked, "--json").out)


def test_values_left_out_of_regimes_are_named_with_the_reason(ask: Callable) -> None:
    assert ask("regimes", "step_time", "--over", "n=4,5").out.endswith("left out: n = 5 rank: 2 does not divide n = 5\n")
    assert ask("regimes", "step_time", "--over", "n=4,5", "--json").json["left_out"] == [
        {"value": 5, "says": "2 does not divide n = 5"}
    ]


@pytest.mark.parametrize(("by", "set_"), [("rows", ("rows=1",)), ("rows", ("rows=4",)), ("nvlink_bandwidth", ())])
def test_what_need_not_give_way_stays_as_it_is(by: str, set_: tuple[str, ...], run: Callable) -> None:
    change = ("world=1024", "--hold", "tokens_per_second_per_gpu") if set_ == ("rows=4",) else ("EP=32", "--hold", "MFU")
    sets = [part for s in set_ for part in ("--set", s)]
    asked = ("whatif", *change, "--by", by, "--of", "MFU", *sets)
    held = run(*asked, "--json").json["held"]
    assert held["before"] == held["after"]
    assert f"{by} keeps its value" in run(*asked).out


def test_crossover_over_a_whole_symbol_names_equal_values_and_jumps(run: Callable) -> None:
    top = run("crossover", "remote_copies", "remote_copies_deduplicated", "--over", "top_k", "--json").json
    assert [p["value"] for p in top["points"]] == [1]
    assert top["above"] == "remote_copies"
    layers = run("crossover", "stage_layers", "stage_moe_layers", "--over", "PP", "--json").json
    assert [p["value"] for p in layers["points"]] == [2, 4, 8]
    assert layers["equal"] == [{"low": 2, "high": 8}]
    assert layers["equation"] == "Eq(ceiling(layers/PP), moe_layers)"
    jump = run("crossover", "scaleout_time", "compute_time", "--over", "domain_ranks")
    assert "between domain_ranks = 32 rank and 64 rank the two change places without being equal" in jump.out
    assert "meet at" not in jump.out


def test_crossover_that_is_equal_over_a_range(run: Callable) -> None:
    asked = ("crossover", "hbm_time", "resource_time", "--over", "hbm_bandwidth", "--set", "dispatch=per_rank")
    data = run(*asked, "--set", "domain_ranks=16", "--json").json
    ((low, high),) = (tuple(e.values()) for e in data["equal"])
    assert (low, high) == (None, data["points"][0]["value"])
    assert (data["below"], data["above"]) == ("hbm_time = resource_time", "resource_time")
    left, right = data["equation"].removeprefix("Eq(").removesuffix(")").split(", ")
    assert left != right


def test_a_rounding_that_is_held_is_named(run: Callable) -> None:
    alone = run("sensitivity", "stage_layers", "--to", "layers", "--set", "PP=1").out
    assert "no effect here" not in alone
    assert "layers: ceiling(layers/PP) is held under the derivative" in alone
    stages = run("sensitivity", "stage_layers", "--to", "PP", "--set", "PP=1").out
    assert "PP: ceiling(layers/PP) is held under the derivative; one more and twice show what really happens" in stages


def test_where_a_condition_divides_by_zero_it_does_not_hold(run: Callable) -> None:
    data = run("solve", "1/(M - 64) >= 1", "--for", "M", "--json").json
    assert (data["first_integer"], data["holds_for"]) == (65, "M = 65")


def test_a_hold_that_cannot_be_met_names_the_constraint(run: Callable) -> None:
    beyond = run("whatif", "M=128", "--hold", "bubble_overhead", "--by", "PP").err
    assert "which breaks degrees_divide_world: TP*PP*CP = 15 does not divide world = 512; no change near it works" in beyond
    looked = run("whatif", "layers=100", "--hold", "stage_layers", "--by", "PP").err
    assert "no admissible value of PP keeps stage_layers, and the change breaks" in looked
    assert "steps" not in looked


def test_what_a_part_of_the_preset_brings_is_listed(run: Callable) -> None:
    changes = run("whatif", "run=4k-ep32", "--of", "EP", "--json").json["changes"]
    assert changes == {"run": {"before": "4k-reference", "after": "4k-ep32"}, "EP": {"before": "64 rank", "after": "32 rank"}}
