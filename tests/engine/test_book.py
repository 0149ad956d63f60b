"""A folder becomes a book, or is refused with the place and the reason."""

from __future__ import annotations

import os
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import symroof
from symroof.errors import BookError, CarrierError, DefinitionError, SymroofError, UnitError, UnknownNameError
from symroof.units import LABELS


def quantity(name: str, arguments: str, formula: str, unit: str = "1") -> str:
    return f'@quantity("{unit}", ref="r")\ndef {name}({arguments}):\n    "Says."\n    return {formula}\n'


def refusal(folder: Path) -> str:
    with pytest.raises(SymroofError) as raised:
        symroof.load(folder)
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_chapters_and_names_are_in_reading_order(parcels: symroof.Book) -> None:
    assert [c.name for c in parcels.numbered] == ["counts", "times"]
    assert parcels.chapter("1").title == "Counts"
    assert parcels.chapter("times").introduction == "How long it takes."
    assert list(parcels.quantities)[:3] == ["held", "missed", "reached"]
    assert parcels.chapter_of("held").name == "counts"
    assert (parcels.title, parcels.default) == ("Parcels", "town")


def test_unknown_names_come_with_the_nearest(write_book, parcels: symroof.Book) -> None:
    assert (
        refusal(write_book(ch01="\n" + quantity("q", "sped", "sped")))
        == "book/ch01.py:4: q: unknown name 'sped'; did you mean speed?"
    )
    assert refusal(write_book(ch01="\n" + quantity("q", "zebra", "zebra"))) == "book/ch01.py:4: q: unknown name 'zebra'"
    with pytest.raises(UnknownNameError, match="no quantity or symbol 'hold'; did you mean held"):
        parcels.known("hold")
    with pytest.raises(UnknownNameError, match="no chapter 'time'; did you mean times"):
        parcels.chapter("time")
    with pytest.raises(UnknownNameError, match="no chapter '3'; chapters are counts, times"):
        parcels.chapter("3")


def test_a_constraint_and_a_stand_in_may_name_only_what_exists(write_book) -> None:
    text = '\n@constraint\ndef c(nn):\n    "Says."\n    return nn > 1\n'
    assert refusal(write_book(ch01=text)) == "book/ch01.py:4: c: unknown name 'nn'; did you mean n?"
    text = '\nlist_ = symbol("1", "says", domain=LENGTHS, instead=lambda sized, n: (sized, n))\n'
    assert refusal(write_book(ch01=text)) == "book/ch01.py:4: list_: unknown name 'sized'; did you mean size or speed?"


@pytest.mark.parametrize(
    ("text", "loop"),
    [
        (quantity("a", "a", "a"), "a -> a"),
        (quantity("a", "b", "b") + quantity("b", "a", "2 * a"), "a -> b -> a"),
        (
            quantity("z", "a", "a") + quantity("a", "b", "b") + quantity("b", "c", "c") + quantity("c", "a", "a"),
            "a -> b -> c -> a",
        ),
        (quantity("a", "a, n", "where(n > 1, a(n=n - 1), 1)"), "a -> a"),
    ],
)
def test_a_cycle_is_named_in_a_loop(write_book, text: str, loop: str) -> None:
    assert re.fullmatch(rf"book/ch01\.py:\d+: a: cycle: {loop}", refusal(write_book(ch01="\n" + text)))


def test_a_name_is_declared_once(write_book) -> None:
    twice = quantity("a", "n", "n")
    assert (
        refusal(write_book(ch01="\n" + twice, ch02="\n\n" + twice)) == "book/ch02.py:5: a is declared already at book/ch01.py:4"
    )
    assert refusal(write_book(ch01="\n" + twice + twice)) == "book/ch01.py:9: a is declared already at book/ch01.py:5"
    assert (
        refusal(write_book(ch01='\nb = symbol("1", "x")\nb: object = symbol("1", "x")\n'))
        == "book/ch01.py:5: b is declared already at book/ch01.py:4"
    )
    assert (
        refusal(write_book(ch01='\nn = symbol("1", "x")\n', ch02=""))
        == "book/symbols.py:3: n is declared already at book/ch01.py:4"
    )


def test_unit_symbols_are_reserved(write_book) -> None:
    assert refusal(write_book(ch01='\nhbm = symbol("1", "x")\n')) == "book/ch01.py:4: hbm is a reserved unit symbol"


def test_a_unit_mismatch_has_both_units_and_the_place(write_book) -> None:
    folder = write_book(ch01="\n" + quantity("q", "size, speed", "size * nvlink / speed", "byte"))
    assert refusal(folder) == "book/ch01.py:4: q: declared in byte, but its formula is in s"
    folder = write_book(ch01="\n" + quantity("q", "size, n", "size + n", "byte"))
    assert refusal(folder) == "book/ch01.py:4: q: adds byte and 1"


def test_units_of_constraints_and_arguments_are_checked_too(write_book) -> None:
    text = '\n@constraint\ndef c(size, n):\n    "Says."\n    return size <= n\n'
    assert refusal(write_book(ch01=text)) == "book/ch01.py:4: c: compares byte and 1"
    text = "\n" + quantity("q", "n", "n") + quantity("p", "q, size", "q(n=size)")
    assert refusal(write_book(ch01=text)) == "book/ch01.py:8: p: takes q at n in 1 and byte"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        (
            "size * nvlink * members",
            "size * scaleout * members",
            "declared in byte@nvlink, but its formula is in byte@scaleout",
        ),
        (
            "near_bytes / (near_speed * share)",
            "near_bytes / (far_speed * share)",
            "near_time: mixes nvlink and scaleout: ",
        ),
        ("size * nvlink * members", "size * members", "near_bytes: declared in byte@nvlink, but its formula is in byte"),
        (
            "far_bytes / far_speed",
            "far_bytes * far_bytes / far_speed / byte",
            "far_time: bytes without a carrier meet scaleout: ",
        ),
    ],
)
def test_a_swapped_carrier_is_an_error(parcels: symroof.Book, tmp_path: Path, before: str, after: str, message: str) -> None:
    folder = shutil.copytree(parcels.folder, tmp_path / "parcels")
    chapter = folder / "ch02_times.py"
    text = chapter.read_text().replace(before, after)
    text = text.replace("def near_time(near_bytes, near_speed,", "def near_time(near_bytes, near_speed, far_speed,")
    chapter.write_text(text.replace("import Max", "import byte, Max"))
    found = refusal(folder)
    assert re.match(r"parcels/ch02_times\.py:\d+: ", found)
    assert message in found


def test_a_mixed_carrier_is_its_own_kind_of_unit_error(write_book) -> None:
    with pytest.raises(CarrierError):
        symroof.load(write_book(ch01="\n" + quantity("q", "size, speed", "size * hbm / speed", "s")))
    assert issubclass(CarrierError, UnitError)


def test_an_argument_must_reach_its_quantity(write_book) -> None:
    text = "\n" + quantity("q", "n", "2 * n") + quantity("p", "q", "q(nn=3)")
    assert refusal(write_book(ch01=text)) == "book/ch01.py:8: p: q does not depend on 'nn'; did you mean n?"


def test_two_books_are_open_at_once(write_book, parcels: symroof.Book) -> None:
    other = symroof.load(write_book(ch01="\n" + quantity("held", "n", "n * 1000")))
    assert (parcels.at()["held"].exact, other.at()["held"].exact) == (12, 6000)
    again = symroof.load(parcels.folder)
    assert again.at()["held"].exact == 12
    assert again is not parcels


def test_a_book_loads_the_same_from_anywhere(parcels: symroof.Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(parcels.folder)
    for path in (".", "../engine_fixture", os.path.relpath(parcels.folder)):
        book = symroof.load(path)
        assert list(book.quantities) == list(parcels.quantities)
        assert book.folder == parcels.folder


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"ch01.py": "x = = 1"}, "book/ch01.py:1: invalid syntax"),
        ({"ch01.py": "\nraise RuntimeError('gone')"}, "book/ch01.py:2: loading it raises RuntimeError: gone"),
        (
            {"ch01.py": "from symroof import qantity"},
            "book/ch01.py:1: loading it raises ImportError: cannot",
        ),
        ({"ch01.py": "x = 1 / 0"}, "book/ch01.py:1: loading it raises ZeroDivisionError"),
        ({"ch01.py": "x = '\x00'"}, "book/ch01.py"),
        ({"book.toml": "title = = 1"}, "book.toml: Invalid value (at line 1, column 9)"),
        ({"book.toml": 'title = "x"'}, "book.toml: no default"),
        ({"book.toml": "title = 3\ndefault = 'x'"}, "book.toml: no title"),
    ],
)
def test_a_broken_file_is_named(write_book, files: dict[str, str], message: str) -> None:
    assert message in refusal(write_book(files=files))


SAMPLES = """
    @quantity("token/sample", ref="r")
    def q(n):
        "Says."
        return n
"""


def test_a_book_declares_labels_of_its_own(write_book, monkeypatch) -> None:
    monkeypatch.setattr("symroof.units._known", set(LABELS))
    about = 'title = "A book"\ndefault = "usual"\nlabels = ["sample"]'
    point = symroof.load(write_book(ch01=SAMPLES, files={"book.toml": about})).at()
    assert str(point["q"]) == "q = 6 token/sample"
    # What another book of this process declares is none of this one's.
    told = 'is no unit; did you mean name? (a label of your own goes into book/book.toml: labels = ["..."])'
    assert refusal(write_book(ch01=SAMPLES)) == f"book/ch01.py:4: q: unit 'token/sample': 'sample' {told}"


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ('"sample"', 'book/book.toml: labels is a list of words, such as ["sample"]'),
        ("[1]", 'book/book.toml: labels is a list of words, such as ["sample"]'),
        ('["sample", "GB"]', "book/book.toml: labels: 'GB' is no label: GB is a unit already"),
    ],
)
def test_labels_that_are_none_are_refused(write_book, labels: str, message: str) -> None:
    about = f'title = "A book"\ndefault = "usual"\nlabels = {labels}'
    assert refusal(write_book(files={"book.toml": about})) == message


def test_a_folder_that_is_no_book(tmp_path: Path, write_book) -> None:
    assert refusal(tmp_path / "nowhere").endswith("nowhere: no such folder")
    (tmp_path / "empty").mkdir()
    assert refusal(tmp_path / "empty").endswith("empty is no book: it has no book.toml")
    (tmp_path / "empty" / "book.toml").write_text('title = "x"\ndefault = "y"')
    assert refusal(tmp_path / "empty").endswith("empty is no book: no module in it declares anything")


def test_inputs_are_transitive(parcels: symroof.Book) -> None:
    assert parcels.inputs_of("reached") == {"reached", "groups", "missed", "members", "held", "chosen"}
    assert parcels.inputs_of("mean_house") == {"mean_house", "houses", "house", "street"}
    assert parcels.inputs_of("groups") == {"groups"}


def test_an_empty_claims_table_and_broken_claims(write_book) -> None:
    good = symroof.load(write_book(ch01="\n" + quantity("q", "n", "n / 4")))
    assert good.claims == ()
    for text, message in [
        ('[[claim]]\nsays = "x"', "claim 'x': no quantity"),
        ('[[claim]]\nsays = "x"\nquantity = "qq"\nexpect = 1\nplace = "p"', "no quantity or symbol 'qq'"),
        ('[[claim]]\nsays = "x"\nquanity = "q"', "unknown field 'quanity'; did you mean quantity?"),
        ("[[claim]", "claims.toml: Expected ']]'"),
        ('[claim]\nsays = "x"', "claims.toml: claim must be a list of tables, [[claim]]"),
        ('[[claim]]\nsays = "x"\nquantity = "q"\nexpect = "many"\nplace = "p"', "claim 'x': expect: q = 'many' is no value"),
    ]:
        book = symroof.load(write_book(ch01="\n" + quantity("q", "n", "n / 4"), files={"claims.toml": text}))
        with pytest.raises(BookError) as raised:
            _ = book.claims
        assert message in str(raised.value), text


def test_claims_are_exact_decimals(write_book) -> None:
    text = '[[claim]]\nsays = "x"\nquantity = "q"\nexpect = 1.5\nplace = "p"\nwithin = 0.1\nat = { n = 6 }'
    (claim,) = symroof.load(write_book(ch01="\n" + quantity("q", "n", "n / 4"), files={"claims.toml": text})).claims
    assert (claim.expect, claim.within) == ((Fraction(3, 2),), Fraction(1, 10))


def test_nothing_of_a_book_can_be_changed(parcels: symroof.Book) -> None:
    for mapping in (parcels.quantities, parcels.symbols, parcels.formulas, parcels.conditions, parcels.declared):
        with pytest.raises(TypeError):
            mapping["x"] = None


def test_definition_errors_are_raised_as_such(write_book) -> None:
    with pytest.raises(DefinitionError):
        symroof.load(write_book(ch01="\n" + quantity("a", "a", "a")))
