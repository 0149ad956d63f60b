import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from symroof.book import Book
from symroof.cli import main
from symroof.pictures import draw, pictures_of
from symroof.pictures.picture import Picture, marked
from symroof.report.write import report_files, stale_files, write_report

FORMATS = ("md", "tex")


@pytest.fixture(scope="session")
def written(book: Book, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the whole report."""
    folder = tmp_path_factory.mktemp("reports")
    write_report(book.at(), folder, FORMATS)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(written, tmp_path / "reports"))


def test_every_picture_is_a_file_of_each_form(book: Book, written: Path) -> None:
    names = {p.name for p in (written / "pictures" / "k3-gb200-4k").iterdir()}
    assert names == {f"{name}.{form}" for name in pictures_of(book.at()) for form in ("svg", "pdf")}


def test_files_are_what_draw_gives(book: Book, written: Path) -> None:
    picture, files = draw(book.at(), "hops"), written / "pictures" / "k3-gb200-4k"
    assert (files / "hops.svg").read_bytes() == marked(picture, "svg", picture.svg().encode())
    assert (files / "hops.pdf").read_bytes() == marked(picture, "pdf", picture.pdf())


def test_a_picture_that_stands_there_is_not_painted_and_another_one_is(
    book: Book, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Without a process all is done here, where it can be seen.
    monkeypatch.setattr("symroof.beside._started", lambda: None)
    painted: list[str] = []
    paint = Picture._paint
    monkeypatch.setattr(Picture, "_paint", lambda self, forms: painted.append(self.name) or paint(self, forms))
    files = folder / "pictures" / "k3-gb200-4k"
    before = {path: path.read_bytes() for path in files.iterdir()}
    write_report(book.at(), folder, FORMATS)
    assert painted == []
    (files / "hops.svg").write_bytes(before[files / "hops.svg"].replace(b"840", b"841"))
    (files / "bytes.pdf").unlink()
    write_report(book.at(), folder, FORMATS)
    assert painted == ["bytes", "hops"]
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_texts_show_every_picture_in_its_chapter_with_caption_and_alternative(book: Book, written: Path) -> None:
    markdown, latex = ((written / f"k3-gb200-4k.{form}").read_text(encoding="utf-8") for form in FORMATS)
    shown = re.findall(r"!\[([^\]]*(?:\\\][^\]]*)*)\]\((pictures/k3-gb200-4k/(\w+)\.svg)\)", markdown)
    assert [name for _, _, name in shown] == list(pictures_of(book.at()))
    assert all(alt for alt, _, _ in shown)
    assert all((written / path).is_file() for _, path, _ in shown)
    assert re.findall(r"\\drawing\{pictures/k3-gb200-4k/(\w+)\.pdf\}", latex) == list(pictures_of(book.at()))
    chapter = markdown[markdown.index('id="chapter-roofs"') : markdown.index('id="chapter-shape"')]
    assert "roofline.svg" in chapter
    assert "The flat roof is the peak" in chapter


def test_some_chapters_have_their_pictures_alone(book: Book) -> None:
    (text,) = report_files(book.at(), ["md"], ["roofs", "bubble"]).values()
    assert re.findall(r"/(\w+)\.svg", text) == ["roofline", "schedule"]


def test_a_picture_that_cannot_be_says_why(book: Book) -> None:
    for form in FORMATS:
        (text,) = report_files(book.at(PP=1), [form], ["pp_packet"]).values()
        assert re.search(r"No picture .*AttnRes blocks that leave each stage.* here: there is no .*stage.* from 1 to 0", text)


def test_a_picture_that_is_missing_changed_or_unknown_is_stale(book: Book, folder: Path) -> None:
    point, files = book.at(), folder / "pictures" / "k3-gb200-4k"
    assert stale_files(point, folder, FORMATS) == {}
    (files / "hops.svg").unlink()
    (files / "hops.pdf").write_bytes(b"%PDF")
    (files / "old.svg").write_text("<svg/>", encoding="utf-8")
    where = "pictures/k3-gb200-4k"
    assert stale_files(point, folder, FORMATS) == {
        f"{where}/hops.svg": f"{files / 'hops.svg'} is missing",
        f"{where}/hops.pdf": f"{files / 'hops.pdf'} is another picture than the one that is derived",
        f"{where}/old.svg": f"{files / 'old.svg'} is no picture of this report: delete it",
    }
    (files / "old.svg").unlink()
    # The other form's files belong to the other format.
    assert set(stale_files(point, folder, ["md"])) == {f"{where}/hops.svg"}


def test_the_command_checks_pictures(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    svg = folder / "pictures" / "k3-gb200-4k" / "hops.svg"
    svg.write_text(svg.read_text(encoding="utf-8").replace("840", "841"), encoding="utf-8")
    assert main(["report", "--check", "-o", str(folder), "--format", "md,tex"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{svg} is another picture than the one that is derived",
        f"not current: {svg}",
    ]


def test_without_matplotlib_a_report_has_no_pictures_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    command = ["report", "-o", str(tmp_path), "--format", "md,tex"]
    assert main(command) == 0
    note = "symroof: pictures are {}, because Matplotlib is not installed: pip install 'symroof[plot]'\n"
    assert capsys.readouterr().err == note.format("left out")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k3-gb200-4k.md", "k3-gb200-4k.tex"]
    assert "pictures/" not in (tmp_path / "k3-gb200-4k.md").read_text(encoding="utf-8")
    assert main([*command, "--check"]) == 0
    assert capsys.readouterr().err == note.format("not checked")


def test_without_matplotlib_a_check_looks_at_all_but_pictures(book: Book, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    shutil.rmtree(folder / "pictures")
    assert stale_files(book.at(), folder, FORMATS) == {}
    text = folder / "k3-gb200-4k.md"
    text.write_text(text.read_text(encoding="utf-8").replace("12.309 s", "12.308 s"), encoding="utf-8")
    difference = stale_files(book.at(), folder, FORMATS)["k3-gb200-4k.md"]
    changed = [line for line in difference.splitlines()[2:] if line.startswith(("+", "-")) and line[1:]]
    assert changed
    assert all("12.30" in line for line in changed)


def test_a_reports_pictures_are_set_by_pdflatex(written: Path, tmp_path: Path) -> None:
    program = shutil.which("pdflatex")
    if program is None:
        pytest.skip("pdflatex is not installed")
    folder = Path(shutil.copytree(written, tmp_path / "tex"))
    done = subprocess.run(
        [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "k3-gb200-4k.tex"],
        cwd=folder, capture_output=True, timeout=120, check=False,
    )  # fmt: skip
    log = (folder / "k3-gb200-4k.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-3000:]
    assert log.replace("\n", "").count("<use pictures/") + log.replace("\n", "").count("File: pictures/") >= 9
    assert "PDF inclusion" not in log
