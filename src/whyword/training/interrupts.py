"""Ctrl-C and SIGTERM in the midst of training: held back until a step is done, so that no half step is saved."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from ..interfaces.errors import Terminated

ERRORS = {signal.SIGINT: KeyboardInterrupt, signal.SIGTERM: Terminated}


@dataclass
class Interruption:
    """The interruption that came, if any, to be raised once it does no harm."""

    error: KeyboardInterrupt | None = None


@contextmanager
def postponed_interrupt() -> Iterator[Interruption]:
    """Hold signals back; yields what came meanwhile. A second one interrupts at once.

    A signal that is ignored, as a shell has SIGINT for background jobs and nohup, stays ignored: a Ctrl-C at the
    terminal is meant for another program then. So does SIGTERM where nobody handles it: it ends the process.
    """
    came = Interruption()
    if threading.current_thread() is not threading.main_thread():  # only the main thread hears signals
        yield came
        return
    before = {number: signal.getsignal(number) for number in ERRORS}
    handled = {number: handler for number, handler in before.items() if callable(handler)}

    def restore() -> None:
        for number, handler in handled.items():
            signal.signal(number, handler)

    def remember(number: int, frame: FrameType | None) -> None:
        came.error = ERRORS[signal.Signals(number)]()
        restore()

    for number in handled:
        signal.signal(number, remember)
    try:
        yield came
    finally:
        restore()
