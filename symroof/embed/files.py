"""Documents on disk: read whole, and replaced whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from symroof.errors import OutputError, RequestError

# A larger file is no document that somebody writes.
LARGEST = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """A document as it was read: where it really is, behind links, and its bytes."""

    path: Path
    data: bytes


def read_source(path: Path) -> Source:
    """A document.

    Raises:
        RequestError: it is no file, cannot be read, or is larger than any document.
    """
    try:
        real = path.resolve(strict=True)
        status = real.stat()
        if stat.S_ISDIR(status.st_mode):
            raise RequestError("is a folder: name the documents in it")
        if not stat.S_ISREG(status.st_mode):
            raise RequestError("is no file")
        if status.st_size > LARGEST:
            raise RequestError(f"has {status.st_size:,} bytes, a document has at most {LARGEST:,}")
        return Source(real, real.read_bytes())
    except OSError as error:
        raise RequestError(f"cannot be read: {_reason(error)}") from None
    except RuntimeError:
        raise RequestError("cannot be read: its links go round in a circle") from None


def replace_source(source: Source, data: bytes) -> None:
    """Put new bytes in the place of a document, unless somebody changed it since it was read; its mode stays.

    Raises:
        OutputError: it has changed, or cannot be written; then it is as it was.
    """
    try:
        if source.path.read_bytes() != source.data:
            raise OutputError("has changed while it was being filled: run the command again")
        if not os.access(source.path, os.W_OK):
            raise OutputError("cannot be written: it is read-only")
        _replace(source.path, data, stat.S_IMODE(source.path.stat().st_mode))
    except OSError as error:
        raise OutputError(f"cannot be written: {_reason(error)}") from None


def write_beside(path: Path, data: bytes) -> None:
    """Write a file that a document refers to, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        _replace(path, data, 0o666 & ~_umask())
    except OSError as error:
        raise OutputError(f"{path} cannot be written: {_reason(error)}") from None


def _replace(path: Path, data: bytes, mode: int) -> None:
    """Write beside a file, have it on the disk, and put it in its place: a reader sees the old bytes or the new ones."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name[:100]}.", suffix=".part", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as part:
            part.write(data)
            part.flush()
            os.fsync(part.fileno())
        os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    """Have the new name on the disk as well, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
