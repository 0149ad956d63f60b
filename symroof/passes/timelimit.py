"""A limit on how long algebra may take, so that nothing hangs."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from symroof.errors import UnsolvableError


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, where the platform can: in the main thread of a system with alarms.

    Raises:
        UnsolvableError: the time is up.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise UnsolvableError(f"the exact way took longer than {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
