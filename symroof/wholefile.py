"""A file whole or not at all: written beside its place and put there at the end, however the writing ends."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from symroof.errors import OutputError


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
