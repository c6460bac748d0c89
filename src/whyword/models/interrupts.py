"""Ctrl-C between two steps instead of inside one, so that nothing half done is kept and nothing done is lost."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def postponed_interrupt() -> Iterator[Callable[[], bool]]:
    """Hold back SIGINT; the function that is given tells whether one came. A second one interrupts at once.

    Where SIGINT is ignored, as a shell has it for jobs in the background and nohup's, it stays ignored: a Ctrl-C at the
    terminal is meant for another program then.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or before in (signal.SIG_IGN, None):
        yield lambda: False  # only the main thread hears signals, and None is a handler that is not Python's
        return
    came = False

    def remember(number: int, frame: FrameType | None) -> None:
        nonlocal came
        came = True
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: came
    finally:
        signal.signal(signal.SIGINT, before)
