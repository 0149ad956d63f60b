"""A bar for those who wait: on a terminal, after a second, on standard error, gone when the work is done."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_PATIENCE = 1.0
_EVERY = 0.1
_WIDTH = 30


class Progress:
    """Shows how much of a whole is done. Use it as a context; call it with how much that is."""

    def __init__(self, whole: int) -> None:
        """A bar that is full at `whole`, which is at least 1."""
        self._whole = whole
        self._shown = sys.stderr is not None and sys.stderr.isatty()
        self._began = time.monotonic()
        self._next = self._began + _PATIENCE
        self._drawn = False

    def __enter__(self) -> Progress:
        return self

    def __call__(self, done: int) -> None:
        """Draw the bar, at most ten times a second."""
        now = time.monotonic()
        if not self._shown or now < self._next:
            return
        self._next, self._drawn = now + _EVERY, True
        share = done / self._whole
        left = (now - self._began) * (1 / share - 1) if share else 0
        bar = "#" * round(_WIDTH * share)
        sys.stderr.write(f"\r[{bar:.<{_WIDTH}}] {share:4.0%}  {done:,} of {self._whole:,}  {_duration(left)} left \x1b[K")
        sys.stderr.flush()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"
