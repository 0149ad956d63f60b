import re
import sys
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from symroof.book import Book
from symroof.errors import SymroofError
from symroof.report import mathml as module
from symroof.report.latex import equation, formula_sides, symbol_latex, unit_latex
from symroof.report.mathml import NAME, Marker, mathml
from symroof.report.model import report

PRESETS = ("k3-gb200-4k", "256-gpu-2k")
_WORD = re.compile(r"[A-Za-z]{2,}")


def _formulas(book: Book, preset: str) -> list[str]:
    described = report(book.at(preset))
    quantities = [q for c in described.chapters for q in c.quantities]
    parts = [part for q in described.questions for row in q.rows for part in row if part.kind == "math"]
    symbols = [e.symbol for e in (*described.symbols, *(q.entry for q in quantities))]
    return [*(q.math for q in quantities), *symbols, *(text for p in parts for text in (p.text, p.broken))]


def _upright(tex: str) -> list[str]:
    """The words that LaTeX sets upright; what stands below or above them is another word."""
    found = []
    for start in re.finditer(r"\\(?:mathrm|text)\{", tex):
        depth, end = 1, start.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(tex[end], 0) if tex[end - 1] != "\\" else 0
            end += 1
        found += _WORD.findall(re.sub(r"\\[A-Za-z]+|\\.", " ", tex[start.end() : end - 1].replace(r"\_", "_")))
    return found


@pytest.mark.parametrize("display", [True, False])
@pytest.mark.parametrize("preset", PRESETS)
def test_every_formula_of_the_book(book: Book, preset: str, display: bool) -> None:
    for tex in _formulas(book, preset):
        root = ElementTree.fromstring(mathml(tex, display))
        text = "".join(root.itertext())
        assert root.tag == "math", tex
        assert not re.search(r"[\\{}&#$^]|_(?!\w)", text.replace("{", "", tex.count("cases") // 2)), tex
        assert root.find(".//merror") is None, tex
        words = {e.text for e in root.iter() if e.tag in ("mi", "mo", "mtext") and e.text}
        whole = {w for text in words for w in _WORD.findall(text)}
        assert set(_upright(tex)) <= whole, tex


@pytest.mark.parametrize("preset", PRESETS)
def test_no_letters_of_a_word_stand_apart(book: Book, preset: str) -> None:
    for tex in _formulas(book, preset):
        for row in ElementTree.fromstring(mathml(tex, True)).iter():
            tags = [(e.tag, e.get("mathvariant"), len(e.text or "")) for e in row]
            assert ("mi", "normal", 1) not in {a for a, b in pairwise(tags) if a == b}, tex


@pytest.mark.parametrize("preset", PRESETS)
def test_a_number_is_one_element(book: Book, preset: str) -> None:
    for tex in _formulas(book, preset):
        numbers = [e.text or "" for e in ElementTree.fromstring(mathml(tex, True)).iter("mn")]
        asked = re.findall(r"\d{1,3}(?:\{,\}\d{3})+(?:\.\d+)?", tex)
        assert sum(n.count(",") for n in numbers) == sum(a.count("{,}") for a in asked), tex
        assert {a.replace("{,}", ",") for a in asked} <= set(numbers), tex


@pytest.mark.parametrize("preset", PRESETS)
def test_every_name_of_a_formula_is_marked(book: Book, preset: str) -> None:
    point = book.at(preset)
    names = {n: symbol_latex(point.book, n) for n in (*point.book.symbols, *point.book.quantities)}
    marker = Marker(names)
    # A symbol that is itself a formula, such as a quotient, is no one element that could be marked.
    names = {n: tex for n, tex in names.items() if len(ElementTree.fromstring(mathml(tex))) == 1}
    for chapter in report(point).chapters:
        for quantity in chapter.quantities:
            tex = equation(quantity.entry.symbol, formula_sides(point[quantity.entry.name].formula), point.book)
            used = (quantity.entry.name, *quantity.uses)
            root = ElementTree.fromstring(marker.mark(mathml(tex, True), used))
            found = {e.get(NAME) for e in root.iter()} - {None}
            assert found >= {*used} & {*names}, tex


@pytest.mark.parametrize(
    ("tex", "inside"),
    [
        (r"\mathrm{EP}", "<mi>EP</mi>"),
        (r"\mathrm{s}", '<mi mathvariant="normal">s</mi>'),
        (r"\mathrm{a\_b}", "<mi>a_b</mi>"),
        (r"90{,}194{,}313.5", "<mn>90,194,313.5</mn>"),
        (r"f(1, 234)", "<mn>1</mn><mo>,</mo><mn>234</mn>"),
        (r"a < b", "<mo>&lt;</mo>"),
        (r"\text{if } x \text{ and } y", "<mtext>if\N{NO-BREAK SPACE}</mtext>"),
        (r"\left\lceil x \right\rceil", "<mo>⌈</mo>"),
        (r"\underbrace{x + 1}_{\text{two}}", "<mtext>two</mtext></munder>"),
        (r"\mathop{\mathrm{arg\,max}}(a)", "<mi>max</mi>"),
        (r"\binom{n}{k}", 'linethickness="0"'),
        (r"\begin{cases} 1 & \text{if } x \\ 2 & \text{otherwise} \end{cases}", "<mtext>otherwise</mtext>"),
        (r"\begin{aligned} a & = b \\ & \quad {} + c \end{aligned}", '<mspace width="1em"/>'),
        (r"\max(a, b)", "<mi>max</mi>"),
    ],
)
def test_what_the_printer_prints(tex: str, inside: str) -> None:
    assert inside in mathml(tex)


@pytest.mark.parametrize("unit", ["GB@nvlink/s", "µs", "FLOP/byte@hbm", "%", "token/s/GPU"])
def test_units_are_upright(unit: str) -> None:
    root = ElementTree.fromstring(mathml(unit_latex(unit)))
    words = [e.text for e in root.iter("mi")]
    assert [w for w in re.findall(r"\w+|%", unit) if w != "µs"] == [w for w in words if w not in ("μ", "µ") and unit != "µs"]


def test_a_display_formula_is_a_block() -> None:
    assert mathml("x", True).startswith('<math display="block">')
    assert mathml("x").startswith("<math>")


def test_a_power_leaves_the_name_whole() -> None:
    marker = Marker({"width": r"d_{\mathrm{KDA}}", "tokens": "T"})
    assert marker.mark(mathml(r"d_{\mathrm{KDA}}^{2}")).startswith('<math><msup><msub data-n="width">')
    assert '<msup><mi data-n="tokens">T</mi><mn>2</mn></msup>' in marker.mark(mathml("T^{2} + 1"))


def test_the_letter_of_another_symbol_is_no_name() -> None:
    marker = Marker({"stage": "s", "work": "F"})
    assert NAME not in marker.mark(mathml(r"F_{s}"))


def test_of_two_names_with_one_symbol_the_one_that_is_used_is_meant() -> None:
    marker = Marker({"one": "x", "other": "x"})
    assert 'data-n="one"' in marker.mark(mathml("x"))
    assert 'data-n="other"' in marker.mark(mathml("x"), ["other"])


def test_latex_that_cannot_be_read() -> None:
    with pytest.raises(SymroofError, match=r"no MathML for '\\\\nonsense': 0: Unknown command"):
        mathml(r"\nonsense")


def test_without_the_converter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "math_core", None)
    module._converter.cache_clear()
    with pytest.raises(SymroofError, match=r"HTML needs math-core, which is not installed: pip install 'symroof\[html\]'"):
        mathml("never_converted_before")
    module._converter.cache_clear()
