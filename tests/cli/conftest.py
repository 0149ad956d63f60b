"""A command line run in this process, and one run as a program of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from symroof.cli import main
from tests.ran import Ran

ROOT = Path(__file__).parents[2]
SOUND = ROOT / "tests" / "books" / "sound"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run a command line of the carried book."""

    def run(*arguments: str) -> Ran:
        status = main(arguments)
        return Ran(status, *capsys.readouterr())

    return run


@pytest.fixture
def ask(run: Callable[..., Ran]) -> Callable[..., Ran]:
    """Run a command line of the small sound book."""
    return lambda *arguments: run(*arguments, "--book", str(SOUND))


@pytest.fixture
def program() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run `python -m symroof` as a program of its own."""

    def program(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "symroof", *arguments]
        return subprocess.run(command, cwd=ROOT, text=True, check=False, **({"capture_output": True} | options))

    return program
