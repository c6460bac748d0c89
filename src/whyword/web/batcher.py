"""Texts of many clients, answered together: a bounded queue, and a thread in which the models work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..interfaces.document import Document
from .jobs import ClientGone, Question
from .metrics import Metrics
from .settings import Settings

T = TypeVar("T")

TURN = 0.2  # seconds that one question may take before the others that wait get their turn


class QueueFullError(Exception):
    """There is no room for so many more texts."""


@dataclass(eq=False)
class Job:
    """The texts of one request."""

    question: Question
    documents: Sequence[Document]
    future: asyncio.Future[list[Any]]
    since: float
    taken: int = 0  # texts that are answered or being answered
    answers: list[Any] = field(default_factory=list)


Piece = tuple[Job, Sequence[Document]]


class Batcher:
    """Collects texts for a few milliseconds and answers those of equal questions together."""

    def __init__(self, name: str, settings: Settings, metrics: Metrics, thread: Executor) -> None:
        self._name = name
        self._settings = settings
        self._metrics = metrics
        self._thread = thread
        self._waiting = 0  # texts accepted and not yet answered
        self._jobs: list[Job] = []  # with texts that nobody has taken yet, in the order of their turns
        self._arrived = asyncio.Event()
        self._pace: dict[str, float] = {}  # seconds per unit of work, by kind of question
        self._count(0)

    async def ask(self, question: Question, documents: Sequence[Document]) -> list[Any]:
        """Wait for the answers; if the caller is cancelled, what is left of its work is dropped."""
        if self._waiting + len(documents) > self._settings.queue:
            raise QueueFullError
        loop = asyncio.get_running_loop()
        job = Job(question, documents, loop.create_future(), loop.time())
        self._jobs.append(job)
        self._count(len(documents))
        self._arrived.set()
        try:
            return await job.future
        finally:
            self._count(-len(documents))
            if job in self._jobs:
                self._jobs.remove(job)

    async def run_alone(self, function: Callable[[], T]) -> T:
        """Run a function in the thread of the models."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function)

    async def work(self) -> None:
        """Answer until cancelled."""
        while True:
            await self._arrived.wait()
            await self._wait_for_others()
            if self._jobs:
                await self._answer(self._take())
            else:
                self._arrived.clear()

    async def _wait_for_others(self) -> None:
        if self._jobs and self._waiting < self._settings.batch_texts:
            first = min(job.since for job in self._jobs)
            left = first + self._settings.batch_wait / 1000 - asyncio.get_running_loop().time()
            if left > 0:
                await asyncio.sleep(left)

    def _take(self) -> list[Piece]:
        """Choose the texts of the next turn: those of the first job, and of others with the same question."""
        question = self._jobs[0].question
        texts, seconds = 0, 0.0
        pieces: list[Piece] = []
        for job in [job for job in self._jobs if job.question == question]:
            start = job.taken
            while job.taken < len(job.documents) and texts < self._settings.batch_texts and seconds < TURN:
                seconds += self._seconds(question, job.documents[job.taken])
                job.taken += 1
                texts += 1
            if job.taken > start:
                pieces.append((job, job.documents[start : job.taken]))
                self._jobs.remove(job)
                if job.taken < len(job.documents):
                    self._jobs.append(job)  # the rest waits until the others had their turn
        return pieces

    def _seconds(self, question: Question, document: Document) -> float:
        """Guess how long a text will take; the first of a kind is answered alone, to learn it."""
        return question.work(document) * self._pace.get(question.kind, TURN)

    async def _answer(self, pieces: list[Piece]) -> None:
        question = pieces[0][0].question
        documents = [document for _, part in pieces for document in part]

        def wanted() -> bool:
            return not all(job.future.done() for job, _ in pieces)

        started = time.perf_counter()
        try:
            answers = await self.run_alone(lambda: question.answer(documents, wanted))
        except ClientGone:
            return
        except Exception as error:
            if len(pieces) == 1:
                self._refuse(pieces[0][0], error)
                return
            for piece in pieces:  # the fault of one is not the fault of all
                await self._answer([piece])
            return
        self._pace[question.kind] = (time.perf_counter() - started) / max(1, sum(map(question.work, documents)))
        self._metrics.batch(self._name, len(documents))
        for job, part in pieces:
            job.answers += answers[: len(part)]
            answers = answers[len(part) :]
            if len(job.answers) == len(job.documents) and not job.future.done():
                job.future.set_result(job.answers)

    def _refuse(self, job: Job, error: Exception) -> None:
        if job in self._jobs:
            self._jobs.remove(job)
        if not job.future.done():
            job.future.set_exception(error)

    def _count(self, texts: int) -> None:
        self._waiting += texts
        self._metrics.waiting[self._name] = self._waiting
