"""The scripts of the page as one: modules in the order of their imports, without these, beside the printed lines."""

from __future__ import annotations

import re
from pathlib import Path

from symroof.errors import SymroofError
from symroof.lab.program import Slots

FOLDER = Path(__file__).parent / "page"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w.]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const|let|class|function|async)", re.MULTILINE)
_DECLARED = re.compile(r"^(?:async )?(?:const|let|class|function) (?:([\w$]+)|\{([^}]*)\})", re.MULTILINE)
_COMMENT = re.compile(r"^[ \t]*/\*\*?(?:[^*]|\*(?!/))*\*/[ \t]*\n?", re.MULTILINE)
_LEFT = re.compile(r"^[ \t]*(?:import|export)\b.*$", re.MULTILINE)
_TYPE = re.compile(r"/\*\* @(?:type|param)[^*]*\*/ ?")


def code(slots: Slots, predicates: list[str]) -> str:
    """The printed lines as a module: `lines`, each a slot and its function, `predicates`, and how many slots there are."""
    lines = ",\n".join(f"[{slot},a=>{text}]" for slot, text in slots.lines)
    tests = ",\n".join(f"a=>{text}" for text in predicates)
    return f"export const code = {{\nsize: {len(slots.numbers)},\nlines: [\n{lines}\n],\npredicates: [\n{tests}\n],\n}};\n"


def bundle(entry: str, printed: str) -> str:
    """One script of a module and all that it imports, `code.js` being the printed one.

    Raises:
        SymroofError: two modules declare one name, or one imports or exports otherwise than by names, which as one script
            they cannot.
    """
    order: list[str] = []
    texts: dict[str, str] = {"code.js": printed}
    _collect(entry, texts, order)
    owners: dict[str, str] = {}
    for name in order:
        for declared in _names(texts[name]):
            if declared in owners:
                raise SymroofError(f"{name} and {owners[declared]} both declare {declared}")
            owners[declared] = name
    body = "".join(_alone(name, texts[name]) for name in order)
    return '"use strict";\n(() => {\n' + _small(body) + "})();\n"


def _collect(name: str, texts: dict[str, str], order: list[str]) -> None:
    if name in order:
        return
    if name not in texts:
        texts[name] = (FOLDER / name).read_text(encoding="utf-8")
    for needed in _IMPORT.findall(texts[name]):
        _collect(needed, texts, order)
    order.append(name)


def _alone(name: str, text: str) -> str:
    """A module without its imports and without the word `export`; a line of either that is left is one of another form."""
    alone = _EXPORT.sub("", _IMPORT.sub("", text))
    if left := _LEFT.search(_COMMENT.sub("", alone)):
        raise SymroofError(
            f'{name}: {left[0].strip()!r} cannot be bundled: write import {{ names }} from "./module.js", and export in front of '
            f"a declaration"
        )
    return alone


def _names(text: str) -> list[str]:
    return [
        n for one, several in _DECLARED.findall(_EXPORT.sub("", text)) for n in ([one] if one else re.findall(r"[\w$]+", several))
    ]


def _small(text: str) -> str:
    """A script without its comments, its types and what stands in front of its lines."""
    text = _TYPE.sub("", _COMMENT.sub("", text))
    return re.sub(r"\n+", "\n", re.sub(r"^[ \t]+", "", text, flags=re.MULTILINE))
