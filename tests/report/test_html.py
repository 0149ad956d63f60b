import base64
import hashlib
import json
import re
from collections.abc import Callable
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.book import Book
from symroof.humane import Shown, humane
from symroof.report.html import html_text, sound, without_pictures
from symroof.report.scales import scales
from symroof.report.write import report_files, stale_files, standing_formats, write_report
from symroof.units import parse_unit

LARGEST = 3_000_000
VOID = {"meta", "input", "br", "link", "img", "hr"}


class Page(HTMLParser):
    """The elements of a page, each with its attributes, and a complaint for each that is not closed where it was opened."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.complaints: list[str] = []
        self.texts: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(text)
        self.complaints += [f"<{tag}> is not closed" for tag in self._open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {k: v or "" for k, v in attrs}))

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.complaints.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open[-1]] = self.texts.get(self._open[-1], "") + data

    def all(self, attribute: str) -> list[str]:
        return [found[attribute] for _, found in self.elements if attribute in found]


def _html(book: Book, **values: object) -> str:
    (text,) = report_files(book.at().set(**values), ["html"]).values()
    return text


@pytest.fixture(scope="module")
def whole(book: Book) -> str:
    return _html(book)


@pytest.fixture(scope="module", params=["small", "whole"])
def text(request: pytest.FixtureRequest, small_book: Book) -> str:
    return _html(small_book) if request.param == "small" else request.getfixturevalue("whole")


@pytest.fixture(scope="module")
def page(text: str) -> Page:
    return Page(text)


def test_golden(small_book: Book, golden: Callable[[str, str], None]) -> None:
    body = _html(small_book)
    golden("report.html", body[body.index("<body>") : body.index("<script>")])


def test_every_element_is_closed(page: Page) -> None:
    assert page.complaints == []


def test_every_id_is_there_once(page: Page) -> None:
    ids = page.all("id")
    assert len(ids) == len(set(ids))


def test_every_link_and_every_mark_leads_to_an_entry(page: Page) -> None:
    ids = set(page.all("id"))
    assert {h[1:] for h in page.all("href")} <= ids
    assert set(page.all("data-n")) <= ids
    for attribute in ("aria-labelledby", "aria-controls"):
        assert {i for value in page.all(attribute) for i in value.split()} <= ids


def test_every_name_has_an_entry(book: Book, whole: str) -> None:
    entries = {a["id"] for _, a in Page(whole).elements if "entry" in a.get("class", "").split()}
    known = book.at().book
    assert entries == {*known.symbols, *known.conventions, *known.quantities}


def test_nothing_is_loaded_and_nothing_runs_but_its_own_script(text: str, page: Page) -> None:
    assert all(h.startswith("#") for h in page.all("href"))
    assert page.all("src") == []
    assert not [name for _, found in page.elements for name in found if name.startswith("on")]
    assert not re.search(r"@import|url\((?!#)", text)
    (policy,) = (a["content"] for t, a in page.elements if a.get("http-equiv") == "Content-Security-Policy")
    script = text[text.rindex("<script>") + len("<script>") : text.rindex("</script>")]
    assert f"script-src 'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" in policy
    assert "default-src 'none'" in policy


def test_no_latex_and_no_template_is_left(text: str) -> None:
    content = text[text.index("<main") : text.index("</main>")]
    assert not re.search(r"\\[A-Za-z]{2,}|\{[{%]|\N{OBJECT REPLACEMENT CHARACTER}", content)


def test_every_value_that_changes_has_its_texts(text: str, page: Page) -> None:
    rows = json.loads(re.search(r'id="ui-scales">(.*?)</script>', text)[1])
    assert {int(v) for v in page.all("data-v")} == set(range(len(rows)))
    for *texts, rounded in rows:
        assert len(texts) == 4
        assert len(set(texts)) > 1
        assert set(rounded) <= set(range(4))


def test_the_first_text_of_a_value_is_the_one_that_is_shown(text: str) -> None:
    rows = json.loads(re.search(r'id="ui-scales">(.*?)</script>', text)[1])
    places = re.findall(r'<span class="v" data-v="(\d+)">([^<]*)</span>', text)
    assert places
    assert all(html_text(rows[int(number)][0]) == shown for number, shown in places)


def test_the_whole_book_is_below_three_megabytes(whole: str) -> None:
    assert len(whole.encode()) < LARGEST


def test_texts_are_the_same_every_time(book: Book, whole: str) -> None:
    assert _html(book) == whole


def test_a_name_says_where_it_is_used(small_book: Book) -> None:
    text = _html(small_book)
    entry = text[text.index('id="copies"') : text.index("</section>", text.index('id="copies"'))]
    assert re.search(r'<dt>used by</dt><dd class="used list"><a href="#\w+">', entry)


def test_a_given_quantity_shows_no_definition(small_book: Book) -> None:
    text = _html(small_book, copies=3)
    entry = text[text.index('id="copies"') : text.index("</section>", text.index('id="copies"'))]
    assert "given, its definition is not used" in entry
    assert '<template class="def"></template>' in entry
    assert "<summary>derivation</summary>" not in entry


def test_a_derivation_goes_on_at_the_entry_of_a_name(whole: str) -> None:
    trees = re.findall(r'<ul class="tree">(.*?)</ul></details>\n', whole, re.DOTALL)
    cut = {
        name
        for tree in trees
        for name in re.findall(r'href="#(\w+)">[^<]*</a>[^<]*(?:<span[^>]*>[^<]*</span>)? <small>derived', tree)
    }
    assert cut
    for name in cut:
        entry = whole[whole.index(f'<section class="entry" id="{name}"') :]
        assert '<ul class="tree">' in entry[: entry.index("</section>")], name


def test_a_page_without_its_pictures() -> None:
    assert without_pictures('a\n<figure class="picture">\n<svg></svg>\n</figure>\nb\n') == "a\nb\n"


@given(st.text())
def test_text_is_text(text: str) -> None:
    shown = html_text(text)
    assert shown.isprintable()
    assert not re.search(r"[<>\"']", shown)


@pytest.mark.parametrize(
    ("tex", "typed"), [(r"\rho_{\mathrm{gpu}}", "rho gpu"), (r"\hat F_N", "hat F N"), (r"\mathrm{EP}", "EP")]
)
def test_a_symbol_as_it_is_typed(tex: str, typed: str) -> None:
    assert sound(tex) == typed


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (840 * 2**20, "byte", ("840 MiB", "880,803,840 byte", "880.8 MB", "840 MiB", (2,))),
        (
            9 * 10**11,
            "byte@nvlink/s",
            ("900 GB@nvlink/s", "900,000,000,000 byte@nvlink/s", "900 GB@nvlink/s", "838.19 GiB@nvlink/s", (3,)),
        ),
        (64, "rank", ("64 rank",) * 4 + ((),)),
        (Fraction(1, 3), "1", ("0.33333", "1/3", "0.33333", "0.33333", (0, 2, 3))),
        (0, "byte", ("0 byte",) * 4 + ((),)),
    ],
)
def test_scales(value: int | Fraction, unit: str, expected: tuple[object, ...]) -> None:
    assert tuple(scales(Fraction(value), unit)) == expected


def test_an_exact_value_that_nobody_reads_is_rounded_and_says_so() -> None:
    found = scales(Fraction(2, 3) ** 60, "s")
    assert found.exact == "≈ 2.71972163893643e-11 s"
    assert 1 in found.rounded


@given(st.fractions(min_value=0, max_value=10**18), st.sampled_from(["byte", "byte@hbm/s", "FLOP", "s", "token", "1"]))
def test_a_scale_that_does_not_round_reads_back_as_the_value(value: Fraction, unit: str) -> None:
    *texts, rounded = scales(value, unit)
    for place, text in enumerate(texts):
        if place not in rounded:
            number, _, scale = text.partition(" ")
            assert Fraction(number.replace(",", "")) * parse_unit(scale or "1").factor == value


def test_a_shown_value_knows_what_it_is() -> None:
    shown = humane(Fraction(2**20), "byte")
    assert isinstance(shown, Shown)
    assert (shown, shown.exact, shown.unit) == ("1 MiB", 2**20, "byte")


def test_formats_that_stand_in_a_folder(small_book: Book, tmp_path: Path) -> None:
    point = small_book.at()
    assert standing_formats(point, tmp_path) == ()
    write_report(point, tmp_path, ["html", "md"])
    assert standing_formats(point, tmp_path) == ("md", "html")
    assert standing_formats(point.set(EP=4), tmp_path) == ()
    assert stale_files(point, tmp_path, standing_formats(point, tmp_path)) == {}
