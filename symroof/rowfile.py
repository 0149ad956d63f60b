"""Rows in a file, as CSV or Parquet by its ending: the whole file or none, however the writing ends."""

from __future__ import annotations

import contextlib
import csv
import importlib
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from symroof.errors import OutputError, RequestError

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


def check_place(path: Path) -> None:
    """Refuse a place where no file can be written, before any work is done for it.

    Raises:
        OutputError: the folder does not exist or cannot be written to, or the file is a folder.
    """
    if not path.parent.is_dir():
        raise OutputError(f"{path}: no folder {path.parent}")
    if path.is_dir():
        raise OutputError(f"{path}: is a folder")
    if not os.access(path.parent, os.W_OK):
        raise OutputError(f"{path}: the folder {path.parent} cannot be written to")


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


def write_text(path: Path, text: str) -> None:
    """A text in a file, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside the one that is meant, put in its place at the end, or gone where something stops before.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
        os.close(handle)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    part = Path(name)
    try:
        with _stopped_by_terminate():
            yield part
            part.chmod(0o666 & ~_umask())
            os.replace(part, path)
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {(error.strerror or str(error)).lower()}") from None
    finally:
        part.unlink(missing_ok=True)


@contextlib.contextmanager
def _stopped_by_terminate() -> Iterator[None]:
    """While a file is written, a polite kill is an exception, so that nothing half-written stays."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


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
