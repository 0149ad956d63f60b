"""Documents as people write them: filled twice alike, checked, unchanged outside markers, stale where the book moves."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

# What depends on EP in the reference preset, by the text of its marker; everything else must stay.
DEPENDS_ON_EP = {
    "remote_copies", "payload_bytes in GiB", "payload_bytes in GiB to 4 digits", "substituted payload_bytes",
    "substituted remote_copies", "payload_bytes exactly", "payload_bytes in MiB", "experts_per_rank",
    "what if EP=32 of payload_bytes, local_tokens", "what if EP=32 of payload_bytes", "what if EP=32 of payload_bytes, step_time",
    "what if EP=32 of payload_bytes in GiB, local_tokens", "table payload_bytes in GiB, remote_copies",
    "table payload_bytes in GiB, MFU in %", "table payload_bytes in GiB, binding_resource",
    "table payload_bytes in GiB, MFU in %, binding_resource",
    r"define \steptime = step_time in s to 4 digits; \payload = payload_bytes in GiB to 3 digits; "
    r"\copies = formula remote_copies",
}  # fmt: skip
# Documents whose header sets EP itself.
FIXED_EP = {"adr-0007-half-ep.md", "release-notes.rst"}


def contents(paths: list[Path]) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in paths}


def test_the_corpus_has_every_format(corpus) -> None:
    assert len(corpus) >= 12
    assert {p.suffix for p in corpus} == {".md", ".markdown", ".rst", ".tex", ".html", ".htm", ".ipynb"}


def test_filling_twice_gives_the_same_bytes_and_the_check_passes(embed, corpus) -> None:
    first = embed(*corpus)
    assert (first.status, first.err) == (0, "")
    once = contents(corpus)
    assert embed(*corpus).out == "59 markers in 13 documents: current\n"
    assert contents(corpus) == once
    checked = embed(*corpus, "--check")
    assert (checked.status, checked.out, checked.err) == (0, "59 markers in 13 documents: current\n", "")


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
@pytest.mark.parametrize("newline", [b"\n", b"\r\n"], ids=["lf", "crlf"])
def test_line_endings_and_the_byte_order_mark_are_kept(embed, corpus, mark, newline) -> None:
    corpus = [p for p in corpus if p.suffix != ".ipynb"]
    for path in corpus:
        path.write_bytes(mark + path.read_bytes().replace(b"\n", newline))
    embed(*corpus)
    assert embed(*corpus, "--check").out == "51 markers in 11 documents: current\n"
    for data in contents(corpus).values():
        assert data.startswith(mark)
        assert data.count(b"\n") == data.count(newline)
    for path in corpus:
        path.write_bytes(path.read_bytes().removeprefix(mark).replace(b"\r\n", b"\n"))
    assert embed(*corpus, "--check").status == 0


def test_nothing_outside_markers_changes_by_a_byte(embed, corpus) -> None:
    before = contents(corpus)
    embed(*corpus)
    for name, data in contents(corpus).items():
        assert emptied(data.decode(), before[name].decode()) == before[name].decode(), name


def emptied(filled: str, original: str) -> str:
    """A filled document with what was filled in taken out again: a second way to say what a marker is.

    Each piece of the original, from the end of one closing word to the beginning of the next, stands whole in the filled text.
    """
    at, kept = 0, []
    for piece in re.split(r"(?<=/symroof)", original):
        head, close, _ = piece.rpartition("/symroof")
        opening = re.search(r"(?:<!--|%|\.\.) (?:\\?)$", head)
        body = head[: opening.start()] if opening else head
        stem = body.rstrip() if close else piece
        found = filled.index(stem, at)
        gap = filled[at:found]
        assert re.fullmatch(r"( [0-9a-f]{8})?", gap), f"{gap!r} before {stem[:60]!r}"
        at = filled.index("/symroof", found + len(stem)) + len("/symroof") if close else found + len(stem)
        kept.append(piece)
    assert filled[at:] == ""
    return "".join(kept)


def test_another_ep_in_the_preset_makes_exactly_what_depends_on_it_stale(embed, corpus, book) -> None:
    markers = {(p.name, request) for p in corpus for request in requests(p)}
    assert {r for _, r in markers} >= DEPENDS_ON_EP
    embed(*corpus, "--book", book)
    reference = book / "presets" / "runs" / "4k-reference.toml"
    text = reference.read_text()
    assert text.count("EP = 64") == 1
    reference.write_text(text.replace("EP = 64", "EP = 32"))
    checked = embed(*corpus, "--check", "--json", "--book", book)
    assert (checked.status, checked.err) == (1, "")
    stale = {(Path(d["path"]).name, " ".join(p["says"].split())) for d in checked.json["documents"] for p in d["stale"]}
    assert stale == {(name, r) for name, r in markers if r in DEPENDS_ON_EP and name not in FIXED_EP}


def requests(path: Path) -> list[str]:
    """The requests of a document as one reads them, quoted ones too."""
    text = path.read_text()
    if path.suffix == ".ipynb":
        text = "\n".join("".join(c["source"]) for c in json.loads(text)["cells"])
    text = re.sub(r"\n[ %]{3,}(?=[\\|\w])", " ", text)
    found = re.findall(r"symroof: (.*?)(?: ?-->|\n|$)", text.replace("\nin MiB", " in MiB"))
    return [" ".join(r.split()) for r in found]


def test_the_check_says_where_what_and_how_to_fix_it(embed, corpus) -> None:
    page = next(p for p in corpus if p.name == "team-page.md")
    embed(page)
    checked = embed(page, "--check", "--set", "EP=32")
    assert checked.status == 1
    assert f"--- {page} (there)\n+++ {page} (derived)\n" in checked.out
    assert "\n-in MiB -->2,646 MiB<!-- /symroof da44bc1b -->.\n" in checked.out
    assert "\n+in MiB -->2,604 MiB<!-- /symroof " in checked.out
    assert checked.out.endswith(f"6 markers in 1 document: 2 stale\nto fill them: symroof embed {page} --set EP=32\n")


def test_a_document_that_names_its_preset_is_about_that_one(embed, corpus) -> None:
    paper = next(p for p in corpus if p.name == "paper.tex")
    embed(paper)
    assert embed(paper, "--check", "--set", "EP=32").status == 0


def test_the_shown_difference_is_one_that_patch_applies(embed, corpus) -> None:
    if shutil.which("patch") is None:
        pytest.skip("patch is not installed: the differences cannot be applied")
    corpus = [p for p in corpus if p.name != "compact.ipynb"]
    before = contents(corpus)
    found = embed(*corpus, "--diff", "--json")
    assert found.status == 0
    assert contents(corpus) == before
    embed(*corpus)
    filled = contents(corpus)
    for document in found.json["documents"]:
        path = Path(document["path"])
        path.write_bytes(before[path.name])
        command = ["patch", "--quiet", str(path)]
        subprocess.run(command, input=document["difference"] + "\n", text=True, check=True)
        assert path.read_bytes() == filled[path.name], path.name


def test_restructuredtext_reads_as_docutils_expects(embed, corpus) -> None:
    core = pytest.importorskip("docutils.core", reason="docutils is not installed: reStructuredText is not read back")
    for path in (p for p in corpus if p.suffix == ".rst"):
        embed(path)
        settings = {"report_level": 2, "halt_level": 2}
        html = core.publish_string(path.read_text(), writer="html5", settings_overrides=settings).decode()
        assert "symroof:" not in visible(html).replace(".. symroof: formula step_time", "").replace(".. symroof: MFU", "")
    assert "An update takes 12.31 s, and at half" in visible(publish(core, corpus, "guide.rst"))


def publish(core, corpus: list[Path], name: str) -> str:
    path = next(p for p in corpus if p.name == name)
    return core.publish_string(path.read_text(), writer="html5").decode()


def visible(html: str) -> str:
    """What a page shows: its text without tags, comments, scripts and styles."""

    class Text(HTMLParser):
        parts: list[str] = []  # noqa: RUF012
        hidden = 0

        def handle_starttag(self, tag, attrs) -> None:
            self.hidden += tag in ("script", "style", "title")

        def handle_endtag(self, tag) -> None:
            self.hidden -= tag in ("script", "style", "title")

        def handle_data(self, data) -> None:
            if not self.hidden:
                self.parts.append(data)

    parser = Text()
    parser.parts = []
    parser.feed(html)
    return " ".join("".join(parser.parts).split())


def test_html_shows_numbers_and_no_markers(embed, corpus) -> None:
    pages = [p for p in corpus if p.suffix in (".html", ".htm")]
    assert embed(*pages).status == 0
    shown = visible(next(p for p in pages if p.name == "wiki.html").read_text())
    assert "The step takes 12,309 ms, as the log says; 15.75 copy/token copies." in shown
    assert shown.count("symroof") == 1, "the one that the page quotes in its <pre>"


def test_markdown_shows_numbers_in_their_sentences(embed, corpus) -> None:
    reader = pytest.importorskip("markdown_it", reason="markdown-it-py is not installed: Markdown is not read back")
    path = next(p for p in corpus if p.name == "design-review.md")
    embed(path)
    html = reader.MarkdownIt("commonmark", {"html": True}).enable("table").render(path.read_text())
    assert re.search(r"<p>The reference run takes <!--[^>]*-->12\.31 s<!--[^>]*--> an update\.", html)
    assert re.search(r'<td style="text-align:right"><!--[^>]*-->2\.584 GiB<!--[^>]*--></td>', html)
    assert html.count('<code class="language-math">') == 2
    assert "<td><code>payload_bytes</code></td>" in html


def test_latex_sets_what_was_filled_in(embed, corpus, tmp_path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("pdflatex is not installed: LaTeX documents are not set")
    for path in (p for p in corpus if p.suffix == ".tex"):
        assert embed(path).status == 0
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.name]
        done = subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]


def test_a_notebook_stays_one_and_its_other_cells_stay(embed, corpus) -> None:
    books = [p for p in corpus if p.suffix == ".ipynb"]
    before = {p: json.loads(p.read_text()) for p in books}
    embed(*books)
    for path in books:
        after = json.loads(path.read_text())
        others = [c for c in before[path]["cells"] if c["cell_type"] != "markdown"]
        assert [c for c in after["cells"] if c["cell_type"] != "markdown"] == others
        assert {k: v for k, v in after.items() if k != "cells"} == {k: v for k, v in before[path].items() if k != "cells"}
    text = "".join(json.loads(books[0].read_text())["cells"][0]["source"])
    assert "takes <!-- symroof: step_time in s to 4 digits -->12.31 s<!-- /symroof " in text
    assert "\\u00e9w" in books[0].read_text()
    lines = json.loads(books[0].read_text())["cells"][0]["source"]
    assert all("\n" not in line[:-1] for line in lines), "a string for each line, as notebooks have them"
