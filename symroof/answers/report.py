"""`report`: write the reports, or say what in them is no longer current."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from symroof.answers.answer import Answer, notes_of, point_of, split
from symroof.answers.shapes import Report, value
from symroof.passes.check import check_claims
from symroof.terminal import bold, fields

# What a reader looks for first, where the book has it.
_HEADLINE = ("binding_resource", "step_time")


def answer(options: Namespace) -> Answer:
    """The files of the report, written; with --check, those that are stale, and status 1 where one is."""
    from symroof.report.write import stale_files, write_report

    point = point_of(options)
    formats = split(options.formats, "--format") or []
    chapters = split(options.chapters, "--chapters")
    verdicts = check_claims(point)
    data: Report = {
        "preset": point.preset,
        "set": dict(point.overrides),
        "written": [],
        "stale": [],
        "claims": {"held": sum(v.holds for v in verdicts), "of": len(verdicts)},
        "headline": {name: value(point[name]) for name in _HEADLINE if name in point.book.quantities},
    }
    folder = Path(options.output)
    if options.check:
        stale = stale_files(point, folder, formats, chapters)
        data["stale"] = [str(folder / name) for name in stale]
        differences = list(stale.values())
        return Answer(dict(data), lambda: _checked(data, folder, differences), status=1 if stale else 0)
    data["written"] = [str(path) for path in write_report(point, folder, formats, chapters)]
    return Answer(dict(data), lambda: _written(data), notes_of(options, point))


def _checked(data: Report, folder: Path, differences: list[str]) -> str:
    if not data["stale"]:
        return f"{folder}: current"
    return "\n".join([*(d.rstrip("\n") for d in differences), f"not current: {', '.join(data['stale'])}"])


def _written(data: Report) -> str:
    claims = data["claims"]
    headline = [(name, v["display"]) for name, v in data["headline"].items()]
    lines = fields([("claims held", f"{claims['held']} of {claims['of']}"), *headline], indent="")
    return "\n".join([*(bold(path) for path in data["written"]), *lines])
