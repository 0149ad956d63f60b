"""`report`: write the reports, or say what in them is no longer current."""

from __future__ import annotations

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.answers.answer import Answer, notes_of, point_of, split
from symroof.answers.shapes import Report, value
from symroof.passes.once import own_claims_once
from symroof.terminal import bold, fields

if TYPE_CHECKING:
    from symroof.point import Point

_DEFAULT = ("md", "tex")


def answer(options: Namespace) -> Answer:
    """The files of the report, written; with --check, those that are stale, and status 1 where one is."""
    from symroof.report.write import stale_files, standing_formats, write_report

    point, folder = point_of(options), Path(options.output)
    chapters = split(options.chapters, "--chapters")
    formats = split(options.formats, "--format")
    if formats is None:
        # What somebody wrote is what is to be current.
        formats = [*(standing_formats(point, folder, chapters) if options.check else ())] or [*_DEFAULT]
    verdicts = own_claims_once(point)
    data: Report = {
        "preset": point.preset,
        "set": dict(point.overrides),
        "written": [],
        "stale": [],
        "claims": {"held": sum(v.holds for v in verdicts), "of": len(verdicts)},
        "headline": {name: value(point[name]) for name in _headline(point.book.about.get("lab"), point)},
    }
    if options.check:
        stale = stale_files(point, folder, formats, chapters)
        data["stale"] = [str(folder / name) for name in stale]
        differences = list(stale.values())
        return Answer(dict(data), lambda: _checked(data, folder, differences), _unseen(point, "not checked"), 1 if stale else 0)
    data["written"] = [str(path) for path in write_report(point, folder, formats, chapters)]
    return Answer(dict(data), lambda: _written(data), (*notes_of(options, point), *_unseen(point, "left out")))


def _headline(lab: Any, point: Point) -> list[str]:
    """What a reader looks for first: what binds and the step, as the book's table [lab] names them."""
    named = [lab[key] for key in ("binding", "step") if key in lab] if isinstance(lab, dict) else []
    return [name for name in named if name in point.book.quantities]


def _unseen(point: Point, what: str) -> tuple[str, ...]:
    """What a reader must know where there should be pictures and cannot."""
    from symroof.pictures.picture import drawable
    from symroof.report.pictures import has_pictures

    if drawable() or not has_pictures(point.book):
        return ()
    return (f"pictures are {what}, because Matplotlib is not installed: pip install 'symroof[plot]'",)


def _checked(data: Report, folder: Path, differences: list[str]) -> str:
    if not data["stale"]:
        return f"{folder}: current"
    return "\n".join([*(d.rstrip("\n") for d in differences), f"not current: {', '.join(data['stale'])}"])


def _written(data: Report) -> str:
    claims = data["claims"]
    headline = [(name, v["display"]) for name, v in data["headline"].items()]
    lines = fields([("claims held", f"{claims['held']} of {claims['of']}"), *headline], indent="")
    return "\n".join([*_places(data["written"]), *lines])


def _places(written: list[str]) -> list[str]:
    """The reports one by one; the pictures that they show by their folder."""
    folders = Counter(Path(path).parent for path in written if Path(path).parent.parent.name == "pictures")
    files = [bold(path) for path in written if Path(path).parent not in folders]
    return files + [f"{bold(str(folder))}: {count} files" for folder, count in folders.items()]
