"""The queue alone, with jobs that take as long as a test says."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.web.batcher import MOST_HEAVY_OF_CLIENT, Batcher, Lane
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


def test_a_caller_that_goes_leaves_the_lane_to_nobody_before_its_function_ends():
    order, go_on = [], threading.Event()

    def function():
        go_on.wait(20)
        order.append("function")

    async def play(batcher):
        alone = asyncio.ensure_future(batcher.run_alone(function))
        await asyncio.sleep(0)
        alone.cancel()
        batch = asyncio.ensure_future(batcher.submit(Shout(wait=lambda: order.append("batch")), documents("a")))
        await asyncio.wait({batch}, timeout=0.05)
        go_on.set()
        assert await batch == ["A"]
        await asyncio.gather(alone, return_exceptions=True)

    run(play, Settings(batch_wait=0))
    assert order == ["function", "batch"]


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


@dataclass(frozen=True)
class Steps:
    """Takes some steps, each of which lasts a turn by the clock of the test, and notes them."""

    name: str
    count: int
    done: list[str] = field(compare=False)
    now: list[float] = field(compare=False)
    seen: Callable[[int], object] = field(compare=False, default=lambda step: None)

    @property
    def kind(self):
        return self.name

    def work(self, document):
        return self.count

    def run(self, documents, between_steps):
        for step in range(self.count):
            between_steps()
            self.seen(step)
            self.now[0] += 1.0
            self.done.append(self.name)
        return [self.name] * len(documents)


@pytest.fixture
def now(monkeypatch):
    """A clock that only steps advance, and turns of two thirds of a step."""
    now = [0.0]
    monkeypatch.setattr("whyword.web.runs.time.perf_counter", lambda: now[0])
    monkeypatch.setattr("whyword.web.turns.TURN", 2 / 3)
    return now


def arrival() -> tuple[Callable[[int], None], asyncio.Event]:
    """Let a test know that a job has come to its fifth step, and the job wait until the test has gone on."""
    loop, arrived, go_on = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

    def seen(step: int) -> None:
        if step == 5:
            loop.call_soon_threadsafe(arrived.set)
            go_on.wait(20)

    arrived.go_on = go_on
    return seen, arrived


def test_a_short_text_is_answered_in_the_middle_of_a_long_one(now):
    done: list[str] = []

    async def play(batcher):
        seen, arrived = arrival()
        long = asyncio.ensure_future(batcher.submit(Steps("long", 1000, done, now, seen), documents("a"), "a"))
        await arrived.wait()
        short = asyncio.ensure_future(batcher.submit(Steps("short", 1, done, now), documents("b"), "b"))
        await asyncio.sleep(0)
        arrived.go_on.set()
        assert await short == ["short"]
        assert not long.done()
        assert done.index("short") <= 7, "one step was under way, and a turn may have begun"
        long.cancel()

    run(play)


@pytest.mark.parametrize("one", ["other", "the same"], ids=["of another client", "of the same client"])
def test_a_client_with_many_requests_does_not_starve_others(now, one):
    done: list[str] = []

    async def play(batcher):
        seen, arrived = arrival()
        first = Steps("many", 40, done, now, seen)
        many = [asyncio.ensure_future(batcher.submit(first, documents("a"), "the same"))]
        await arrived.wait()
        many += [
            asyncio.ensure_future(batcher.submit(Steps(f"many {number}", 40, done, now), documents("a"), "the same"))
            for number in range(20)
        ]
        single = asyncio.ensure_future(batcher.submit(Steps("single", 12, done, now), documents("b"), one))
        await asyncio.sleep(0)
        arrived.go_on.set()
        if one == "other":
            assert await single == ["single"]
            others = [name for name in done[5:] if name != "single"]
            assert len(others) <= 12 + 3, "the client with one request has half of the steps"
        else:
            await many[0]
            assert "single" not in done, "four long ones at a time take memory; the others wait for their end"
        for each in many:
            each.cancel()

    run(play)


def test_texts_that_only_seem_short_are_not_all_begun_at_once(now):
    done: list[str] = []

    async def play(batcher):
        seen, arrived = arrival()
        first = Steps("first", 40, done, now, seen)
        long = [asyncio.ensure_future(batcher.submit(first, documents("a"), "a"))]
        await arrived.wait()
        batcher._pace["long"] = 1e-9  # learned of texts that were quick
        long += [
            asyncio.ensure_future(batcher.submit(Steps("long", 40 + number, done, now), documents("a"), "a"))
            for number in range(20)
        ]
        await asyncio.sleep(0)
        arrived.go_on.set()
        await long[0]
        assert len(batcher._runs) <= MOST_HEAVY_OF_CLIENT
        for each in long:
            each.cancel()

    run(play)


def test_a_short_text_of_the_same_client_waits_for_none_of_its_long_ones(now):
    done: list[str] = []

    async def play(batcher):
        short = Steps("short", 1, done, now)
        await batcher.submit(Steps("short", 4, done, now), documents("how long it takes"), "a")
        batcher._pace["short"] = 0.1
        seen, arrived = arrival()
        long = [asyncio.ensure_future(batcher.submit(Steps("long", 400, done, now, seen), documents("a"), "a"))]
        await arrived.wait()
        long += [
            asyncio.ensure_future(batcher.submit(Steps(f"long {number}", 400, done, now), documents("a"), "a"))
            for number in range(10)
        ]
        answer = asyncio.ensure_future(batcher.submit(short, documents("b"), "a"))
        await asyncio.sleep(0)
        arrived.go_on.set()
        assert await answer == ["short"]
        assert not any(one.done() for one in long)
        for each in long:
            each.cancel()

    run(play)


def test_a_client_that_goes_stops_its_computation_at_the_next_step(now):
    done: list[str] = []

    async def play(batcher):
        seen, arrived = arrival()
        gone = asyncio.ensure_future(batcher.submit(Steps("gone", 1000, done, now, seen), documents("a"), "a"))
        await arrived.wait()
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        arrived.go_on.set()
        assert await batcher.submit(Steps("next", 1, done, now), documents("b"), "b") == ["next"]

    run(play)
    assert done.count("gone") == 6, "the step that was under way, and no other"


def test_a_computation_that_stands_still_ends_when_its_client_goes(now):
    done: list[str] = []

    async def play(batcher):
        seen, arrived = arrival()
        one = asyncio.ensure_future(batcher.submit(Steps("one", 1000, done, now), documents("a"), "a"))
        other = asyncio.ensure_future(batcher.submit(Steps("other", 1000, done, now, seen), documents("b"), "b"))
        await arrived.wait()
        one.cancel()
        await asyncio.gather(one, return_exceptions=True)
        before = done.count("one")
        arrived.go_on.set()
        assert await batcher.submit(Steps("next", 1, done, now), documents("b"), "c") == ["next"]
        assert done.count("one") <= before
        assert len(batcher._runs) == 1
        other.cancel()

    run(play)


def test_a_client_takes_as_much_of_the_queue_as_it_leaves_free():
    gate = threading.Event()
    job = Shout(wait=gate.wait)

    async def play(batcher):
        accepted = [asyncio.ensure_future(batcher.submit(job, documents("a"), "greedy")) for _ in range(5)]
        await asyncio.sleep(0.01)
        with pytest.raises(QueueFullError):
            await batcher.submit(job, documents("b"), "greedy")
        accepted.append(asyncio.ensure_future(batcher.submit(job, documents(*"cdef"), "modest")))
        await asyncio.sleep(0.01)
        assert not accepted[-1].done()
        gate.set()
        await asyncio.gather(*accepted)

    run(play, Settings(queue=10, max_texts=10))


def test_models_that_serve_one_thread_are_shared_by_both_queues(now):
    done: list[str] = []

    async def whole():
        lane = Lane()
        batchers = [Batcher(name, Settings(), Metrics(), lane) for name in ("predict", "explain")]
        working = [asyncio.ensure_future(batcher.work()) for batcher in batchers]
        try:
            async with asyncio.timeout(20):
                seen, arrived = arrival()
                long = batchers[1].submit(Steps("long", 1000, done, now, seen), documents("a"), "a")
                asking = asyncio.ensure_future(long)
                await arrived.wait()
                short = asyncio.ensure_future(batchers[0].submit(Steps("short", 1, done, now), documents("b"), "b"))
                await asyncio.sleep(0.05)
                arrived.go_on.set()
                assert await short == ["short"]
                assert not asking.done()
                asking.cancel()
        finally:
            for task in working:
                task.cancel()
            await asyncio.gather(*working, return_exceptions=True)

    asyncio.run(whole())


def test_a_server_that_stops_leaves_no_thread_behind(now):
    done: list[str] = []
    threads = []

    async def play(batcher):
        seen, arrived = arrival()
        threads.append(batcher._threads)
        for name in "ab":
            asking = batcher.submit(
                Steps(name, 1000, done, now, seen if name == "a" else lambda step: None), documents(name), name
            )
            threads.append(asyncio.ensure_future(asking))
        await arrived.wait()
        arrived.go_on.set()

    run(play)
    threads[0].shutdown(wait=True)  # would wait for ever
