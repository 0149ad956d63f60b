import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import Counter

import pytest

from symroof.errors import RequestError, SymroofError
from symroof.pictures import draw, pictures_of
from symroof.pictures.painter import Painter
from symroof.point import Point

NAMES = ("composition", "bytes", "roofline", "schedule", "hops", "elasticity", "nvlink", "microbatches", "regimes")
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(params=NAMES)
def svg(k3: Point, request: pytest.FixtureRequest) -> str:
    return draw(k3, request.param).svg()


def test_the_default_has_every_picture(k3: Point) -> None:
    assert pictures_of(k3) == NAMES


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
    pictures = [draw(k3, name) for name in ("hops", "elasticity")]
    with Painter() as painter:
        for picture in pictures:
            painter.paint(picture, ("svg", "pdf"))
        painted = painter.take()
    assert painted == [(p.name, form, data) for p in pictures for form, data in (("svg", p.svg().encode()), ("pdf", p.pdf()))]


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


def test_a_process_that_cannot_paint_is_reported(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("symroof.pictures.painter._START", "import sys; sys.stdin.read(); sys.exit(3)")
    with Painter() as painter, pytest.raises(SymroofError, match="could not be painted: their process ended with status 3"):
        painter.take()


def test_a_painter_that_is_left_ends(k3: Point) -> None:
    with Painter() as painter:
        process = painter._process
    assert process.poll() is not None
