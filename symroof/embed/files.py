"""Documents on disk: read whole, and replaced whole or not at all."""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from symroof.errors import OutputError, RequestError
from symroof.wholefile import reason, replacing_or_refused

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
        raise RequestError(f"cannot be read: {reason(error)}") from None
    except RuntimeError:
        raise RequestError("cannot be read: its links go round in a circle") from None


def replace_source(source: Source, data: bytes) -> None:
    """Put new bytes in the place of a document, unless somebody changed it since it was read; its mode stays.

    Raises:
        OutputError: it has changed, or cannot be written; then it is as it was.
    """
    try:
        with replacing_or_refused(source.path) as part:
            part.write_bytes(data)
            if source.path.read_bytes() != source.data:
                raise OutputError("has changed while it was being filled: run the command again")
    except OSError as error:
        raise OutputError(f"cannot be written: {reason(error)}") from None
