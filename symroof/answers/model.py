"""`model import`: a model preset from a published configuration."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from symroof.answers.answer import Answer
from symroof.answers.shapes import ModelAnswer, value
from symroof.book import load
from symroof.errors import RequestError
from symroof.importing.importer import Imported, Importer, preset_text
from symroof.terminal import bold, dim, table
from symroof.wholefile import write_text


def answer(options: Namespace) -> Answer:
    """The preset that a config.json becomes, printed, or written to a file."""
    for option, given in (("-p", options.preset), ("--set", options.settings)):
        if given:
            raise RequestError(f"model import takes no {option}: the file says everything of its preset")
    importer = Importer(load(options.book))
    found = importer.read(options.file)
    usual_run, point = importer.on_a_run(found)
    shown = [] if point is None else [n for n in importer.rules.shows if n in point.book.quantities]
    data: ModelAnswer = {
        "model_type": found.model_type,
        "preset": preset_text(found, usual_run),
        "written": options.output,
        "usual_run": "" if point is None else usual_run or None,
        "blocks": dict(found.blocks),
        "values": {n: {"value": f.value, "source": f.says, "note": f.note} for n, f in found.values.items()},
        "cautions": list(found.cautions),
        "shows": {} if point is None else {n: value(point[n]) for n in shown},
    }
    if options.output is not None:
        write_text(Path(options.output), data["preset"])
    return Answer(dict(data), lambda: _text(data), _notes(found, point is not None))


def _text(data: ModelAnswer) -> str:
    """The preset itself, or where it was written and what its model comes to."""
    if data["written"] is None:
        return data["preset"].rstrip("\n")
    rows = [(name, shown["display"]) for name, shown in data["shows"].items()]
    ask = f"symroof eval {' '.join(data['shows'])} -p {data['written']}"
    return "\n".join([bold(data["written"]), *table(rows, (None, bold), indent="  "), *([dim(ask)] if rows else [])])


def _notes(found: Imported, fits: bool) -> tuple[str, ...]:
    """What a reader must know beside the preset: what is left out, what no key says, and that a run must be named."""
    silent = [f"{n} = {f.value}: {f.says}, because {f.note}" for n, f in found.values.items() if "is not given" in f.note]
    unfit = () if fits else ("fits none of the runs that were tried: name one beside it, or set its layout",)
    return tuple(f"{found.file}: {says}" for says in (*found.cautions, *silent, *unfit))
