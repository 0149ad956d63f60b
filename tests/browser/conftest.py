"""Debian's Chromium for the tests that read the report as its readers do, skipped where it is not installed."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import symroof
from symroof.report.write import write_report

SMALL = Path(__file__).parent.parent / "books" / "report_fixture"
# No window, no sandbox in a container, and nothing that speaks to the network by itself.
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip

Open = Callable[..., Any]


@pytest.fixture(scope="session")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The report of the whole book and that of a small one, as files."""
    folder = tmp_path_factory.mktemp("html")
    (whole,) = (p for p in write_report(symroof.load().at(), folder, ["html"]) if p.suffix == ".html")
    (small,) = (p for p in write_report(symroof.load(SMALL).at(), folder, ["html"]) if p.suffix == ".html")
    return {"whole": whole, "small": small}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'symroof[browser]'")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=program, args=FLAGS)
        yield found
        found.close()


@pytest.fixture
def opened(browser: Any) -> Iterator[Open]:
    """Open an address, at a width, in what else a context may be; each complaint and each request fails the test."""
    complaints: list[str] = []
    contexts: list[Any] = []

    def start(address: str, width: int = 1280, **options: Any) -> Any:
        context = browser.new_context(viewport={"width": width, "height": 800}, **options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("request", lambda request: None if request.url.startswith("file:") else complaints.append(request.url))
        page.goto(address)
        return page

    yield start
    for context in contexts:
        context.close()
    assert complaints == []


@pytest.fixture
def visit(opened: Open, reports: dict[str, Path]) -> Open:
    """Open a report: `whole` or `small`, as `opened` opens it."""
    return lambda name="whole", width=1280, **options: opened(reports[name].as_uri(), width, **options)
