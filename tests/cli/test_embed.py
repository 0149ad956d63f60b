"""`embed`: documents filled and checked from the command line, and its JSON."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from symroof.answers.shapes import EmbedAnswer, EmbeddedDocument, EmbeddedPlace

TEXT = "It takes <!-- symroof: compute_time in us --><!-- /symroof -->.\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(TEXT)
    return path


def test_documents_are_filled_and_then_current(ask, page) -> None:
    found = ask("embed", str(page))
    assert (found.status, found.err) == (0, "")
    assert found.out == f"{page}: 1 of 1 marker filled\n1 marker in 1 document: current\n"
    assert page.read_text() == "It takes <!-- symroof: compute_time in us -->3,000 us<!-- /symroof 8fd3e7c8 -->.\n"
    assert ask("embed", str(page), "--check").out == "1 marker in 1 document: current\n"


def test_a_check_of_what_is_stale_has_status_1_and_a_difference(ask, page) -> None:
    ask("embed", str(page))
    found = ask("embed", str(page), "--check", "--set", "n=8", "-p", "base")
    assert found.status == 1
    head, *body = found.out.splitlines()
    assert head == f"--- {page} (there)"
    assert body[1] == "@@ -1,1 +1,1 @@"
    assert body[3] == "+It takes <!-- symroof: compute_time in us -->1,500 us<!-- /symroof 20edc7df -->."
    assert body[4] == "1 marker in 1 document: 1 stale"
    assert body[5].startswith(f"to fill them: symroof embed {page} -p base --set n=8 --book ")


def test_a_long_difference_is_cut_and_json_has_it_all(ask, tmp_path) -> None:
    page = tmp_path / "page.md"
    page.write_text(TEXT.replace("\n", "\n\n") * 300)
    out = ask("embed", str(page), "--check").out
    assert "lines more; --json has them\n300 markers in 1 document: 300 stale\n" in out
    data = ask("embed", str(page), "--check", "--json").json
    assert data["documents"][0]["difference"].count("3,000 us") == 300


def test_the_json_has_every_document_and_place(ask, page, tmp_path) -> None:
    bad = tmp_path / "bad.md"
    bad.write_text("x\n\nIt is <!-- symroof: nothing --><!-- /symroof -->.\n")
    found = ask("embed", str(page), str(bad), "--json")
    assert found.status == 2
    assert set(found.json) == set(EmbedAnswer.__annotations__)
    assert found.json["current"] is False
    first, second = found.json["documents"]
    assert set(first) == set(EmbeddedDocument.__annotations__)
    assert (first["path"], first["markers"], first["written"], second["written"]) == (str(page), 1, True, False)
    assert first["stale"] == [{"line": 1, "column": 10, "says": "compute_time in us"}]
    (wrong,) = second["wrong"]
    assert set(wrong) == set(EmbeddedPlace.__annotations__)
    assert (wrong["line"], wrong["column"], wrong["says"]) == (3, 7, "no quantity or symbol 'nothing'")
    assert ask("embed", str(page), "--json").json["current"] is True


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "symroof: embed needs FILE, as in `symroof embed docs/design.md --check`"),
        (("a.md", "--chek"), "symroof: embed: no option '--chek'; did you mean --check?"),
        (("a.md", "-p", "nowhere"), "symroof: no preset 'nowhere'"),
        (("a.md", "--set", "n=3"), "n = 3"),
    ],
)
def test_a_wrong_request_is_refused_before_any_document(ask, arguments, says) -> None:
    found = ask("embed", *arguments)
    assert (found.status, found.out) == (2, "")
    assert says in found.err


def test_values_formulas_and_lines_with_numbers_need_no_algebra_system(tmp_path) -> None:
    page = tmp_path / "page.md"
    kinds = ["step_time in ms", "formula payload_bytes", "substituted payload_bytes", "table MFU, step_time"]
    page.write_text("".join(f"<!-- symroof: {k} -->\n<!-- /symroof -->\n\n" for k in kinds))
    code = (
        "import sys; from symroof.cli import main; status = main(sys.argv[1:]); sys.exit(status or 3 * ('sympy' in sys.modules))"
    )
    command = [sys.executable, "-c", code, "embed", str(page)]
    done = subprocess.run(command, cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
