"""What the page answers is what the engine answers: derivatives, constraints, nearest values, held quantities, commands."""

import json
import random

import pytest
from lab.test_values import BOOK, exact_value, random_run

from symroof.cli import main
from symroof.passes.admit import broken_constraints, nearest_valid
from symroof.passes.depend import dependencies
from symroof.passes.differentiate import sensitivity

START = {**BOOK.presets.read(None, BOOK.default).parts, "set": {}}
AT = {"model": "kimi-k3", "machine": "gb200-nvl72", "run": "4k-reference"}


def at(**settings):
    return {**AT, "set": {n: str(v) for n, v in settings.items()}}


@pytest.mark.parametrize("of", ["step_time", "MFU", "payload_bytes", "memory_peak", "tokens_per_second_per_gpu", "hbm_time"])
@pytest.mark.parametrize(
    "settings", [{}, {"EP": "32", "dispatch": "per_rank"}, {"domain_ranks": "32", "dispatch": "per_domain"}, {"M": "8"}]
)
def test_derivatives_are_the_engines(lab, of, settings):
    point = BOOK.at(**settings)
    to = [n for n in dependencies(point, of) if n in point.given and not point.book.symbols[n].is_list]
    expected = {s.to: s.value for s in sensitivity(point, of, to) if s.value is not None}
    found = lab("slopes", at(**settings), of, [*expected])
    wrong = {n: (float(v), found[n]) for n, v in expected.items() if not close(found[n], v)}
    assert len(expected) > 2
    assert not wrong


def close(got, expected):
    return got not in ("NaN", None) and abs(float(got) - float(expected)) <= 1e-9 * max(abs(float(expected)), 1e-300)


def test_ties_are_the_derivative_from_below(lab):
    point = BOOK.at()
    book_bandwidth = point["nvlink_time"].exact / point["compute_time"].exact * point["nvlink_bandwidth"].exact
    tied = point.set(nvlink_bandwidth=book_bandwidth)
    expected = sensitivity(tied, "step_time", ["nvlink_bandwidth", "peak_flops"])
    found = lab("slopes", at(nvlink_bandwidth=str(book_bandwidth)), "step_time", ["nvlink_bandwidth", "peak_flops"])
    assert all(close(found[s.to], s.value) for s in expected)


@pytest.mark.parametrize("of", ["memory_peak", "memory_last_stage", "step_time", "payload_bytes", "scaleout_time"])
@pytest.mark.parametrize("settings", [{}, {"M": 8}, {"EP": 32, "domain_ranks": 32}, {"PP": 2, "EP": 128}])
def test_where_branches_meet_both_sides_are_told(lab, of, settings):
    point = BOOK.at(**settings)
    found = {s["name"]: s for s in lab("sensitivities", at(**settings), of)}
    to = [n for n in found if not point.book.symbols[n].is_list]
    for s in sensitivity(point, of, to):
        if s.value is None or point[s.to].exact == 1:
            continue
        scale = point[s.to].exact / point[of].exact
        above = s.value if s.above is None else s.above.value
        assert found[s.to]["below"] == pytest.approx(float(s.value * scale), rel=1e-9, abs=1e-9), s.to
        assert found[s.to]["elasticity"] == pytest.approx(float(above * scale), rel=1e-9, abs=1e-9), s.to
        assert found[s.to]["kinked"] == (abs(s.value - above) * abs(scale) > 1e-10 * max(1, abs(above * scale)))


def test_at_the_first_value_of_a_count_nothing_is_below(lab):
    found = {s["name"]: s for s in lab("sensitivities", at(PP=1, EP=1, M=1), "memory_last_stage")}
    assert found["PP"]["below"] == found["PP"]["elasticity"] < 0
    assert not found["PP"]["kinked"]


def test_noise_of_large_numbers_is_no_sensitivity(lab):
    found = {
        s["name"]: s for s in lab("sensitivities", {**AT, "model": "llama31-8b", "run": "64-gpu-4k", "set": {}}, "step_time")
    }
    assert found["world"]["elasticity"] == 0


@pytest.mark.parametrize(
    ("settings", "over", "whole"),
    [({"nvlink_bandwidth": "100 GB/s"}, "hidden", 26426), ({"nvlink_bandwidth": "100 GB/s"}, "expert_ffn", 11615)],
)
def test_a_boundary_of_what_is_counted_is_the_first_value_beyond_it(lab, settings, over, whole):
    (boundary,) = lab("sweep", at(**settings), over, ["step_time"])["boundaries"]
    assert boundary["at"] == whole
    assert BOOK.at(**settings).trial(**{over: whole}).evaluator.value("binding_resource") == boundary["after"]
    assert BOOK.at(**settings).trial(**{over: whole - 1}).evaluator.value("binding_resource") == boundary["before"]


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"EP": 48}, "EP = 48 does not divide experts = 896"),
        ({"PP": 7}, "TP*PP*CP = 7 does not divide world = 512"),
        ({"TP": 2}, "TP = 2 is not 1"),
        ({"context": 4095}, "doc_length = 4096 does not divide context = 4095"),
        ({"documents": "1024,1024"}, "The documents of a row sum to its context, and 2048 is not 4096"),
        ({"top_k": 897}, "top_k = 897 is above experts = 896"),
    ],
)
def test_a_broken_constraint_is_told_as_the_engine_tells_it(lab, settings, says):
    found = lab("values", at(**settings))["broken"]
    assert says in found
    point = BOOK.at().trial(**settings)
    assert [b.says for b in broken_constraints(point)] == found


@pytest.mark.parametrize("settings", [{"EP": 48}, {"PP": 7}, {"EP": 100}, {"CP": 3}, {"top_k": 1000}])
def test_the_nearest_values_are_the_engines(lab, settings):
    point = BOOK.at().trial(**settings)
    broken = next(broken_constraints(point))
    ((name, _),) = settings.items()
    found = lab("nearest", at(**settings), name)
    assert nearest_valid(point, broken) == f"; nearest valid: {', '.join(found)}"


def test_exact_fractions_are_the_engines(lab):
    point, configuration = random_run(random.Random(7))
    point = point.set(**lab("values", configuration)["implied"])
    names = [n for n in point.book.quantities if exact_value(point, n) is not None and not isinstance(exact_value(point, n), str)]
    found = lab("exact", configuration, names)
    assert {n: str(exact_value(point, n)) for n in names} == found


@pytest.mark.parametrize(("seed"), range(6))
def test_the_command_gives_the_same_values(lab, seed, capsys):
    _, configuration = random_run(random.Random(100 + seed))
    names = ["step_time", "MFU", "binding_resource", "packet_bytes", "memory_peak", "S_eff"]
    words = lab("command", configuration, names)
    assert words[0] == "symroof"
    assert main([*words[1:], "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["values"]
    shared = json.loads(lab("json", configuration, names))["values"]
    assert {n: v["exact"] for n, v in told.items()} == {n: v["exact"] for n, v in shared.items()}
    assert {n: v["unit"] for n, v in told.items()} == {n: v["unit"] for n, v in shared.items()}


def test_values_read_as_the_report_prints_them(lab):
    shared = json.loads(lab("json", at(), [*BOOK.at().book.quantities]))["values"]
    point = BOOK.at(stage=7)
    wrong = {n: (v["display"], point[n].display) for n, v in shared.items() if v["display"] != point[n].display}
    assert not wrong


@pytest.mark.parametrize(
    ("settings", "change", "by", "expected"),
    [
        ({"rows": 4}, {"M": 128}, "rows", {"rows": "2", "M": "128"}),
        ({"rows": 4}, {"M": 32}, "rows", {"rows": "8", "M": "32"}),
        ({}, {"M": 128}, "rows", "rows would have to be 1/2, which is no whole number"),
        ({}, {"rows": 2}, "M", {"rows": "2", "M": "32"}),
        ({}, {"PP": 4}, "M", {"PP": "4", "M": "32"}),
    ],
)
def test_a_held_batch_makes_something_give_way(lab, settings, change, by, expected):
    changed = at(**{**settings, **change})
    found = lab("hold", at(**settings), changed, "global_batch_tokens", by)
    assert found == (
        expected if isinstance(expected, str) else {**AT, "set": {**{n: str(v) for n, v in settings.items()}, **expected}}
    )


def test_a_sweep_finds_where_another_resource_binds(lab):
    found = lab("sweep", at(), "nvlink_bandwidth", ["step_time"])
    ((boundary),) = found["boundaries"]
    point = BOOK.at()
    exact = point["nvlink_time"].exact / point["compute_time"].exact * point["nvlink_bandwidth"].exact
    assert boundary["at"] == pytest.approx(float(exact), rel=1e-9)
    assert (boundary["before"], boundary["after"]) == ("nvlink_time", "compute_time")


@pytest.mark.parametrize(
    "fragment",
    [
        "",
        "#",
        "#M=128",
        "#%%%",
        "#model=nonsense&M=x&__proto__=1&constructor=2",
        "#beside=M%3D32&M=64",
        "#" + "a" * 10_000,
        "#EP=48",
        "#documents=",
        "#M=1e9999",
        "#dispatch=per_rank&dispatch=none",
        "#beside=beside%3Dbeside",
    ],
)
def test_any_address_gives_a_page(lab, fragment):
    found = lab("fragment", fragment)
    assert found["configuration"]["model"] == "kimi-k3"
    assert set(found["configuration"]["set"]) <= {"M", "EP", "dispatch"}
    assert found["configuration"]["set"].get("dispatch") in (None, "per_rank")


@pytest.mark.parametrize(
    ("fragment", "dropped"),
    [
        ("#M=abc&rows=2", ["M = abc"]),
        ("#unknown=5", ["unknown = 5"]),
        ("#model=none&run=64k", ["model = none"]),
        ("#dispatch=toString", ["dispatch = toString"]),
        ("#fsdp_lifecycle=constructor&dispatch=__proto__", ["fsdp_lifecycle = constructor", "dispatch = __proto__"]),
        ("#compute_efficiency=150%25", ["compute_efficiency = 150%"]),
        ("#world=100000000000000001", ["world = 100000000000000001"]),
        ("#hold=world", ["hold = world"]),
        ("#M=" + "1" * 200_000, ["all of it, which is longer than an address can be here"]),
        ("#M=128", []),
    ],
)
def test_what_an_address_has_and_the_book_has_not_is_told(lab, fragment, dropped):
    assert lab("fragment", fragment)["dropped"] == dropped


def test_a_long_list_comes_back_from_its_address(lab):
    configuration = at(documents=",".join(["1"] * 4096), M="128")
    found = lab("fragment", "#" + lab("address", configuration, "M"))
    assert found["configuration"] == configuration
    assert (found["hold"], found["dropped"]) == ("M", [])


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("1024, 3072", ["1024", "3072"]),
        ("1024 3072", ["1024", "3072"]),
        ("1024,3072", ["1024", "3072"]),
        ("1,024, 3,072", ["1,024", "3,072"]),
        ("[1024; 3072]", ["1024", "3072"]),
        ("4096", ["4096"]),
    ],
)
def test_a_list_is_split_where_people_split_it(lab, typed, expected):
    assert lab("entries", typed) == expected


def test_a_list_and_what_stands_in_for_it_are_not_both_set(lab):
    found = lab("fragment", "#doc_length=2048&documents=1024,3072")["configuration"]["set"]
    assert found == {"documents": "1024,3072"}
    assert lab("fragment", "#documents=1024,3072&doc_length=2048")["configuration"]["set"] == {"doc_length": "2048"}


def test_a_command_has_no_grouped_digits_and_only_what_matters(lab):
    assert lab("command", at(M="1,024"), ["step_time"])[-2:] == ["--set", "M=1024"]
    assert "stage=7" not in lab("command", at(), ["step_time"])
    assert "stage=7" in lab("command", at(), ["packet_bytes"])


def test_whole_numbers_are_shared_with_all_their_digits(lab):
    shared = lab("json", at(M="96"), ["matrix_flops_per_update"])
    assert f'"value": {BOOK.at(M=96)["matrix_flops_per_update"].exact},' in shared


def test_markdown_has_a_column_for_what_stands_beside(lab):
    shared = lab("markdown", [at(M="128"), at()], ["step_time"])
    assert shared.startswith("Kimi K3 on GB200 at k3-gb200-4k, M = 128\n\nBeside: Kimi K3 on GB200 at k3-gb200-4k\n")
    assert "| `step_time` | ≈ 23.404 s | ≈ 12.309 s |" in shared


@pytest.mark.parametrize(
    ("typed", "expected"), [("5%", "0.05"), ("1/3", "1/3"), ("-5/4", "-1.25"), ("7", "7"), ("1/1000000", "0.000001")]
)
def test_a_fraction_that_ends_is_shown_with_a_point(lab, typed, expected):
    assert lab("decimal", typed) == expected


def test_an_address_says_only_what_departs(lab):
    assert lab("address", at()) == ""
    configuration = at(M="128", nvlink_bandwidth="450 GB/s", documents="1024,3072")
    address = lab("address", configuration)
    assert lab("fragment", address)["configuration"] == configuration


@pytest.mark.parametrize(
    ("typed", "unit", "expected"),
    [
        ("64", "rank", "64"),
        ("1/2", "1", "1/2"),
        ("5%", "1", "1/20"),
        ("50 GB/s", "byte@scaleout/s", "50000000000"),
        ("3.5 MiB", "byte", "3670016"),
        ("1.029 ms", "s", "1029/1000000"),
        ("2.5 PFLOP/s", "FLOP/s", "2500000000000000"),
        ("1e3", "token", "1000"),
        ("4,096", "token", "4096"),
        ("2 ranks", "rank", "2"),
        ("627.3 token/s/GPU", "token/s/GPU", "6273/10"),
        ("627.3 tokens/s/GPU", "token/s/GPU", "6273/10"),
        ("400 Gb/s", "byte@scaleout/s", "50000000000"),
        ("400 Gbit/s", "byte@scaleout/s", "50000000000"),
        ("50 GB@scaleout/s", "byte@scaleout/s", "50000000000"),
        ("5 \u03bcs", "s", "1/200000"),
        ("1_000", "token", "1000"),
        ("-3", "1", "-3"),
    ],
)
def test_typed_values_are_read_exactly(lab, typed, unit, expected):
    assert lab("read", typed, unit) == expected


@pytest.mark.parametrize(
    ("typed", "unit", "says"),
    [
        ("", "rank", "is no value"),
        ("x", "rank", "is no value"),
        ("1/0", "1", "divides by zero"),
        ("5 GB", "rank", "GB is no unit"),
        ("5 GB", "s", "GB is no unit"),
        ("1" * 300, "1", "is no value"),
        ("1 QB", "byte", "is no unit"),
        ("5 KiFLOP/s", "FLOP/s", "is no unit"),
        ("2 FLOP/ss", "FLOP/s", "is no unit"),
        ("1,0245", "token", "is no"),
        ("5.", "token", "is no"),
        ("1__0", "token", "is no"),
    ],
)
def test_what_is_no_value_is_told(lab, typed, unit, says):
    assert says in lab("refused", typed, unit)
