"""The page's modules in Node.js, asked for configurations."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from toolchains import NODE, Running

import symroof
from symroof.lab.bundle import FOLDER, code
from symroof.lab.contents import contents

DRIVER = Path(__file__).parent / "driver.mjs"

Ask = Callable[..., Any]


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """A question to the modules of the page, by the name of the driver's answer."""
    if NODE is None:
        pytest.skip("no Node.js on this machine")
    folder = tmp_path_factory.mktemp("lab")
    data, slots, predicates = contents(symroof.load())
    (folder / "data.json").write_text(json.dumps(data))
    (folder / "code.js").write_text(code(slots, predicates))
    (folder / "package.json").write_text('{"type": "module"}')
    running = Running([NODE, str(DRIVER), str(FOLDER), str(folder)])

    def ask(name: str, *args: object) -> Any:
        found = json.loads(running.ask(json.dumps([name, *args])))
        assert not (isinstance(found, dict) and "error" in found), found["error"]
        return found

    yield ask
    running.close()
