"""Every model of the book stands by itself: on a run that fits it, with its published figures, and with nothing of another."""

import json
import tomllib
from pathlib import Path

import pytest

import symroof
from symroof.cli import main

BOOK = symroof.load()
MODELS = BOOK.presets.names("model")
SUMMED = [name for table in BOOK.about["summary"] for name in table["quantities"]]
ANSWERS = ("active_parameters", "stored_parameters", "model_flops_per_token")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_named_alone_is_on_a_run_that_fits_it(name):
    point = BOOK.at(name)
    assert all(point.evaluator.number(quantity) > 0 for quantity in ANSWERS)
    assert point.evaluator.number("active_parameters") <= point.evaluator.number("stored_parameters")


@pytest.mark.parametrize("name", MODELS)
def test_a_model_gives_exactly_the_symbols_of_its_blocks(name):
    """What a model says nothing of would come from the default model, and what it says in vain would be read as if it counted."""
    preset = BOOK.presets.read("model", name)
    book = BOOK.having(preset.blocks)
    used = {n for quantity in SUMMED if quantity in book.quantities for n in book.inputs_of(quantity)}
    of_models = {n for m in MODELS for n in BOOK.presets.read("model", m).values}
    assert not used & of_models - preset.values.keys(), "what the summary of its report needs, and other models give"
    assert not preset.values.keys() - book.symbols.keys() - book.quantities.keys(), "what belongs to blocks that it lacks"


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_published_figures_among_the_claims(name):
    default = BOOK.presets.read(None, BOOK.default).parts["model"]
    claimed = {c.preset or default for c in BOOK.claims if c.quantity == "stored_parameters"}
    assert claimed & {*lineage(name)}, (
        f'model {name} has no published figure: add a [[claim]] with quantity = "stored_parameters" and preset = "{name}" to '
        "derivations/claims.toml, or name the model that it varies as its base"
    )


@pytest.mark.parametrize("name", MODELS)
def test_every_value_of_a_model_has_its_source(name):
    assert all(given.source for given in BOOK.presets.read("model", name).values.values())


def test_a_command_line_answers_for_a_model_by_its_name(capsys):
    assert main(["eval", *ANSWERS, "-p", "gpt-oss-120b", "--json"]) == 0
    values = json.loads(capsys.readouterr().out)["values"]
    assert values["stored_parameters"]["value"] == 116_829_156_672
    assert values["active_parameters"]["value"] == 5_132_849_472


def test_a_claim_about_a_preset_that_is_not_there_is_refused(tmp_path):
    book = copied(tmp_path)
    with (book / "claims.toml").open("a") as file:
        file.write('[[claim]]\nsays = "x"\nquantity = "layers"\nplace = "x"\npreset = "llama9"\nexpect = 1\n')
    with pytest.raises(symroof.errors.BookError, match="no preset or model 'llama9'"):
        symroof.load(book).claims  # noqa: B018


def test_a_claim_about_a_model_is_checked_at_the_model_and_fails_where_it_is_wrong(tmp_path, capsys):
    book = copied(tmp_path)
    text = (book / "claims.toml").read_text()
    (book / "claims.toml").write_text(text.replace("8_030_261_248", "8_030_261_249"))
    assert main(["check", "--book", str(book)]) == 1
    out = capsys.readouterr().out
    assert "claim does not hold: Llama 3.1 8B: parameters" in out
    assert "llama31-8b" in out


def lineage(name: str) -> list[str]:
    """A model, and those that it says it is a variation of."""
    found = [name]
    while base := tomllib.loads((BOOK.presets.folder / "models" / f"{found[-1]}.toml").read_text()).get("base"):
        found.append(base)
    return found


def copied(folder: Path) -> Path:
    """A copy of the book that a test may change."""
    target = folder / "derivations"
    for file in BOOK.folder.rglob("*"):
        if file.suffix in (".py", ".toml"):
            copy = target / file.relative_to(BOOK.folder)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(file.read_bytes())
    return target
