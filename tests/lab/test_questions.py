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
    ],
)
def test_what_is_no_value_is_told(lab, typed, unit, says):
    assert says in lab("refused", typed, unit)
