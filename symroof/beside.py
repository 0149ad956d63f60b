"""Answers about a point, worked out beside other work by a process of its own, which loads the book by itself.

A point goes there as plain data and answers come back as such, in the order in which they were asked. Where there can be no
such process, or the book's files are not those that were read any more, an answer is worked out here when it is taken.
"""

from __future__ import annotations

import contextlib
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from symroof.errors import SymroofError

if TYPE_CHECKING:
    from symroof.point import Point

# The process finds symroof, and what symroof needs, where this one does.
_START = "import sys; sys.path[:] = sys.argv[1:]; from symroof.beside import serve; serve()"

# A function of a module, which is called with a point and with the rest, all plain data.
Question = tuple[Callable[..., Any], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """What goes to the process: a point without its book, and the questions."""

    book: Path
    blocks: tuple[str, ...]
    point: Mapping[str, Any]
    questions: tuple[Question, ...]


class Beside:
    """A process that answers: start it early, go on with other work, and take the answers in order."""

    def __init__(self, point: Point, questions: Sequence[Question]) -> None:
        """Start it, if there is something to ask."""
        self._point, self._open = point, list(questions)
        self._process = _started() if questions and not point.book.changed else None
        if self._process is not None:
            assert self._process.stdin is not None
            asked = _Asked(point.book.folder, tuple(point.book.blocks), _plain(point), tuple(questions))
            # A process that has ended already is found out when its answer is taken.
            with contextlib.suppress(BrokenPipeError):
                pickle.dump(asked, self._process.stdin)
                self._process.stdin.flush()

    def __enter__(self) -> Beside:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """End it, also where not everything was taken."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def take(self) -> Any:
        """The next answer.

        Raises:
            SymroofError: as the function that was asked for raises it; or the process ended, and what it said is on standard
                error.
        """
        function, rest = self._open.pop(0)
        if self._process is None:
            return function(self._point, *rest)
        assert self._process.stdout is not None
        try:
            found = pickle.load(self._process.stdout)
        except (EOFError, pickle.UnpicklingError):
            status = self._process.wait()
            raise SymroofError(f"a process that worked out a part of this ended with status {status}") from None
        if isinstance(found, SymroofError):
            raise found
        return found


def serve() -> None:
    """Answer what standard input asks, on standard output."""
    # Whoever interrupts the command interrupts this process too; the one that asks ends it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    out = sys.stdout.buffer
    # What is printed is no answer.
    with contextlib.redirect_stdout(sys.stderr):
        asked: _Asked = pickle.load(sys.stdin.buffer)
        point = _point(asked)
        for function, rest in asked.questions:
            pickle.dump(_answer(function, point, rest), out)
            out.flush()


def _answer(function: Callable[..., Any], point: Point, rest: tuple[Any, ...]) -> Any:
    try:
        return function(point, *rest)
    except SymroofError as error:
        return error


def _started() -> subprocess.Popen[bytes] | None:
    """A process that serves; None where none can be started."""
    command = [sys.executable, "-c", _START, *(path or "." for path in sys.path)]
    try:
        return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except (OSError, ValueError, TypeError):
        return None


def _plain(point: Point) -> dict[str, Any]:
    """A point without its book."""
    return {
        "preset": point.preset,
        "given": dict(point.given),
        "choices": dict(point.choices),
        "parts": point.parts,
        "overrides": dict(point.overrides),
        "cautions": point.cautions,
    }


def _point(asked: _Asked) -> Point:
    from symroof.book import load
    from symroof.point import Point

    return Point(load(asked.book).having(asked.blocks), **asked.point)
