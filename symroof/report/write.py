"""Reports as files: each whole or not at all, the same text for the same book, and a difference where a file is out of date."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from symroof.beside import Beside, Question
from symroof.errors import OutputError, SymroofError, did_you_mean
from symroof.pictures import painter
from symroof.pictures.picture import drawable, marked
from symroof.report.markdown import LATEX, MARKDOWN, Dialect, Prose, bookmark, markdown_math
from symroof.report.model import Report, report
from symroof.report.pictures import FILED, FORMS, has_pictures, names_of_pictures, painted, report_pictures
from symroof.report.questions import has_questions, questions
from symroof.report.template import environment
from symroof.wholefile import write_bytes

if TYPE_CHECKING:
    from symroof.point import Point


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
# The formats that are text, so that a file of them can be compared with what is derived.
TEXTS = (*_FORMATS, "html")


def report_files(point: Point, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None) -> dict[str, str]:
    """The reports of a point as texts, by file name: `<preset>.md`, `<preset>.tex`, `<preset>.html`.

    Args:
        point: what the report is of.
        formats: `md` for GitHub, `tex` for pdflatex, `html` for browsers.
        chapters: their names or numbers; all where left out.

    Raises:
        SymroofError: a format that there is not, a chapter that the book has not, or a broken book.
    """
    wanted = _known(formats)
    chapters = None if chapters is None else tuple(chapters)
    pictures = report_pictures(point, chapters) if drawable() else ()
    return _texts(point, report(point, chapters, pictures), wanted, _stem(point, chapters))


def _known(formats: Iterable[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(formats))
    for name in wanted:
        if name not in TEXTS:
            known = (*TEXTS, "pdf")
            raise SymroofError(f"no report format {name!r}{did_you_mean(name, known)}; formats are {', '.join(known)}")
    return wanted


def _texts(point: Point, described: Report, formats: Iterable[str], stem: str) -> dict[str, str]:
    return {f"{stem}.{name}": _text(point, described, name, stem) for name in formats}


def _text(point: Point, described: Report, form: str, stem: str) -> str:
    if form == "html":
        from symroof.report.html import html_report

        return html_report(described, point)
    return _render(described, _FORMATS[form], f"pictures/{stem}")


def _made(
    point: Point, formats: Iterable[str], chapters: Iterable[str] | None, folder: Path | None = None
) -> tuple[dict[str, str], dict[str, bytes]]:
    """The texts of a report and its pictures, by file name; questions are answered and pictures painted beside the rest.

    Pictures that stand in the folder of the report as they would be painted are taken from there.
    """
    wanted = _known(formats)
    chapters = None if chapters is None else tuple(chapters)
    stem = _stem(point, chapters)
    place, forms = f"pictures/{stem}", tuple(dict.fromkeys(FORMS[name] for name in wanted))
    names = names_of_pictures(point, chapters) if drawable() else ()
    shown: list[Question] = [(painter.gathered, (names,)), (painter.painted, (names, forms, folder and folder / place))]
    answers: list[Question] = [(questions, ())] if chapters is None and has_questions(point.book) else []
    with Beside(point, [*answers, *(shown if names else ())]) as beside:
        described = report(point, chapters, answers=lambda _: beside.take() if answers else ())
        pictures = report_pictures(point, chapters, beside.take()) if names else ()
        described = replace(described, pictures=pictures)
        texts = _texts(point, described, [name for name in wanted if name in FILED], stem)
        found = beside.take() if names else []
    whole = replace(described, pictures=painted(pictures, found))
    texts |= _texts(point, whole, [name for name in wanted if name not in FILED], stem)
    filed = {FORMS[name] for name in wanted if name in FILED}
    drawn = {p.name: p.picture for p in pictures if p.picture is not None}
    return texts, {f"{place}/{n}.{form}": marked(drawn[n], form, data) for n, form, data in found if form in filed}


def _stem(point: Point, chapters: Iterable[str] | None) -> str:
    """The name of a report's files: the preset, and what was set or left out, so that no other report is overwritten."""
    settings = [f"{n}={v}" for n, v in point.overrides.items()]
    parts = [point.preset, *settings, *([] if chapters is None else ["chapters", *chapters])]
    return "--".join(re.sub(r"[^\w.+=-]", "-", part) for part in parts)


def write_report(
    point: Point, folder: str | Path, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None
) -> tuple[Path, ...]:
    """Write the reports of a point into a folder, which is made where it is missing; the files that were written.

    Pictures are files in `pictures/<preset>/`, SVG for Markdown and PDF for LaTeX; without Matplotlib there are none.

    Raises:
        OutputError: the folder cannot be written to; nothing is left half-way. Else as `report_files`.
    """
    wanted, chapters = tuple(formats), None if chapters is None else tuple(chapters)
    target = Path(folder)
    texts, pictures = _made(point, [f for f in wanted if f != "pdf"], chapters, target)
    # A text comes after the pictures that it shows.
    contents = {name: text.encode() for name, text in texts.items()}
    if "pdf" in wanted:
        contents[f"{_stem(point, chapters)}.pdf"] = _pdf(point, chapters)
    for name, content in (pictures | contents).items():
        _make_folder((target / name).parent)
        write_bytes(target / name, content)
    return tuple(target / name for name in (contents | pictures))


def _pdf(point: Point, chapters: Iterable[str] | None) -> bytes:
    """The report in LaTeX, set together with its pictures."""
    from symroof.report.pdf import pdf

    texts, pictures = _made(point, ["tex"], chapters)
    (tex,) = texts.values()
    return pdf(tex, pictures)


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: {_reason(error)}") from None


def stale_files(
    point: Point, folder: str | Path, formats: Iterable[str] = ("md",), chapters: Iterable[str] | None = None
) -> dict[str, str]:
    """The report files of a folder that are missing or out of date, each with the unified difference that brings it up to date.

    Of a picture it is said whether it is missing, another one, or none of this report. Without Matplotlib pictures are not
    looked at, and a text is current with the pictures and without them.

    Raises:
        OutputError: a file cannot be read. Else as `report_files`.
    """
    formats = tuple(formats)
    if "pdf" in formats:
        raise SymroofError("a PDF is as the TeX that sets it, so it is not compared: check --format tex")
    chapters = None if chapters is None else tuple(chapters)
    texts, pictures = _made(point, formats, chapters)
    found = _stale_texts(Path(folder), texts)
    if drawable():
        return found | _stale_pictures(Path(folder), _stem(point, chapters), pictures)
    if not (found and has_pictures(point.book)):
        return found
    # A page holds its pictures: it is compared without them.
    found = {n: d for n, d in found.items() if not n.endswith(".html") or _but_for_pictures(Path(folder) / n) != texts[n]}
    shown = report(point, chapters, report_pictures(point, chapters))
    filed = [n.rpartition(".")[2] for n in found if not n.endswith(".html")]
    pages = {n: d for n, d in found.items() if n.endswith(".html")}
    return pages | _stale_texts(Path(folder), _texts(point, shown, filed, _stem(point, chapters)))


def _but_for_pictures(page: Path) -> str:
    from symroof.report.html import without_pictures

    return without_pictures(_read(page) or "")


def standing_formats(point: Point, folder: str | Path, chapters: Iterable[str] | None = None) -> tuple[str, ...]:
    """The formats in which a folder has the report of a point, of those that can be compared with what is derived."""
    stem = _stem(point, None if chapters is None else tuple(chapters))
    return tuple(name for name in TEXTS if (Path(folder) / f"{stem}.{name}").is_file())


def _stale_texts(folder: Path, texts: Mapping[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, text in texts.items():
        path = folder / name
        old = _read(path)
        if old != text:
            lines = difflib.unified_diff(
                (old or "").splitlines(keepends=True), text.splitlines(keepends=True), f"{path} (there)", f"{path} (derived)"
            )
            found[name] = "".join(lines)
    return found


def _stale_pictures(folder: Path, stem: str, pictures: Mapping[str, bytes]) -> dict[str, str]:
    """The pictures that are missing or another one, and files that stand among them and are none of this report."""
    found: dict[str, str] = {}
    for name, data in pictures.items():
        path = folder / name
        if not path.is_file():
            found[name] = f"{path} is missing"
        elif path.read_bytes() != data:
            found[name] = f"{path} is another picture than the one that is derived"
    known = {Path(name).stem for name in pictures}
    for path in sorted((folder / "pictures" / stem).glob("*")):
        if pictures and path.stem not in known:
            found[f"pictures/{stem}/{path.name}"] = f"{path} is no picture of this report: delete it"
    return found


def _render(described: Report, form: _Format, pictures: str) -> str:
    prose = Prose(form.dialect, described.names)
    found = environment(keep_trailing_newline=True, **form.marks)
    found.filters.update(prose=prose.prose, clause=prose.clause, name=prose.name, math=form.math, bookmark=bookmark)
    found.filters.update(text=form.dialect.text, code=form.dialect.code)
    text = found.get_template(form.template).render(report=described, pictures=pictures)
    return re.sub(r"\n{3,}", "\n\n", text)


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise OutputError(f"{path}: {_reason(error) if isinstance(error, OSError) else error}") from None


def _reason(error: OSError) -> str:
    return f"cannot be written: {(error.strerror or str(error)).lower()}"
