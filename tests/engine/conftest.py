"""The small book of these tests, and a way to write one that is broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest
from hypothesis import settings

import symroof

# The same examples in every run: a test that fails, fails for whoever looks.
settings.register_profile("engine", deadline=None, max_examples=60, derandomize=True)
settings.load_profile("engine")

BOOKS = Path(__file__).parent.parent / "books"

WriteBook = Callable[..., Path]

_IMPORTS = "from symroof import *\nfrom fractions import Fraction\n"
_SYMBOLS = """
    from symroof import COUNT, LENGTHS, POSITIVE, symbol
    n = symbol("1", "a count")
    k = symbol("1", "another count")
    size = symbol("byte", "a size")
    speed = symbol("byte@nvlink/s", "a speed", domain=POSITIVE)
    parts = symbol("token", "a list", domain=LENGTHS)
"""


@pytest.fixture(scope="session")
def parcels() -> symroof.Book:
    return symroof.load(BOOKS / "engine_fixture")


@pytest.fixture(scope="session")
def town(parcels: symroof.Book) -> symroof.Point:
    return parcels.at()


@pytest.fixture
def write_book(tmp_path: Path) -> WriteBook:
    """Writes a book of the given modules, beside symbols n, k, size, speed and parts, and returns its folder."""

    def write(
        *, symbols: str = _SYMBOLS, values: str = "n = 6\nk = 2", files: dict[str, str] | None = None, **modules: str
    ) -> Path:
        folder = tmp_path / "book"
        texts = {
            "book.toml": 'title = "A book"\ndefault = "usual"',
            "presets/usual.toml": 'run = "plain"',
            "presets/runs/plain.toml": f'source = "a test"\n[values]\n{values}',
            "symbols.py": symbols,
            **{f"{name}.py": _IMPORTS + dedent(text) for name, text in modules.items()},
            **(files or {}),
        }
        for name, text in texts.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(dedent(text), encoding="utf-8")
        return folder

    return write
