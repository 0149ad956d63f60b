"""What stands in a marker: each kind in each format, at the point that it names, and what is said where there is no answer."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace

import pytest

import symroof
from symroof.embed.fill import Filler
from symroof.embed.request import Where
from symroof.errors import RequestError, SymroofError
from symroof.pictures import pictures_of

SOUND = Path(__file__).parents[1] / "books" / "sound"
BOOK = symroof.load(SOUND)
STYLES = ("markdown", "notebook", "myst", "rest", "latex", "html")


def fill(request: str, style: str = "markdown", block: bool = False, document: Where = Where(), **around: str) -> str:  # noqa: B008
    filler = Filler(BOOK, Where(None, tuple(around.items())))
    return filler.answer(request, document, style, block, Path("page.md")).text


@pytest.mark.parametrize(
    ("request_", "text"),
    [
        ("compute_time", "3 ms"),
        ("compute_time in s", "0.003 s"),
        ("compute_time in us to 2 digits", "3,000 us"),
        ("compute_time in s without unit", "0.003"),
        ("compute_time exactly", "3/1,000 s"),
        ("compute_time at n=14", "857.14 µs"),
        ("compute_time in ms to 3 digits at n=14", "0.857 ms"),
        ("compute_time to 3 digits at n=14", "857 µs"),
        ("compute_time in ms exactly at n=14", "6/7 ms"),
        ("size in MB to 3 digits", "3.15 MB"),
        ("size", "3 MiB"),
        ("n", "4 rank"),
        ("binding_resource", "`compute_time`"),
        ("partners at counting=others", "3 rank"),
        ("partners at others", "3 rank"),
    ],
)
def test_a_value_is_set_as_it_was_asked_for(request_, text) -> None:
    assert fill(request_) == text


def test_numbers_and_names_in_every_format() -> None:
    expected = {
        "markdown": ("3 ms", "`compute_time`"),
        "notebook": ("3 ms", "`compute_time`"),
        "myst": ("3 ms", "`compute_time`"),
        "rest": ("3 ms", "``compute_time``"),
        "latex": (r"\ensuremath{3\,\mathrm{ms}}", r"\texttt{compute\_\allowbreak{}time}"),
        "html": ("3 ms", "<code>compute_time</code>"),
    }
    assert {s: (fill("compute_time", s), fill("binding_resource", s)) for s in STYLES} == expected


def test_formulas_in_lines_and_on_their_own() -> None:
    formula = r"t_{\mathrm{work}} = \frac{W}{n\, \pi_{\mathrm{peak}}}"
    expected = {
        "markdown": (f"$`{formula}`$", f"```math\n{formula}\n```"),
        "notebook": (f"${formula}$", f"$$\n{formula}\n$$"),
        "myst": (f"{{math}}`{formula}`", f"```{{math}}\n{formula}\n```"),
        "rest": (f":math:`{formula}`", f".. math::\n\n   {formula}"),
        "latex": (f"${formula}$", f"\\[\n{formula}\n\\]"),
    }
    for style, pair in expected.items():
        assert (fill("formula compute_time", style), fill("formula compute_time", style, block=True)) == pair


def test_mathematics_of_a_page_is_mathml() -> None:
    pytest.importorskip("math_core", reason="math-core is not installed: there is no MathML")
    assert re.fullmatch(r"<math>.*<mfrac>.*</math>", fill("formula compute_time", "html"))
    assert fill("formula compute_time", "html", block=True).startswith('<math display="block">')


def test_closed_forms_and_the_line_with_numbers() -> None:
    assert fill("closed form compute_time in n", "notebook") == r"$t_{\mathrm{work}} = \frac{3}{250\, n}$"
    assert fill("closed form pair_work", "notebook") == r"$\mathrm{pair\_work} = n^{2}$"
    assert fill("substituted pair_work", "notebook") == (
        r"$\mathrm{pair\_work} = \mathrm{partners}\, n = 4 \cdot 4 = 16\,\mathrm{FLOP}$"
    )


def test_a_table_has_a_row_for_each_quantity() -> None:
    table = fill("table compute_time in s, binding_resource", block=True)
    assert table.splitlines() == [
        "| quantity | symbol | value | what it is |",
        "| --- | --- | ---: | --- |",
        r"| `compute_time` | $`t_{\mathrm{work}}`$ | 0.003 s | Time of the work. |",
        r"| `binding_resource` | $`\mathrm{binding\_resource}`$ | `compute_time` | Which time binds. |",
    ]
    html = fill("table n", "html", block=True) if _has_mathml() else ""
    assert not html or "<td><code>n</code></td>" in html


def _has_mathml() -> bool:
    try:
        import math_core  # noqa: F401
    except ImportError:
        return False
    return True


def test_what_if_is_a_table_or_a_change_in_a_sentence() -> None:
    assert fill("what if n=8 of compute_time in ms, partners", block=True).splitlines() == [
        "| quantity | now | with n=8 | ratio |",
        "| --- | ---: | ---: | ---: |",
        "| `compute_time` | 3 ms | 1.5 ms | × 0.5 |",
        "| `partners` | 4 rank | 8 rank | × 2 |",
    ]
    assert fill("what if n=8 of compute_time") == "3 ms → 1.5 ms"
    assert fill("what if n=8 of compute_time at n=2", "latex") == (
        r"\ensuremath{6\,\mathrm{ms}} $\to$ \ensuremath{1.5\,\mathrm{ms}}"
    )
    assert fill("what if run=others of partners") == "4 rank → 3 rank"


def test_names_of_the_document_stand_for_values_and_formulas() -> None:
    assert fill(r"define \t = compute_time; \f = formula pair_work", "latex", block=True).splitlines() == [
        r"\newcommand{\t}{\ensuremath{3\,\mathrm{ms}}}",
        r"\newcommand{\f}{\ensuremath{\mathrm{pair\_work} = \mathrm{partners}\, n}}",
    ]
    assert fill("define |the time| = compute_time at n=8", "rest", block=True) == ".. |the time| replace:: 1.5 ms"


def test_settings_come_from_marker_document_and_command_line_in_this_order() -> None:
    assert fill("n", n="2") == "2 rank"
    assert fill("n", document=Where(None, (("n", "6"),)), n="2") == "6 rank"
    assert fill("n at n=8", document=Where(None, (("n", "6"),)), n="2") == "8 rank"
    assert fill("n at short", document=Where(None, (("n", "6"),)), n="2") == "4 rank"
    assert fill("define |a| = n; |b| = n at n=8", "rest", block=True, n="2") == ".. |a| replace:: 2 rank\n.. |b| replace:: 8 rank"


def test_a_preset_beside_the_document_is_found_from_its_folder(tmp_path) -> None:
    (tmp_path / "own.toml").write_text('source = "made up"\n[values]\nn = 10\n')
    filler = Filler(BOOK, Where())
    assert filler.answer("n at own.toml", Where(), "markdown", False, tmp_path / "page.md").text == "10 rank"


@pytest.mark.parametrize(
    ("request_", "style", "block", "says"),
    [
        ("comput_time", "markdown", False, "no quantity or symbol 'comput_time'; did you mean compute_time"),
        ("compute_time in GB", "markdown", False, "compute_time is in s, but 'GB' is in byte"),
        ("compute_time in parsecs", "markdown", False, "'parsecs' is no unit"),
        ("compute_time at n=3", "markdown", False, "n = 3"),
        ("compute_time at nowhere", "markdown", False, "no preset 'nowhere'"),
        ("compute_time at m=3", "markdown", False, "no quantity or symbol 'm'"),
        (
            "counting",
            "markdown",
            False,
            "counting is a convention, not a quantity: choose with `at counting=...`, one of everyone",
        ),
        ("formula n", "markdown", False, "n is given here, it has no formula in force: ask for its value"),
        ("table n", "markdown", False, "`table` fills lines: put its opening and its closing comment on lines of their own"),
        (
            "define |a| = n",
            "markdown",
            True,
            "`define` is for LaTeX and reStructuredText; here a marker may stand in the sentence",
        ),
        ("define |a| = n", "latex", True, r"in LaTeX a name is a command of letters, \steptime, not |a|"),
        (r"define \a = n", "rest", True, r"in reStructuredText a name stands between bars, |a|, not \a"),
        ("define", "latex", True, "`define` defines nothing"),
        ("what if n=3 of partners", "markdown", True, "n = 3"),
        ("plot roofline", "markdown", False, "`plot` fills lines"),
        ("plot roofline", "markdown", True, "no picture 'roofline'"),
    ],
)
def test_what_has_no_answer_is_said_and_said_again(request_, style, block, says) -> None:
    filler = Filler(BOOK, Where())
    for _ in range(2):
        with pytest.raises(SymroofError) as error:
            filler.answer(request_, Where(), style, block, Path("page.md"))
        assert says in str(error.value)


def test_one_point_is_made_for_each_preset_with_its_settings(monkeypatch) -> None:
    made = []
    at = type(BOOK).at
    monkeypatch.setattr(type(BOOK), "at", lambda self, *a, **k: made.append((a, k)) or at(self, *a, **k))
    filler = Filler(BOOK, Where())
    for request in ("n", "compute_time", "n at n=8", "compute_time at n=8", "table n, compute_time at n=8"):
        for page in ("a.md", "b.md"):
            filler.answer(request, Where(), "markdown", True, Path(page))
    assert len(made) == 2


@pytest.fixture
def drawn(monkeypatch):
    """Pictures that cost nothing; returns how often one was painted."""
    painted = []

    def draw(point, name):
        scene = (name, point.label)
        paint = lambda form: painted.append(form) or form  # noqa: E731
        return SimpleNamespace(
            title="T",
            alt=f"it is {point['n'].display}",
            scene=scene,
            svg=lambda: paint("<svg/>"),
            pdf=lambda: paint("%PDF").encode(),
        )

    monkeypatch.setattr("symroof.pictures.draw", draw)
    return painted


def test_a_picture_is_a_file_beside_the_document(embed, write, drawn, tmp_path) -> None:
    markdown = write("my page.md", "<!-- symroof: plot roofs at n=8 -->\n<!-- /symroof -->\n")
    latex = write("paper.tex", "% symroof: plot roofs\n% /symroof\n")
    assert embed(markdown, latex, "--book", SOUND).status == 0
    assert (picture := re.search(r"\n!\[it is 8 rank\]\((my-page-md-roofs-n-8-[0-9a-f]{8}\.svg)\)\n", markdown.read_text()))
    assert "\n\\includegraphics[width=\\linewidth]{paper-tex-roofs.pdf}\n" in latex.read_text()
    assert re.fullmatch(r"<svg/>\n<!-- symroof [0-9a-f]{16} -->\n", (tmp_path / picture[1]).read_text())
    assert (tmp_path / "paper-tex-roofs.pdf").read_bytes().startswith(b"%PDF%symroof ")
    assert len(drawn) == 2


def test_a_picture_that_is_missing_or_of_another_point_is_stale_and_one_that_is_there_is_not_painted(
    embed, write, drawn, tmp_path
) -> None:
    page = write("page.md", "<!-- symroof: plot roofs -->\n<!-- /symroof -->\n")
    embed(page, "--book", SOUND)
    assert embed(page, "--check", "--book", SOUND).status == 0
    assert embed(page, "--check", "--book", SOUND, "--set", "n=8").status == 1
    (tmp_path / "page-md-roofs.svg").unlink()
    checked = embed(page, "--check", "--book", SOUND)
    assert (checked.status, len(drawn)) == (1, 1)
    assert f"{page}: page-md-roofs.svg is missing or not current\n" in checked.out
    assert embed(page, "--book", SOUND).status == 0
    assert embed(page, "--check", "--book", SOUND).status == 0


def test_without_matplotlib_a_picture_is_refused_at_its_place(embed, write, drawn, monkeypatch) -> None:
    page = write("page.md", "\nwords\n\n<!-- symroof: plot roofs -->\n<!-- /symroof -->\n")
    before = page.read_bytes()

    def refuse(point, name):
        def svg():
            raise RequestError("a picture needs Matplotlib")

        return SimpleNamespace(title="T", alt="it", scene=(), svg=svg)

    monkeypatch.setattr("symroof.pictures.draw", refuse)
    found = embed(page, "--book", SOUND)
    assert (found.status, found.err) == (2, f"symroof: {page}:4:1: a picture needs Matplotlib\n")
    assert page.read_bytes() == before


def test_a_picture_of_the_book_is_drawn(embed, write, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed: no picture is drawn")
    name = pictures_of(symroof.load().at())[0]
    page = write("page.md", f"<!-- symroof: plot {name} -->\n<!-- /symroof -->\n")
    assert embed(page).status == 0
    assert (tmp_path / f"page-md-{name}.svg").read_text().startswith("<svg ")
    assert embed(page, "--check").status == 0
