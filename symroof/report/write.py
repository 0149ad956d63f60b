"""Reports as files: each whole or not at all, the same text for the same book, and a difference where a file is out of date."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.errors import OutputError, SymroofError, did_you_mean
from symroof.report.markdown import LATEX, MARKDOWN, Dialect, Prose, bookmark, markdown_math
from symroof.report.model import Report, report

if TYPE_CHECKING:
    from symroof.point import Point

_TEMPLATES = Path(__file__).parent / "templates"


@dataclass(frozen=True, slots=True)
class _Format:
    """A template, the marks that it is written in, and how its text is escaped."""

    template: str
    marks: Mapping[str, str]
    dialect: Dialect
    math: Callable[[str], str]


# LaTeX is full of braces, so its template has marks of its own.
_TEX_MARKS = {
    "block_start_string": "<%",
    "block_end_string": "%>",
    "variable_start_string": "<<",
    "variable_end_string": ">>",
    "comment_start_string": "<#",
    "comment_end_string": "#>",
}
_FORMATS = {
    "md": _Format("report.md.j2", {}, MARKDOWN, markdown_math),
    "tex": _Format("report.tex.j2", _TEX_MARKS, LATEX, lambda tex: f"${tex}$"),
}


def report_files(point: Point, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None) -> dict[str, str]:
    """The reports of a point as texts, by file name: `<preset>.md`, `<preset>.tex`.

    Args:
        point: what the report is of.
        formats: `md` for GitHub, `tex` for pdflatex.
        chapters: their names or numbers; all where left out.

    Raises:
        SymroofError: a format that there is not, a chapter that the book has not, or a broken book.
    """
    wanted = tuple(dict.fromkeys(formats))
    for name in wanted:
        if name not in _FORMATS:
            raise SymroofError(f"no report format {name!r}{did_you_mean(name, _FORMATS)}; formats are {', '.join(_FORMATS)}")
    chapters = None if chapters is None else tuple(chapters)
    described = report(point, chapters)
    stem = _stem(point, chapters)
    return {f"{stem}.{name}": _render(described, _FORMATS[name]) for name in wanted}


def _stem(point: Point, chapters: Iterable[str] | None) -> str:
    """The name of a report's files: the preset, and what was set or left out, so that no other report is overwritten."""
    settings = [f"{n}={v}" for n, v in point.overrides.items()]
    parts = [point.preset, *settings, *([] if chapters is None else ["chapters", *chapters])]
    return "--".join(re.sub(r"[^\w.+=-]", "-", part) for part in parts)


def write_report(
    point: Point, folder: str | Path, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None
) -> tuple[Path, ...]:
    """Write the reports of a point into a folder, which is made where it is missing; the files that were written.

    Raises:
        OutputError: the folder cannot be written to; nothing is left half-way. Else as `report_files`.
    """
    texts = report_files(point, formats, chapters)
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{target}: {_reason(error)}") from None
    for name, text in texts.items():
        _write_whole(target / name, text)
    return tuple(target / name for name in texts)


def stale_files(
    point: Point, folder: str | Path, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None
) -> dict[str, str]:
    """The report files of a folder that are missing or out of date, each with the unified difference that brings it up to date.

    Raises:
        OutputError: a file cannot be read. Else as `report_files`.
    """
    found: dict[str, str] = {}
    for name, text in report_files(point, formats, chapters).items():
        path = Path(folder) / name
        old = _read(path)
        if old != text:
            lines = difflib.unified_diff(
                (old or "").splitlines(keepends=True), text.splitlines(keepends=True), f"{path} (there)", f"{path} (derived)"
            )
            found[name] = "".join(lines)
    return found


def _render(described: Report, form: _Format) -> str:
    jinja2 = _jinja()
    prose = Prose(form.dialect, described.names)
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=False,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        **form.marks,
    )
    environment.filters.update(prose=prose.prose, clause=prose.clause, name=prose.name, math=form.math, bookmark=bookmark)
    environment.filters.update(text=form.dialect.text, code=form.dialect.code)
    text = environment.get_template(form.template).render(report=described)
    return re.sub(r"\n{3,}", "\n\n", text)


def _jinja() -> Any:
    try:
        import jinja2
    except ImportError:
        raise SymroofError("a report needs Jinja2, which is not installed: pip install jinja2") from None
    return jinja2


def _write_whole(path: Path, text: str) -> None:
    """Write beside the file and put it in its place, so that a reader sees the old text or the new one."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8", newline="\n")
        os.replace(part, path)
    except OSError as error:
        raise OutputError(f"{path}: {_reason(error)}") from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: {_reason(error) if isinstance(error, OSError) else error}") from None


def _reason(error: OSError) -> str:
    return f"cannot be written: {(error.strerror or str(error)).lower()}"
