"""Places at which a long computation can pause or stop, between one step and the next; a server makes use of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_between_steps: ContextVar[Callable[[], None] | None] = ContextVar("between_steps", default=None)


def may_pause() -> None:
    """Let whoever started this thread's computation pause it here, or stop it with an exception."""
    between_steps = _between_steps.get()
    if between_steps is not None:
        between_steps()


@contextmanager
def pausing(between_steps: Callable[[], None]) -> Iterator[None]:
    """Call a function wherever the computation inside may pause."""
    token = _between_steps.set(between_steps)
    try:
        yield
    finally:
        _between_steps.reset(token)
