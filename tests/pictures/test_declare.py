from dataclasses import dataclass
from pathlib import Path

import pytest

import symroof
from symroof.book import Book
from symroof.errors import BookError, UnknownNameError
from symroof.pictures import draw, pictures_of, steps
from symroof.pictures.declare import KINDS, declared
from symroof.pictures.reading import names_of
from symroof.point import Point

STEPS = {"name": "hops", "kind": "steps", "title": "Hops", "of": "hop_blocks", "over": "stage", "last": "EP"}

CURVES = {"name": "c", "kind": "curves", "title": "C", "of": ["wire_time"], "over": "EP"}
MAP = {"name": "m", "kind": "regimes", "title": "M", "of": "slowest", "over": {"EP": "", "n": ""}}
BARS = {"name": "e", "kind": "elasticity", "title": "E", "of": "wire_time"}
ROOFS = {"name": "r", "kind": "roofline", "title": "R", "peak": "bandwidth", "roofs": [{"label": "x", "bandwidth": "bandwidth"}]}


@pytest.fixture
def at(small: Book, monkeypatch: pytest.MonkeyPatch):
    """The small book's point with other tables of pictures."""

    def at(*tables: dict[str, object]) -> Point:
        monkeypatch.setitem(small.about, "pictures", list(tables))
        return small.at()

    return at


def test_a_picture_of_another_book(at) -> None:
    picture = draw(at(STEPS), "hops")
    assert [(s.at, s.height) for s in picture.scene.steps][:3] == [(1, 0), (2, 1), (3, 2)]
    assert picture.caption.endswith(f"At {at(STEPS).label}.")


def test_values_that_are_set_before_and_what_the_book_adds(at) -> None:
    point = at({**STEPS, "at": {"EP": 4}, "says": "Hops of a small book."})
    picture = draw(point, "hops")
    assert len(picture.scene.steps) == 4
    assert picture.caption.endswith("Hops of a small book. At tiny EP=4.")


@dataclass
class Wrong:
    table: dict[str, object]
    says: str


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong({**STEPS, "kind": "step"}, "no kind 'step'; did you mean steps?"),
        Wrong({**STEPS, "kind": "pie"}, "no kind 'pie'; kinds are roofline, stack"),
        Wrong({**STEPS, "colour": "red"}, "unknown key 'colour'"),
        Wrong({**STEPS, "lats": "EP"}, "unknown key 'lats'; did you mean last or at?"),
        Wrong({k: v for k, v in STEPS.items() if k != "last"}, "no last"),
        Wrong({k: v for k, v in STEPS.items() if k != "title"}, "no title"),
        Wrong({**STEPS, "name": "a/b"}, "a name is of letters, digits, - and _"),
        Wrong({**STEPS, "chapter": "wrk"}, "no chapter 'wrk'; did you mean work?"),
        Wrong({**STEPS, "of": "hop_block"}, "no quantity or symbol 'hop_block'; did you mean hop_blocks?"),
        Wrong({**STEPS, "last": "EP - LAST"}, "no quantity or symbol 'LAST'"),
        Wrong({**STEPS, "last": 7}, "last is a text, not 7"),
        Wrong({**STEPS, "title": ["Hops"]}, "title is a text, not ['Hops']"),
        Wrong({**STEPS, "name": 3}, "name is a text, not 3"),
        Wrong({**STEPS, "kind": ["steps"]}, "kind is a text, not ['steps']"),
        Wrong({**STEPS, "chapter": 1}, "chapter is a text, not 1"),
        Wrong({**STEPS, "at": "EP=4"}, "at is a table of values, not 'EP=4'"),
        Wrong({**STEPS, "shades": {"copies": 1}}, "shades is a table of texts, not {'copies': 1}"),
        Wrong({**CURVES, "of": "wire_time"}, "of is a list of texts, not 'wire_time'"),
        Wrong({**MAP, "over": {"EP": ""}}, "over names two symbols, not {'EP': ''}"),
        Wrong({**MAP, "over": ["EP", "n"]}, "over is a table of texts, not ['EP', 'n']"),
        Wrong({**BARS, "hold": "EP"}, "hold is a table, not 'EP'"),
        Wrong({**BARS, "hold": {"quantity": "copies"}}, "hold: no by"),
        Wrong({**BARS, "hold": {"quantity": "copies", "by": "EP", "to": 1}}, "hold: unknown key 'to'"),
        Wrong({**ROOFS, "roofs": {"label": "x"}}, "roofs is a list of tables, not {'label': 'x'}"),
        Wrong({**ROOFS, "roofs": [{"label": "x"}]}, "roofs 1: no bandwidth"),
        Wrong({**ROOFS, "roofs": ["bandwidth"]}, "roofs 1 is a table, not 'bandwidth'"),
        Wrong({**ROOFS, "kernels": [{"label": "x"}]}, "kernels 1: no intensity, or flops and bytes"),
        Wrong({**ROOFS, "kernels": [{"label": "x", "intensity": "1"}, {"label": "y", "flops": "1"}]}, "kernels 2: no intensity"),
    ],
    ids=lambda wrong: wrong.says,
)
def test_a_table_that_is_none_is_refused(at, wrong: Wrong) -> None:
    with pytest.raises(BookError) as error:
        pictures_of(at(wrong.table))
    assert str(error.value).startswith(f"report_fixture/book.toml: picture {str(wrong.table['name'])!r}: {wrong.says}")


@pytest.mark.parametrize(
    "wrong",
    [
        Wrong({**STEPS, "last": "EP -"}, "the text ends where"),
        Wrong({**CURVES, "of": ["wire_time", "copies"]}, "curves of one picture have one unit"),
        Wrong(
            {
                "name": "s",
                "kind": "stack",
                "title": "S",
                "bars": [{"label": "a", "total": "wire_time"}, {"label": "b", "total": "copies"}],
            },
            "bars of one picture have one unit",
        ),
    ],
    ids=lambda wrong: wrong.says,
)
def test_a_table_that_cannot_be_read_is_refused(at, wrong: Wrong) -> None:
    with pytest.raises(BookError, match=wrong.says):
        draw(at(wrong.table), str(wrong.table["name"]))


@pytest.mark.parametrize("pictures", [{"name": "hops"}, "hops", ["hops"]], ids=str)
def test_pictures_that_are_no_tables(small: Book, monkeypatch: pytest.MonkeyPatch, pictures: object) -> None:
    monkeypatch.setitem(small.about, "pictures", pictures)
    with pytest.raises(BookError, match=r"book\.toml: pictures are tables, each \[\[pictures\]\]"):
        pictures_of(small.at())


@pytest.mark.parametrize("mistake", [KeyError, AttributeError, TypeError])
def test_a_mistake_of_the_engine_is_not_blamed_on_the_book(at, monkeypatch: pytest.MonkeyPatch, mistake: type[Exception]) -> None:
    def gather(*_: object) -> None:
        raise mistake("in the engine")

    monkeypatch.setattr(steps, "gather", gather)
    with pytest.raises(mistake, match="in the engine"):
        draw(at(STEPS), "hops")


def test_a_name_that_is_used_twice(at) -> None:
    with pytest.raises(BookError, match="picture 'hops': there is another one of this name"):
        pictures_of(at(STEPS, STEPS))


def test_a_picture_that_there_is_not(at) -> None:
    with pytest.raises(UnknownNameError, match=r"no picture 'hop'; did you mean hops\?"):
        draw(at(STEPS), "hop")
    with pytest.raises(UnknownNameError, match=r"no picture 'xyz'; pictures are hops"):
        draw(at(STEPS), "xyz")


def test_a_book_without_pictures_has_none() -> None:
    sound = symroof.load(Path(__file__).parents[1] / "books" / "sound")
    assert pictures_of(sound.at()) == ()


def test_every_kind_is_used_by_the_carried_book(book: Book) -> None:
    assert {t["kind"] for t in declared(book).values()} == set(KINDS)


def test_a_model_that_lacks_a_block_lacks_its_pictures(book: Book) -> None:
    point = book.at("llama31-8b+gb200-nvl72+64-gpu-4k")
    assert "hops" not in pictures_of(point)
    assert {"composition", "bytes", "roofline", "schedule"} <= set(pictures_of(point))
    with pytest.raises(
        UnknownNameError, match=r"picture hops shows outgoing_blocks, which llama31-8b.* does not have; its pictures are "
    ):
        draw(point, "hops")
    assert not any("expert" in k.label for k in draw(point, "roofline").scene.kernels)


def test_names_are_found_in_formulas() -> None:
    assert names_of("(3 + checkpoint) / 3 * PP") == ["checkpoint", "PP"]
