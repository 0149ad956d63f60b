"""What a reader of the real book meets beside the numbers: cautions, units of bare numbers, paths, depth, candidates."""

from __future__ import annotations

from pathlib import Path

import pytest

import symroof
from symroof.cli import main
from symroof.errors import BookError

BOOK = symroof.load()


def ask(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    shown = capsys.readouterr()
    return status, shown.out, shown.err


def test_a_caution_of_a_preset_stands_beside_its_values(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = ask(capsys, "eval", "step_time", "-p", "64k")
    assert status == 0
    assert "step_time" in out
    assert "64k: a shape and compute comparison" in err
    assert ask(capsys, "eval", "step_time")[2] == ""


def test_a_bare_number_says_which_unit_it_was_read_in(capsys: pytest.CaptureFixture[str]) -> None:
    _, _, err = ask(capsys, "eval", "nvlink_time", "--set", "nvlink_bandwidth=450")
    assert err == "symroof: nvlink_bandwidth = 450 was read as 450 byte@nvlink/s\n"
    assert ask(capsys, "eval", "nvlink_time", "--set", "nvlink_bandwidth=450 GB/s", "--set", "M=32")[2] == ""


def test_a_tree_can_be_cut_at_a_depth(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ask(capsys, "why", "step_time", "--depth", "1")
    assert len(out.splitlines()) == 4
    assert out.count("unfolds further: --depth") == 2
    assert ask(capsys, "why", "step_time", "--depth", "x")[::2] == (
        2,
        "symroof: --depth 'x' is no number of levels: write 0, 1, 2, ...\n",
    )


def test_what_names_the_largest_shows_what_it_chose_from(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = ask(capsys, "show", "binding_resource")
    assert "compute_time = 11.095 s, hbm_time = 1.4019 s" in out


@pytest.fixture
def own(tmp_path: Path) -> Path:
    file = tmp_path / "own.toml"
    file.write_text('says = "mine"\nbase = "kimi-k3"\nsource = "a guess"\ncaution = "a guess"\n[values]\ntop_k = 8\n')
    return file


def test_a_file_of_ones_own_builds_on_any_preset_of_the_book(own: Path) -> None:
    point = BOOK.at(str(own))
    assert (point["top_k"].value, point["experts"].value, point["EP"].value) == (8, 896, 64)
    assert point.cautions == ("a guess",)


def test_names_aliases_and_paths_join(own: Path) -> None:
    point = BOOK.at(f"k3-gb200-4k+4k-ep32+{own}")
    assert (point["EP"].value, point["top_k"].value) == (32, 8)
    assert point.parts == ("kimi-k3", "gb200-nvl72", "4k-ep32")


def test_claims_are_about_their_own_preset(capsys: pytest.CaptureFixture[str]) -> None:
    assert ask(capsys, "check", "-p", "4k-ep32")[0] == 0
    assert ask(capsys, "check", "--set", "top_k=8")[0] == 1


def test_one_symbol_left_free_needs_no_list() -> None:
    assert BOOK.at()["remote_copies"].closed_form("EP").expression == BOOK.at()["remote_copies"].closed_form(["EP"]).expression


def test_printed_figures_must_be_rounded_to() -> None:
    claims = {c.quantity: c for c in BOOK.claims if c.printed and c.preset is None}
    bubble = claims["bubble_fraction"]
    assert bubble.printed is not None
    assert bubble.met(bubble.expect[0], bubble.expect[0])
    assert bubble.printed.met(bubble.expect[0])
    assert not bubble.printed.met(bubble.expect[0] + bubble.printed.half * 2)
    assert claims["stored_parameters"].printed.half == 5 * 10**8


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('printed = "about ten"', "printed = 'about ten' is no figure"),
        ('printed = "3 GB"', "printed: EP is in rank, but '3 GB' is in byte"),
        ('origin = "heard"', "origin = 'heard' is none of stated, computed"),
    ],
)
def test_claims_that_cannot_be_read(tmp_path: Path, line: str, says: str) -> None:
    from symroof.claim import read_claims

    file = tmp_path / "claims.toml"
    file.write_text(f'[[claim]]\nsays = "x"\nquantity = "EP"\nplace = "y"\nexpect = 1\n{line}\n')
    with pytest.raises(BookError) as raised:
        read_claims(file, BOOK)
    assert says in str(raised.value)


def test_an_empty_file_is_no_preset(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "empty.toml"
    file.write_text("")
    assert ask(capsys, "eval", "step_time", "-p", str(file)) == (
        2,
        "",
        f"symroof: {file}: gives nothing: neither values nor conventions nor parts\n",
    )
