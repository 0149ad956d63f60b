"""`embed`: formulas and numbers inside documents, filled in or checked."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from symroof.answers.answer import Answer, settings
from symroof.answers.shapes import EmbedAnswer, EmbeddedPlace
from symroof.book import load
from symroof.embed.document import Checked, Place, check_document
from symroof.embed.files import replace_source
from symroof.embed.fill import Filler
from symroof.embed.request import Where
from symroof.errors import SymroofError
from symroof.terminal import bold
from symroof.wholefile import write_bytes

# A reader of many differences has seen enough; --json and --diff of one document have them all.
_MOST_LINES = 400


def answer(options: Namespace) -> Answer:
    """The documents with their markers filled; status 1 where --check finds one that is not, 2 where one cannot be."""
    where = Where(options.preset, tuple(settings(options.settings).items()))
    filler = Filler(load(options.book), where)
    filler.point(where)
    checked = [check_document(path, filler, options.force) for path in _once(options.files)]
    dry = options.check or options.diff
    failed = [] if dry else [failure for found in checked if (failure := _write(found)) is not None]
    data = _data(checked, failed, dry)
    problems = [(f.path, p) for f in checked for p in sorted([*f.wrong, *f.edited])] + failed
    notes = tuple(f"{path}:{p.line}:{p.column}: {p.says}" for path, p in problems)
    return Answer(dict(data), lambda: _text(options, checked, data, len(failed)), notes, _status(options, checked, bool(failed)))


def _once(files: Sequence[str]) -> list[Path]:
    """The documents of a request, each once, however many names it has."""
    found: dict[str, Path] = {}
    for file in files:
        found.setdefault(os.path.realpath(file), Path(file))
    return list(found.values())


def _status(options: Namespace, checked: Sequence[Checked], failed: bool) -> int:
    if failed or any(f.wrong for f in checked):
        return 2
    if options.check:
        return int(any(not f.current for f in checked))
    return 2 if any(f.edited for f in checked) else 0


def _write(found: Checked) -> tuple[Path, Place] | None:
    """Put a document's new text in its place, its pictures first; why that could not be done, or None.

    A document with a marker that cannot be filled stays as it is.
    """
    if found.source is None or found.wrong or found.edited:
        return None
    at = Place(1, 1, "")
    try:
        for at, drawing in found.drawings:  # noqa: B007  (where it failed)
            write_bytes(found.source.path.parent / drawing.file, drawing.paint())
        if found.data != found.source.data:
            replace_source(found.source, found.data)
    except SymroofError as error:
        return found.path, Place(at.line, at.column, str(error))
    return None


def _data(checked: Sequence[Checked], failed: Sequence[tuple[Path, Place]], dry: bool) -> EmbedAnswer:
    lost = {path for path, _ in failed}
    return {
        "current": all(f.current for f in checked) and not failed,
        "documents": [
            {
                "path": str(f.path),
                "markers": f.markers,
                "stale": _places(f.stale),
                "edited": _places(f.edited),
                "wrong": _places(f.wrong) + _places([p for path, p in failed if path == f.path]),
                "written": not dry and bool(f.stale) and not f.wrong and not f.edited and f.path not in lost,
                "difference": f.difference,
            }
            for f in checked
        ],
    }


def _places(places: Sequence[Place]) -> list[EmbeddedPlace]:
    return [{"line": p.line, "column": p.column, "says": p.says} for p in places]


def _text(options: Namespace, checked: Sequence[Checked], data: EmbedAnswer, failed: int) -> str:
    lines = _differences(checked) if options.check or options.diff else []
    for document in data["documents"]:
        if document["written"]:
            lines.append(f"{bold(document['path'])}: {len(document['stale'])} of {_markers(document['markers'])} filled")
    return "\n".join([*lines, *_summary(options, checked, failed)])


def _differences(checked: Sequence[Checked]) -> list[str]:
    lines = [line for f in checked for line in f.difference.splitlines()]
    lines += [f"{f.path}: {drawing.file} is missing or not current" for f in checked for _, drawing in f.drawings]
    more = len(lines) - _MOST_LINES
    return lines if more <= 0 else [*lines[:_MOST_LINES], f"... and {more:,} lines more; --json has them"]


def _summary(options: Namespace, checked: Sequence[Checked], failed: int) -> list[str]:
    markers, stale = sum(f.markers for f in checked), sum(len(f.stale) for f in checked)
    edited, wrong = sum(len(f.edited) for f in checked), sum(len(f.wrong) for f in checked)
    counts = [f"{_markers(markers)} in {_documents(len(checked))}"]
    if options.check or options.diff:
        counts += [f"{stale} stale"] if stale else []
    counts += [f"{edited} edited by hand"] if edited else []
    counts += [f"{wrong} that cannot be filled"] if wrong else []
    counts += [f"{_documents(failed)} not written"] if failed else []
    said = [f"{counts[0]}: {', '.join(counts[1:]) or 'current'}"]
    unwritten = [f.path for f in checked if f.stale and (f.edited or f.wrong)]
    if unwritten and not (options.check or options.diff):
        said.append(f"not written because of that: {', '.join(map(str, unwritten))}")
    # No command fills a document that has wrong markers.
    able = [f for f in checked if (f.stale or f.edited) and not f.wrong]
    if options.check and able:
        said.append(f"to fill them: {_fix(options, able)}")
    return said


def _fix(options: Namespace, able: Sequence[Checked]) -> str:
    """The command that makes documents current."""
    words = ["symroof", "embed", *(str(f.path) for f in able)]
    words += ["-p", options.preset] if options.preset else []
    words += [word for setting in options.settings for word in ("--set", setting)]
    words += ["--book", options.book] if options.book else []
    return shlex.join([*words, *(["--force"] if any(f.edited for f in able) else [])])


def _markers(count: int) -> str:
    return "1 marker" if count == 1 else f"{count:,} markers"


def _documents(count: int) -> str:
    return "1 document" if count == 1 else f"{count:,} documents"
