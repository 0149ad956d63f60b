"""A file whole or not at all: written beside its place and put there at the end, however the writing ends."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from symroof.errors import OutputError


def check_place(path: Path) -> None:
    """Refuse a place where no file can be written, before any work is done for it.

    Raises:
        OutputError: the folder does not exist or cannot be written to, or the file is a folder or read-only.
    """
    place = Path(os.path.realpath(path))
    folder = place.parent if path.is_symlink() else path.parent
    if place.is_symlink():
        raise OutputError(f"{path}: its links go round in a circle")
    if not folder.is_dir():
        raise OutputError(f"{path}: no folder {folder}")
    if path.is_dir():
        raise OutputError(f"{path}: is a folder")
    if path.exists() and not os.access(path, os.W_OK):
        raise OutputError(f"{path}: is read-only")
    if not os.access(folder, os.W_OK) and not _written_into(path):
        raise OutputError(f"{path}: the folder {folder} cannot be written to")


def write_text(path: Path, text: str) -> None:
    """A text in a file, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Bytes in a file, whole or not at all.

    Raises:
        OutputError: it cannot be written.
    """
    with replacing(path) as part:
        part.write_bytes(data)


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write, which takes the place of the one that is meant at the end, or is gone where something stops before.

    What a link leads to is replaced, not the link, and keeps its mode; then it is on the disk, under its name. A device or a
    pipe is written into.

    Raises:
        OutputError: it cannot be written.
    """
    try:
        with replacing_or_refused(path) as part:
            yield part
    except OSError as error:
        raise OutputError(f"{path}: cannot be written: {reason(error)}") from None


@contextlib.contextmanager
def replacing_or_refused(path: Path) -> Iterator[Path]:
    """The same for those who have a message of their own.

    Raises:
        OSError: it cannot be written.
    """
    # What /dev/stdout leads to may have no name: only what is to be replaced is looked for behind its links.
    place = Path(os.path.realpath(path))
    if place.is_symlink():
        raise OSError("its links go round in a circle")
    if path.exists() and not os.access(path, os.W_OK):
        raise OSError("it is read-only")
    with _poured(path) if _written_into(path) else _put(place) as part:
        yield part


def reason(error: OSError) -> str:
    """Why the system refused something, as the end of a message."""
    return (error.strerror or str(error)).lower()


@contextlib.contextmanager
def _put(place: Path) -> Iterator[Path]:
    """A file beside a place, which takes it at the end: who reads there sees the old bytes or the new ones."""
    mode = stat.S_IMODE(place.stat().st_mode) if place.exists() else 0o666 & ~_umask()
    # Its name is there before the file is, so that no moment is without somebody who removes it.
    part = place.parent / f".{place.name[:50]}.{os.urandom(8).hex()}.part"
    with _stopped_by_terminate():
        try:
            os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            yield part
            _sync(part, os.O_RDWR)
            os.chmod(part, mode)
            os.replace(part, place)
        finally:
            part.unlink(missing_ok=True)
    # Have the new name on the disk as well, where the system can.
    with contextlib.suppress(OSError):
        _sync(place.parent, os.O_RDONLY)


@contextlib.contextmanager
def _poured(path: Path) -> Iterator[Path]:
    """A file elsewhere, whose bytes go into a device or a pipe at the end."""
    with _stopped_by_terminate(), tempfile.TemporaryDirectory() as folder:
        part = Path(folder) / "part"
        yield part
        with part.open("rb") as source, _opened(path) as sink:
            shutil.copyfileobj(source, sink)


def _written_into(path: Path) -> bool:
    """True for what no other file may replace: what is no file, such as /dev/stdout, and what is printed to."""
    return path.exists() and not path.is_dir() and (not path.is_file() or _printed_to(path) is not None)


def _printed_to(path: Path) -> int | None:
    """The standard stream that goes to a path, if one does."""
    for stream in (1, 2):
        with contextlib.suppress(OSError):
            if os.path.samestat(os.fstat(stream), path.stat()):
                return stream
    return None


def _opened(path: Path) -> BinaryIO:
    """What is written into, from where it has been written to."""
    stream = _printed_to(path)
    return path.open("wb") if stream is None else os.fdopen(os.dup(stream), "wb")


def _sync(path: Path, flags: int) -> None:
    """Have a file, or the names of a folder, on the disk."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _stopped_by_terminate() -> Iterator[None]:
    """While a file is written, a polite kill is an exception, so that nothing half-written stays."""
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) == signal.SIG_IGN:
        yield
        return
    before = signal.signal(signal.SIGTERM, _stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _stop(number: int, _: object) -> None:
    """End the program; a second signal does not end the cleaning up."""
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
