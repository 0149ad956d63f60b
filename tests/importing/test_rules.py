"""The rules of a book: refused where they are broken or name what the book does not have."""

import shutil
from pathlib import Path

import pytest

import symroof
from symroof.errors import BookError
from symroof.importing.importer import Importer

BOOK = symroof.load()
RULES = (BOOK.folder / "imports.toml").read_text()
TYPE = "[model_types.mine]\nlayers = 'n'\n"


@pytest.fixture
def importer(tmp_path):
    """An importer of the book with other rules."""
    folder = tmp_path / "derivations"
    shutil.copytree(BOOK.folder, folder, ignore=shutil.ignore_patterns("__pycache__"))

    def importer(rules):
        (folder / "imports.toml").write_text(rules)
        book = symroof.load(folder)
        return Importer(book)

    return importer


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        ("model_types = 3x", "imports.toml: "),
        ("model_type = {}", "imports.toml: unknown key 'model_type'; did you mean model_types?"),
        ("usual_runs = ['8-gpu']", "imports.toml: usual_runs: no run '8-gpu'"),
        (f"{TYPE}blocks = {{ mo = true }}", "imports.toml: model_types.mine: no block 'mo'"),
        (f"{TYPE}values = {{ layer = 'n' }}", "imports.toml: model_types.mine: no symbol 'layer'; did you mean layers"),
        (f"{TYPE}like = 'yours'", "imports.toml: model_types.mine: like goes to 'yours', which is not there"),
        (f"{TYPE}like = 'mine'", "imports.toml: model_types.mine: like goes to 'mine', round in a circle"),
        (f"{TYPE}must_not = {{}}", "imports.toml: model_types.mine: unknown key 'must_not'"),
    ],
)
def test_rules_that_are_broken_are_refused(importer, rules, says):
    with pytest.raises(BookError) as error:
        importer(rules)
    assert str(error.value).startswith(says)


@pytest.mark.parametrize(
    ("rules", "says"),
    [
        (f"{TYPE}values = {{ layers = {{ sum = ['n'] }} }}", "a value is one of key, quotient, product, count, period, is"),
        (f"{TYPE}blocks = {{ moe = {{ maybe = 'n' }} }}", "a block is true or one of flag, given, missing"),
        (f"{TYPE}blocks = {{ moe = {{ among = 'p', of = 'x' }} }}\npatterns = {{ p = [{{ }}] }}", "a pattern is one of listed"),
    ],
)
def test_a_rule_of_no_known_kind_is_refused(importer, rules, says):
    with pytest.raises(BookError, match=says):
        importer(rules).convert({"model_type": "mine", "n": 3}, "config.json")


def test_what_a_type_does_not_say_is_as_it_is_in_the_type_that_it_is_like(importer):
    rules = f"{TYPE}values = {{ layers = 'n', hidden = 'd' }}\n[model_types.other]\nlike = 'mine'\nvalues = {{ hidden = 'h' }}"
    values = importer(rules).convert({"model_type": "other", "n": 3, "h": 4}, "config.json").values
    assert {n: v.value for n, v in values.items()} == {"layers": 3, "hidden": 4}


def test_every_kind_of_model_of_the_book_has_a_published_configuration_in_the_tests():
    configs = Path(__file__).parents[1] / "models" / "configs"
    read = {symroof.importing.config.read_config(file)["model_type"] for file in configs.glob("*.json")}
    # Kimi K3's language model by itself is the inside of its file.
    assert {*Importer(BOOK).rules.model_types} - read == {"kimi_linear"}
