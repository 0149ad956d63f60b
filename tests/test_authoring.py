"""The page for authors is followed from the top, on a copy of the book; `pytest --update-golden` writes its outputs anew."""

import re
import xml.etree.ElementTree as ET
from fractions import Fraction

import pytest
from followed import BLOCK, ROOT, follow, lasting, prepare

import symroof
from symroof.units import LABELS

PAGE = ROOT / "docs" / "authoring.md"
TEXT = PAGE.read_text(encoding="utf-8")
# What a program asks a book with; the rest is what authors write with.
ASKING = {"Book", "Point", "Result", "SymroofError", "load"}


@pytest.fixture(scope="module")
def followed(tmp_path_factory):
    """The folder in which the page was followed, and the page with what its commands print today."""
    folder = prepare(tmp_path_factory.mktemp("authoring"))
    return folder, follow(TEXT, folder)


def test_outputs_are_what_the_commands_print(followed, request):
    if request.config.getoption("--update-golden"):
        PAGE.write_text(followed[1], encoding="utf-8")
    assert lasting(followed[1]) == lasting(PAGE.read_text(encoding="utf-8"))


def test_the_book_that_the_page_writes_holds(followed):
    book = symroof.load(followed[0] / "book")
    point = book.at("images-h100")
    # 8,192 samples of 1,024 tokens of two bytes and two images of 100 kB, by 64 readers at 250 MB/s.
    assert point["reading_time"].exact == Fraction(8192 * (1024 * 2 + 2 * 100_000), 64 * 250_000_000)
    assert {"sample", "image"} < book.labels


def test_the_report_has_the_chapter_its_picture_its_summary_and_its_question(followed):
    text = (followed[0] / "reports" / "images-h100.md").read_text(encoding="utf-8")
    assert re.search(r"</a>\d+ Reading samples\n", text)
    for part in (
        "\nImages outweigh the text of a sample by far.\n",
        "**Reading**",
        "(pictures/images-h100/samples.svg)",
        "### Samples of half the length",
        "A sample with two images has 204 kB",
    ):
        assert part in text
    assert "Images outweigh" in (followed[0] / "reports" / "images-h100.html").read_text(encoding="utf-8")


def test_a_model_without_the_block_is_told_nothing_of_it_and_shown_what_was_measured(followed):
    text = (followed[0] / "notes" / "k3-gb200-4k--chapters--samples.md").read_text(encoding="utf-8")
    assert "Reading, one night" in text
    assert "Images" not in text
    assert "image_bytes" not in text


def test_the_lab_has_the_new_controls_models_and_machines(followed):
    page = (followed[0] / "reports" / "lab.html").read_text(encoding="utf-8")
    for name in ("sample_tokens", "reading_time", "llama-images", "small-llama", "our-h100", "64-gpu-2k"):
        assert f'"{name}"' in page
    assert ET.parse(followed[0] / "samples.svg").getroot().tag.endswith("svg")


def test_the_page_has_every_name_that_an_author_may_import():
    code = "".join(body for kind, body in BLOCK.findall(TEXT) if kind == "python")
    told = {*re.findall(r"\w+", code), *re.findall(r"`(\w+)", TEXT)}
    assert {*symroof.__all__} - ASKING - told == set()


def test_the_page_has_the_labels_of_every_book():
    listed = re.search(r"Every book has these:\n(.*?)\n\n", TEXT, re.DOTALL)
    assert listed is not None
    assert tuple(re.findall(r"`(\w+)`", listed[1])) == LABELS


def test_the_readme_names_the_page_where_it_speaks_to_authors():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "(docs/authoring.md)" in readme.partition("## Adding to the book")[2]
