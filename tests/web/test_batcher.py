"""The queue alone, with jobs that take as long as a test says."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.web.batcher import Batcher, Lane
from whyword.web.errors import QueueFullError
from whyword.web.limits import Settings
from whyword.web.metrics import Metrics


@dataclass(frozen=True)
class Shout:
    """Gives the text back in capitals, and remembers which texts came together."""

    batches: list[list[str]] = field(compare=False, default_factory=list)
    kind: str = "shout"
    cost: int = 0
    wait: Callable[[], object] = field(compare=False, default=lambda: None)

    def work(self, document):
        return self.cost

    def run(self, documents, between_steps):
        texts = [document.words.texts[0] for document in documents]
        self.batches.append(texts)
        self.wait()
        between_steps()
        if "bad" in texts:
            raise ValueError("bad")
        return [text.upper() for text in texts]


def documents(*texts: str) -> list[Document]:
    return [Document(split(text)) for text in texts]


def run(play, settings: Settings | None = None) -> None:
    """Play with a batcher that is at work."""

    async def whole() -> None:
        batcher = Batcher("test", settings or Settings(), Metrics(), Lane())
        working = asyncio.ensure_future(batcher.work())
        try:
            async with asyncio.timeout(20):
                await play(batcher)
        finally:
            working.cancel()
            await asyncio.gather(working, return_exceptions=True)

    asyncio.run(whole())


def test_equal_jobs_share_a_batch_and_each_gets_its_own_result():
    job = Shout()

    async def play(batcher):
        submitted = [batcher.submit(Shout(job.batches), documents(*texts)) for texts in ("ab", "c", "def")]
        assert await asyncio.gather(*submitted) == [["A", "B"], ["C"], ["D", "E", "F"]]

    run(play)
    assert job.batches == [list("abcdef")]


def test_different_jobs_do_not_share_a_batch():
    batches: list[list[str]] = []

    async def play(batcher):
        one, other = Shout(batches, "one"), Shout(batches, "other")
        await asyncio.gather(batcher.submit(one, documents("a")), batcher.submit(other, documents("b")))

    run(play)
    assert batches == [["a"], ["b"]]


def test_texts_that_come_a_little_later_are_waited_for():
    job = Shout()

    async def play(batcher):
        first = asyncio.ensure_future(batcher.submit(job, documents("a")))
        await asyncio.sleep(0.02)
        await asyncio.gather(first, batcher.submit(job, documents("b")))

    run(play, Settings(batch_wait=300))
    assert job.batches == [["a", "b"]]


def test_a_batch_that_is_full_waits_for_nobody():
    job = Shout()

    async def play(batcher):
        async with asyncio.timeout(5):
            await batcher.submit(job, documents("a", "b", "c"))

    run(play, Settings(batch_wait=60_000, batch_texts=3))
    assert job.batches == [["a", "b", "c"]]


def test_a_batch_has_a_size():
    job = Shout()

    async def play(batcher):
        assert await batcher.submit(job, documents(*"abcde")) == list("ABCDE")

    run(play, Settings(batch_texts=2))
    assert job.batches == [["a", "b"], ["c", "d"], ["e"]]


def test_costly_texts_are_answered_in_turn_with_those_of_others(monkeypatch):
    monkeypatch.setattr("whyword.web.turns.TURN", 1e-9)
    batches: list[list[str]] = []
    costly, other = Shout(batches, "costly", 1), Shout(batches, "other", 1)

    async def play(batcher):
        await asyncio.gather(batcher.submit(costly, documents(*"abc")), batcher.submit(other, documents(*"xy")))

    run(play)
    assert batches == [["a"], ["x"], ["b"], ["y"], ["c"]]


def test_once_texts_are_known_to_be_cheap_they_are_answered_together():
    job = Shout(cost=1)

    async def play(batcher):
        await batcher.submit(job, documents(*"abcdef"))

    run(play)
    assert job.batches == [["a"], list("bcdef")]


def test_a_full_queue_refuses_and_recovers():
    gate = threading.Event()
    job = Shout(wait=gate.wait)

    async def play(batcher):
        submitted = asyncio.ensure_future(batcher.submit(job, documents("a", "b", "c")))
        await asyncio.sleep(0.01)
        with pytest.raises(QueueFullError):
            await batcher.submit(job, documents("d", "e"), "other")
        more = asyncio.ensure_future(batcher.submit(job, documents("d"), "other"))
        await asyncio.sleep(0)
        gate.set()
        assert await submitted == ["A", "B", "C"]
        assert await more == ["D"]
        assert await batcher.submit(job, documents(*"wxyz")) == list("WXYZ")

    run(play, Settings(queue=4, max_texts=4))


def test_work_of_a_disconnected_client_is_dropped_before_it_begins():
    gate = threading.Event()
    job = Shout(wait=gate.wait)

    async def play(batcher):
        first = asyncio.ensure_future(batcher.submit(job, documents("a")))
        await asyncio.sleep(0.02)
        second = asyncio.ensure_future(batcher.submit(job, documents(*"bcd")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        gate.set()
        assert await first == ["A"]
        assert await batcher.submit(job, documents("e")) == ["E"]

    run(play, Settings(batch_wait=0, queue=4, max_texts=4))
    assert job.batches == [["a"], ["e"]]


def test_work_that_was_begun_stops_when_all_clients_have_disconnected():
    gate = threading.Event()
    job = Shout(wait=gate.wait, cost=1)

    async def play(batcher):
        submitted = asyncio.ensure_future(batcher.submit(job, documents("a", "b")))
        await asyncio.sleep(0.02)
        submitted.cancel()
        await asyncio.gather(submitted, return_exceptions=True)
        gate.set()
        assert await batcher.submit(job, documents("c")) == ["C"]

    run(play, Settings(batch_wait=0))
    assert job.batches == [["a"], ["c"]]


def test_the_fault_of_one_is_not_the_fault_of_all():
    job = Shout()

    async def play(batcher):
        submitted = [batcher.submit(job, documents(*texts)) for texts in (["a"], ["bad", "b"], ["c"])]
        good, bad, fine = await asyncio.gather(*submitted, return_exceptions=True)
        assert (good, fine) == (["A"], ["C"])
        assert isinstance(bad, ValueError)
        assert await batcher.submit(job, documents("d")) == ["D"]

    run(play)


def test_the_rest_of_a_request_that_failed_is_dropped():
    job = Shout(cost=1)

    async def play(batcher):
        with pytest.raises(ValueError, match="bad"):
            await batcher.submit(job, documents("bad", "b", "c"))
        assert await batcher.submit(job, documents("d")) == ["D"]

    run(play)
    assert job.batches == [["bad"], ["d"]]
