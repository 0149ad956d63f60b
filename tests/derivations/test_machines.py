"""Machines as data: each lays out the default run, what it has no figure for is asked for by name, and peaks are dense."""

import tomllib
from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import ConstraintError, MissingValueError
from symroof.preset import exact

BOOK = symroof.load()
MACHINES = BOOK.presets.names("machine")
FIGURES = Path(__file__).with_name("machines.toml")
PRINTED = tomllib.loads(FIGURES.read_text(encoding="utf-8"))
CHECKED = ("peak_flops", "hbm_capacity", "nvlink_bandwidth", "scaleout_bandwidth")


def printed(machine: str) -> dict[str, str]:
    """The figures of a machine as its documents print them."""
    if machine not in PRINTED:
        pytest.fail(
            f"machine {machine} has no figures to be held against: read its documents a second time, and add a table [{machine}] "
            f"with what they print of {', '.join(CHECKED)} to {FIGURES.relative_to(BOOK.folder.parent)}"
        )
    return PRINTED[machine]


@pytest.mark.parametrize("machine", PRINTED)
def test_figures_are_those_of_a_machine_of_the_book(machine):
    assert machine in MACHINES
    assert {*PRINTED[machine]} <= {*CHECKED}


@pytest.mark.parametrize("machine", MACHINES)
def test_machine_has_the_printed_figures(machine):
    point, figures = BOOK.at(machine), printed(machine)
    assert {n: point[n].exact for n in figures} == {n: exact(BOOK, n, text) for n, text in figures.items()}
    assert not [n for n in CHECKED if n in point.given and n not in figures]


def test_a_machine_without_figures_is_told_where_they_go():
    with pytest.raises(pytest.fail.Exception, match=r"add a table \[our-rack\] .* to tests/derivations/machines.toml"):
        printed("our-rack")


@pytest.mark.parametrize("machine", MACHINES)
def test_every_value_has_a_source(machine):
    values = BOOK.presets.read("machine", machine).values
    assert all(given.source for given in values.values())


@pytest.mark.parametrize("machine", [m for m in MACHINES if "peak_flops_sparse" in BOOK.at(m).given])
def test_sparse_peak_is_twice_the_dense_one(machine):
    point = BOOK.at(machine)
    assert point["peak_flops_sparse"].exact == 2 * point["peak_flops"].exact


@pytest.mark.parametrize("machine", MACHINES)
def test_default_run_is_laid_out_on_the_machine_or_a_missing_figure_is_named(machine):
    point, needed = BOOK.at(machine), ("hbm_bandwidth", "nvlink_bandwidth", "scaleout_bandwidth", "domain_ranks")
    lacking = [n for n in needed if n not in point.given]
    if not lacking:
        assert point["step_time"].exact > 0
        return
    with pytest.raises(MissingValueError, match=f"{lacking[0]} .* has no value in {machine}; step_time needs it"):
        _ = point["step_time"].exact


def test_whatif_exchanges_the_machine():
    found = BOOK.at().whatif(machine="h100-sxm", of=["step_time", "compute_time"])
    compute = next(e for e in found.effects if e.name == "compute_time")
    assert compute.after == BOOK.at("h100-sxm")["compute_time"].exact == compute.before * Fraction(25000, 9895)


def test_a_layout_that_does_not_fit_a_domain_names_what_would():
    with pytest.raises(ConstraintError, match=r"EP = 64 does not divide domain_ranks = 72 .*; nearest valid: 64, 128"):
        BOOK.at("gb300-nvl72", domain_ranks=72)


def test_a_precision_that_a_machine_lacks_is_missed_only_where_it_is_the_peak():
    h100 = BOOK.at("h100-sxm", observed_flops="400 TFLOP/s")
    assert h100["observed_MFU"].exact == Fraction(4000, 9895)
    with pytest.raises(MissingValueError, match="peak_flops_fp4"):
        _ = h100.set(peak="fp4")["observed_MFU"].exact


def test_both_peaks_of_a_gb200_are_at_hand():
    gb200 = BOOK.at(observed_flops="450 TFLOP/s")
    assert (gb200["observed_MFU"].exact, gb200.set(peak="elsewhere")["observed_MFU"].exact) == (Fraction(9, 50), Fraction(1, 5))


def test_a_machine_of_ones_own_takes_ten_lines(tmp_path):
    file = tmp_path / "rack.toml"
    file.write_text(
        """says = "a rack of our own, per GPU"
source = "measured here"
base = "h100-sxm"

[values]
peak_flops = "700 TFLOP/s"
hbm_bandwidth = "3 TB/s"
nvlink_bandwidth = "400 GB/s"
scaleout_bandwidth = "25 GB/s"
domain_ranks = 16
""",
        encoding="utf-8",
    )
    assert BOOK.at(str(file))["ridge_hbm"].exact == Fraction(700, 3)
    assert BOOK.at(f"{file}+4k-ep32")["local_EP_ranks"].exact == 16
