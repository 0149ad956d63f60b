"""`sweep` as people run it: tables, JSON, files whole or not at all, a bar for those who wait, and every message."""

from __future__ import annotations

import csv
import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Ten million points: some seconds of writing.
LONG = ["sweep", "--over", "M=1:2500", "rows=1:8", "--over", "scaleout_bandwidth=1 GB/s:500 GB/s:1 GB/s", "--of", "step_time"]


def test_a_table(run) -> None:
    found = run(
        "sweep", "--over", "EP=8:64:8", "dispatch=assignments,per_rank", "--of", "remote_copies,payload_copies,binding_resource"
    )
    assert (found.status, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[0] == "k3-gb200-4k"
    assert lines[2].split() == ["EP", "dispatch", "remote_copies", "payload_copies", "binding_resource"]
    assert lines[3].split() == ["8", "assignments", "14", "14", "compute_time"]
    assert lines[4].split() == ["8", "per_rank", "14", "6.1894", "compute_time"]
    assert "16 points, 8 of them possible" in lines
    assert "  6 rejected: Every rank of an EP group holds the same number of experts (ep_divides_experts)" in lines


def test_json_adds_up(run) -> None:
    found = run(
        "sweep", "--over", "EP=8,16,48", "--over", "M=32,64", "--of", "step_time,experts", "--where", "M > 32", "--json"
    ).json
    assert found["columns"] == ["EP", "M", "step_time", "experts"]
    assert [row[:2] for row in found["rows"]] == [[8, 64], [16, 64]]
    assert found["rows"][0][3] == 896
    assert (found["evaluated"], found["rejected"], found["left_out"]) == (4, {"ep_divides_experts": 2}, 2)


def test_values_are_those_of_eval(run) -> None:
    found = run("sweep", "--over", "EP=32", "--of", "step_time,binding_resource", "--json").json
    step = run("eval", "step_time", "--set", "EP=32", "--json").json["values"]["step_time"]["value"]
    assert found["rows"] == [[32, pytest.approx(step, rel=1e-12), "compute_time"]]


@pytest.mark.parametrize(
    ("where", "rows", "said"),
    [
        ("(M-3)^(1/2) < 0", 0, ["  1 left out by --where", "  2 points where the condition has no value"]),
        ("M/(M-M) > 1", 0, ["  3 points where the condition has no value"]),
        ("1/(M-1) > 0", 2, ["  1 point where the condition has no value"]),
    ],
)
def test_points_where_the_condition_has_no_value(run, where: str, rows: int, said: list[str]) -> None:
    request = ["sweep", "--over", "M=1,2,7", "--of", "step_time", "--where", where]
    lines = run(*request).out.splitlines()
    start = lines.index("3 points, 3 of them possible")
    assert lines[start + 1 : -1] == said
    found = run(*request, "--json")
    assert (len(found.json["rows"]), found.json["left_out"]) == (rows, 3 - rows)
    assert found.err == f"symroof: {said[-1].strip()}\n"


def test_what_is_pinned_is_said(run, tmp_path: Path) -> None:
    said = "step_time pinned: its definition is not used"
    lines = run("sweep", "--over", "step_time=1 s,2 s", "--of", "MFU").out.splitlines()
    assert lines[-1] == said
    assert said in run("sweep", "--over", "M=1,2", "--of", "MFU", "--set", "step_time=1 s").out.splitlines()
    path = tmp_path / "rows.csv"
    assert said in run("sweep", "--over", "step_time=1 s", "--of", "MFU", "-o", str(path)).out.splitlines()
    assert run("sweep", "--over", "step_time=1 s", "--of", "MFU", "--json").err == f"symroof: {said}\n"


def test_a_unit_at_the_end_of_a_range(run) -> None:
    found = run("sweep", "--over", "nvlink_bandwidth=100:900:100 GB/s", "--of", "step_time", "--json").json
    assert [row[0] for row in found["rows"]] == [n * 10**11 for n in range(1, 10)]


def test_a_long_table_shows_its_beginning(run) -> None:
    lines = run("sweep", "--over", "M=1:500", "--of", "bubble_overhead").out.splitlines()
    assert "and 480 more rows: -o FILE.csv writes all" in lines
    assert lines[3].split() == ["1", "7"]


def test_the_best(run) -> None:
    found = run("sweep", "--over", "M=1:100", "EP=2^3:2^6", "--minimize", "bubble_overhead", "--top", "3", "--json").json
    assert found["columns"] == ["M", "EP", "bubble_overhead"]
    assert found["rows"] == [[100, 8, 0.07], [100, 16, 0.07], [100, 32, 0.07]]
    top = run("sweep", "--over", "M=1:100", "--of", "MFU", "--maximize", "bubble_fraction", "--json").json
    assert len(top["rows"]) == 10
    assert top["columns"] == ["M", "MFU", "bubble_fraction"]


def test_a_front(run) -> None:
    found = run("sweep", "--over", "M=1:8", "--pareto", "step_time,max:MFU", "--json").json
    assert [row[0] for row in found["rows"]] == [1, 2, 3, 4, 5, 6, 7, 8]
    same = run("sweep", "--over", "M=1:8", "--pareto", "step_time,bubble_overhead", "--of", "M", "--json").json
    assert len(same["rows"]) == 8


def test_csv(run, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    found = run("sweep", "--over", "EP=8,32,64", "M=1:3", "--of", "step_time,global_batch_tokens", "-o", str(path))
    assert found.out.splitlines()[0] == f"{path}: 9 rows"
    rows = list(csv.reader(path.open()))
    assert rows[:2] == [["EP", "M", "step_time", "global_batch_tokens"], ["8", "1", rows[1][2], "262144"]]
    assert float(rows[1][2]) == pytest.approx(
        run("eval", "step_time", "--set", "EP=8", "--set", "M=1", "--json").json["values"]["step_time"]["value"]
    )


def test_parquet(run, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "rows.parquet"
    run(
        "sweep",
        "--over",
        "EP=8,32",
        "dispatch=per_rank",
        "--of",
        "step_time,binding_resource,global_batch_tokens",
        "-o",
        str(path),
    )
    table = parquet.read_table(path)
    assert [str(f.type) for f in table.schema] == ["int64", "string", "double", "string", "int64"]
    assert table.column("EP").to_pylist() == [8, 32]


def test_a_plot(run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for ending, begins in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        path = tmp_path / f"picture{ending}"
        assert run("sweep", "--over", "M=8:64:8", "EP=8,64", "--of", "step_time", "-o", str(path)).status == 0
        assert path.read_bytes().startswith(begins)
    found = run("sweep", "--over", "M=8,16", "EP=2^0:2^6", "PP=8", "rows=1:20", "--of", "step_time", "-o", str(path))
    assert "lines are too many to read, at most 20" in found.err


@pytest.mark.parametrize(("package", "file"), [("pyarrow", "x.parquet"), ("matplotlib", "x.png")])
def test_a_package_that_is_not_installed(run, monkeypatch: pytest.MonkeyPatch, package: str, file: str) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == package] or [package]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, package, None)
    found = run("sweep", "--over", "EP=8", "--of", "step_time", "-o", file)
    extra = {"pyarrow": "parquet", "matplotlib": "plot"}[package]
    assert found.status == 2
    assert f"which is not installed: pip install 'symroof[{extra}]', or write CSV" in found.err


MESSAGES = {
    "no quantity": (["--over", "EP=8"], "sweep needs a quantity: --of NAME,..."),
    "no axis": (["--of", "step_time"], "sweep needs --over, as in `symroof sweep --over EP=8:64:8 M=32,64 --of step_time,MFU`"),
    "no values": (["--over", "EP", "--of", "MFU"], "--over 'EP' is no axis: write --over NAME=VALUES, such as 8,16,32 or 8:32:8"),
    "an axis twice": (["--over", "EP=8", "EP=16", "--of", "MFU"], "--over EP is given twice"),
    "an unknown axis": (["--over", "EPP=8", "--of", "MFU"], "no quantity or symbol 'EPP'; did you mean PP or EP?"),
    "an unknown quantity": (["--over", "EP=8", "--of", "MFUU"], "no quantity or symbol 'MFUU'; did you mean MFU"),
    "a convention as quantity": (["--over", "EP=8", "--of", "dispatch"], "dispatch is a convention, not a quantity"),
    "no choice": (["--over", "dispatch=all", "--of", "MFU"], "convention dispatch has no choice 'all'; it has assignments"),
    "outside the domain": (["--over", "EP=0,8", "--of", "MFU"], "EP must be a positive integer, not 0"),
    "an odd range": (["--over", "EP=8:4", "--of", "MFU"], "the end of a range is not below its start\n  8:4\n    ^"),
    "an odd condition": (["--over", "EP=8", "--of", "MFU", "--where", "MFU >"], "the text ends where a name or a number belongs"),
    "a name in a condition": (
        ["--over", "EP=8", "--of", "MFU", "--where", "EP > 1 and binding_resource = compute_time"],
        "binding_resource is a name, not a number: a condition compares numbers\n"
        "  EP > 1 and binding_resource = compute_time\n             ^",
    ),
    "a power too large": (["--over", "EP=2^3:2^100000000", "--of", "MFU"], "2^100000000 is too large: a value has at most 100"),
    "a missing value": (["--over", "EP=8", "--of", "packet_bytes"], "has no value in k3-gb200-4k"),
    "top alone": (["--over", "EP=8", "--of", "MFU", "--top", "3"], "--top needs --minimize NAME or --maximize NAME"),
    "no number": (["--over", "EP=8", "--minimize", "MFU", "--top", "0"], "--top '0' is no number of rows from 1 to 1,000,000"),
    "two goals": (["--over", "EP=8", "--minimize", "MFU", "--maximize", "HFU"], "choose one of --minimize and --maximize"),
    "half a front": (["--over", "EP=8", "--pareto", "MFU"], "--pareto 'MFU': name two quantities: --pareto A,B, or max:B where"),
    "a sense": (["--over", "EP=8", "--pareto", "MFU,most:HFU"], "--pareto 'most:HFU': the least is best, or write max:HFU"),
    "the best of names": (["--over", "EP=8", "--minimize", "binding_resource"], "binding_resource is a name, not a number"),
    "an ending": (["--over", "EP=8", "--of", "MFU", "-o", "x.xls"], "-o x.xls: the ending says the format: .csv, .parquet, .png"),
    "no folder": (["--over", "EP=8", "--of", "MFU", "-o", "/none/x.csv"], "/none/x.csv: no folder /none"),
    "too many rows": (["--over", "M=1:2000", "rows=1:1000", "--of", "MFU", "--json"], "more than 1,000,000 rows for --json"),
}  # fmt: skip


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(run, case: str) -> None:
    arguments, message = MESSAGES[case]
    found = run("sweep", *arguments)
    assert (found.status, found.out) == (2, "")
    assert found.err.startswith("symroof: ")
    assert message in found.err


def test_a_folder_is_no_file(run, tmp_path: Path) -> None:
    folder = tmp_path / "x.csv"
    folder.mkdir()
    assert run("sweep", "--over", "EP=8", "--of", "MFU", "-o", str(folder)).err == f"symroof: {folder}: is a folder\n"


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interrupted_it_leaves_what_was_there(tmp_path: Path, sent: signal.Signals, status: int) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("before")
    process = subprocess.Popen([sys.executable, "-m", "symroof", *LONG, "-o", str(path)], cwd=ROOT, stderr=subprocess.PIPE)
    wait_for(lambda: any(p.stat().st_size > 1_000_000 for p in tmp_path.glob(".rows.csv.*.part")))
    process.send_signal(sent)
    _, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (status, b"")
    assert (os.listdir(tmp_path), path.read_text()) == (["rows.csv"], "before")


def wait_for(condition) -> None:
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_full_disk_leaves_nothing(tmp_path: Path) -> None:
    limit = "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); import signal; "
    limit += "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from symroof.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", limit, "sweep", "--over", "M=1:50000", "--of", "step_time", "-o", str(tmp_path / "rows.csv")]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert found.stderr == f"symroof: {tmp_path / 'rows.csv'}: cannot be written: file too large\n"
    assert os.listdir(tmp_path) == []


def test_a_bar_for_those_who_wait(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "symroof", *LONG, "-o", str(tmp_path / "rows.csv")],
        cwd=ROOT,
        stderr=theirs,
        stdout=subprocess.PIPE,
    )
    os.close(theirs)
    shown = b""
    while b"left" not in shown:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)
    shown += os.read(ours, 4096)
    os.close(ours)
    assert b"of 10,000,000" in shown
    assert shown.endswith(b"\r\x1b[K")


def test_no_bar_where_nobody_looks(run) -> None:
    assert run("sweep", "--over", "M=1:100000", "--minimize", "step_time").err == ""


def test_json_alone_on_standard_output(program) -> None:
    found = program("sweep", "--over", "EP=8", "--of", "step_time", "--json")
    assert json.loads(found.stdout)["evaluated"] == 1
    assert found.stderr == ""
