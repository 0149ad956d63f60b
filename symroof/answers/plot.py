"""`plot`: which pictures does a point have, and one or more of them as files?"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from symroof.answers.answer import Answer, notes_of, point_of
from symroof.answers.shapes import Plot, Plotted
from symroof.errors import OutputError, RequestError, SymroofError
from symroof.terminal import bold, table
from symroof.wholefile import check_place, write_bytes

if TYPE_CHECKING:
    from symroof.pictures import Picture
    from symroof.point import Point

ENDINGS = (".svg", ".pdf")


def answer(options: Namespace) -> Answer:
    """The pictures of a point in a list, or those that were asked for in files."""
    from symroof.pictures import draw, pictures_of
    from symroof.pictures.declare import declared
    from symroof.pictures.picture import check_drawable

    point = point_of(options)
    if not options.names:
        if options.output is not None:
            raise RequestError(f"-o {options.output}: name the picture that goes there, one of {', '.join(pictures_of(point))}")
        tables = declared(point.book)
        listed = [_listed(name, tables[name]["title"]) for name in pictures_of(point)]
        return Answer(dict(_data(point, listed)), lambda: _list(point, listed), notes_of(options, point))
    check_drawable()
    names = list(dict.fromkeys(options.names))
    paths = _paths(names, options.output)
    written, failed = [], []
    for name, path in zip(names, paths, strict=True):
        try:
            picture = draw(point, name)
            _write(picture, path)
            written.append(_plotted(picture, path))
        except SymroofError as error:
            failed.append(error)
    if failed and not written:
        raise failed[0] if len(failed) == 1 else RequestError("; ".join(str(error) for error in failed))
    notes = (*notes_of(options, point), *(f"not written: {error}" for error in failed))
    return Answer(dict(_data(point, written)), lambda: _written(written), notes, 2 if failed else 0)


def _paths(names: list[str], output: str | None) -> list[Path]:
    """Where the pictures go: one file that is named, or `<name>.svg` in a folder."""
    one = output is not None and Path(output).suffix != ""
    if output is not None and one:
        path = Path(output)
        if path.suffix not in ENDINGS:
            raise RequestError(f"-o {path}: the ending says the format: {', '.join(ENDINGS)}")
        if len(names) > 1:
            raise RequestError(f"-o {path} is one file for {len(names)} pictures: name a folder")
        paths = [path]
    else:
        folder = Path(output or ".")
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(f"-o {folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None
        paths = [folder / f"{name}.svg" for name in names]
    for path in paths:
        check_place(path)
    return paths


def _write(picture: Picture, path: Path) -> None:
    form = path.suffix[1:]
    data = picture.forms((form,))[form]
    write_bytes(path, data)


def _data(point: Point, pictures: list[Plotted]) -> Plot:
    return {"preset": point.preset, "set": dict(point.overrides), "pictures": pictures}


def _listed(name: str, title: str) -> Plotted:
    return {"name": name, "title": title, "caption": None, "alt": None, "written": None}


def _plotted(picture: Picture, path: Path) -> Plotted:
    return {
        "name": picture.name, "title": picture.title, "caption": picture.caption, "alt": picture.alt, "written": str(path)
    }  # fmt: skip


def _list(point: Point, pictures: list[Plotted]) -> str:
    if not pictures:
        return f"{point.label} has no pictures"
    return "\n".join([point.label, *table([(p["name"], p["title"]) for p in pictures], indent="  ")])


def _written(pictures: list[Plotted]) -> str:
    return "\n".join(line for p in pictures for line in (bold(str(p["written"])), f"  {p['caption']}"))
