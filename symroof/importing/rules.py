"""What the keys of a published configuration mean for a book: its imports.toml, read and refused where it is broken.

    usual_runs = ["64-gpu-4k"]              # tried in this order where the default run does not fit a model
    shows = ["stored_parameters"]           # what a reader is told of an imported model
    classes = ["ForCausalLM"]               # how the names of those classes end that have all that the book counts

    [spellings]                             # what else a key is called; a file that has several must say one thing
    num_experts_per_tok = ["num_experts_per_token"]

    [model_types.llama]                     # by the file's model_type
    says = "Llama"
    code = "LlamaConfig"                    # what decides where the file says nothing
    layers = "num_hidden_layers"            # how many layers a pattern has
    like = "another"                        # what is not said here is as it is there
    inside = "text_config"                  # the table that has the keys, where it is not the file itself
    leaves_out = { vision_config = "..." }  # keys whose presence a reader is warned of, and why
    must = { mlp_bias = [false] }           # what the book can say nothing of, where the file has it otherwise

A block, a value and a pattern of layers each have a rule; `symroof.importing.reader` says which there are.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from symroof.errors import BookError, did_you_mean

if TYPE_CHECKING:
    from symroof.book import Book

_HEAD = ("usual_runs", "shows", "classes", "spellings", "model_types")
_TYPE = ("says", "code", "layers", "like", "inside", "leaves_out", "must", "blocks", "values", "patterns")
_TABLES = ("leaves_out", "must", "blocks", "values", "patterns")


@dataclass(frozen=True, slots=True)
class ModelType:
    """How the configurations of one kind of model are read: a rule for each block, value and pattern of layers."""

    name: str
    says: str
    code: str
    layers: str
    inside: str
    leaves_out: Mapping[str, str]
    must: Mapping[str, Sequence[Any]]
    blocks: Mapping[str, Any]
    values: Mapping[str, Any]
    patterns: Mapping[str, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Imports:
    """What a book says of published configurations."""

    usual_runs: tuple[str, ...]
    shows: tuple[str, ...]
    classes: tuple[str, ...]
    spellings: Mapping[str, Sequence[str]]
    model_types: Mapping[str, ModelType]


def read_imports(book: Book) -> Imports:
    """The imports.toml of a book.

    Raises:
        BookError: the book has none, or it is broken or names what the book does not have.
    """
    file = book.folder / "imports.toml"
    data = _toml(file)
    _refuse_unknown(data, _HEAD, file.name)
    types: Mapping[str, Any] = data.get("model_types", {})
    for run in data.get("usual_runs", ()):
        if run not in book.presets.names("run"):
            raise BookError(f"{file.name}: usual_runs: no run {run!r}")
    return Imports(
        tuple(data.get("usual_runs", ())),
        tuple(book.whole.known(n) for n in data.get("shows", ())),
        tuple(data.get("classes", ("",))),
        data.get("spellings", {}),
        {name: _model_type(name, types, book, file) for name in types},
    )


def _toml(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise BookError(f"{file.parent.name} imports no model: it has no {file.name}") from None
    except (ValueError, OSError, RecursionError) as error:
        raise BookError(f"{file.name}: {error}") from None


def _model_type(name: str, types: Mapping[str, Any], book: Book, file: Path) -> ModelType:
    where = f"{file.name}: model_types.{name}"
    said = _inherited(name, types, where, ())
    for block in said.get("blocks", {}):
        if block not in book.whole.blocks:
            raise BookError(f"{where}: no block {block!r}{did_you_mean(block, book.whole.blocks)}")
    for symbol in said.get("values", {}):
        if symbol not in book.whole.symbols:
            raise BookError(f"{where}: no symbol {symbol!r}{did_you_mean(symbol, book.whole.symbols)}")
    tables = {key: said.get(key, {}) for key in _TABLES}
    texts = [said.get(key, default) for key, default in (("says", name), ("code", "its code"), ("layers", ""), ("inside", ""))]
    return ModelType(name, *texts, **tables)


def _inherited(name: str, types: Mapping[str, Any], where: str, seen: tuple[str, ...]) -> dict[str, Any]:
    """What a type says, over what the one that it is like says, table by table."""
    if name in seen or not isinstance(types.get(name), dict):
        raise BookError(f"{where}: like goes to {name!r}, {'round in a circle' if name in seen else 'which is not there'}")
    own = types[name]
    _refuse_unknown(own, _TYPE, where)
    under = _inherited(own["like"], types, where, (*seen, name)) if "like" in own else {}
    return {**under, **own, **{key: {**under.get(key, {}), **own.get(key, {})} for key in _TABLES}}


def _refuse_unknown(table: Mapping[str, Any], known: Sequence[str], where: str) -> None:
    for key in table:
        if key not in known:
            raise BookError(f"{where}: unknown key {key!r}{did_you_mean(key, known)}")
