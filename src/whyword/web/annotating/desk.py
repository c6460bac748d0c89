"""The texts of a file before the people who mark their words: read and ranked bit by bit, every decision saved."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from ...data.annotators import Agreement, agreement
from ...data.decisions import Decision, Decisions, read_decisions, same_decision, text_id
from ...interfaces.classifier import is_multi_label
from ...interfaces.document import Document, Label
from ...interfaces.errors import OptionError, WhywordError, first_line
from ...storage.json_log import JsonLog
from ..batcher import Batcher
from ..clients import SERVER
from ..errors import NotFoundError
from ..models import ServedModel
from .queue import AnnotationQueue, Item
from .usefulness import Order, RankJob, make_usefulness

T = TypeVar("T")

# how many texts are read and ranked at a time, and how many stand ready to choose the most useful from
AT_ONCE = {"uncertain": 32, "disagree": 4, "file": 256}
READY = {"uncertain": 1_000, "disagree": 100, "file": 1_000}


@dataclass(frozen=True)
class AnnotationSettings:
    """How texts are given out, and what is shown."""

    order: Order = "uncertain"
    overlap: int = 1  # people per text
    lease: float = 10.0  # minutes for which a text that is open with one person is given to no other
    show_reasons: bool = False  # show the model's own scores of a text, once the person has decided


class AnnotationDesk:
    """Gives out texts and takes decisions; each is in the file before it is confirmed."""

    def __init__(
        self,
        documents: Iterable[Document],
        log: JsonLog,
        model: ServedModel,
        settings: AnnotationSettings | None = None,
        name: str = "the file",
        texts: int | None = None,
    ) -> None:
        """Take up what a file of annotations holds.

        name: of the file of texts, for people; texts: about how many there are, if that is known.
        """
        self.settings = settings or AnnotationSettings()
        self.log, self.model, self.name, self.texts = log, model, name, texts
        self.useful = make_usefulness(self.settings.order, model)
        self.decisions = Decisions(read_decisions(log.records, log.path))
        log.records.clear()
        self.queue = AnnotationQueue(self.decisions, self.settings.overlap, 60 * self.settings.lease)
        self._rows: Iterator[tuple[int, Document]] = enumerate(documents, 1)
        self._read_all = False
        self.notice = ""  # what the people who mark should know
        self._error: WhywordError | None = None
        self._ready = READY[self.settings.order]
        self._wanted, self._arrived = asyncio.Event(), asyncio.Event()
        self._saving, self._steps = asyncio.Lock(), set[asyncio.Future[Any]]()
        self._counted: dict[str, np.ndarray] = {}
        self._agreement: Agreement | None = None
        self._seen: set[tuple[str, str]] = set()  # author and text: the model's scores were shown
        self._wanted.set()

    @property
    def classes(self) -> Sequence[Label]:
        """The labels to choose from."""
        return self.model.predictor.classes

    async def work(self, models: Batcher) -> None:
        """Read and rank texts until enough stand ready, and again whenever more are wanted."""
        while not self._read_all:
            await self._wanted.wait()
            rows = await asyncio.to_thread(self._read)
            self._read_all = not rows
            scores = await self._rank(rows, models)
            self.queue.add(Item(document, row, useful) for (row, document), useful in zip(rows, scores, strict=True))
            if len(self.queue.open) >= self._ready:
                self._wanted.clear()
            self._arrived.set()
            self._arrived = asyncio.Event()

    def _read(self) -> list[tuple[int, Document]]:
        """Read the next texts that have words."""
        rows: list[tuple[int, Document]] = []
        with_words = ((row, document) for row, document in self._rows if len(document.words))
        try:
            rows.extend(islice(with_words, AT_ONCE[self.settings.order]))
        except WhywordError as error:  # a row that cannot be read: those before it stay
            self._error = error
        return rows

    async def _rank(self, rows: Sequence[tuple[int, Document]], models: Batcher) -> list[float]:
        """Rank texts that still need somebody; where the model fails, they come as they stand in the file."""
        scores = np.zeros(len(rows))
        unfinished = [place for place, (_, document) in enumerate(rows) if not self._is_done(document)]
        if self.useful is not None and unfinished:
            job = RankJob(self.model, self.useful)
            try:
                scores[unfinished] = await models.submit(job, [rows[place][1] for place in unfinished], SERVER)
            except Exception as error:
                self.useful = None
                self.notice = f"The model could not rank the texts ({first_line(error)}): they come as in the file."
        return [float(score) for score in scores]

    def _is_done(self, document: Document) -> bool:
        return len(self.decisions.of_text(text_id(document.words))) >= self.settings.overlap

    async def next_text(self, author: str) -> str | None:
        """Give an author a text; None if there is none for them at present."""
        while True:
            arrived = self._arrived
            missing = READY[self.settings.order] - len(self.queue.available(author))
            if missing > 0 and not self._read_all:
                self._ready = len(self.queue.open) + missing
                self._wanted.set()
            text = self.queue.take(author)
            if text is not None or self._read_all:
                if text is None and self._error is not None:
                    raise self._error
                return text
            await arrived.wait()

    async def find(self, text: str) -> Item:
        """Find a text by its name; one that was given out before a restart may stand further on in the file."""
        while text not in self.queue.items and not self._read_all:
            arrived = self._arrived
            self._ready = len(self.queue.open) + AT_ONCE[self.settings.order]
            self._wanted.set()
            await arrived.wait()
        return self.item(text)

    def item(self, text: str) -> Item:
        """Look up a text that was read."""
        if text not in self.queue.items:
            raise NotFoundError(f"There is no text '{text[:40]}' to mark: ask for the next one.")
        return self.queue.items[text]

    async def decide(self, decision: Decision) -> None:
        """Save a decision, unless it is what the author has decided already; a click may come twice."""
        await self._uninterrupted(self._decide(decision))

    async def _decide(self, decision: Decision) -> None:
        async with self._saving:
            if not same_decision(self.decisions.find(decision.id, decision.author), decision):
                seen = (decision.author, decision.id) in self._seen
                await self._save(replace(decision, saw_reasons=seen))

    async def undo(self, author: str) -> str:
        """Take back an author's last step and give its text."""
        return await self._uninterrupted(self._undo(author))

    async def _undo(self, author: str) -> str:
        async with self._saving:
            decision = self.decisions.undoing(author, now())
            if decision is None:
                raise OptionError("There is nothing to take back: you have decided nothing so far.")
            await self._save(decision)
            return decision.id

    async def _uninterrupted(self, step: Coroutine[Any, Any, T]) -> T:
        """Let a step end even if the client has gone: what is in the file counts."""
        task = asyncio.ensure_future(step)
        self._steps.add(task)
        task.add_done_callback(self._steps.discard)
        return await asyncio.shield(task)

    async def _save(self, decision: Decision) -> None:
        text = decision.id
        await asyncio.to_thread(self.log.append, decision.to_record())
        self.decisions.add(decision)
        self._counted.pop(text, None)
        self._agreement = None
        self.queue.settle(text)
        self.queue.release(decision.author, text)

    def let_see(self, author: str, text: str) -> Document:
        """Give a text whose scores an author may see: reasons of a model that are seen before are repeated."""
        if not self.settings.show_reasons:
            raise OptionError("This server shows no reasons of the model: start it with --show-reasons.")
        mine = self.decisions.find(text, author)
        if mine is None or mine.state != "decided":
            raise OptionError("The reasons of the model are shown once you have decided: mark the words first.")
        self._seen.add((author, text))
        return mine.document

    def describe(self, author: str, text: str) -> dict[str, Any]:
        """Give a text with its words, the label of the file, and what the author decided about it."""
        item, mine = self.item(text), self.decisions.find(text, author)
        document, words = item.document, item.document.words
        label = document.label if document.labels is None else list(document.labels)
        return {
            "id": text,
            "row": item.row if mine is None or item.row is not None else mine.row,
            **dict(zip(("text", "text_pair"), words.texts, strict=False)),
            "words": list(words.strings),
            "spans": [list(span) for spans in words.spans for span in spans],
            "segments": list(words.segments),
            "label": label,
            "decision": None if mine is None else mine.to_record(),
            "previous": self.decisions.before(author, text),
        }

    def status(self) -> dict[str, Any]:
        """Say how far the work is and how far people agree."""
        if self._agreement is None:
            self._agreement = agreement(self.decisions, self._counted)
        overlap = self.settings.overlap
        done = sum(len(self.decisions.of_text(text)) >= overlap for text in self.decisions.by_text)
        return {
            "file": self.name,
            "annotations": self.log.path.name,
            "model": self.model.name,
            "classes": list(self.classes),
            "multi_label": is_multi_label(self.model.predictor),
            "order": self.settings.order,
            "overlap": overlap,
            "show_reasons": self.settings.show_reasons,
            "texts": self.texts,
            "done": done,
            "authors": self.decisions.counts(),
            "agreement": self._agreement.to_dict(),
            "notice": self.notice,
        }


def now() -> str:
    """Give the time as the file has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
