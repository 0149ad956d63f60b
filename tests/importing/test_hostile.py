"""Whatever a file holds: a right preset, or a refusal; never another exception, never a number that the file does not have."""

import json
import tomllib
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

import symroof
from symroof.importing.config import ConfigError, Inexact, parse_config
from symroof.importing.importer import Importer, preset_text

CONFIGS = Path(__file__).parents[1] / "models" / "configs"
IMPORTER = Importer(symroof.load())
PUBLISHED = {file.stem: file.read_bytes() for file in sorted(CONFIGS.glob("*.json"))}
KEYS = sorted({key for data in PUBLISHED.values() for key in [*json.loads(data), *json.loads(data).get("text_config", {})]})
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.integers(0, 70_000), st.floats(allow_nan=False), st.text(), st.sampled_from(KEYS)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(KEYS) | st.text(), inner), max_leaves=20
)
CHANGES = st.lists(st.tuples(st.sampled_from(KEYS), VALUES), min_size=1, max_size=4)


def refused_or_right(data: bytes) -> None:
    outcome = attempt(data)
    if isinstance(outcome, str):
        assert outcome.startswith("config.json:")
        assert "\n" not in outcome
        return
    config, found = outcome
    inside = config.get("text_config", config) if found.model_type in ("gemma3", "kimi_k3") else config
    for symbol, value in found.values.items():
        stated = stated_at(inside, value.says.removeprefix("text_config.")) if value.keyed else None
        # A value that one key says is that key's, whatever else the file has.
        if isinstance(stated, int) and "layers are" not in value.note:
            assert value.value == stated, symbol
    text = tomllib.loads(preset_text(found))
    assert {n: v["value"] for n, v in text["values"].items()} == {n: f.value for n, f in found.values.items()}


def attempt(data):
    """The refusal in words, or the file's keys and what they became."""
    try:
        config = parse_config(data, "config.json")
        return config, IMPORTER.convert(config, "config.json")
    except ConfigError as error:
        return str(error)


def stated_at(table, path):
    for name in path.split("."):
        table = table.get(name) if isinstance(table, dict) else None
    return None if isinstance(table, Inexact | bool) else table


@given(st.binary())
def test_bytes_are_refused(data):
    refused_or_right(data)


@given(VALUES)
def test_any_json_is_refused_or_right(value):
    refused_or_right(json.dumps(value).encode())


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(PUBLISHED)), CHANGES, st.booleans())
def test_a_published_configuration_with_other_values_is_refused_or_right(name, changes, inside):
    data = json.loads(PUBLISHED[name])
    target = data["text_config"] if inside and "text_config" in data else data
    target.update(dict(changes))
    refused_or_right(json.dumps(data).encode())


@given(st.sampled_from(sorted(PUBLISHED)), st.data())
def test_a_published_configuration_without_some_keys_is_refused_or_right(name, drawn):
    data = json.loads(PUBLISHED[name])
    target = data["text_config"] if "text_config" in data and drawn.draw(st.booleans()) else data
    for key in drawn.draw(st.lists(st.sampled_from(sorted(target)), unique=True, max_size=3)):
        del target[key]
    refused_or_right(json.dumps(data).encode())


@given(st.sampled_from(sorted(PUBLISHED)), st.data())
def test_a_truncated_file_is_refused(name, drawn):
    data = PUBLISHED[name].rstrip()
    refused_or_right(data[: drawn.draw(st.integers(0, len(data) - 1))])


@given(st.sampled_from(sorted(PUBLISHED)), st.data())
def test_a_damaged_file_is_refused_or_right(name, drawn):
    data = bytearray(PUBLISHED[name])
    for _ in range(drawn.draw(st.integers(1, 4))):
        data[drawn.draw(st.integers(0, len(data) - 1))] = drawn.draw(st.integers(0, 255))
    refused_or_right(bytes(data))
