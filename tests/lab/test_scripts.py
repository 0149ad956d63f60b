"""The scripts that people wrote are sound: each parses, has no name that is not there, and fits its types."""

import shutil
import subprocess
from pathlib import Path

import pytest
from toolchains import NODE, needs_node

from symroof.errors import SymroofError
from symroof.lab import bundle
from symroof.lab.bundle import FOLDER
from symroof.lab.formulas import Formulas
from symroof.term import Add, Ref

HERE = Path(__file__).parent
SCRIPTS = sorted(FOLDER.glob("*.js"))


def outcome(*command):
    found = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    return found.returncode, found.stdout + found.stderr


@needs_node
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.name)
def test_it_parses(script):
    assert outcome(NODE, "--check", script) == (0, "")


def test_it_fits_its_types():
    tool = shutil.which("tsc")
    if tool is None:
        pytest.skip("no TypeScript on this machine: npm install --global typescript")
    assert outcome(tool, "-p", HERE / "tsconfig.json") == (0, "")


def test_it_keeps_the_rules():
    tool = shutil.which("eslint")
    if tool is None:
        pytest.skip("no ESLint on this machine: npm install --global eslint")
    assert outcome(tool, "--config", HERE / "eslint.config.mjs", *SCRIPTS) == (0, "")


def test_two_modules_with_one_name_are_refused(monkeypatch, tmp_path):
    (tmp_path / "a.js").write_text('import { x } from "./b.js";\nexport const y = x;\n')
    (tmp_path / "b.js").write_text("export const x = 1;\nconst y = 2;\n")
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    with pytest.raises(SymroofError, match=r"a\.js and b\.js both declare y"):
        bundle.bundle("a.js", "")


@pytest.mark.parametrize(
    "line",
    [
        'import * as b from "./b.js";',
        'import b from "./b.js";',
        'import "./b.js";',
        'import { x } from "./b.js"',
        "import { x } from './b.js';",
        'export * from "./b.js";',
        "const y = 1; \nexport { y };",
        "export default 1;",
    ],
)
def test_an_import_or_export_of_another_form_is_refused(monkeypatch, tmp_path, line):
    (tmp_path / "a.js").write_text(f"/* import nothing\n export nothing */\n{line}\n")
    (tmp_path / "b.js").write_text("export const x = 1;\n")
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    with pytest.raises(SymroofError) as error:
        bundle.bundle("a.js", "")
    assert str(error.value).startswith(f"a.js: {line.splitlines()[-1]!r} cannot be bundled: write import {{ names }} from")


def test_no_page_has_more_names_than_characters_for_them():
    slots = {"first": 0, "last": 2047, "beyond": 2048}
    formulas = Formulas(slots.__getitem__)
    formulas.number(Add((Ref("first"), Ref("last"))), {})
    assert all(f"{chr(0xE000 + slots[name])}" in "".join(formulas.texts) for name in ("first", "last"))
    with pytest.raises(SymroofError, match="the formulas of the page have characters for 2,048 names, and the book has more"):
        formulas.number(Ref("beyond"), {})


def test_a_bundle_is_one_script_in_the_order_of_imports(monkeypatch, tmp_path):
    (tmp_path / "a.js").write_text('/** Says. */\n\nimport { x } from "./b.js";\n\nexport const z = /** @type {any} */ (x);\n')
    (tmp_path / "b.js").write_text("/**\n * Says.\n * @param more\n */\nexport function x() {\n    return 1;\n}\n")
    monkeypatch.setattr(bundle, "FOLDER", tmp_path)
    text = bundle.bundle("a.js", "")
    assert text.index("function x()") < text.index("const z")
    assert "import" not in text
    assert "export" not in text
    assert "Says" not in text
    assert "@type" not in text
