"""The carried book and a small one, for tests of pictures, which need Matplotlib."""

from pathlib import Path

import pytest

import symroof
from symroof.book import Book
from symroof.point import Point

SMALL = Path(__file__).parents[1] / "books" / "report_fixture"


@pytest.fixture(scope="session")
def book() -> Book:
    return symroof.load()


@pytest.fixture(scope="session")
def k3(book: Book) -> Point:
    return book.at("k3-gb200-4k")


@pytest.fixture(scope="session")
def small() -> Book:
    return symroof.load(SMALL)
