"""Texts of many clients in shared batches: a bounded queue, and a thread in which the models run."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..interfaces.document import Document
from .errors import ClientGoneError, QueueFullError
from .jobs import Job
from .limits import Settings
from .metrics import Metrics

T = TypeVar("T")

TURN = 0.2  # seconds that one request may take before the others that wait get their turn


@dataclass(eq=False)
class PendingRequest:
    """The texts of one request, and the results so far."""

    job: Job
    documents: Sequence[Document]
    future: asyncio.Future[list[Any]]
    since: float
    taken: int = 0  # texts that are done or in the present batch
    results: list[Any] = field(default_factory=list)


Piece = tuple[PendingRequest, Sequence[Document]]


class Batcher:
    """Collects texts for a few milliseconds and runs those of equal jobs together."""

    def __init__(self, name: str, settings: Settings, metrics: Metrics, thread: Executor) -> None:
        self._name = name
        self._settings = settings
        self._metrics = metrics
        self._thread = thread
        self._waiting = 0  # texts accepted and not yet done
        self._pending: list[PendingRequest] = []  # with texts that are in no batch yet, in the order of their turns
        self._arrived = asyncio.Event()
        self._pace: dict[str, float] = {}  # seconds per unit of work, by kind of job
        self._count(0)

    async def submit(self, job: Job, documents: Sequence[Document]) -> list[Any]:
        """Wait for the results; if the caller is cancelled, what is left of its work is dropped."""
        if self._waiting + len(documents) > self._settings.queue:
            raise QueueFullError
        loop = asyncio.get_running_loop()
        request = PendingRequest(job, documents, loop.create_future(), loop.time())
        self._pending.append(request)
        self._count(len(documents))
        self._arrived.set()
        try:
            return await request.future
        finally:
            self._count(-len(documents))
            if request in self._pending:
                self._pending.remove(request)

    async def run_alone(self, function: Callable[[], T]) -> T:
        """Run a function in the thread of the models."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    async def work(self) -> None:
        """Run batches until cancelled."""
        while True:
            await self._arrived.wait()
            await self._wait_for_others()
            if self._pending:
                await self._run(self._take())
            else:
                self._arrived.clear()

    async def _wait_for_others(self) -> None:
        if self._pending and self._waiting < self._settings.batch_texts:
            first = min(request.since for request in self._pending)
            left = first + self._settings.batch_wait / 1000 - asyncio.get_running_loop().time()
            if left > 0:
                await asyncio.sleep(left)

    def _take(self) -> list[Piece]:
        """Choose the texts of the next turn: those of the first request, and of others with the same job."""
        job = self._pending[0].job
        texts, seconds = 0, 0.0
        pieces: list[Piece] = []
        for request in [request for request in self._pending if request.job == job]:
            start = request.taken
            while request.taken < len(request.documents) and texts < self._settings.batch_texts and seconds < TURN:
                seconds += self._seconds(job, request.documents[request.taken])
                request.taken += 1
                texts += 1
            if request.taken > start:
                pieces.append((request, request.documents[start : request.taken]))
                self._pending.remove(request)
                if request.taken < len(request.documents):
                    self._pending.append(request)  # the rest waits until the others had their turn
        return pieces

    def _seconds(self, job: Job, document: Document) -> float:
        """Guess how long a text will take; the first of a kind runs alone, to learn it."""
        return job.work(document) * self._pace.get(job.kind, TURN)

    async def _run(self, pieces: list[Piece]) -> None:
        job = pieces[0][0].job
        documents = [document for _, part in pieces for document in part]

        def wanted() -> bool:
            return not all(request.future.done() for request, _ in pieces)

        started = time.perf_counter()
        try:
            results = await self.run_alone(lambda: job.run(documents, wanted))
        except ClientGoneError:
            return
        except Exception as error:
            if len(pieces) == 1:
                self._fail(pieces[0][0], error)
                return
            for piece in pieces:  # the fault of one is not the fault of all
                await self._run([piece])
            return
        self._pace[job.kind] = (time.perf_counter() - started) / max(1, sum(map(job.work, documents)))
        self._metrics.batch(self._name, len(documents))
        for request, part in pieces:
            request.results += results[: len(part)]
            results = results[len(part) :]
            if len(request.results) == len(request.documents) and not request.future.done():
                request.future.set_result(request.results)

    def _fail(self, request: PendingRequest, error: Exception) -> None:
        if request in self._pending:
            self._pending.remove(request)
        if not request.future.done():
            request.future.set_exception(error)

    def _count(self, texts: int) -> None:
        self._waiting += texts
        self._metrics.waiting[self._name] = self._waiting
