import shutil
from pathlib import Path

import pytest

import symroof
from symroof.book import Book
from symroof.errors import BookError, UnknownNameError
from symroof.report.model import QuantityReport, Report, report


@pytest.fixture(scope="module")
def described(small_book: Book) -> Report:
    return report(small_book.at())


def quantity(described: Report, name: str) -> QuantityReport:
    return next(q for c in described.chapters for q in c.quantities if q.entry.name == name)


def test_given_values_have_their_source(described: Report) -> None:
    run = next(o for o in described.given if o.name == "short")
    assert run.source == "made up"
    assert {g.entry.name: g.source for g in run.values} == {"EP": "chosen", "context": "", "length": ""}


def test_conventions_show_every_choice(described: Report) -> None:
    (counting,) = described.conventions
    assert counting.choice == "half"
    assert counting.values.columns == ("half", "full")
    assert counting.values.rows == (("keys", ("512 key/token", "1,024 key/token")),)


def test_a_quantity_has_value_exact_value_source_and_names(described: Report) -> None:
    payload = quantity(described, "payload_bytes")
    assert payload.entry.value == "56 MiB@nvlink"
    assert payload.exact == "58,720,256 byte@nvlink"
    assert payload.uses == ("copies", "row_bytes", "context")
    assert quantity(described, "copies").exact == ""
    assert quantity(described, "keys").paragraphs == ("The second paragraph says more, with 10^6 reasons.",)


def test_closed_form_is_shown_where_it_says_more(described: Report) -> None:
    assert r"= S\, \mathrm{row\_bytes}\, k" in quantity(described, "payload_bytes").math
    assert quantity(described, "copies").math.count("=") == 3


def test_a_missing_symbol_is_named_and_tabulated(described: Report) -> None:
    hops = quantity(described, "hop_blocks")
    assert (hops.entry.value, hops.missing) == (None, ("stage",))
    assert hops.table is not None
    assert hops.table.columns == ("1", "2", "3", "4")
    assert hops.table.rows == (("hop_blocks", ("0", "1", "2", "2")),)
    assert quantity(described, "observed_ratio").missing == ("observed",)
    assert quantity(described, "observed_ratio").table is None


def test_lists_show_what_stands_in_for_them(described: Report, small_book: Book) -> None:
    assert next(e.value for e in described.symbols if e.name == "docs") == "4 x 1,024 token"
    listed = report(small_book.at(docs=[1024, 1024, 2048]))
    assert next(e.value for e in listed.symbols if e.name == "docs") == "2 x 1,024 + 2,048 token"
    assert next(e.value for e in listed.symbols if e.name == "length") is None


def test_claims_are_evaluated_at_the_default(described: Report, small_book: Book) -> None:
    claims = described.chapters[0].claims
    assert [c.holds for c in claims] == [True, True, False]
    assert (claims[1].claimed, claims[1].origin) == ("0, 1, 2, 2", "computed")
    assert (claims[2].claimed, claims[2].derived, claims[2].over) == ("3", "1.16667", "EP = 4")
    other = report(small_book.at(EP=4))
    assert other.chapters[0].claims == claims
    assert (described.claims_label, other.claims_label) == ("", "tiny")


def test_measurements_stand_at_their_own_values(described: Report) -> None:
    (run,) = described.chapters[1].measurements
    assert run.label == "tiny observed=10 ms"
    assert run.table.columns == ("value", "EP = 4")
    assert run.table.rows[1] == ("step_time", ("65.245 µs", "55.924 µs"))


def test_differences_show_both_values(described: Report) -> None:
    assert [row[1] for _, row in described.differences[0].rows] == ["512 key/token", "1,024 key/token"]


def test_pinned_quantity_says_so(small_book: Book) -> None:
    pinned = report(small_book.at(copies="3/2"))
    assert pinned.pins == ("copies",)
    assert quantity(pinned, "copies").set_here
    assert quantity(pinned, "copies").math == r"\rho = 1.5\,\mathrm{copy/token}"


def test_some_chapters(small_book: Book) -> None:
    assert [c.name for c in report(small_book.at(), ["2"]).chapters] == ["seen"]
    assert [c.name for c in report(small_book.at(), ["seen", "work"]).chapters] == ["work", "seen"]
    assert "copies" not in report(small_book.at(), ["seen"]).names
    with pytest.raises(UnknownNameError, match="did you mean seen"):
        report(small_book.at(), ["sean"])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("subtitel = 'x'", "unknown key 'subtitel'; did you mean subtitle"),
        ("[[summary]]\ntitle = 'x'", "summary: no quantities"),
        ("[[summary]]\ntitle = 'x'\nquantities = ['copy']", "summary: no quantity or symbol 'copy'; did you mean copies"),
        ("[[differences]]\ntitle = 'x'\nsays = 'y'\nrow = []", "unknown key 'row'; did you mean rows"),
    ],
)
def test_book_toml_is_refused(tmp_path: Path, small_book: Book, line: str, message: str) -> None:
    folder = tmp_path / "book"
    shutil.copytree(small_book.folder, folder)
    (folder / "book.toml").write_text(f"title = 'x'\ndefault = 'tiny'\n{line}\n", encoding="utf-8")
    with pytest.raises(BookError, match=message):
        report(symroof.load(folder).at())


def test_without_sections_a_report_is_only_shorter(tmp_path: Path, small_book: Book) -> None:
    folder = tmp_path / "book"
    shutil.copytree(small_book.folder, folder)
    (folder / "book.toml").write_text("title = 'x'\ndefault = 'tiny'\n", encoding="utf-8")
    bare = report(symroof.load(folder).at())
    assert (bare.summary, bare.leaves_out, bare.differences) == ((), (), ())
