"""The README's commands are run and its outputs compared; `pytest --update-golden` writes the outputs anew."""

import re
import subprocess
import sys

import pytest
from followed import BLOCK, ENVIRONMENT, ROOT, follow, lasting, prepare, run

README = ROOT / "README.md"


@pytest.fixture
def place(tmp_path):
    """A folder with the book, in which the README is followed from the top."""
    return prepare(tmp_path)


def test_outputs_are_what_the_commands_print(place, request):
    fresh = follow(README.read_text(encoding="utf-8"), place)
    if request.config.getoption("--update-golden"):
        README.write_text(fresh, encoding="utf-8")
    assert lasting(fresh) == lasting(README.read_text(encoding="utf-8"))


def test_python_block_prints_what_follows_it(place):
    blocks = BLOCK.findall(README.read_text(encoding="utf-8"))
    (index,) = [i for i, (kind, body) in enumerate(blocks) if kind == "python" and not body.startswith("# book/")]
    done = subprocess.run(
        [sys.executable, "-c", blocks[index][1]], cwd=place, capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout == blocks[index + 1][1]


def test_make_has_the_two_commands():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert re.search(
        r"^report:.*\n\t@?\$\(BIN\)/symroof report --format md,tex,html\n\t@\$\(BIN\)/symroof lab$", makefile, re.MULTILINE
    )
    assert re.search(r"^test:", makefile, re.MULTILINE)


def test_check_figures_of_make_test(place):
    shown = lasting(README.read_text(encoding="utf-8"))
    found = lasting(run("symroof check", place))
    assert len(found) == 4
    assert all(shown.count(line) >= 2 for line in found)


def test_excerpt_is_in_the_report():
    excerpt = re.search(r"> \$\$(.*)\$\$", README.read_text(encoding="utf-8"))
    assert excerpt is not None
    assert excerpt[1] in (ROOT / "reports" / "k3-gb200-4k.md").read_text(encoding="utf-8")
