"""Golden texts: files that hold what a report is to say, written anew with `pytest --update-golden`."""

import difflib
from collections.abc import Callable
from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent / "golden"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden files of tests/golden anew")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare a text with a file of tests/golden; a difference fails with a unified diff."""

    def compare(name: str, text: str) -> None:
        file = GOLDEN / name
        if request.config.getoption("--update-golden"):
            file.parent.mkdir(exist_ok=True)
            file.write_text(text, encoding="utf-8")
        known = file.read_text(encoding="utf-8") if file.is_file() else ""
        changes = difflib.unified_diff(known.splitlines(), text.splitlines(), f"golden/{name}", "now", lineterm="")
        shown = "\n".join(changes)
        assert not shown, f"{shown}\n\nrun pytest --update-golden where the change is meant"

    return compare
