"""Pictures painted beside other work: a process of its own that loads Matplotlib while the one that asks goes on.

Scenes are plain data, so they go to that process as they are; what it paints is what `Picture.svg` and `Picture.pdf` give.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from symroof.errors import SymroofError

if TYPE_CHECKING:
    from symroof.pictures.picture import Picture

# The process finds symroof and Matplotlib where this one does.
_START = "import sys; sys.path[:] = sys.argv[1:]; from symroof.pictures.painter import serve; serve()"

# What was painted of a picture: its name, the form, the bytes.
Painted = tuple[str, str, bytes]


class Painter:
    """A process that paints: start it early, give it pictures as they are gathered, and take what it painted at the end."""

    def __init__(self) -> None:
        """Start it; it loads Matplotlib while nothing is asked."""
        command = [sys.executable, "-c", _START, *(path or "." for path in sys.path)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Painter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it, also where nothing was taken."""
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def paint(self, picture: Picture, forms: tuple[str, ...]) -> None:
        """Begin to paint a picture in some forms, of `svg` and `pdf`."""
        assert self._process.stdin is not None
        try:
            pickle.dump((picture, forms), self._process.stdin)
            self._process.stdin.flush()
        except BrokenPipeError:
            self._failed()

    def take(self) -> list[Painted]:
        """All that was asked for, in order.

        Raises:
            SymroofError: the process did not paint; what it said is on standard error.
        """
        answer, _ = self._process.communicate()
        if self._process.returncode != 0:
            self._failed()
        found: list[Painted] = pickle.loads(answer)
        return found

    def _failed(self) -> None:
        raise SymroofError(f"the pictures could not be painted: their process ended with status {self._process.wait()}")


def serve() -> None:
    """Paint what comes on standard input, and give all of it on standard output when that ends."""
    from symroof.pictures import style  # noqa: F401  # loads Matplotlib before there is anything to paint

    found = [(picture.name, form, data) for picture, forms in _asked() for form, data in picture.forms(forms).items()]
    sys.stdout.buffer.write(pickle.dumps(found))


def _asked() -> Iterator[tuple[Picture, tuple[str, ...]]]:
    while True:
        try:
            yield pickle.load(sys.stdin.buffer)
        except EOFError:
            return
