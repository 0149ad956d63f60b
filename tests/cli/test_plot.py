import sys
from collections.abc import Callable
from pathlib import Path

import pytest


def test_pictures_are_listed(run: Callable) -> None:
    ran = run("plot", "--set", "EP=32")
    assert ran.status == 0
    assert ran.out.splitlines()[0] == "k3-gb200-4k EP=32"
    assert "  roofline      Three roofs, and the kernels under them" in ran.out.splitlines()


def test_a_list_needs_no_matplotlib(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert run("plot").status == 0


def test_a_model_that_lacks_a_block_lists_what_it_has(run: Callable) -> None:
    assert "hops" not in run("plot", "-p", "llama31-8b+gb200-nvl72+64-gpu-4k").out


def test_a_book_without_pictures(ask: Callable) -> None:
    assert ask("plot").out == "base has no pictures\n"


@pytest.mark.parametrize("ending", ["svg", "pdf"])
def test_a_picture_is_written(run: Callable, tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"one.{ending}"
    ran = run("plot", "hops", "--set", "EP=32", "-o", str(path))
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == str(path)
    assert ran.out.rstrip().endswith("At k3-gb200-4k EP=32.")
    assert path.read_bytes()[:5] == {"svg": b"<svg ", "pdf": b"%PDF-"}[ending]
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_several_go_to_a_folder(run: Callable, tmp_path: Path) -> None:
    data = run("plot", "hops", "composition", "hops", "-o", str(tmp_path), "--json").json
    assert data["preset"] == "k3-gb200-4k"
    assert [p["name"] for p in data["pictures"]] == ["hops", "composition"]
    assert [Path(p["written"]).name for p in data["pictures"]] == ["hops.svg", "composition.svg"]
    assert data["pictures"][1]["alt"].startswith("Bars in s: compute 11.095 s, binds")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["composition.svg", "hops.svg"]


def test_json_of_a_list(run: Callable) -> None:
    data = run("plot", "--json").json
    assert data["pictures"][0] == {
        "name": "composition", "title": "What the step is made of", "caption": None, "alt": None, "written": None
    }  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "says"),
    [
        (["rooflin"], "no picture 'rooflin'; did you mean roofline?"),
        (["roofline", "-o", "a.png"], "-o a.png: the ending says the format: .svg, .pdf"),
        (["roofline", "hops", "-o", "a.svg"], "-o a.svg is one file for 2 pictures: name a folder"),
        (["-o", "a.svg"], "-o a.svg: name the picture that goes there, one of composition, bytes,"),
        (["roofline", "-o", "no/such/a.svg"], "no/such/a.svg: no folder no/such"),
        (["hops", "--set", "PP=1"], "there is no stage from 1 to 0"),
        (["hops", "-p", "llama31-8b+gb200-nvl72+64-gpu-4k"], "picture hops shows outgoing_blocks, which"),
    ],
)
def test_what_is_refused(run: Callable, request_: list[str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("plot", *request_)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"symroof: {says}")
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(run: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    ran = run("plot", "roofline")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "symroof: a picture needs Matplotlib, which is not installed: pip install 'symroof[plot]'\n"


def test_pictures_that_can_be_are_written_where_others_cannot_and_the_folder_is_made(run: Callable, tmp_path: Path) -> None:
    found = run("plot", "roofline", "nothing", "-o", str(tmp_path / "pics"))
    assert found.status == 2
    assert "not written: no picture 'nothing'" in found.err
    assert [p.name for p in (tmp_path / "pics").iterdir()] == ["roofline.svg"]


def test_a_point_beside_the_axis_has_no_dotted_line_in_the_caption(run: Callable, tmp_path: Path) -> None:
    found = run("plot", "microbatches", "--set", "M=1", "-o", str(tmp_path / "m.svg"))
    assert found.status == 0
    assert "dotted" not in found.out
    assert "this point" not in (tmp_path / "m.svg").read_text()
