"""What is drawn is what the book says: lengths and places of each kind of picture against its exact values."""

from fractions import Fraction

import pytest

from symroof.errors import EvaluationError
from symroof.pictures import draw, pictures_of
from symroof.point import Point

SETTINGS = [{}, {"EP": 32}, {"domain_ranks": 32, "dispatch": "per_domain"}]


@pytest.fixture(params=SETTINGS, ids=str)
def point(k3: Point, request: pytest.FixtureRequest) -> Point:
    return k3.set(**request.param)


def near(value: float, exact: object) -> bool:
    return value == pytest.approx(float(exact), rel=1e-9)


def test_a_roof_is_its_bandwidth_and_its_ridge_the_peak_over_it(point: Point) -> None:
    scene = draw(point, "roofline").scene
    assert near(scene.peak, point["peak_flops"].exact)
    for roof, name in zip(scene.roofs, ("hbm", "nvlink", "scaleout"), strict=True):
        assert near(roof.bandwidth, point[f"{name}_bandwidth"].exact)
        assert near(roof.ridge, point[f"ridge_{name}"].exact)


def test_a_kernel_stands_on_the_roof_of_its_own_carrier(point: Point) -> None:
    scene = draw(point, "roofline").scene
    kernels = {k.label: k for k in scene.kernels}
    product = kernels["one expert's product (HBM)"]
    assert near(product.intensity, point["expert_gemm_intensity"].exact)
    assert near(product.rate, min(point["peak_flops"].exact, point["expert_gemm_intensity"].exact * point["hbm_bandwidth"].exact))
    update = kernels["the whole update (scale-out)"]
    assert scene.roofs[update.roof].label == "scale-out"
    # FLOPs over the bytes of a carrier, over its ridge, are the time of the FLOPs over that of the bytes.
    ratio = point["compute_time"].exact / point["scaleout_time"].exact
    assert near(update.intensity / scene.roofs[update.roof].ridge, ratio)
    assert all(
        k.rate <= scene.peak and near(k.rate, min(scene.peak, k.intensity * scene.roofs[k.roof].bandwidth)) for k in scene.kernels
    )


def test_a_kernel_that_moves_no_byte_is_left_out(k3: Point) -> None:
    # Eight pipeline stages in one domain leave nothing for the scale-out network.
    point = k3.set(PP=1, EP=64, domain_ranks=512)
    assert point["scaleout_bytes_per_update"].exact == 0
    assert not any("scale-out" in k.label for k in draw(point, "roofline").scene.kernels)


def test_parts_of_a_bar_add_up_to_its_total(point: Point) -> None:
    scene = draw(point, "bytes").scene
    assert scene.axis == "TiB"
    for bar, name in zip(scene.bars, ("hbm_time", "nvlink_bytes_per_update", "scaleout_bytes_per_update"), strict=True):
        total = point[name].exact * (point["hbm_bandwidth"].exact if name == "hbm_time" else 1)
        assert near(sum(length for _, length in bar.parts), total / 2**40)


def test_a_part_is_a_summand(point: Point) -> None:
    parts = dict(draw(point, "bytes").scene.bars[1].parts)
    whole = point["M"].exact * point["stage_moe_layers"].exact * point["payload_bytes_nvlink"].exact
    assert near(parts["expert payload"], whole / 2**40)


def test_the_step_is_the_longest_bar_and_the_bubble(point: Point) -> None:
    *contest, step = draw(point, "composition").scene.rows
    assert [row.label for row in contest] == ["compute", "HBM", "NVLink", "scale-out"]
    names = ("compute_time", "hbm_time", "nvlink_time", "scaleout_time")
    for row, name in zip(contest, names, strict=True):
        assert near(row.parts[0][1], point[name].exact)
        assert row.binds == (name == point["binding_resource"].exact)
    assert near(step.parts[0][1], point["resource_time"].exact)
    assert near(step.parts[1][1], point["bubble_time"].exact)


def test_a_pinned_total_has_no_parts(k3: Point) -> None:
    point = k3.set(step_time="20 s", nvlink_bytes_per_update="1 TiB")
    assert [row.label for row in draw(point, "composition").scene.rows] == ["the step"]
    assert len(draw(point, "bytes").scene.bars[1].parts) == 1


def test_an_elasticity_is_that_of_the_sensitivity(point: Point) -> None:
    bars = draw(point, "elasticity").scene.bars
    for name, value, _ in bars:
        assert near(value, point["step_time"].sensitivity(name)[name].elasticity)
    assert [abs(v) for _, v, _ in bars] == sorted((abs(v) for _, v, _ in bars), reverse=True)


def test_what_moves_in_steps_only_is_said(k3: Point) -> None:
    assert "top_k moves it in steps only." in draw(k3.set(EP=32, domain_ranks=8, dispatch="per_domain"), "elasticity").caption


def test_curves_are_exact_at_their_points(point: Point) -> None:
    scene = draw(point, "nvlink").scene
    lines = dict(scene.lines)
    for place in (0, 7, len(scene.x) // 2, len(scene.x) - 1):
        there = point.set(nvlink_bandwidth=Fraction(scene.x[place]).limit_denominator(10**12) * 10**12)
        assert lines["step"][place] == pytest.approx(float(there["step_time"].exact), rel=1e-9)
        assert lines["NVLink"][place] == pytest.approx(float(there["nvlink_time"].exact), rel=1e-9)


def test_a_boundary_is_where_what_binds_changes(k3: Point) -> None:
    scene = draw(k3, "nvlink").scene
    ((boundary, says),) = scene.boundaries
    assert (scene.regimes, says) == (("NVLink binds", "compute binds"), "227.77 GB/s")
    at = Fraction(boundary).limit_denominator(10**15) * 10**12
    assert k3.set(nvlink_bandwidth=at * Fraction(999, 1000))["binding_resource"].exact == "nvlink_time"
    assert k3.set(nvlink_bandwidth=at * Fraction(1001, 1000))["binding_resource"].exact == "compute_time"
    assert boundary in scene.x


def test_a_map_has_the_name_that_binds_in_every_cell(point: Point) -> None:
    scene = draw(point, "regimes").scene
    labels = {"compute_time": "compute", "hbm_time": "HBM", "nvlink_time": "NVLink", "scaleout_time": "scale-out"}
    for y, row in enumerate(scene.cells):
        for x, cell in enumerate(row):
            there = point.trial(domain_ranks=2**x, EP=2**y)
            assert there.admissible == (cell >= 0)
            if cell >= 0:
                assert scene.labels[cell] == f"{labels[there['binding_resource'].exact]} binds"


def test_the_ring_is_on_the_point(k3: Point) -> None:
    assert draw(k3.set(EP=16, domain_ranks=32), "regimes").scene.here == (5, 4)
    assert draw(k3.set(EP=7, world=448, domain_ranks=56), "regimes").scene.here is None


def test_a_step_is_the_quantity_at_its_argument(k3: Point) -> None:
    scene = draw(k3, "hops").scene
    assert [(s.at, s.height, s.texts[1]) for s in scene.steps][-2:] == [(6, 12, "728 MiB"), (7, 14, "840 MiB")]
    assert {scene.shades[s.shade] for s in scene.steps} == {"hop over scale-out"}
    inside = draw(k3.set(world=128, EP=16), "hops").scene
    assert [inside.shades[s.shade] for s in inside.steps][:4] == ["hop over NVLink"] * 3 + ["hop over scale-out"]


def test_a_pipeline_of_one_stage_has_no_hop(k3: Point) -> None:
    with pytest.raises(EvaluationError, match="there is no stage from 1 to 0"):
        draw(k3.set(PP=1), "hops")


@pytest.mark.parametrize("preset", ["k3-gb200-4k", "256-gpu-2k", "64k", "kimi-k3-released"])
def test_every_picture_of_a_preset_can_be_painted(k3: Point, preset: str) -> None:
    point = k3.book.at(preset)
    for name in pictures_of(point):
        picture = draw(point, name)
        assert picture.svg().count("<text ") > 5
        assert point.label in picture.caption
        assert point.label in picture.alt
