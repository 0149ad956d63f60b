"""Rows in a file, as CSV or Parquet by its ending: the whole file or none, however the writing ends."""

from __future__ import annotations

import contextlib
import csv
import math
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import numpy as np

from symroof.errors import OutputError, RequestError, did_you_mean

# A value of a row: a number, a name, or None where there is none.
Cell: TypeAlias = int | float | str | None
_WHOLE = 2**53


class RowFile(Protocol):
    """Takes rows, part by part."""

    def write(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Append rows."""


Opener: TypeAlias = Callable[[Path, Sequence[str], frozenset[str], frozenset[str]], contextlib.AbstractContextManager[RowFile]]


def check_file(path: Path) -> None:
    """Refuse a file that cannot be written before any work is done for it.

    Raises:
        RequestError: the ending is none of the formats, or a format's package is not installed.
        OutputError: the folder does not exist or cannot be written to.
    """
    if path.suffix not in _FORMATS:
        endings = " or ".join(_FORMATS)
        raise RequestError(f"-o {path}: the ending says the format, {endings}{did_you_mean(path.suffix, _FORMATS)}")
    if path.suffix == ".parquet":
        _pyarrow()
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
        RequestError, OutputError: as `check_file`; OutputError also where writing fails.
    """
    check_file(path)
    try:
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror}") from None
    os.close(handle)
    try:
        with _stopped_by_terminate(), _FORMATS[path.suffix](Path(part), names, whole, texts) as rows:
            yield rows
        os.chmod(part, 0o666 & ~_umask())
        os.replace(part, path)
    except OSError as error:
        raise OutputError(f"{path}: {error.strerror or error}") from None
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(part)


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
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise RequestError("Parquet needs pyarrow, which is not installed: pip install 'symroof[parquet]', or write CSV") from None
    return pyarrow, pyarrow.parquet


_FORMATS: dict[str, Opener] = {".csv": _csv, ".parquet": _parquet}


def cells(column: np.ndarray) -> list[Cell]:
    """The values of a column as Python has them: whole numbers as integers, floats as they are, None for nan."""
    if column.dtype == object:
        return list(column)
    column = np.asarray(column, dtype=float)
    if np.all((column == np.rint(column)) & (np.abs(column) < _WHOLE)):
        return list(column.astype(np.int64).tolist())
    return [cell(v) for v in column.tolist()]


def cell(value: float) -> Cell:
    """One value: an integer where it is a whole number that a float has exactly, None for nan."""
    if math.isnan(value):
        return None
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value
