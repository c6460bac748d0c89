"""Ctrl-C between two steps instead of inside one, so that nothing half done is kept and nothing done is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def postponed_interrupt() -> Iterator[Callable[[], bool]]:
    """Hold back SIGINT; the function that is given tells whether one came. A second one interrupts at once."""
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False  # only the main thread hears signals
        return
    came = False
    before = signal.getsignal(signal.SIGINT)

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
