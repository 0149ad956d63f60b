"""A report as PDF: its LaTeX, set by the pdflatex that is there; the same bytes for the same text on the same TeX."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from symroof.errors import SymroofError

# A page is set in a few hundredths of a second; what takes this long, in seconds, does not end.
TIMEOUT = 180
# Contents, bookmarks and the widths of long tables are known after some runs.
_MOST_RUNS = 6
_JOB = "report"
# No date, no identifier of the run and no name of a file: what is in the PDF is in the text.
_PRIMITIVES = r"\pdfinfoomitdate=1 \pdftrailerid{} \pdfsuppressptexinfo=-1 "
_ERROR = re.compile(rf"^(?:(?:\./)?{_JOB}\.tex:(\d+): |! )(.+)$", re.MULTILINE)
_NONE = (
    "a PDF needs pdflatex, which is not on this machine: install TeX Live (Debian: texlive-latex-recommended, "
    "texlive-fonts-recommended, lmodern) or TinyTeX, or write --format tex"
)


def pdf(tex: str, files: Mapping[str, bytes] | None = None) -> bytes:
    """The PDF of a LaTeX text.

    Args:
        tex: the text.
        files: what it includes, by path from where it lies.

    Raises:
        SymroofError: there is no pdflatex, it fails (with its first error) or does not end.
    """
    program = _pdflatex()
    with tempfile.TemporaryDirectory(prefix="symroof-") as name:
        folder = Path(name)
        for file, content in (files or {}).items():
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_bytes(content)
        (folder / f"{_JOB}.tex").write_text(tex, encoding="utf-8")
        before = None
        for _ in range(_MOST_RUNS):
            _run(program, folder)
            noted = _notes(folder)
            if noted == before:
                break
            before = noted
        page = folder / f"{_JOB}.pdf"
        if not page.is_file():
            raise SymroofError("pdflatex: has set no page")
        return page.read_bytes()


def _pdflatex() -> str:
    """The pdflatex on the path, else the one of a TinyTeX, which its installers leave off the path."""
    found = shutil.which("pdflatex")
    if found is not None:
        return found
    homes = (Path.home() / ".TinyTeX", Path.home() / "Library" / "TinyTeX", Path.home() / "AppData" / "Roaming" / "TinyTeX")
    for home in homes:
        for program in sorted(home.glob("bin/*/pdflatex*")):
            return str(program)
    raise SymroofError(_NONE)


def _run(program: str, folder: Path) -> None:
    """One run, which may start no program and read and write nothing outside its folder but TeX's own files."""
    options = ["-interaction=nonstopmode", "-halt-on-error", "-file-line-error", "-no-shell-escape", f"-jobname={_JOB}"]
    own = {"SOURCE_DATE_EPOCH": "0", "FORCE_SOURCE_DATE": "1", "openin_any": "p", "openout_any": "p", "max_print_line": "1000"}
    try:
        done = subprocess.run(
            [program, *options, rf"{_PRIMITIVES}\input{{{_JOB}.tex}}"],
            cwd=folder,
            env=os.environ | own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise SymroofError(f"pdflatex has not ended after {TIMEOUT} s") from None
    except OSError as error:
        raise SymroofError(f"{program} cannot be started: {(error.strerror or str(error)).lower()}") from None
    if done.returncode:
        raise SymroofError(f"pdflatex: {_first_error(folder)}")


def _first_error(folder: Path) -> str:
    """What the log says first, with the line of the text."""
    log = folder / f"{_JOB}.log"
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    found = _ERROR.search(text)
    if found is None:
        return "failed, and its log names no error"
    line, says = found.groups()
    return f"{says.strip()}{f' (line {line} of the LaTeX; --format tex writes it)' if line else ''}"


def _notes(folder: Path) -> tuple[bytes, ...]:
    """What a run leaves for the next one."""
    files = (folder / f"{_JOB}.{ending}" for ending in ("aux", "toc", "out"))
    return tuple(f.read_bytes() if f.is_file() else b"" for f in files)
