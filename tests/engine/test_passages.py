"""A text about several models says of which each passage is, and a model's book has those that are about it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import symroof
from symroof.errors import DefinitionError
from symroof.passes.passages import blocks_named, passages_about

SYMBOLS = """
    from symroof import block, symbol
    wheels = block("wheels")
    sails = block("sails")
    n = symbol("1", "things")
"""
FILES = {
    "presets/models/cart.toml": 'source = "s"\nblocks = ["wheels"]\n[values]\n',
    "presets/models/raft.toml": 'source = "s"\nblocks = []\n[values]\n',
    "presets/machines/one.toml": 'source = "s"\n[values]\n',
    "presets/usual.toml": 'model = "cart"\nmachine = "one"\nrun = "plain"\n',
}


@pytest.mark.parametrize(
    ("text", "blocks", "left"),
    [
        ("One.\n\nTwo.", set(), "One.\n\nTwo."),
        ("[a] One.\n\nTwo.", {"a"}, "One.\n\nTwo."),
        ("[a] One.\n\nTwo.", {"b"}, "Two."),
        ("[unless a] One.\n\nTwo.", {"a"}, "Two."),
        ("[unless a] One.", set(), "One."),
        ("[a, unless b] One.", {"a"}, "One."),
        ("[a, unless b] One.", {"a", "b"}, ""),
        ("[a, unless b] One.", set(), ""),
        ("[a, b] One.", {"a"}, ""),
        ("[a]\nOne\nof two lines.\n \nTwo.", {"a"}, "One\nof two lines.\n\nTwo."),
        ("One [a] two.", set(), "One [a] two."),
        ("One.\n[a] Two.", set(), "One.\n[a] Two."),
        ("[m, 2 k] One.", set(), "[m, 2 k] One."),
        ("[a][b] One.", set(), "[a][b] One."),
        ("", {"a"}, ""),
    ],
)
def test_a_passage_is_kept_where_it_is_about_the_model(text: str, blocks: set[str], left: str) -> None:
    assert passages_about(text, blocks) == left


def test_blocks_are_named_once_each_in_order() -> None:
    assert blocks_named("[b] One.\n\n[unless a, b] Two.\n\nThree [c] four.") == ("b", "a")


@given(
    st.lists(st.tuples(st.sampled_from(["", "[a] ", "[unless a] "]), st.from_regex(r"[A-Z][a-z ]{0,20}[a-z]\.", fullmatch=True)))
)
def test_every_passage_is_about_models_with_a_block_or_without_it(passages: list[tuple[str, str]]) -> None:
    text = "\n\n".join(marker + said for marker, said in passages)
    there, lacking = (passages_about(text, blocks).split("\n\n") for blocks in ({"a"}, set()))
    assert [p for p in there if p] == [said for marker, said in passages if marker != "[unless a] "]
    assert [p for p in lacking if p] == [said for marker, said in passages if marker != "[a] "]


@pytest.fixture
def introduced(write_book) -> Callable[..., Path]:
    """Writes a book of one chapter with an introduction, and returns its folder."""

    def write(introduction: str, **book: object) -> Path:
        folder: Path = write_book(values="n = 6", **book)
        chapter = '@quantity("1", ref="r")\ndef q(n):\n    "Says."\n    return n\n'
        text = f'"""Vehicles\n\n{introduction}\n"""\nfrom symroof import quantity\n{chapter}'
        (folder / "ch01_vehicles.py").write_text(text, encoding="utf-8")
        return folder

    return write


def test_the_book_of_a_model_has_its_own_introductions(introduced) -> None:
    text = "All move.\n\n[wheels] Some roll\non.\n\n[unless wheels] Some do not."
    book = symroof.load(introduced(text, symbols=SYMBOLS, files=FILES))
    assert book.at().book.chapter("1").introduction == "All move.\n\nSome roll\non."
    assert book.at("raft").book.chapter("1").introduction == "All move.\n\nSome do not."
    assert book.chapter("1").introduction == text


def test_a_passage_about_no_block_is_refused(introduced) -> None:
    folder = introduced("[unless wheel] Some do not.", symbols=SYMBOLS, files=FILES)
    with pytest.raises(DefinitionError, match="book: introduction of chapter vehicles: no block 'wheel'; did you mean wheels"):
        symroof.load(folder)


def test_brackets_are_text_in_a_book_without_blocks(introduced) -> None:
    folder = introduced("[wheels] Some roll.", symbols='from symroof import symbol\nn = symbol("1", "things")\n')
    assert symroof.load(folder).at().book.chapter("1").introduction == "[wheels] Some roll."
