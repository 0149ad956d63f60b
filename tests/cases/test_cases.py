"""Arguments that engineers had in public: what is right by the book, and what was printed, reproduced by naming its cause.

    [[case]]
    id, link, says
    right = [{ of = "a quantity, or a formula in the book's names", preset = "...", at = {...}, expect = ... }]
    printed = [{ ..., cause = "what was counted differently" }]
    explained = [{ of = "quantity", value = ..., preset = "...", at = {...}, finds = { convention = "choice" } }]

`over` divides by a second formula at its own values, `inverse` turns the quotient round. A whole `expect` is met exactly; a text
is met to its last digit, and may have a unit. A preset is one of the book or a file of models/ beside this one.
"""

from __future__ import annotations

import tomllib
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof.expression import parse_formula
from symroof.figure import read_figure
from symroof.passes.explain import explain
from symroof.units import parse_unit

HERE = Path(__file__).parent
BOOK = symroof.load()
CASES = [c for f in ("flops", "utilization", "traffic") for c in tomllib.loads((HERE / f"{f}.toml").read_text("utf-8"))["case"]]
TABLE = tomllib.loads((HERE / "maxtext_644.toml").read_text("utf-8"))


def point(preset: str | None, at: dict[str, Any]) -> symroof.Point:
    file = HERE / "models" / f"{preset}.toml"
    return BOOK.at(str(file) if file.is_file() else preset, **at)


def value(of: str, preset: str | None, at: dict[str, Any]) -> Fraction:
    where = point(preset, at)
    return where.evaluator.term(parse_formula(where.book, of))


def derived(entry: dict[str, Any]) -> Fraction:
    preset = entry.get("preset")
    got = value(entry["of"], preset, entry.get("at", {}))
    if "over" in entry:
        got /= value(entry["over"]["of"], preset, entry["over"].get("at", {}))
    return 1 / got if entry.get("inverse") else got


def met(got: Fraction, expect: int | str) -> bool:
    if isinstance(expect, int):
        return got == expect
    number, _, unit = expect.partition(" ")
    factor = parse_unit(unit).factor if unit else Fraction(1)
    half = Fraction(10) ** Decimal(number).as_tuple().exponent / 2
    return abs(got / factor - Fraction(number)) <= half


def entries(key: str) -> list[Any]:
    return [pytest.param(e, id=f"{c['id']}-{n}") for c in CASES for n, e in enumerate(c.get(key, []))]


def test_there_are_26_cases():
    assert len({c["id"] for c in CASES}) + 1 == 26, "and the table of maxtext_644.toml"
    assert all(c["link"].startswith("https://github.com/") and c["right"] and c["printed"] for c in CASES)


@pytest.mark.parametrize("entry", entries("right"))
def test_right_value_is_derived(entry):
    assert met(got := derived(entry), entry["expect"]), f"{entry['of']} = {got} = {float(got):.15g}"


@pytest.mark.parametrize("entry", entries("printed"))
def test_printed_value_has_a_cause(entry):
    assert met(got := derived(entry), entry["expect"]), f"{entry['of']} = {got} = {float(got):.15g}, {entry['cause']}"


ROW = {"context": 2048, "doc_length": 2048}


def counted(row: dict[str, Any], column: str) -> dict[str, str]:
    """How a row of MaxText's table is counted: a tied embedding is the LM head, so there is no convention about it."""
    there = point(row["preset"], {}).book.conventions
    return {n: c for n, c in {**TABLE[column], **row.get("counted", {})}.items() if n in there}


@pytest.mark.parametrize("column", ["before", "after"])
@pytest.mark.parametrize("row", TABLE["row"], ids=lambda r: r["preset"])
def test_maxtext_table_is_derived_before_and_after(row, column):
    got = TABLE["tokens"] * value("model_flops_per_token", row["preset"], {**ROW, **row.get("at", {}), **counted(row, column)})
    assert met(got, row[column]), float(got)


@pytest.mark.parametrize("column", ["before", "after"])
@pytest.mark.parametrize("row", TABLE["row"], ids=lambda r: r["preset"])
def test_explain_finds_how_the_table_counted(row, column):
    where = point(row["preset"], {**ROW, **row.get("at", {})})
    figure = value("model_flops_per_token", row["preset"], {**ROW, **row.get("at", {}), **counted(row, column)})
    found = explain(where, "model_flops_per_token", read_figure("model_flops_per_token", str(figure), "FLOP/token"))
    # One document fills the row here, so it does not matter which of the two is charged.
    wanted = {n: c for n, c in counted(row, column).items() if n != "counted_span"}
    assert any(wanted.items() <= w.choices.items() for match in found.matches for w in (match.way, *match.same))


@pytest.mark.parametrize("entry", entries("explained"))
def test_explain_finds_the_cause(entry):
    where = point(entry.get("preset"), entry.get("at", {}))
    figure = read_figure(entry["of"], str(entry["value"]), where.book.quantities[entry["of"]].unit)
    found = explain(where, entry["of"], figure)
    ways = [w for match in found.matches for w in (match.way, *match.same)]
    assert any(entry["finds"].items() <= w.choices.items() for w in ways), [dict(w.choices) for w in ways]
