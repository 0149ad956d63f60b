"""What is shipped: a wheel that carries the book and needs the checkout for nothing, and an import that costs nothing."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def run(*command: str | Path, cwd: Path) -> str:
    """Standard output of a command that knows nothing of this interpreter's paths."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    found = subprocess.run([str(c) for c in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=300)
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The sdist of this checkout, and the wheel that is built from that sdist: so the sdist is complete."""
    pytest.importorskip("build")
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT, cwd=folder)
    return next(folder.glob("*.tar.gz")), next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(built: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` of a fresh environment that holds the wheel and what the wheel says it needs, and nothing else."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, symlinks=True)
    bin_ = folder / "bin"
    site = Path(run(bin_ / "python", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=folder).strip())
    options = ("--quiet", "--no-deps", "--no-index", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", bin_ / "python", "install", *options, built[1], cwd=folder)
    for name in needed("symroof", next(site.glob("symroof-*.dist-info/METADATA")).read_text()):
        link(name, site)
    return bin_


def needed(name: str, metadata: str) -> set[str]:
    """The distributions that a distribution requires, in turn; the network is not asked for what is here already."""
    required = re.findall(r"^Requires-Dist: ([\w.-]+)(?!.*extra ==)", metadata, re.MULTILINE)
    found = set(required)
    for other in required:
        found |= needed(other, importlib.metadata.distribution(other).read_text("METADATA") or "")
    return found


def link(name: str, site: Path) -> None:
    files = importlib.metadata.distribution(name).files or ()
    for top in {file.parts[0] for file in files if file.parts[0] not in ("..", "__pycache__")}:
        target = Path(str(importlib.metadata.distribution(name).locate_file(top)))
        (site / top).symlink_to(target)


def test_a_wheel_carries_the_book_and_the_package_and_no_more(built: tuple[Path, Path]) -> None:
    names = zipfile.ZipFile(built[1]).namelist()
    tops = {name.split("/")[0] for name in names}
    assert len(tops) == 2
    assert "symroof" in tops
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    carried = {Path(n).relative_to("symroof/derivations") for n in names if n.startswith("symroof/derivations/")}
    here = {f.relative_to(ROOT / "derivations") for f in (ROOT / "derivations").rglob("*") if f.suffix in (".py", ".toml")}
    assert carried == here
    assert {"symroof/py.typed", "symroof/cli.py"} <= set(names)
    assert [n for n in names if n.startswith("symroof/report/templates/")]
    assert not (ROOT / "symroof" / "derivations").exists()


def test_an_sdist_has_all_that_the_tests_need(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "LICENSE", "README.md", "pyproject.toml", "requirements.lock", ".ci/run"} <= names
    for folder in ("derivations", "symroof", "tests", "benchmarks"):
        here = {str(f.relative_to(ROOT)) for f in (ROOT / folder).rglob("*") if f.suffix in (".py", ".toml", ".j2")}
        assert here <= names


def test_metadata_is_complete(built: tuple[Path, Path]) -> None:
    wheel = zipfile.ZipFile(built[1])
    metadata = wheel.read(next(n for n in wheel.namelist() if n.endswith("METADATA"))).decode()
    for field in ("Name: symroof", "License-Expression: Apache-2.0", "Requires-Python: >=3.11", "License-File: LICENSE"):
        assert field in metadata
    version = re.search(r'__version__ = "(.+)"', (ROOT / "symroof" / "__init__.py").read_text())
    assert version is not None
    assert f"Version: {version[1]}\n" in metadata


def test_the_carried_book_holds_far_from_the_checkout(installed: Path, tmp_path: Path) -> None:
    run(installed / "symroof", "check", cwd=tmp_path)
    where = run(installed / "python", "-c", "import symroof; print(symroof.load().folder)", cwd=tmp_path).strip()
    assert Path(where).is_relative_to(installed.parent)
    assert not list(tmp_path.iterdir())


def test_reports_are_those_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    """The fresh environment has no Matplotlib: it checks everything but pictures."""
    run(sys.executable, "-m", "symroof", "report", "-o", tmp_path / "checkout", cwd=ROOT)
    assert "current" in run(installed / "symroof", "report", "--check", "-o", tmp_path / "checkout", cwd=tmp_path)
    run(installed / "symroof", "report", "-o", tmp_path / "wheel", cwd=tmp_path)
    assert {f.name for f in (tmp_path / "wheel").iterdir()} == {"k3-gb200-4k.md", "k3-gb200-4k.tex"}
    assert {f.name for f in tmp_path.iterdir()} == {"wheel", "checkout"}


def test_importing_loads_nothing_heavy(installed: Path, tmp_path: Path) -> None:
    code = "import sys, symroof; print(*(m for m in ('sympy', 'jinja2', 'numpy', 'mpmath') if m in sys.modules))"
    for python in (installed / "python", sys.executable):
        assert run(python, "-c", code, cwd=ROOT).strip() == ""


def test_help_and_numbers_load_nothing_heavy(tmp_path: Path) -> None:
    code = (
        "import sys; from symroof.cli import main; status = main({}); "
        "print('|', status, *(m for m in ('sympy', 'jinja2', 'numpy') if m in sys.modules))"
    )
    for arguments in (["--help"], ["eval", "step_time", "--set", "EP=32"]):
        assert run(sys.executable, "-c", code.format(arguments), cwd=ROOT).rpartition("|")[2].split() == ["0"]
