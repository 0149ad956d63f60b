"""Each command, on the small sound book: its JSON to the letter of the contract, its text, its exit status."""

from __future__ import annotations

import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sympy import Symbol
from sympy.parsing.sympy_parser import parse_expr

import symroof
from symroof.cli import COMMANDS
from tests.cli.conftest import SOUND

VALUE = {"value", "exact", "unit", "display", "pinned"}
SHOW = {"name", "chapter", "unit", "says", "ref", "formula", "closed_form", "latex", "symbols", "value"}


def test_eval_json(ask: Callable) -> None:
    answer = ask("eval", "step_time", "partners", "n", "--set", "n=8", "--set", "counting=others", "--json")
    assert (answer.status, answer.err) == (0, "")
    assert answer.json == {
        "preset": "base",
        "set": {"n": "8", "counting": "others"},
        "values": {
            "step_time": {"value": 0.0015, "exact": "3/2000", "unit": "s", "display": "1.5 ms", "pinned": False},
            "partners": {"value": 7, "exact": "7", "unit": "rank", "display": "7 rank", "pinned": False},
            "n": {"value": 8, "exact": "8", "unit": "rank", "display": "8 rank", "pinned": False},
        },
    }
    assert isinstance(answer.json["values"]["n"]["value"], int)


def test_eval_names_something(ask: Callable) -> None:
    value = ask("eval", "binding_resource", "--json").json["values"]["binding_resource"]
    assert (value["value"], value["exact"]) == ("compute_time", None)


def test_an_integer_is_exact_however_large(ask: Callable) -> None:
    given = "9" * 150
    value = ask("eval", "size", "hop_bytes", "--set", f"size={given}", "--set", f"hop={given}", "--json").json["values"]
    assert value["hop_bytes"]["value"] == int(given) ** 2
    assert value["hop_bytes"]["exact"] == str(int(given) ** 2)


def test_a_fraction_beyond_every_float_is_the_nearest_integer(ask: Callable) -> None:
    given = "9" * 190 + ".5e99"
    value = ask("eval", "memory_time", "--set", "memory_time=" + given + " h", "--set", "bandwidth=1/3", "--json")
    assert value.status == 0
    assert value.json["values"]["memory_time"]["pinned"]


def test_options_stand_anywhere_after_the_command(ask: Callable) -> None:
    one = ask("eval", "--json", "n", "--set", "n=8", "peak")
    other = ask("eval", "n", "peak", "--set=n=8", "--json")
    assert one == other
    assert list(one.json["values"]) == ["n", "peak"]


def test_settings_keep_what_was_given(ask: Callable) -> None:
    answer = ask("eval", "peak", "--set", "peak = 2.5 TFLOP/s ", "--json").json
    assert answer["set"] == {"peak": "2.5 TFLOP/s"}
    assert answer["values"]["peak"]["exact"] == "2500000000000"


def test_eval_text(ask: Callable) -> None:
    answer = ask("eval", "step_time", "pair_work", "--set", "compute_time=2 ms")
    assert answer.out.splitlines() == [
        "base compute_time=2 ms",
        "step_time  2 ms",
        "pair_work  16 FLOP",
        "in force: counting = everyone, compute_time pinned",
    ]


def test_pinned_is_said(ask: Callable) -> None:
    assert "pinned: its definition is not used" in ask("eval", "compute_time", "--set", "compute_time=2 ms").out
    assert "pinned" in ask("why", "step_time", "--set", "compute_time=2 ms").out
    shown = ask("show", "compute_time", "--set", "compute_time=2 ms")
    assert "its definition is not used: work/(n*peak)" in shown.out
    data = ask("show", "compute_time", "--set", "compute_time=2 ms", "--json").json
    assert (data["formula"], data["closed_form"], data["symbols"]) == ("compute_time", "compute_time", ["compute_time"])
    assert data["value"]["pinned"]


def test_show_json(ask: Callable) -> None:
    answer = ask("show", "compute_time", "--json")
    assert answer.err == ""
    data = answer.json
    assert set(data) == SHOW
    assert set(data["value"]) == VALUE
    assert set(data["latex"]) == {"formula", "closed_form", "substituted"}
    assert data["name"] == "compute_time"
    assert data["chapter"] == "step"
    assert data["ref"] == "work over rate"
    assert data["formula"] == "work/(n*peak)"
    assert parse_expr(data["closed_form"]) == parse_expr("work/(n*peak)")
    assert data["symbols"] == ["n", "peak", "work"]
    assert data["value"]["exact"] == "3/1000"
    assert data["latex"]["formula"] == r"\frac{W}{n\, \pi_{\mathrm{peak}}}"


def test_show_in(ask: Callable) -> None:
    data = ask("show", "compute_time", "--in", "n", "--json").json
    assert (data["closed_form"], data["symbols"]) == ("3/(250*n)", ["n"])


@pytest.mark.parametrize(
    ("name", "formula"),
    {
        "last_bytes": "size*(n - 1) + 8*n",
        "all_bytes": "Sum(size*k + 8*n, (k, 1, n - 1))",
        "mean_length": "context/length*length**2/(context/length*length)",
        "pair_work": "partners*n",
        "partners": "n",
        "binding_resource": "ArgMax(compute_time, memory_time)",
        "memory_time": "size/bandwidth",
    }.items(),
)
def test_a_formula_has_plain_names_only(name: str, formula: str, ask: Callable) -> None:
    assert ask("show", name, "--json").json["formula"] == formula


def test_a_list_is_written_out(ask: Callable) -> None:
    data = ask("show", "mean_length", "--set", "lengths=[1024,2048,1024]", "--set", "context=4096", "--json").json
    assert data["formula"] == "(2*1024**2 + 2048**2)/(2*1024 + 2048)"
    assert data["value"]["exact"] == "1536"


def test_a_definition_without_value_is_still_shown(ask: Callable) -> None:
    answer = ask("show", "hop_bytes", "--json")
    assert answer.status == 0
    assert answer.err == "symroof: hop (which hop) has no value in base; hop_bytes needs it: give it with --set hop=...\n"
    data = answer.json
    assert (data["formula"], data["value"], data["latex"]["substituted"]) == ("size*hop", None, None)
    assert ask("show", "hop_bytes", "--in", "n", "--json").json["closed_form"] == "3145728*hop"
    assert ask("eval", "hop_bytes").status == 2


def test_show_text(ask: Callable) -> None:
    assert ask("show", "pair_work").out.splitlines() == [
        "pair_work  pair_work  step",
        "Work of all pairs.",
        "",
        "  formula      partners*n",
        "  closed form  n**2",
        "  numbers      4*4",
        "  value        16 FLOP",
        "  unit         FLOP",
        "  source       a count of pairs",
        "  preset       base",
        "  convention   counting = everyone  all ranks",
        "                 others: 12 FLOP  all ranks but one",
    ]


def test_show_says_symbol_exact_value_and_assumptions(ask: Callable) -> None:
    shown = ask("show", "compute_time").out
    assert "t_work" in shown
    assert "3 ms  exactly 3/1,000 s" in shown
    assert "assumes      work is spread evenly" in shown


def test_show_names_the_rules_that_shortened_a_closed_form(run: Callable) -> None:
    assert re.search(r"closed form  .*\n +by (cancel|together|factor)", run("show", "gemm_intensity").out)


def test_a_long_closed_form_waits_for_expand(run: Callable) -> None:
    assert "--expand prints it" in run("show", "step_time").out
    assert "--expand prints it" not in run("show", "step_time", "--expand").out


def test_a_symbol_is_its_own_formula(ask: Callable) -> None:
    data = ask("show", "n", "--json").json
    assert (data["formula"], data["closed_form"], data["symbols"], data["chapter"]) == ("n", "n", ["n"], "symbols")
    assert data["ref"] == "made up"


def test_why(ask: Callable) -> None:
    assert ask("why", "last_bytes").out.splitlines() == [
        "base",
        "last_bytes = sent_bytes(hop=n - 1) = 9 MiB   the hop after the last rank but one",
        "├─ n = 4 rank   made up",
        "└─ sent_bytes(hop=3) = hop_bytes + 8*n = 9 MiB   a header a hop",
        "   ├─ hop_bytes(hop=3) = size*hop = 9 MiB   what has been gathered so far",
        "   │  ├─ size = 3 MiB   made up",
        "   │  └─ hop = 3 stage",
        "   └─ n = 4 rank   made up",
    ]


def test_why_json(ask: Callable) -> None:
    tree = ask("why", "last_bytes", "--json").json["tree"]
    assert set(tree) == {"name", "at", "formula", "value", "source", "repeated", "parts"}
    assert tree["formula"] == "size*(n - 1) + 8*n"
    assert [part["name"] for part in tree["parts"]] == ["n", "sent_bytes"]
    assert tree["parts"][1]["at"] == {"hop": "3"}


def test_a_name_is_unfolded_once(run: Callable) -> None:
    lines = run("why", "step_time").out.splitlines()
    unfolded = [line for line in lines if "compute_time = " in line and line.endswith("unfolded above")]
    assert len(unfolded) == 1
    assert len([line for line in lines if "compute_time = " in line]) == 2


def test_list(ask: Callable) -> None:
    listed = ask("list", "--json").json["quantities"]
    assert [q["name"] for q in listed][:2] == ["compute_time", "memory_time"]
    assert listed[0] == {
        "name": "compute_time",
        "symbol": r"t_{\mathrm{work}}",
        "unit": "s",
        "chapter": "step",
        "says": "Time of the work.",
    }
    assert ask("list", "--chapter", "2").out.startswith("2 hops: Hops\n  mean_length")
    assert {q["chapter"] for q in ask("list", "--chapter", "hops", "--json").json["quantities"]} == {"hops"}


def test_check(ask: Callable) -> None:
    answer = ask("check", "--json")
    assert answer.status == 0
    data = answer.json
    assert set(data) == {"claims", "units", "constraints", "not_asked", "domains", "ok"}
    assert data["ok"] is True
    assert data["claims"] == [
        {"says": "A step takes 3 ms", "quantity": "compute_time", "expect": 0.003, "got": 0.003, "holds": True},
        {"says": "With twice the ranks it takes half", "quantity": "compute_time", "expect": 0.5, "got": 0.5, "holds": True},
    ]
    assert all(unit["holds"] for unit in data["units"])
    assert {c["preset"] for c in data["constraints"]} == {"base", "small", "box", "short", "others"}
    assert data["not_asked"] == []


HOP_WITHIN = """
from symroof import constraint

@constraint
def hop_within(hop, n):
    \"\"\"A hop leaves a rank.\"\"\"
    return hop <= n
"""


def test_a_constraint_that_lacks_a_value_is_neither_held_nor_broken(run: Callable, tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(SOUND, book, ignore=shutil.ignore_patterns("__pycache__"))
    with (book / "symbols.py").open("a") as symbols:
        symbols.write(HOP_WITHIN)
    (book / "presets" / "runs" / "others.toml").write_text('base = "short"\nsource = "made up"\n[values]\nhop = 2\n')
    data = run("check", "--book", str(book), "--json").json
    assert {c["preset"] for c in data["not_asked"]} == {"base", "small", "box", "short"}
    assert all(
        (c["constraint"], c["says"], c["lacks"]) == ("hop_within", "A hop leaves a rank.", ["hop"]) for c in data["not_asked"]
    )
    assert [(c["preset"], c["holds"]) for c in data["constraints"] if c["constraint"] == "hop_within"] == [("others", True)]
    assert data["ok"] is True
    held = len(data["constraints"])
    *_, line, _ = run("check", "--book", str(book)).out.splitlines()
    assert line == f"constraints  {held} of {held} hold, over 5 presets; 4 not asked, for want of a value"


def test_presets(ask: Callable) -> None:
    data = ask("presets", "--json").json
    assert set(data) == {"aliases", "models", "machines", "runs", "point"}
    (model,) = data["models"]
    assert model["values"]["size"] == {
        "value": 3145728,
        "exact": "3145728",
        "unit": "byte",
        "display": "3 MiB",
        "source": "made up",
        "note": "weights alone",
        "preset": "small",
    }
    assert data["aliases"][0]["parts"] == {"model": "small", "machine": "box", "run": "short"}
    assert ask("presets", "-p", "others", "--json").json["point"]["conventions"] == {"counting": "others"}
    listed = ask("presets", "--set", "lengths=[1024,3072]", "--json").json["point"]["values"]["lengths"]
    assert (listed["value"], listed["exact"]) == ([1024, 3072], None)


def test_presets_text(ask: Callable) -> None:
    assert "others  Four ranks, counted otherwise" in ask("presets").out
    assert ask("presets", "-p", "small").out.splitlines() == [
        "small: A small model",
        "  work     12 GFLOP     made up",
        "  size     3 MiB        made up; weights alone",
        "  context  4,096 token  made up",
        "  length   1,024 token  made up",
    ]
    assert "lengths    1024, 3072 token  set by the reader" in ask("presets", "--set", "lengths=[1024,3072]").out


def test_report_writes_checks_and_says_what_a_reader_looks_for(ask: Callable, tmp_path: Path) -> None:
    folder = str(tmp_path / "reports")
    written = ask("report", "-o", folder)
    assert written.status == 0
    assert written.out.splitlines() == [
        f"{folder}/base.md",
        f"{folder}/base.tex",
        "claims held  2 of 2",
    ]
    assert ask("report", "-o", folder, "--check") == (0, f"{folder}: current\n", "")
    report = tmp_path / "reports" / "base.md"
    report.write_text(report.read_text().replace("3 ms", "4 ms"))
    before = {path: path.read_text() for path in (tmp_path / "reports").iterdir()}
    stale = ask("report", "-o", folder, "--check", "--format", "md")
    assert stale.status == 1
    assert stale.out.startswith(f"--- {folder}/base.md")
    assert stale.out.endswith(f"not current: {folder}/base.md\n")
    assert {path: path.read_text() for path in (tmp_path / "reports").iterdir()} == before


def test_another_report_has_another_name(ask: Callable, tmp_path: Path) -> None:
    ask("report", "-o", str(tmp_path), "--format", "md")
    ask("report", "-o", str(tmp_path), "--format", "md", "--set", "n=8")
    ask("report", "-o", str(tmp_path), "--format", "md", "--chapters", "step")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["base--chapters--step.md", "base--n=8.md", "base.md"]


def test_report_json(ask: Callable, tmp_path: Path) -> None:
    data = ask("report", "-o", str(tmp_path), "--format", "md", "--json").json
    assert data["written"] == [str(tmp_path / "base.md")]
    assert data["stale"] == []
    assert data["claims"] == {"held": 2, "of": 2}
    assert data["headline"] == {}


def test_a_report_says_first_what_the_book_says_first(run: Callable, tmp_path: Path) -> None:
    book = tmp_path / "book"
    shutil.copytree(SOUND, book, ignore=shutil.ignore_patterns("__pycache__"))
    with (book / "book.toml").open("a") as about:
        about.write('\n[lab]\nbinding = "binding_resource"\nstep = "compute_time"\n')
    data = run("report", "-o", str(tmp_path), "--format", "md", "--book", str(book), "--json").json
    assert {n: v["value"] for n, v in data["headline"].items()} == {"binding_resource": "compute_time", "compute_time": 0.003}


def test_a_report_that_fails_touches_nothing(ask: Callable, tmp_path: Path) -> None:
    for wrong in (("--format", "md,docx"), ("--chapters", "step,nope"), ("--set", "n=7")):
        assert ask("report", "-o", str(tmp_path / "reports"), *wrong).status == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example_that_works(command: str, run: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # An example may read and write files where it is run.
    monkeypatch.chdir(tmp_path)
    shutil.copy(Path(__file__).parents[1] / "models" / "configs" / "llama31-8b.json", "config.json")
    Path("docs").mkdir()
    Path("docs/design.md").write_text("A step takes <!-- symroof: DP --><!-- /symroof --> replicas.\n", encoding="utf-8")
    shown = run(command, "--help")
    example = COMMANDS[command].example
    assert shown.status == 0
    assert f"example: {example}" in shown.out
    assert all(option in shown.out for option in ("--preset", "--set", "--book", "--json"))
    words = shlex.split(example)[1:]
    assert run(*words, *(("-o", str(tmp_path)) if command == "report" else ())).status in (0, 1)


def test_help_version_and_no_command(run: Callable) -> None:
    helped = run("--help")
    assert helped.status == 0
    assert all(f"\n  {name} " in helped.out for name in COMMANDS)
    assert run("-h") == helped
    assert run("--version") == (0, f"symroof {symroof.__version__}\n", "")
    assert run() == (2, helped.out, "")


# The carried book's hard cases: other arguments, sums over hops and documents, choices, conditions, a name.
HARD = [
    "expert_gemm_intensity", "S_eff", "attention_training_flops", "final_hop_bytes", "total_streams",
    "remote_copies", "step_time", "MFU", "binding_resource",
]  # fmt: skip


@pytest.mark.parametrize("name", HARD)
def test_formulas_of_the_carried_book_parse_and_agree(name: str, run: Callable) -> None:
    book = symroof.load()
    data = run("show", name, "--set", "stage=7", "--json").json
    symbols = {n: Symbol(n) for n in (*book.symbols, *book.quantities)}
    point = book.at(stage=7)
    for key in ("formula", "closed_form"):
        parsed = parse_expr(data[key], local_dict=symbols)
        used = {s.name for s in parsed.free_symbols}
        assert used <= set(symbols)
        if data["value"]["exact"] is not None:
            values = {symbols[n]: parse_expr(str(point[n].exact)) for n in used}
            assert parsed.subs(values).doit() == parse_expr(data["value"]["exact"])
    assert data["symbols"] == sorted(used)
