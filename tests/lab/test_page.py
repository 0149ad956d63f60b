"""The page as a file: written, checked, refused; the same bytes each time, with nothing from outside."""

import json
import re
import shutil
from pathlib import Path

import pytest

import symroof
from symroof.cli import main
from symroof.errors import BookError
from symroof.lab.contents import contents
from symroof.lab.html import lab_page

FIXTURE = Path(__file__).parent.parent / "books" / "report_fixture"
LAB = """
[lab]
step = "step_time"
binding = "slowest"
headline = ["step_time"]
hold = "payload_bytes"
hold_by = ["context"]
swept = "bandwidth"
controls = [
    { title = "Run", names = ["context", "length", "EP"], list = "docs" },
    { title = "Hop", names = ["stage"], last = ["stage"] },
]
sections = [{ title = "Times", says = "Of `wire_time`.", quantities = ["wire_time", "keys"] }]

[lab.values]
context = "2^10:2^14"
stage = "1:4"
"""


@pytest.fixture(scope="session")
def page():
    return lab_page(symroof.load())


def test_it_is_written_and_then_current(tmp_path, capsys):
    file = tmp_path / "lab.html"
    assert main(["lab", "-o", str(file)]) == 0
    assert re.search(r"lab\.html: [\d,]+ bytes", capsys.readouterr().out)
    assert main(["lab", "-o", str(file), "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"file": str(file), "bytes": file.stat().st_size, "current": True}
    file.write_text(file.read_text().replace("Kimi", "Kim"))
    assert main(["lab", "-o", str(file), "--check"]) == 1
    assert capsys.readouterr().out.endswith("not current: write it with `symroof lab`\n")


def test_a_missing_file_is_not_current(tmp_path):
    assert main(["lab", "-o", str(tmp_path / "none.html"), "--check"]) == 1


@pytest.mark.parametrize("option", [["-p", "64k"], ["--set", "M=1"]])
def test_it_takes_no_preset(option, tmp_path, capsys):
    assert main(["lab", "-o", str(tmp_path / "lab.html"), *option]) == 2
    assert f"lab takes no {option[0]}" in capsys.readouterr().err
    assert not (tmp_path / "lab.html").exists()


def test_a_place_that_cannot_be_written_is_told(tmp_path, capsys):
    assert main(["lab", "-o", str(tmp_path / "no" / "lab.html")]) == 2
    assert "no/lab.html" in capsys.readouterr().err


def test_a_book_without_the_table_is_told():
    with pytest.raises(BookError, match=r"report_fixture/book\.toml has no table \[lab\]"):
        lab_page(symroof.load(FIXTURE))


def test_another_book_has_a_page_of_its_own(tmp_path):
    folder = tmp_path / "book"
    shutil.copytree(FIXTURE, folder)
    (folder / "book.toml").write_text((folder / "book.toml").read_text() + LAB)
    data, slots, predicates = contents(symroof.load(folder))
    assert data["structures"][0]["quantities"] == [slots.of(n) for n in symroof.load(folder).at().book.quantities]
    assert data["start"] == {"model": "small", "machine": "box", "run": "short"}
    assert len(predicates) == 0
    assert "A small book &amp; its 100% of $" in lab_page(symroof.load(folder))


@pytest.fixture
def with_pictures(tmp_path):
    """The page's contents of the small book with two pictures of a kind, and what its table [lab] says of them."""

    def with_pictures(says):
        folder = tmp_path / "book"
        shutil.copytree(FIXTURE, folder)
        pictures = "".join(f"[[pictures]]\nname = '{n}'\nkind = 'elasticity'\ntitle = '{n}'\nof = 'step_time'\n" for n in "ab")
        text = (folder / "book.toml").read_text() + pictures + LAB.replace("[lab.values]", f"{says}\n[lab.values]")
        (folder / "book.toml").write_text(text)
        return contents(symroof.load(folder))[0]

    return with_pictures


def test_of_two_pictures_of_a_kind_the_book_says_which_moves(with_pictures):
    assert with_pictures('pictures = ["b"]')["structures"][0]["pictures"]["elasticity"]["title"] == "b"


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("", r"\[lab\]: a and b are both of kind elasticity, of which the page moves one: name the pictures that it has"),
        ('pictures = ["c"]', r"\[lab\]: no picture 'c'"),
    ],
)
def test_pictures_that_the_page_cannot_choose_between_are_told(with_pictures, says, message):
    with pytest.raises(BookError, match=message):
        with_pictures(says)


def test_what_the_step_is_is_said_by_the_book(page, tmp_path):
    folder = tmp_path / "book"
    shutil.copytree(FIXTURE, folder)
    says = LAB.replace("[lab]", '[lab]\nsketch = "Bytes < time."')
    (folder / "book.toml").write_text((folder / "book.toml").read_text() + says)
    assert "<p>Bytes &lt; time. Not in it:</p>" in lab_page(symroof.load(folder))
    assert f"<p>{symroof.load().about['lab']['sketch']} Not in it:</p>" in page


def test_a_name_that_the_book_has_not_is_told(tmp_path):
    folder = tmp_path / "book"
    shutil.copytree(Path(symroof.load().folder), folder, ignore=shutil.ignore_patterns("__pycache__"))
    about = folder / "book.toml"
    about.write_text(about.read_text().replace('step = "step_time"', 'step = "stride_time"'))
    with pytest.raises(BookError, match=r"book/book\.toml: \[lab\]: no 'stride_time' in this book"):
        contents(symroof.load(folder))


def test_nothing_comes_from_outside(page):
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)[1]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-")
    assert not re.search(r'(?:src|href)="(?!#)', page)
    assert not re.search(r"\b(?:fetch|XMLHttpRequest|eval|import)\(|new Function|url\(", page)


def test_every_line_is_there_once(page):
    lines = re.findall(r"^\[\d+,a=>.*\],$", page, re.MULTILINE)
    assert len(lines) > 500
    assert len(lines) == len(set(lines))


def test_it_is_small(page):
    assert len(page.encode()) < 1_500_000
