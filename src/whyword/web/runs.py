"""A batch that is computed in a thread of its own, and stands still whenever it is not its turn."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from ..interfaces.document import Document
from . import turns
from .errors import ClientGoneError
from .jobs import Job


@dataclass(eq=False)
class PendingRequest:
    """The texts of one request, and the results so far."""

    client: str
    job: Job
    documents: Sequence[Document]
    future: asyncio.Future[list[Any]]
    since: float
    taken: int = 0  # texts that are done or in the present batch
    alone: bool = False  # whether it shares no batch, after one that failed
    results: list[Any] = field(default_factory=list)


Piece = tuple[PendingRequest, Sequence[Document]]


class Run:
    """One job on the texts of some requests; its results wait in `work`."""

    def __init__(self, pieces: list[Piece], heavy: bool, others_wait: Callable[[], bool]) -> None:
        self.pieces = pieces
        self.heavy = heavy  # whether it takes more than a turn, or is expected to
        self.job = pieces[0][0].job
        self.documents = [document for _, part in pieces for document in part]
        self.seconds = 0.0  # of computing so far
        self.charged = 0.0  # those of the last turn during which others waited
        self.work: asyncio.Future[list[Any]] | None = None
        self._others_wait = others_wait
        self._loop = asyncio.get_running_loop()
        self._go_on = threading.Event()
        self._paused = self._loop.create_future()
        self._stopped = False
        self._begun = self._alone_until = 0.0

    @property
    def work_of_texts(self) -> int:
        """Estimate the work, at least 1."""
        return max(1, sum(map(self.job.work, self.documents)))

    @property
    def wanted(self) -> bool:
        """Whether a client still waits for a result."""
        return not self._stopped and not all(request.future.done() for request, _ in self.pieces)

    async def advance(self, threads: Executor) -> bool:
        """Compute until the turn is over, and say whether the work is done."""
        self._paused = self._loop.create_future()
        if self.work is None:
            self.work = self._loop.run_in_executor(threads, self._compute)
            self.work.add_done_callback(lambda work: work.cancelled() or work.exception())  # nobody may be there to ask
        else:
            self._go_on.set()
        await asyncio.wait({self.work, self._paused}, return_when=asyncio.FIRST_COMPLETED)
        return self.work.done()

    def stop(self) -> None:
        """Let the thread end at the next step."""
        self._stopped = True
        self._go_on.set()

    def _compute(self) -> list[Any]:
        self._begin_turn()
        try:
            return self.job.run(self.documents, self._between_steps)
        finally:
            self._end_turn()

    def _between_steps(self) -> None:
        """Stop if nobody waits for the results; let others compute if they wait and the turn is over."""
        if not self.wanted:
            raise ClientGoneError
        if not self._others_wait():
            self._alone_until = time.perf_counter()
        elif time.perf_counter() - self._alone_until >= turns.TURN:
            self._end_turn()
            self._go_on.clear()
            self._loop.call_soon_threadsafe(self._paused.set_result, None)
            if not self._stopped:
                self._go_on.wait()
            self._begin_turn()
            if not self.wanted:
                raise ClientGoneError

    def _begin_turn(self) -> None:
        self._begun = self._alone_until = time.perf_counter()

    def _end_turn(self) -> None:
        now = time.perf_counter()
        self.seconds += now - self._begun
        self.charged = now - self._alone_until
