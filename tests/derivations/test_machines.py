"""Machines as data: each lays out the default run, what it has no figure for is asked for by name, and peaks are dense."""

from fractions import Fraction

import pytest

import symroof
from symroof.errors import ConstraintError, MissingValueError

BOOK = symroof.load()
MACHINES = BOOK.presets.names("machine")
# Dense BF16 peaks in TFLOP/s, memory, and one direction of scale-up and scale-out in GB/s; None where nobody printed it.
FIGURES = {
    "gb200-nvl72": ("2500", "184 GiB", "900", "50"),
    "gb300-nvl72": ("2500", "279 GiB", "900", "100"),
    "b200-hgx": ("2250", "180 GiB", "900", "50"),
    "b300-hgx": ("2250", "268 GiB", "900", "100"),
    "h100-sxm": ("989.5", "80 GiB", "450", "50"),
    "h200-sxm": ("989.5", "141 GiB", "450", "50"),
    "h800-sxm": ("989.5", None, "200", "50"),
    "h100-nvl": ("835.5", None, None, None),
    "h100-pcie": ("756.5", None, None, None),
    "a100-sxm": ("312", "80 GiB", "300", "25"),
    "mi300x": ("1307", "192 GiB", "448", "50"),
    "mi355x": ("2500", "288 GiB", "537.6", "50"),
    "tpu-v5p": ("459", "95 GiB", "600", "6.25"),
    "tpu-v6e": ("918", "32 GiB", "400", "12.5"),
    "tpu7x-ironwood": ("2307", "192 GiB", "600", "12.5"),
}


def test_every_machine_is_one_of_those_that_are_known():
    assert sorted(FIGURES) == MACHINES


@pytest.mark.parametrize("machine", MACHINES)
def test_machine_has_the_printed_figures(machine):
    point, (peak, memory, scale_up, scale_out) = BOOK.at(machine), FIGURES[machine]
    printed = {
        "peak_flops": f"{peak} TFLOP/s",
        "hbm_capacity": memory,
        "nvlink_bandwidth": scale_up and f"{scale_up} GB/s",
        "scaleout_bandwidth": scale_out and f"{scale_out} GB/s",
    }
    expected = {n: BOOK.at().set(**{n: text})[n].exact for n, text in printed.items() if text}
    assert {n: point[n].exact for n in expected} == expected
    assert all(n not in point.given for n, text in printed.items() if not text)


@pytest.mark.parametrize("machine", MACHINES)
def test_every_value_has_a_source(machine):
    values = BOOK.presets.read("machine", machine).values
    assert all(given.source for given in values.values())


@pytest.mark.parametrize("machine", MACHINES)
def test_sparse_peak_is_twice_the_dense_one(machine):
    point = BOOK.at(machine)
    if "peak_flops_sparse" in point.given:
        assert point["peak_flops_sparse"].exact == 2 * point["peak_flops"].exact
    else:
        assert machine.startswith("tpu")


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
