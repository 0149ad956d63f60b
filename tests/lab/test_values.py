"""What the page computes is what the engine derives: for random runs, over all quantities, of all models."""

from __future__ import annotations

import json
import os
import random
from fractions import Fraction
from functools import lru_cache

import pytest

import symroof
from symroof.errors import EvaluationError, MissingValueError, SymroofError
from symroof.humane import humane
from symroof.ranges import read_values

BOOK = symroof.load()
COUNT = int(os.environ.get("LAB_RUNS", "60"))
CLOSE = Fraction(1, 10**9)
RANGES = BOOK.about["lab"]["values"]
MODELS, MACHINES, RUNS = (BOOK.presets.names(kind) for kind in ("model", "machine", "run"))


def random_run(rng):
    """A point that may exist and its configuration on the page."""
    while True:
        names = {"model": rng.choice(MODELS), "machine": rng.choice(MACHINES), "run": rng.choice(RUNS)}
        base = at("+".join(names.values()))
        if base is None:
            continue
        moved = rng.sample([n for n in RANGES if n in base.book.symbols], rng.randint(1, 5))
        chosen = {n: str(rng.choice(values_of(n))) for n in moved}
        context = int(chosen.get("context", base["context"].exact))
        if rng.random() < 0.3:
            chosen.pop("doc_length", None)
            chosen["documents"] = ",".join(map(str, parts(rng, context)))
        conventions = base.book.conventions
        for name in rng.sample([*conventions], rng.randint(0, 6)):
            chosen[name] = rng.choice([*conventions[name].choices])
        if rng.random() < 0.2:
            chosen["peak_flops"] = rng.choice(["989.4 TFLOP/s", "1/3", "2.25 PFLOP/s"])
        point = base.trial(**chosen)
        if point.admissible:
            return point, {**names, "set": chosen}


@lru_cache(None)
def values_of(name):
    return [*read_values(BOOK, name, RANGES[name])]


@lru_cache(None)
def at(preset):
    """The book at a preset; None where that run cannot be."""
    try:
        return BOOK.at(preset)
    except SymroofError:
        return None


def parts(rng, whole):
    """Lengths that sum to a whole."""
    cuts = sorted(rng.sample(range(1, whole), min(whole - 1, rng.randint(1, 5))))
    return [b - a for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]


def exact_value(point, name):
    try:
        return point.evaluator.value(name)
    except (MissingValueError, EvaluationError):
        return None


@pytest.mark.parametrize("seed", range(COUNT))
def test_every_value_is_the_engines(lab, seed):
    point, configuration = random_run(random.Random(seed))
    found = lab("values", configuration)
    assert (found["broken"], found["ignored"]) == ([], [])
    point = point.set(**found["implied"])
    wrong = {}
    for name in point.book.quantities:
        expected, got = exact_value(point, name), found["values"].pop(name)
        if not agrees(got, expected):
            wrong[name] = (str(expected), float(expected) if isinstance(expected, Fraction) else expected, got)
    assert not wrong, json.dumps(configuration)
    assert not found["values"]


def agrees(got, expected):
    """Close, exactly the value where the page says so, and no value where there is none."""
    if isinstance(got, str) or isinstance(expected, str):
        return got == expected or (got == "" and expected is None)
    value, exact = got
    if expected is None or value is None:
        return value is expected
    number = Fraction(float(value))
    return abs(number - expected) <= CLOSE * abs(expected) and (not exact or number == expected)


SHOWN = [
    (2.5, "s"),
    (0.0025, "s/document"),
    (2.5e-6, "s/token"),
    (0.0025, "GPU*s"),
    (2.5e-9, "GPU*s/update"),
    (2.5, "token/s/GPU"),
]


def test_a_value_keeps_what_it_is_counted_for_as_in_the_engine(lab):
    assert [lab("humane", *pair) for pair in SHOWN] == [humane(Fraction(str(value)), unit) for value, unit in SHOWN]
