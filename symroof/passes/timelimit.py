"""A limit on how long algebra may take, so that nothing hangs."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from symroof.errors import UnsolvableError

# The alarm rings again after so many seconds, in case the algebra system caught the first ring as one of its own errors.
_AGAIN = 0.2


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after so many seconds, where the platform can: in the main thread of a system with alarms.

    A limit inside another one does not outlast it.

    Raises:
        UnsolvableError: the time is up.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise UnsolvableError(f"it takes longer than {seconds:g} s")

    outer, _ = signal.getitimer(signal.ITIMER_REAL)
    before, start = signal.signal(signal.SIGALRM, ring), time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, min(seconds, outer) if outer else seconds, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:
            signal.setitimer(signal.ITIMER_REAL, max(outer - (time.monotonic() - start), 0.001), _AGAIN)
