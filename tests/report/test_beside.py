import os
import re
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof.beside import Beside
from symroof.book import Book
from symroof.errors import SymroofError, UnknownNameError
from symroof.point import Point

SMALL = Path(__file__).parents[1] / "books" / "report_fixture"


@pytest.fixture(scope="session")
def small() -> Book:
    return symroof.load(SMALL)


@pytest.fixture(autouse=True)
def importable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process imports what it is asked for."""
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2]))


def where(point: Point) -> tuple[int, str]:
    return os.getpid(), point.label


def values(point: Point, *names: str) -> list[object]:
    return [point[name].exact for name in names]


def noisy(point: Point) -> str:
    print("what a formula prints")
    return point.preset


def end(point: Point) -> None:
    os._exit(3)


def wait(point: Point) -> None:
    time.sleep(600)


def test_answers_come_from_another_process_in_order(small: Book) -> None:
    point = small.at(EP=4, counting="full")
    names = ("keys", "copies", "step_time")
    with Beside(point, [(where, ()), (values, names), (noisy, ())]) as beside:
        process, label = beside.take()
        assert process != os.getpid()
        assert label == point.label
        assert beside.take() == values(point, *names)
        assert beside.take() == point.preset


def test_a_model_without_blocks_is_the_same_model_there() -> None:
    point = symroof.load().at("llama31-8b")
    with Beside(point, [(values, ("stored_parameters", "step_time"))]) as beside:
        assert beside.take() == values(point, "stored_parameters", "step_time")


def test_an_error_is_raised_where_its_answer_is_taken(small: Book) -> None:
    with Beside(small.at(), [(values, ("key",)), (values, ("keys",))]) as beside:
        with pytest.raises(UnknownNameError, match=r"no quantity or symbol 'key'; did you mean keys"):
            beside.take()
        assert beside.take() == values(small.at(), "keys")


def test_a_process_that_ends_is_reported(small: Book) -> None:
    with (
        Beside(small.at(), [(end, ())]) as beside,
        pytest.raises(SymroofError, match="a process that worked out a part of this ended with status 3"),
    ):
        beside.take()


def test_a_process_is_ended_where_its_answers_are_not_taken(small: Book) -> None:
    with Beside(small.at(), [(wait, ())]) as beside:
        process = beside._process
    assert process is not None
    assert process.poll() is not None


@pytest.mark.parametrize("executable", ["", "no-such-python", None])
def test_without_a_process_answers_are_worked_out_here(small: Book, monkeypatch: pytest.MonkeyPatch, executable: Any) -> None:
    monkeypatch.setattr("sys.executable", executable)
    with Beside(small.at(), [(where, ())]) as beside:
        assert beside.take() == (os.getpid(), "tiny")


def test_a_book_whose_files_have_changed_is_not_read_again(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(SMALL, tmp_path / "book"))
    point = symroof.load(folder).at()
    before = values(point, "copies")
    (chapter,) = (f for f in folder.glob("*.py") if "def copies" in f.read_text(encoding="utf-8"))
    text = chapter.read_text(encoding="utf-8")
    chapter.write_text(re.sub(r"return top_k \* .*", "return top_k * 7", text), encoding="utf-8")
    later = time.time() + 10
    os.utime(chapter, (later, later))
    assert point.book.changed
    with Beside(point, [(values, ("copies",)), (where, ())]) as beside:
        assert beside.take() == before
        assert beside.take()[0] == os.getpid()
    assert values(symroof.load(folder).at(), "copies") != before


def test_nothing_is_started_where_nothing_is_asked(small: Book) -> None:
    with Beside(small.at(), []) as beside:
        assert beside._process is None
