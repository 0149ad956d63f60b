import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

import symroof
from symroof.beside import Beside
from symroof.errors import RequestError
from symroof.pictures import draw, painter, pictures_of
from symroof.pictures.declare import KINDS, declared
from symroof.pictures.picture import marked, standing
from symroof.point import Point

NAMES = pictures_of(symroof.load().at())
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=NAMES)
def svg(k3: Point, request: pytest.FixtureRequest) -> str:
    return draw(k3, request.param).svg()


def test_the_default_has_a_picture_of_every_kind(k3: Point) -> None:
    assert {declared(k3.book)[name]["kind"] for name in NAMES} == {*KINDS}


def test_svg_is_well_formed_and_names_itself(svg: str) -> None:
    root = ET.fromstring(svg)
    assert root.tag == f"{SVG}svg"
    assert root.get("role") == "img"
    named = {e.get("id"): e.text for e in root if e.tag in (f"{SVG}title", f"{SVG}desc")}
    assert list(named) == root.get("aria-labelledby").split()
    assert all(named.values())


def test_svg_may_stand_in_a_page_beside_others(svg: str) -> None:
    root = ET.fromstring(svg)
    ids = Counter(e.get("id") for e in root.iter() if e.get("id"))
    prefix = root.get("aria-labelledby").partition("-title")[0]
    assert max(ids.values()) == 1
    assert all(i.startswith(f"{prefix}-") for i in ids)
    assert {u.strip("#") for u in re.findall(r"url\((#[^)]+)\)", svg)} <= set(ids)
    assert {u.strip("#") for u in re.findall(r'href="(#[^"]+)"', svg)} <= set(ids)
    assert re.search(r"[^ ]\*\{|^\*\{", svg) is None
    assert "<script" not in svg


def test_svg_has_its_text_as_text_on_paper_of_its_own(svg: str) -> None:
    root = ET.fromstring(svg)
    texts = ["".join(e.itertext()) for e in root.iter(f"{SVG}text")]
    assert root.find(f"{SVG}title").text in texts
    assert "fill: #ffffff" in svg
    assert "'DejaVu Sans', Verdana" in svg


def test_no_text_leaves_the_picture(svg: str) -> None:
    root = ET.fromstring(svg)
    width, height = (float(root.get(k).removesuffix("pt")) for k in ("width", "height"))
    for text in root.iter(f"{SVG}text"):
        x, y = (
            map(float, re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", text.get("transform")).groups())
            if "translate" in (text.get("transform") or "")
            else (float(text.get("x")), float(text.get("y")))
        )
        assert 0 <= x <= width
        assert 0 <= y <= height


def test_bytes_are_always_the_same(k3: Point) -> None:
    for name in ("roofline", "regimes"):
        one, other = (draw(k3, name) for _ in range(2))
        assert one.svg() == other.svg()
        assert one.pdf() == other.pdf()


def test_another_process_paints_the_same_bytes(k3: Point) -> None:
    names = ("hops", "elasticity")
    pictures = [draw(k3, name) for name in names]
    with Beside(k3, [(painter.gathered, (names,)), (painter.painted, (names, ("svg", "pdf"), None))]) as beside:
        gathered, painted = beside.take(), beside.take()
    assert gathered == dict(zip(names, pictures, strict=True))
    assert painted == [(p.name, form, data) for p in pictures for form, data in (("svg", p.svg().encode()), ("pdf", p.pdf()))]


@pytest.mark.parametrize("form", ["svg", "pdf"])
def test_a_file_is_known_again_only_where_it_is_the_whole_picture(k3: Point, tmp_path: Path, form: str) -> None:
    picture, file = draw(k3, "hops"), tmp_path / f"hops.{form}"
    assert standing(picture, form, None) is None
    assert standing(picture, form, tmp_path) is None
    whole = marked(picture, form, b"what was painted\n")
    file.write_bytes(whole)
    assert standing(picture, form, tmp_path) == b"what was painted\n"
    assert standing(replace(picture, title="another"), form, tmp_path) is None
    assert standing(draw(k3.set(hidden=3584), "hops"), form, tmp_path) is None
    for other in (b"", whole[9:], whole[:-1], whole.replace(b"was", b"is"), whole + b" "):
        file.write_bytes(other)
        assert standing(picture, form, tmp_path) is None


def test_a_file_of_another_painter_is_not_known_again(k3: Point, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = draw(k3, "hops")
    (tmp_path / "hops.svg").write_bytes(marked(picture, "svg", b"<svg/>"))
    assert standing(picture, "svg", tmp_path) == b"<svg/>"
    monkeypatch.setattr("symroof.pictures.picture._painters", lambda: ("0.1", ""))
    assert standing(picture, "svg", tmp_path) is None


def test_nothing_says_when_or_with_what_it_was_made(k3: Point) -> None:
    picture = draw(k3, "hops")
    assert picture.pdf().startswith(b"%PDF-1.4")
    for trace in ("Date", "Creator", "Producer", "Matplotlib"):
        assert trace not in picture.svg()
        assert trace.encode() not in picture.pdf()


def test_settings_of_the_reader_change_nothing_and_are_not_changed(k3: Point) -> None:
    import matplotlib

    picture = draw(k3, "hops")
    before = picture.svg()
    with matplotlib.rc_context({"font.size": 30, "axes.grid": True, "svg.fonttype": "path"}):
        held = dict(matplotlib.rcParams)
        assert picture.svg() == before
        assert dict(matplotlib.rcParams) == held


def test_gathering_loads_no_matplotlib_and_painting_no_pyplot() -> None:
    code = (
        "import sys, symroof\n"
        "from symroof.pictures import draw\n"
        "picture = draw(symroof.load().at(), 'hops')\n"
        "assert 'matplotlib' not in sys.modules\n"
        "assert 'sympy' not in sys.modules\n"
        "picture.svg()\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_without_matplotlib_a_picture_says_what_to_install(k3: Point, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = draw(k3, "hops")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    for paint in (picture.svg, picture.pdf, picture._repr_svg_):
        with pytest.raises(
            RequestError, match=r"^a picture needs Matplotlib, which is not installed: pip install 'symroof\[plot\]'$"
        ):
            paint()


def test_a_notebook_shows_a_picture(k3: Point) -> None:
    picture = draw(k3, "hops")
    assert picture._repr_svg_() == picture.svg()
    assert repr(picture).startswith("<AttnRes blocks that leave each stage: Bars of outgoing_blocks: stage 1: 2, 168 MiB,")
