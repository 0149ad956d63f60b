"""What is a marker in each format, and what only quotes one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symroof.embed import html, latex, markdown, rest
from symroof.embed.marker import checksum, normal, paired

READERS = {"md": markdown.comments, "rst": rest.comments, "tex": latex.comments, "html": html.comments}
M = "<!-- symroof: a --><!-- /symroof -->"


def requests(form: str, text: str) -> list[str]:
    found = paired(text, READERS[form](text))
    assert found.troubles == []
    return [m.request for m in found.markers]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("md", f"in a {M} sentence"),
        ("md", f"a `code` span, then {M}, then ``two ` ticks``"),
        ("md", f"an unclosed ` tick, then {M}"),
        ("md", f"a \\` tick {M} and \\`"),
        ("md", f"- item `\n- another {M} `"),
        ("md", f"| a ` | b |\n| {M.join('xy')} | ` |"),
        ("md", f"* * *\n```\ncode\n```\ntext {M}"),
        ("md", f"- item\n```\ncode\n```\ntext {M}"),
        ("md", f"> ```\n> code\n\ntext {M}"),
        ("md", f"- ```\n  code\n\ntext {M}"),
        ("md", f"````\n```\n````\ntext {M}"),
        ("md", f"~~~ a`b\n~~~\ntext {M}"),
        ("md", f"text\n    a lazy line {M}"),
        ("md", f"1. item\n\n      deeper text {M}"),
        ("md", f"10) item\n\n    text {M}"),
        ("md", f"<!-- a comment\n\nover lines --> and {M}"),
        ("md", f"<!-- a comment --> and {M}"),
        ("md", f"<script>\nlet x = `\n</script>\ntext {M}"),
        ("md", f"---\ntitle: x\n---\ntext {M}"),
        ("md", f"---\n\ntext {M}"),
        ("md", f"# head {M}\n    code"),
        ("md", f"```{{note}}\ntext {M}\n```"),
        ("md", f":::{{note}}\ntext {M}\n:::"),
        ("md", "text <!--symroof: a--><!--/symroof-->"),
        ("md", "text <!-- symroof:\n  a\n--><!-- /symroof -->"),
        ("md", "% symroof: a\n% /symroof"),
        ("md", "- text\n  % symroof: a\n  % /symroof"),
        ("md", f"\u2028 a line separator ends no line {M}"),
        ("rst", ".. symroof: a\n.. /symroof"),
        ("rst", "text\n\n   .. symroof: a\n\n   .. /symroof"),
        ("rst", "A title::\n\n   literal\n\n.. symroof: a\n.. /symroof"),
        ("rst", ".. note::\n\n   .. symroof: a\n   .. /symroof"),
        ("rst", ".. note:: words\n   and more::\n\n     literal\n\n   .. symroof: a\n   .. /symroof"),
        ("rst", ".. code::\n\n   x\n\n.. symroof: a\n.. /symroof"),
        ("rst", ".. symroof:\n   a\n.. /symroof"),
        ("rst", ".. [1] a footnote\n\n   .. symroof: a\n   .. /symroof"),
        ("tex", "% symroof: a\n% /symroof"),
        ("tex", "  %symroof: a\n  %% /symroof"),
        ("tex", "% symroof:\n%   a\n% /symroof"),
        ("tex", "\\verb|\\begin{verbatim}|\n% symroof: a\n% /symroof"),
        ("tex", "50\\% % \\begin{verbatim}\n% symroof: a\n% /symroof"),
        ("tex", "\\begin{verbatim}x\\end{verbatim}\n% symroof: a\n% /symroof"),
        ("tex", "\\begin{verbatim}\n\\end{verbatim}\n% symroof: a\n% /symroof"),
        ("html", f"<p>{M}</p>"),
        ("html", f"<p title='it is > \"x\"'>{M}</p>"),
        ("html", f"1 < 2 {M}"),
        ("html", f"<!-- a comment with <script> --> {M}"),
        ("html", f"<script>let a = 1 < 2</script>{M}"),
        ("html", f"<pre>{M}</pre>"),
    ],
)
def test_a_comment_in_the_text_is_a_marker(form, text) -> None:
    for ending in ("\n", "\r\n"):
        assert requests(form, text.replace("\n", ending)) == ["a"]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("md", f"`{M}`"),
        ("md", f"`` a ` {M} ``"),
        ("md", f"`a\n{M}`"),
        ("md", f"```\n{M}\n```"),
        ("md", f"```text\n{M}"),
        ("md", f"~~~\n```\n{M}\n~~~"),
        ("md", f"   ```\n{M}\n   ```"),
        ("md", f"- ```\n  {M}\n  ```"),
        ("md", f"> ```\n> {M}\n> ```"),
        ("md", f"1. a\n   - ```\n     {M}\n     ```"),
        ("md", f"    {M}"),
        ("md", f"text\n\n    {M}"),
        ("md", f"\t{M}"),
        ("md", f"- text\n\n      {M}"),
        ("md", f"# head\n    {M}"),
        ("md", f"<script>\n{M}\n</script>"),
        ("md", f"<textarea>{M}</textarea>"),
        ("md", f"---\nx: {M}\n---\n"),
        ("md", "<!-- outer <!-- symroof: a -->"),
        ("md", "<!-- symroof is a tool -->"),
        ("md", f"```{{code-block}} text\n{M}\n```"),
        ("md", f"````{{note}}\n```{{code}}\n{M}\n```\n````"),
        ("md", "50 % symroof: a"),
        ("md", "<!-- symroof: never closed"),
        ("rst", "::\n\n   .. symroof: a\n   .. /symroof"),
        ("rst", "text::\n\n   x\n\n   .. symroof: a\n   .. /symroof"),
        ("rst", "text::\n\n.. symroof: a\n.. /symroof"),
        ("rst", ".. code-block:: rst\n   :linenos:\n\n   .. symroof: a\n   .. /symroof"),
        ("rst", ".. a comment\n   .. symroof: a\n   .. /symroof"),
        ("rst", "..\n   .. symroof: a\n   .. /symroof"),
        ("rst", ".. math::\n\n   .. symroof: a"),
        ("rst", "``.. symroof: a``"),
        ("tex", "\\begin{verbatim}\n% symroof: a\n% /symroof\n\\end{verbatim}"),
        ("tex", "\\begin{lstlisting}[language=TeX]\n% symroof: a\n\\end{lstlisting}"),
        ("tex", "\\begin{comment}\n% symroof: a\n\\end{comment}"),
        ("tex", "\\begin{minted}{tex}\n% symroof: a\n\\end{minted}"),
        ("html", f"<script>'{M}'</script>"),
        ("html", f"<style>{M}</style>"),
        ("html", f"<TEXTAREA>{M}</TextArea>"),
        ("html", f'<a title="{M}">x</a>'),
        ("html", "&lt;!-- symroof: a --&gt;"),
        ("html", "<!-- symroof: never closed"),
    ],
)
def test_a_quoted_marker_is_none(form, text) -> None:
    for ending in ("\n", "\r\n"):
        assert requests(form, text.replace("\n", ending)) == []


@pytest.mark.parametrize(
    ("form", "text", "says"),
    [
        ("md", "x <!-- symroof: a --> y", "no closing marker before the text ends; write <!-- /symroof -->"),
        ("tex", "% symroof: a\n", "no closing marker before the text ends; write % /symroof"),
        ("rst", ".. symroof: a\n", "no closing marker before the text ends; write .. /symroof"),
        ("md", f"x <!-- symroof: b --> {M}", "no closing marker before the next marker begins: markers do not nest"),
        ("md", "x <!-- /symroof -->", "a closing marker without an opening one before it"),
        (
            "md",
            "x <!-- symroof: a --><!-- /symroof 12 -->",
            "a closing marker is `/symroof` and perhaps eight hexadecimal digits",
        ),
        ("md", f"{M} begins a line", "this marker begins a line, which Markdown then shows as HTML"),
        ("md", f"- {M} begins an item", "this marker begins a line"),
        ("md", f"x {M}\n\n<!-- symroof: document at EP=32 -->", "the header `document at ...` stands once, before all markers"),
        ("md", f"{'<!-- symroof: document at EP=32 -->' * 2}\n\nx {M}", "the header `document at ...` stands once"),
    ],
)
def test_a_marker_that_does_not_fit_is_trouble_and_the_others_are_found(form, text, says) -> None:
    after = {"md": f"\n\nwords {M}", "tex": "\n% symroof: a\n% /symroof", "rst": "\n\n.. symroof: a\n.. /symroof"}[form]
    before = text if "text ends" in says else text + after
    found = paired(before, READERS[form](before))
    assert [t.says for t in found.troubles if says in t.says]
    assert len(found.troubles) == 1
    if before != text:
        assert found.markers[-1].request == "a"


def test_a_block_knows_the_marks_that_begin_its_lines() -> None:
    for prefix, goes_on in [("", ""), ("> ", "> "), ("- ", "  "), ("  10. ", "      "), ("> - ", ">   "), ("> > ", "> > ")]:
        text = f"{prefix}<!-- symroof: a -->\n{goes_on}<!-- /symroof -->\n"
        (marker,) = paired(text, markdown.comments(text)).markers
        assert (marker.block, marker.prefix) == (True, goes_on)


@given(st.text(alphabet="ab1 .|-\n>", max_size=40), st.text(alphabet="ab1 .|-\n>", max_size=40))
def test_no_two_words_become_one_in_what_a_checksum_is_of(one, other) -> None:
    words = [w for w in one.replace("\n", " ").split() if w.isalnum()]
    joined = " ".join(words)
    assert normal(joined, "html") == joined
    assert (normal(one, "html") == normal(other, "html")) == (checksum(one, "html") == checksum(other, "html"))


@given(st.text(alphabet="`~<!-> \n\r\t*1.#|%[]symrof:/a\\{}\u2028", max_size=200))
def test_any_text_is_read_and_its_comments_are_in_order(text) -> None:
    for reader in READERS.values():
        at = 0
        for comment in reader(text):
            assert at <= comment.start < comment.end <= len(text)
            at = comment.end
