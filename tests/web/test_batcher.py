"""The queue alone, with questions that take as long as a test says."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pytest

from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.web.batcher import Batcher, QueueFullError
from whyword.web.jobs import ClientGone
from whyword.web.metrics import Metrics
from whyword.web.settings import Settings


@dataclass(frozen=True)
class Shout:
    """Gives the text back in capitals, and remembers which texts came together."""

    batches: list[list[str]] = field(compare=False, default_factory=list)
    kind: str = "shout"
    cost: int = 0
    wait: Callable[[], object] = field(compare=False, default=lambda: None)

    def work(self, document):
        return self.cost

    def answer(self, documents, wanted):
        texts = [document.words.texts[0] for document in documents]
        self.batches.append(texts)
        self.wait()
        if not wanted():
            raise ClientGone
        if "bad" in texts:
            raise ValueError("bad")
        return [text.upper() for text in texts]


def documents(*texts: str) -> list[Document]:
    return [Document(split(text)) for text in texts]


def run(play, settings: Settings | None = None) -> None:
    """Play with a batcher that is at work."""

    async def whole() -> None:
        with ThreadPoolExecutor(1) as thread:
            batcher = Batcher("test", settings or Settings(), Metrics(), thread)
            working = asyncio.ensure_future(batcher.work())
            try:
                async with asyncio.timeout(20):
                    await play(batcher)
            finally:
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)

    asyncio.run(whole())


def test_equal_questions_share_a_batch_and_each_gets_its_own_answer():
    question = Shout()

    async def play(batcher):
        asked = [batcher.ask(Shout(question.batches), documents(*texts)) for texts in ("ab", "c", "def")]
        assert await asyncio.gather(*asked) == [["A", "B"], ["C"], ["D", "E", "F"]]

    run(play)
    assert question.batches == [list("abcdef")]


def test_different_questions_do_not_share_a_batch():
    batches: list[list[str]] = []

    async def play(batcher):
        one, other = Shout(batches, "one"), Shout(batches, "other")
        await asyncio.gather(batcher.ask(one, documents("a")), batcher.ask(other, documents("b")))

    run(play)
    assert batches == [["a"], ["b"]]


def test_texts_that_come_a_little_later_are_waited_for():
    question = Shout()

    async def play(batcher):
        first = asyncio.ensure_future(batcher.ask(question, documents("a")))
        await asyncio.sleep(0.02)
        await asyncio.gather(first, batcher.ask(question, documents("b")))

    run(play, Settings(batch_wait=300))
    assert question.batches == [["a", "b"]]


def test_a_batch_that_is_full_waits_for_nobody():
    question = Shout()

    async def play(batcher):
        async with asyncio.timeout(5):
            await batcher.ask(question, documents("a", "b", "c"))

    run(play, Settings(batch_wait=60_000, batch_texts=3))
    assert question.batches == [["a", "b", "c"]]


def test_a_batch_has_a_size():
    question = Shout()

    async def play(batcher):
        assert await batcher.ask(question, documents(*"abcde")) == list("ABCDE")

    run(play, Settings(batch_texts=2))
    assert question.batches == [["a", "b"], ["c", "d"], ["e"]]


def test_costly_texts_are_answered_in_turn_with_those_of_others(monkeypatch):
    monkeypatch.setattr("whyword.web.batcher.TURN", 1e-9)
    batches: list[list[str]] = []
    costly, other = Shout(batches, "costly", 1), Shout(batches, "other", 1)

    async def play(batcher):
        await asyncio.gather(batcher.ask(costly, documents(*"abc")), batcher.ask(other, documents(*"xy")))

    run(play)
    assert batches == [["a"], ["x"], ["b"], ["y"], ["c"]]


def test_once_texts_are_known_to_be_cheap_they_are_answered_together():
    question = Shout(cost=1)

    async def play(batcher):
        await batcher.ask(question, documents(*"abcdef"))

    run(play)
    assert question.batches == [["a"], list("bcdef")]


def test_a_full_queue_refuses_and_recovers():
    gate = threading.Event()
    question = Shout(wait=gate.wait)

    async def play(batcher):
        asked = asyncio.ensure_future(batcher.ask(question, documents("a", "b", "c")))
        await asyncio.sleep(0.01)
        with pytest.raises(QueueFullError):
            await batcher.ask(question, documents("d", "e"))
        more = asyncio.ensure_future(batcher.ask(question, documents("d")))
        await asyncio.sleep(0)
        gate.set()
        assert await asked == ["A", "B", "C"]
        assert await more == ["D"]
        assert await batcher.ask(question, documents(*"wxyz")) == list("WXYZ")

    run(play, Settings(queue=4, max_texts=4))


def test_work_of_one_who_has_gone_is_dropped_before_it_begins():
    gate = threading.Event()
    question = Shout(wait=gate.wait)

    async def play(batcher):
        first = asyncio.ensure_future(batcher.ask(question, documents("a")))
        await asyncio.sleep(0.02)
        second = asyncio.ensure_future(batcher.ask(question, documents(*"bcd")))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        gate.set()
        assert await first == ["A"]
        assert await batcher.ask(question, documents("e")) == ["E"]

    run(play, Settings(batch_wait=0, queue=4, max_texts=4))
    assert question.batches == [["a"], ["e"]]


def test_work_that_was_begun_stops_when_all_who_asked_have_gone():
    gate = threading.Event()
    question = Shout(wait=gate.wait, cost=1)

    async def play(batcher):
        asked = asyncio.ensure_future(batcher.ask(question, documents("a", "b")))
        await asyncio.sleep(0.02)
        asked.cancel()
        await asyncio.gather(asked, return_exceptions=True)
        gate.set()
        assert await batcher.ask(question, documents("c")) == ["C"]

    run(play, Settings(batch_wait=0))
    assert question.batches == [["a"], ["c"]]


def test_the_fault_of_one_is_not_the_fault_of_all():
    question = Shout()

    async def play(batcher):
        asked = [batcher.ask(question, documents(*texts)) for texts in (["a"], ["bad", "b"], ["c"])]
        good, bad, fine = await asyncio.gather(*asked, return_exceptions=True)
        assert (good, fine) == (["A"], ["C"])
        assert isinstance(bad, ValueError)
        assert await batcher.ask(question, documents("d")) == ["D"]

    run(play)


def test_the_rest_of_a_request_that_failed_is_dropped():
    question = Shout(cost=1)

    async def play(batcher):
        with pytest.raises(ValueError, match="bad"):
            await batcher.ask(question, documents("bad", "b", "c"))
        assert await batcher.ask(question, documents("d")) == ["D"]

    run(play)
    assert question.batches == [["bad"], ["d"]]
