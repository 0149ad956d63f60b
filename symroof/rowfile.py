"""Rows in a file, as CSV or Parquet by its ending: the whole file or none, however the writing ends."""

from __future__ import annotations

import contextlib
import csv
import importlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from symroof.errors import OutputError, RequestError
from symroof.wholefile import replacing

# A value of a row: a number, a name, or None where there is none.
Cell: TypeAlias = int | float | str | None


class RowFile(Protocol):
    """Takes rows, part by part."""

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Append rows."""


Opener: TypeAlias = Callable[[Path, Sequence[str], frozenset[str], frozenset[str]], contextlib.AbstractContextManager[RowFile]]


def check_rows(path: Path) -> None:
    """Refuse a file of rows before any work is done for it.

    Raises:
        RequestError: the package for its format is not installed.
    """
    if path.suffix == ".parquet":
        _pyarrow()


@contextlib.contextmanager
def row_file(path: Path, names: Sequence[str], whole: frozenset[str], texts: frozenset[str]) -> Iterator[RowFile]:
    """A file of rows that appears under its name when all of them are in it, and not at all if anything stops before.

    Args:
        names: the columns.
        whole: those that hold whole numbers alone.
        texts: those that hold names.

    Raises:
        RequestError: the package for its format is not installed.
        OutputError: it cannot be written.
    """
    with replacing(path) as part, FORMATS[path.suffix](part, names, whole, texts) as rows:
        yield rows


class _Csv:
    def __init__(self, file: Any, names: Sequence[str]) -> None:
        self._writer = csv.writer(file, lineterminator="\n")
        self._writer.writerow(names)

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        self._writer.writerows(rows)


@contextlib.contextmanager
def _csv(part: Path, names: Sequence[str], whole: frozenset[str], texts: frozenset[str]) -> Iterator[RowFile]:
    with part.open("w", encoding="utf-8", newline="") as file:
        yield _Csv(file, names)


class _Parquet:
    def __init__(self, writer: Any, schema: Any, arrow: Any) -> None:
        self._writer, self._schema, self._arrow = writer, schema, arrow

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        columns = zip(*rows, strict=True) if rows else [()] * len(self._schema)
        arrays = [self._array(column, field) for column, field in zip(columns, self._schema, strict=True)]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def _array(self, column: Sequence[Cell], field: Any) -> Any:
        try:
            return self._arrow.array(column, type=field.type)
        except (OverflowError, self._arrow.ArrowInvalid):
            raise OutputError(f"{field.name} has a whole number that Parquet's 64 bits cannot hold: write CSV") from None


@contextlib.contextmanager
def _parquet(part: Path, names: Sequence[str], whole: frozenset[str], texts: frozenset[str]) -> Iterator[RowFile]:
    arrow, parquet = _pyarrow()
    kinds = [arrow.string() if n in texts else arrow.int64() if n in whole else arrow.float64() for n in names]
    schema = arrow.schema(list(zip(names, kinds, strict=True)))
    with parquet.ParquetWriter(part, schema) as writer:
        yield _Parquet(writer, schema, arrow)


def _pyarrow() -> tuple[Any, Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise RequestError(
            "Parquet needs pyarrow, which is not installed: pip install 'symroof[parquet]', or write CSV"
        ) from None


FORMATS: dict[str, Opener] = {".csv": _csv, ".parquet": _parquet}
