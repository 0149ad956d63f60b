"""A document is followed from the top: the files that it shows are written, its commands are run, their outputs compared.

Its blocks say by their first line where they go: `# book/FILE` is a new file, `# book/FILE +` goes to the end of one that is
there, and `# book/FILE, after LINE` behind the line of it that begins so. A block of JSON is `config.json`.
"""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"```(console|python|toml|json|text)\n(.*?)```", re.DOTALL)
ENVIRONMENT = {"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "NO_COLOR": "1", "PYTHONUTF8": "1"}
# What grows with every chapter, model and machine: sizes of files, and how many claims, formulas, constraints and values there
# are. A document shows what was there when it was last written, and no test holds it against that.
GROWING = re.compile(
    r"^(?:claims|units|constraints|domains) .*\d.*$|lab\.html: [\d,]+ bytes|: \d+ files|\d+ more \(--json", re.MULTILINE
)
_PLACE = re.compile(r"# (book/[^\s,]+)(?:( \+)|, after (.+))?\n")


def lasting(text: str) -> list[str]:
    """The lines of a text without the numbers that grow."""
    return GROWING.sub(lambda found: re.sub(r"[\d,]*\d", "...", found[0]), text).splitlines()


def prepare(folder: Path) -> Path:
    """A folder with the book, as a reader has it who starts at the top of a document."""
    shutil.copytree(ROOT / "derivations", folder / "derivations", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def follow(text: str, folder: Path) -> str:
    """The document with the output of every command as it is today."""

    def fresh(match: re.Match[str]) -> str:
        kind, body = match[1], match[2]
        if kind != "console":
            _write(kind, body, folder)
            return match[0]
        commands = [line for line in body.splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{c}\n{run(c[2:], folder)}" for c in commands) + "```"

    return BLOCK.sub(fresh, text)


def run(command: str, folder: Path) -> str:
    """What a command prints, on either stream."""
    if command == "cp -r derivations book":
        shutil.copytree(folder / "derivations", folder / "book")
        return ""
    if command == "make report":
        return "Installing into .venv ...\n" + run("symroof report --format md,tex,html", folder) + run("symroof lab", folder)
    words = [sys.executable, "-m", *shlex.split(command)]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, env=ENVIRONMENT)
    return done.stderr + done.stdout


def _write(kind: str, body: str, folder: Path) -> None:
    """The file that a block shows, or what it adds to one."""
    if kind == "json":
        (folder / "config.json").write_text(body, encoding="utf-8")
        return
    place = _PLACE.match(body)
    if place is None:
        return
    file, added = folder / place[1], body[place.end() :]
    assert file.exists() == bool(place[2] or place[3]), f"{place[1]} is there already, or is to be added to and is not there"
    before = file.read_text(encoding="utf-8") if file.exists() else ""
    file.write_text(_after(before, added, place[3]) if place[3] else f"{before}\n{added}", encoding="utf-8")


def _after(text: str, added: str, line: str) -> str:
    """A text with something added behind the first line that begins so."""
    lines = text.splitlines(keepends=True)
    at = next(number for number, found in enumerate(lines, 1) if found.startswith(line))
    return "".join([*lines[:at], added, *lines[at:]])
