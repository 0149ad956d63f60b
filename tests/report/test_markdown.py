import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.report.markdown import LATEX, MARKDOWN, Prose, bookmark, latex_text, markdown_math, markdown_text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a_b *c* <d> [e](f) `g` $h$ |", r"a\_b \*c\* \<d\> \[e\](f) \`g\` \$h\$ \|"),
        ("R&D", "R&amp;D"),
        ("1. no list", r"1\. no list"),
        ("- no list", r"\- no list"),
        ("two\n\nlines\tone", "two lines one"),
    ],
)
def test_markdown_text(text: str, expected: str) -> None:
    assert markdown_text(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("50% of $2 & #1", r"50\% of \$2 \& \#1"),
        ("a_b", r"a\_\allowbreak{}b"),
        ("\\input{x}", r"\textbackslash{}input\{x\}"),
        ("κ ≤ 1 − ε", r"$\kappa$ $\le$ 1 $-$ $\varepsilon$"),
        ("é", "é"),
        ("--set a-b, c,,d", "-{}-set a-b, c,{},d"),
        ("ﬁ", "fi"),
        ("木\x07", "[U+6728]"),
    ],
)
def test_latex_text(text: str, expected: str) -> None:
    assert latex_text(text) == expected


@given(st.text())
def test_latex_text_has_no_active_character_of_the_text(text: str) -> None:
    assert latex_text(text).isprintable()
    assert all(c.isascii() or c.isalpha() for c in latex_text(text))


@given(st.text(alphabet="ab_\\`*<>[]|~$#&\n -1."))
def test_markdown_text_is_one_line(text: str) -> None:
    assert "\n" not in markdown_text(text)


def test_mathematics_has_no_bar_that_would_end_a_cell() -> None:
    assert markdown_math("|x|") == r"$`\vert x\vert `$"


def test_names_of_the_book_are_code_and_links() -> None:
    prose = Prose(MARKDOWN, {"top_k", "EP"})
    assert prose.prose("top_k of EP, not_a_name, `EP`, `x|y`") == r"[`top_k`](#top_k) of EP, not\_a\_name, [`EP`](#EP), `x\|y`"
    assert prose.name("elsewhere") == "`elsewhere`"
    assert prose.clause("All of it.") == "All of it"
    assert Prose(LATEX, {"top_k"}).prose("top_k") == r"\hyperref[top_k]{\texttt{top\_\allowbreak{}k}}"


def test_bookmark_is_plain() -> None:
    assert bookmark("Bigger than [T, 7168] & 50%_x κ") == "Bigger than [T, 7168] 50 x"
