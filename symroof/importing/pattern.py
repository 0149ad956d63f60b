"""Which kind is each layer of? A configuration lists kinds, or numbers, or gives periods and starts, and may do several at once.

A pattern has sources, tried together: those that the file has must agree, and where it has none the first that needs no key says.

    { listed = "layer_types", names = { full_attention = "full" } }             one name a layer
    { every = RULE, is = "full", others = "windowed", but = "mlp_only_layers" }  each n-th, counted from one; `but` are others
    { first = RULE, is = "dense", others = "moe", every = RULE }                 the first n, and all but each m-th, from zero
    { numbered = { kda = "linear_attn_config.kda_layers" } }                     lists of numbers, counted from one
    { all = "moe" }
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from symroof.errors import BookError
from symroof.importing.config import LARGEST_LAYERS, Config, shown_value

# Reads a rule for a number: what it is, and in which words.
Read = Callable[[Any], tuple[int, str]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """The kind of each layer, and which keys said so; where none did, what decides."""

    kinds: tuple[str, ...]
    says: str
    keyed: bool = True

    def count(self, kind: str) -> int:
        """How many layers are of a kind."""
        return self.kinds.count(kind)

    def period(self, kind: str) -> int:
        """Every how many layers one is of a kind; 0 where that is not so. The last layer may be of it as well."""
        found = [number for number, k in enumerate(self.kinds, 1) if k == kind]
        last = len(self.kinds)
        regular = bool(found) and {*found} | {last} == {*range(found[0], last + 1, found[0])} | {last}
        return found[0] if regular else 0


def read_pattern(config: Config, sources: Sequence[Mapping[str, Any]], layers: int, read: Read) -> Pattern:
    """The pattern of so many layers.

    Raises:
        ConfigError: the file has no key of any source, one that says nothing, or two that contradict each other.
    """
    if layers > LARGEST_LAYERS:
        raise config.error(f"{layers:,} layers: a model has at most {LARGEST_LAYERS:,}")
    stated = [s for s in sources if any(config.has(k) for k in _keys(s))]
    if not stated:
        silent = next((s for s in sources if not _keys(s) or _has_default(s)), None)
        if silent is None:
            raise config.missing(_keys(sources[0])[0])
        return replace(_read(config, silent, layers, read), keyed=False)
    found = [_read(config, s, layers, read) for s in stated]
    for other in found[1:]:
        if other.kinds != found[0].kinds:
            at = next(i for i, (a, b) in enumerate(zip(found[0].kinds, other.kinds, strict=True)) if a != b)
            one, two = (f"{p.says} says {p.kinds[at]}" for p in (found[0], other))
            raise config.error(f"layer {at} (counted from 0): {one}, {two}")
    return found[0]


def _read(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    for key, reader in _READERS.items():
        if key in source:
            return reader(config, source, layers, read)
    raise BookError(f"imports.toml: a pattern is one of {', '.join(_READERS)}, not {source}")


def _keys(source: Mapping[str, Any]) -> list[str]:
    """The keys of the file without which a source says nothing."""
    said = [source.get("listed"), *source.get("numbered", {}).values(), _key(source.get("first", source.get("every")))]
    return [k for k in said if k]


def _key(rule: Any) -> str | None:
    return rule if isinstance(rule, str) else rule.get("key") if isinstance(rule, dict) else None


def _has_default(source: Mapping[str, Any]) -> bool:
    """True where everything that a source needs has a rule for a file that says nothing."""
    rules = [source[k] for k in ("first", "every") if k in source]
    return bool(rules) and all(isinstance(r, dict) and ("absent" in r or "is" in r) for r in rules)


def _listed(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    key, names = source["listed"], source["names"]
    listed = config.listed(key)
    if len(listed) != layers:
        raise config.error(f"{config.shown(key)} has {len(listed):,} entries for {layers:,} layers")
    for at, name in enumerate(listed):
        if not isinstance(name, str) or name not in names:
            raise config.error(f"{config.shown(key)}[{at}] = {shown_value(name)} is none of {', '.join(names)}")
    return Pattern(tuple(names[n] for n in listed), config.shown(key))


def _every(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    step, says = read(source["every"])
    if step < 1:
        raise config.error(f"{says} is no period of layers")
    but = _numbers(config, source["but"], layers, 0) if "but" in source and config.has(source["but"]) else frozenset()
    kinds = ((i + 1) % step == 0 and i not in but for i in range(layers))
    says = f"{says} without {config.shown(source['but'])}" if but else says
    return Pattern(tuple(source["is"] if hit else source["others"] for hit in kinds), says)


def _first(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    start, says = read(source["first"])
    step, also = read(source["every"]) if "every" in source else (1, "")
    if step < 1:
        raise config.error(f"{also} is no period of layers")
    kinds = (i < start or i % step != 0 for i in range(layers))
    return Pattern(tuple(source["is"] if hit else source["others"] for hit in kinds), f"{says} and {also}" if step > 1 else says)


def _numbered(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    kinds: dict[int, str] = {}
    for kind, key in source["numbered"].items():
        for number in _numbers(config, key, layers, 1):
            if number in kinds:
                raise config.error(f"{config.shown(key)}: layer {number} is {kinds[number]} already")
            kinds[number] = kind
    says = " and ".join(config.shown(key) for key in source["numbered"].values())
    lacking = next((n for n in range(1, layers + 1) if n not in kinds), None)
    if lacking is not None:
        raise config.error(f"layer {lacking} (counted from 1) is in none of {says}")
    return Pattern(tuple(kinds[n] for n in range(1, layers + 1)), says)


def _all(config: Config, source: Mapping[str, Any], layers: int, read: Read) -> Pattern:
    return Pattern((source["all"],) * layers, "every layer")


def _numbers(config: Config, key: str, layers: int, start: int) -> frozenset[int]:
    """The numbers of layers that a list has, counted from `start`."""
    listed = config.listed(key)
    for number in listed:
        if isinstance(number, bool) or not isinstance(number, int) or not start <= number < start + layers:
            layer = f"a layer from {start} to {start + layers - 1}"
            raise config.error(f"{config.shown(key)} has {shown_value(number)}, which is not {layer}")
    if len(set(listed)) != len(listed):
        raise config.error(f"{config.shown(key)} names a layer twice")
    return frozenset(listed)


_READERS: Mapping[str, Callable[[Config, Mapping[str, Any], int, Read], Pattern]] = {
    "listed": _listed,
    "first": _first,
    "every": _every,
    "numbered": _numbered,
    "all": _all,
}
