"""The README's commands are run and its outputs compared; `pytest --update-golden` writes the outputs anew."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
BLOCK = re.compile(r"```(console|python|toml|text)\n(.*?)```", re.DOTALL)


@pytest.fixture
def place(tmp_path):
    """A folder with the book, in which the README is followed from the top."""
    shutil.copytree(ROOT / "derivations", tmp_path / "derivations")
    return tmp_path


def add(body: str, folder: Path) -> None:
    """A file that the README shows under its name; `+` adds to one that is there."""
    first, _, rest = body.partition("\n")
    if not first.startswith("# book/"):
        return
    file = folder / first[2:].removesuffix(" +")
    assert file.exists() == first.endswith(" +"), f"{first[2:]} is there already, or is to be added to and is not there"
    with file.open("a", encoding="utf-8") as adding:
        adding.write("\n" + rest)


def run(command: str, folder: Path) -> str:
    """What a command of the README prints, on either stream."""
    if command == "cp -r derivations book":
        shutil.copytree(folder / "derivations", folder / "book")
        return ""
    if command == "make report":
        return "Installing into .venv ...\n" + run("symroof report --format md,tex,html", folder) + run("symroof lab", folder)
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    return done.stderr + done.stdout


ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "NO_COLOR": "1", "PYTHONUTF8": "1"}


def outputs(text: str, folder: Path) -> str:
    """The README with every console block's output as it is today."""

    def fresh(match: re.Match[str]) -> str:
        if match[1] != "console":
            add(match[2], folder)
            return match[0]
        commands = [line for line in match[2].splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{c}\n{run(c[2:], folder)}" for c in commands) + "```"

    return BLOCK.sub(fresh, text)


def test_outputs_are_what_the_commands_print(place, request):
    text = README.read_text(encoding="utf-8")
    fresh = outputs(text, place)
    if request.config.getoption("--update-golden"):
        README.write_text(fresh, encoding="utf-8")
    assert fresh.splitlines() == README.read_text(encoding="utf-8").splitlines()


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
    for line in run("symroof check", place).splitlines():
        assert line in README.read_text(encoding="utf-8")


def test_excerpt_is_in_the_report():
    excerpt = re.search(r"> \$\$(.*)\$\$", README.read_text(encoding="utf-8"))
    assert excerpt is not None
    assert excerpt[1] in (ROOT / "reports" / "k3-gb200-4k.md").read_text(encoding="utf-8")
