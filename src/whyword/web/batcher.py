"""Texts of many clients in shared batches: a bounded queue, turns that are fair, and threads in which models run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from ..interfaces.document import Document
from . import turns
from .clients import SERVER, UNKNOWN
from .errors import ClientGoneError, QueueFullError
from .jobs import Job
from .limits import Settings
from .metrics import Metrics
from .runs import PendingRequest, Piece, Run

T = TypeVar("T")

MOST_HEAVY, MOST_HEAVY_OF_CLIENT = 16, 4  # batches of more than a turn that are begun and not done: each takes memory
MOST_KINDS = 1_000  # of jobs whose pace is remembered: clients choose the settings of explainers
SPARE = 8  # threads for what the server does itself


class Lane:
    """Models that serve one thread at a time: whoever computes with them has the lane."""

    def __init__(self) -> None:
        self.waiting = 0
        self._lock = asyncio.Lock()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for the lane, and have it."""
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1
        try:
            yield
        finally:
            self._lock.release()


class Batcher:
    """Collects texts for a few milliseconds and runs those of equal jobs together, one batch a turn."""

    def __init__(self, name: str, settings: Settings, metrics: Metrics, lane: Lane) -> None:
        self._name = name
        self._settings = settings
        self._metrics = metrics
        self._lane = lane
        self._threads = ThreadPoolExecutor(settings.queue + SPARE, name)  # as needed: one for each batch begun
        self._accepted: Counter[str] = Counter()  # texts that are not done, by client
        self._turns: turns.Turns[PendingRequest | Run] = turns.Turns()
        self._runs: dict[Run, str] = {}  # begun and not done, with the client whose turn they take
        self._arrived = asyncio.Event()
        self._pace: dict[str, float] = {}  # seconds per unit of work, by kind of job
        self._working = False
        self._count(SERVER, 0)

    @property
    def takes_work(self) -> bool:
        """Whether a text that came now would be accepted, and computed."""
        return self._working and self._accepted.total() < self._settings.queue

    async def submit(self, job: Job, documents: Sequence[Document], client: str = UNKNOWN) -> list[Any]:
        """Wait for the results; if the caller is cancelled, what is left of its work is dropped."""
        free = self._settings.queue - self._accepted.total()
        mine = self._accepted[client]
        if client != SERVER and (len(documents) > free or (mine and mine + len(documents) > free)):
            raise QueueFullError  # whoever waits already leaves as much free as it takes (Choudhury & Hahne 1998)
        loop = asyncio.get_running_loop()
        request = PendingRequest(client, job, documents, loop.create_future(), loop.time())
        self._turns.add(client, request)
        self._count(client, len(documents))
        self._arrived.set()
        try:
            return await request.future
        finally:
            self._count(client, -len(documents))
            self._turns.discard(client, request)
            self._arrived.set()  # a batch that nobody waits for any more must end

    async def run_alone(self, function: Callable[[], T]) -> T:
        """Run a function while no batch is computed."""
        async with self._lane.turn():
            work = asyncio.get_running_loop().run_in_executor(self._threads, function)
            try:
                return await asyncio.shield(work)
            finally:
                await asyncio.wait({work})  # even if the caller is gone, the thread computes on

    async def work(self) -> None:
        """Run batches until cancelled."""
        self._working = True
        try:
            while True:
                await self._arrived.wait()
                await self._wait_for_others()
                async with self._lane.turn():
                    run = self._next()
                    if run is not None:
                        await self._advance(run)
                if not self._turns:
                    self._arrived.clear()
        finally:
            self._working = False
            for run in self._runs:
                run.stop()
            self._threads.shutdown(wait=False, cancel_futures=True)

    async def _wait_for_others(self) -> None:
        """Wait until a batch is full or its first text has waited long enough, unless another batch can go on."""
        pending = [item for _, item in self._turns.waiting() if isinstance(item, PendingRequest)]
        if not pending or self._runs or self._accepted.total() >= self._settings.batch_texts:
            return
        first = min(request.since for request in pending)
        left = first + self._settings.batch_wait / 1000 - asyncio.get_running_loop().time()
        if left > 0:
            await asyncio.sleep(left)

    def _next(self) -> Run | None:
        """Choose whose turn it is: a batch that goes on, or a new one of what has been waiting."""
        for run, client in self._runs.items():
            if not run.wanted:  # it has only to end
                self._turns.discard(client, run)
                return run
        chosen = self._turns.take(self._may_begin)
        if chosen is None:
            return None
        client, item = chosen
        if isinstance(item, Run):
            return item
        pieces, seconds = self._take(client, item)
        run = Run(pieces, seconds > turns.TURN, self._others_wait)
        self._runs[run] = client
        return run

    def _others_wait(self) -> bool:
        return bool(self._turns) or self._lane.waiting > 0

    def _may_begin(self, item: PendingRequest | Run) -> bool:
        """Whether a batch goes on or is short, or its client has not begun too many that are long."""
        if isinstance(item, Run) or self._seconds(item.job, item.documents[item.taken]) <= turns.TURN:
            return True
        heavy = [client for run, client in self._runs.items() if run.heavy]
        return len(heavy) < MOST_HEAVY and heavy.count(item.client) < MOST_HEAVY_OF_CLIENT

    def _take(self, client: str, first: PendingRequest) -> tuple[list[Piece], float]:
        """Choose the texts of a new batch: those of the first request, and of others with the same job."""
        texts, seconds = 0, 0.0
        pieces: list[Piece] = []
        for whose, request in [(client, first), *self._sharing(first)]:
            start = request.taken
            while request.taken < len(request.documents) and texts < self._settings.batch_texts:
                more = self._seconds(request.job, request.documents[request.taken])
                if texts and seconds + more > turns.TURN:
                    break
                seconds += more
                request.taken += 1
                texts += 1
            if request.taken > start:
                pieces.append((request, request.documents[start : request.taken]))
                self._turns.discard(whose, request)
        return pieces, seconds

    def _sharing(self, first: PendingRequest) -> list[tuple[str, PendingRequest]]:
        """List the requests that a batch of the first can be shared with."""
        pending = [(whose, item) for whose, item in self._turns.waiting() if isinstance(item, PendingRequest)]
        return [(whose, item) for whose, item in pending if not (first.alone or item.alone) and item.job == first.job]

    def _seconds(self, job: Job, document: Document) -> float:
        """Guess how long a text will take; the first of a kind runs alone, to learn it."""
        return job.work(document) * self._pace.get(job.kind, 2 * turns.TURN)

    async def _advance(self, run: Run) -> None:
        """Let a batch compute for a turn; then it waits for the next, or its results are given out."""
        done = await run.advance(self._threads)
        self._turns.charge(self._shares(run))
        if not done:
            run.heavy = True
            if run.job.kind in self._pace:  # it was thought to be quicker
                self._pace[run.job.kind] = max(self._pace[run.job.kind], run.seconds / run.work_of_texts)
            waiting = [request.client for request, _ in run.pieces if not request.future.done()]
            if waiting and self._runs[run] not in waiting:
                self._runs[run] = waiting[0]  # whose turn it was has gone
            self._turns.add(self._runs[run], run)
            return
        del self._runs[run]
        assert run.work is not None
        error = run.work.exception()
        if error is None:
            self._finish(run, run.work.result())
        elif isinstance(error, ClientGoneError):
            return
        elif len(run.pieces) == 1:
            self._fail(run.pieces[0][0], error)
        else:
            for piece in run.pieces:  # the fault of one is not the fault of all
                self._again(*piece)

    def _shares(self, run: Run) -> dict[str, float]:
        """Divide the seconds of a turn among the clients of a batch, by the work of their texts."""
        work: Counter[str] = Counter()
        for request, part in run.pieces:
            work[request.client] += sum(1 + run.job.work(document) for document in part)
        return {client: run.charged * share / work.total() for client, share in work.items()}

    def _finish(self, run: Run, results: list[Any]) -> None:
        if len(self._pace) == MOST_KINDS:
            self._pace.clear()
        self._pace[run.job.kind] = run.seconds / run.work_of_texts
        self._metrics.batch(self._name, len(run.documents))
        for request, part in run.pieces:
            request.results += results[: len(part)]
            results = results[len(part) :]
            if request.future.done():
                continue
            if len(request.results) == len(request.documents):
                request.future.set_result(request.results)
            else:
                self._turns.add(request.client, request)  # the rest waits until the others had their turn

    def _again(self, request: PendingRequest, part: Sequence[Document]) -> None:
        """Let a request that shared a batch be computed alone."""
        if not request.future.done():
            request.taken -= len(part)
            request.alone = True
            self._turns.add(request.client, request)

    def _fail(self, request: PendingRequest, error: BaseException) -> None:
        if not request.future.done():
            request.future.set_exception(error)

    def _count(self, client: str, texts: int) -> None:
        self._accepted[client] += texts
        if not self._accepted[client]:
            del self._accepted[client]
        self._metrics.waiting[self._name] = self._accepted.total()
