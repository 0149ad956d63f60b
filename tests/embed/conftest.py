"""The corpus in a folder of its own, a copy of the book, and `symroof embed` run in this process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from symroof.cli import main
from tests.ran import Ran

ROOT = Path(__file__).parents[2]
CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture
def embed(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run `symroof embed` with the carried book."""

    def embed(*arguments: object) -> Ran:
        status = main(["embed", *map(str, arguments)])
        return Ran(status, *capsys.readouterr())

    return embed


@pytest.fixture
def corpus(tmp_path: Path) -> list[Path]:
    """The documents, none of them filled."""
    folder = tmp_path / "docs"
    shutil.copytree(CORPUS, folder)
    return sorted(folder.iterdir())


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str], Path]:
    """A document of some text, its bytes as they are given."""

    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode())
        return path

    return write


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A copy of the carried book, to be changed."""
    return Path(shutil.copytree(ROOT / "derivations", tmp_path / "book", ignore=shutil.ignore_patterns("__pycache__")))
