"""The example notebook: it runs, and the outputs that it carries are those of today."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.notebook.runner import run

NOTEBOOK = Path(__file__).parents[2] / "examples" / "k3-on-gb200.ipynb"


@pytest.fixture(scope="module")
def carried() -> dict[str, Any]:
    return json.loads(NOTEBOOK.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def fresh(carried: dict[str, Any]) -> dict[str, Any]:
    """The same notebook after a run."""
    pytest.importorskip("matplotlib", reason="the notebook has a picture, and Matplotlib is not installed")
    found = copy.deepcopy(carried)
    code = [c for c in found["cells"] if c["cell_type"] == "code"]
    for number, (cell, outputs) in enumerate(zip(code, run(found), strict=True), 1):
        cell["execution_count"], cell["outputs"] = number, outputs
    return found


def test_its_outputs_are_those_of_today(carried: dict[str, Any], fresh: dict[str, Any], request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--update-golden"):
        NOTEBOOK.write_text(json.dumps(fresh, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return
    for old, new in zip(carried["cells"], fresh["cells"], strict=True):
        assert without_paths(old) == without_paths(new), f"cell {old['id']}: run pytest --update-golden where it is meant"


def without_paths(cell: dict[str, Any]) -> dict[str, Any]:
    """A cell whose drawings are their titles and texts: the curves of another Matplotlib have other digits."""
    found = copy.deepcopy(cell)
    for output in found.get("outputs", []):
        data = output.get("data", {})
        if "image/svg+xml" in data:
            data["image/svg+xml"] = re.findall(r"<(title|desc)[^>]*>([^<]*)<", "".join(data["image/svg+xml"]))
    return found


def test_every_answer_is_marked_up(fresh: dict[str, Any]) -> None:
    shown = {c["id"]: c["outputs"][0] for c in fresh["cells"] if c["cell_type"] == "code" and c["outputs"]}
    forms = {cell: set(output["data"]) for cell, output in shown.items() if "data" in output}
    assert all(forms[c] >= {"text/latex", "text/markdown"} for c in ("copies", "hop", "step"))
    assert all(forms[c] >= {"text/html", "text/markdown", "text/plain"} for c in ("fewer", "held", "moves", "solve", "binds"))
    assert all(forms[c] >= {"text/html", "text/markdown", "text/plain"} for c in ("grid", "all"))
    assert "text/latex" in forms["closed-time"]
    assert "image/svg+xml" in forms["roofs"]
    assert shown["unit"]["output_type"] == "stream"


def test_it_says_nothing_of_the_machine_that_ran_it(carried: dict[str, Any]) -> None:
    text = json.dumps(carried)
    assert not re.search(r"/home/|/root/|/tmp/|/Users/|object at 0x", text)


def test_its_prose_has_no_number_of_its_own(carried: dict[str, Any]) -> None:
    prose = "".join(line for c in carried["cells"] if c["cell_type"] == "markdown" for line in c["source"])
    assert re.findall(r"\d+", prose.replace("Kimi K3 on GB200", "")) == []
