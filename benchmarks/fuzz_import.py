"""A million configurations, damaged in every way: each is refused in words or becomes a right preset, in bounded memory.

    python benchmarks/fuzz_import.py [COUNT] [SEED]

A damaged file starts as a published one; keys are dropped, renamed, doubled and given values of other kinds and sizes, and
bytes are changed, cut and repeated. What is refused must be refused by a ConfigError of one line. What is imported must have
in each value that one key says what that key says, and its text must be the TOML of those values.
"""

from __future__ import annotations

import copy
import json
import multiprocessing
import random
import resource
import sys
import tomllib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import symroof
from symroof.importing.config import ConfigError, parse_config
from symroof.importing.importer import Imported, Importer, preset_text

CONFIGS = Path(__file__).parents[1] / "tests" / "models" / "configs"
PUBLISHED = [file.read_bytes() for file in sorted(CONFIGS.glob("*.json"))]
KEYS = sorted({key for data in PUBLISHED for key in [*json.loads(data), *json.loads(data).get("text_config", {})]})
ODD = [
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    3,
    64,
    10**6,
    10**9,
    10**10,
    10**39,
    1.5,
    1e308,
    "",
    "1",
    "full_attention",
    [],
    [1],
    {},
    [[]],
]
MOST_MEMORY = 1024 * 1024  # KiB
BATCH = 1_000


def main() -> int:
    """Run the batches; 1 where an input had a wrong outcome."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.SystemRandom().randrange(2**32)
    print(f"{count:,} configurations, seed {seed}", flush=True)
    batches = [(seed + at, min(BATCH, count - at)) for at in range(0, count, BATCH)]
    done: Counter[str] = Counter()
    with multiprocessing.Pool() as pool:
        for counted in pool.imap_unordered(_batch, batches):
            done.update(counted)
            total = done["refused"] + done["imported"] + done["wrong"]
            if total % 50_000 < BATCH or total == count or done["wrong"]:
                print(f"{total:>10,}: {done['imported']:,} imported, {done['refused']:,} refused", flush=True)
            if done["wrong"]:
                return 1
    return 0


def _batch(job: tuple[int, int]) -> Counter[str]:
    seed, count = job
    draw = random.Random(seed)
    found: Counter[str] = Counter()
    for _ in range(count):
        data = _damaged(draw)
        try:
            found[_outcome(data)] += 1
        except Exception as error:
            print(f"{type(error).__name__}: {error}\n{data[:4000]!r}", flush=True)
            found["wrong"] += 1
            break
    if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > MOST_MEMORY:
        print(f"more than {MOST_MEMORY // 1024} MiB of memory", flush=True)
        found["wrong"] += 1
    return found


def _outcome(data: bytes) -> str:
    try:
        config = parse_config(data, "config.json")
        found = _importer().convert(config, "config.json")
    except ConfigError as error:
        if "\n" in str(error) or not str(error).startswith("config.json:"):
            raise AssertionError(f"a refusal that is no line: {str(error)!r}") from None
        return "refused"
    _refuse_wrong(found, config)
    return "imported"


def _importer(made: list[Importer] = []) -> Importer:  # noqa: B006
    """One importer a process."""
    if not made:
        made.append(Importer(symroof.load()))
    return made[0]


def _refuse_wrong(found: Imported, config: dict) -> None:
    for symbol, value in found.values.items():
        stated = config
        for name in value.says.split("."):
            stated = stated.get(name) if isinstance(stated, dict) else None
        plain = value.keyed and type(stated) is int and "layers are" not in value.note
        assert not plain or stated == value.value, f"{symbol} = {value.value}, but {value.says} = {stated}"
    text = tomllib.loads(preset_text(found))
    assert {n: v["value"] for n, v in text["values"].items()} == {n: f.value for n, f in found.values.items()}


def _damaged(draw: random.Random) -> bytes:
    data = draw.choice(PUBLISHED)
    return draw.choice(_WAYS)(draw, data)


def _changed_keys(draw: random.Random, data: bytes) -> bytes:
    config = json.loads(data)
    for _ in range(draw.randint(1, 3)):
        table = config["text_config"] if isinstance(config.get("text_config"), dict) and draw.random() < 0.6 else config
        draw.choice(_CHANGES)(draw, table)
    return json.dumps(config).encode()


def _drop(draw: random.Random, table: dict) -> None:
    table.pop(draw.choice([*table] or [""]), None)


def _replace(draw: random.Random, table: dict) -> None:
    table[draw.choice([*table] or ["x"])] = _odd(draw)


def _add(draw: random.Random, table: dict) -> None:
    table[draw.choice(KEYS)] = _odd(draw)


def _swap(draw: random.Random, table: dict) -> None:
    one, other = draw.choice([*table] or ["x"]), draw.choice([*table] or ["x"])
    if one in table and other in table:
        table[one], table[other] = table[other], table[one]


def _scale(draw: random.Random, table: dict) -> None:
    numbers = [k for k, v in table.items() if type(v) is int]
    if numbers:
        key = draw.choice(numbers)
        table[key] = draw.choice(
            [table[key] + 1, table[key] - 1, table[key] * 2, table[key] // 2, -table[key], float(table[key])]
        )


def _odd(draw: random.Random) -> object:
    value = copy.deepcopy(draw.choice(ODD))
    return [copy.deepcopy(draw.choice(ODD)) for _ in range(draw.randint(0, 100))] if value == [[]] else value


def _changed_bytes(draw: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.randint(1, 8)):
        changed[draw.randrange(len(changed))] = draw.randrange(256)
    return bytes(changed)


def _cut(draw: random.Random, data: bytes) -> bytes:
    return data[: draw.randrange(len(data))]


def _repeated(draw: random.Random, data: bytes) -> bytes:
    start = draw.randrange(len(data))
    piece = data[start : start + draw.randint(1, 40)]
    return data[:start] + piece * draw.choice([2, 3, 1000]) + data[start:]


def _noise(draw: random.Random, data: bytes) -> bytes:
    return draw.choice([draw.randbytes(draw.randint(0, 200)), b"[" * draw.randint(1, 3000), b'{"a":' * draw.randint(1, 3000)])


_CHANGES: list[Callable[[random.Random, dict], None]] = [_drop, _replace, _add, _swap, _scale]
_WAYS: list[Callable[[random.Random, bytes], bytes]] = [*[_changed_keys] * 6, _changed_bytes, _cut, _repeated, _noise]

if __name__ == "__main__":
    sys.exit(main())
