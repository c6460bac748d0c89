"""The middleware alone, fed with messages as a server feeds it."""

import asyncio
import json

import pytest

from whyword.interfaces.errors import OptionError
from whyword.web.limits import Limits, Settings

PART = b"x" * 100


def play(messages, settings: Settings, headers=(), app=None):
    """Give what the client gets, and what the app got; messages is an async iterator of what the client sends."""
    sent, got = [], []

    async def echo(scope, receive, send):
        got.append(await receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b'{"error": ""}'})

    async def run():
        waiting = messages()

        async def receive():
            try:
                return await anext(waiting)
            except StopAsyncIteration:
                await asyncio.sleep(60)

        async def send(message):
            sent.append(message)

        async with asyncio.timeout(10):
            await Limits(app or echo, settings)({"type": "http", "headers": list(headers)}, receive, send)

    asyncio.run(run())
    status = sent[0]["status"] if sent else None
    sentence = json.loads(sent[1]["body"])["error"] if sent else None
    return status, sentence, got


async def parts(count, more=False):
    for number in range(count):
        yield {"type": "http.request", "body": PART, "more_body": more or number < count - 1}


def test_a_body_within_the_limit_comes_whole():
    status, _, got = play(lambda: parts(3), Settings(max_body=300))
    assert status == 200
    assert got == [{"type": "http.request", "body": 3 * PART, "more_body": False}]


def test_a_body_of_unknown_length_is_counted_as_it_comes():
    status, sentence, got = play(lambda: parts(4), Settings(max_body=399))
    assert (status, got) == (413, [])
    assert sentence == "The body has more than 399 bytes: send fewer or shorter texts at a time."


def test_a_body_that_never_ends_is_not_read_for_ever():
    assert play(lambda: parts(10_000, more=True), Settings(max_body=100))[0] == 413


@pytest.mark.parametrize(
    "headers",
    [[(b"content-length", b"99999999")], [(b"content-length", b"150"), (b"expect", b"100-continue")]],
    ids=["far too long", "asks first"],
)
def test_a_body_that_says_it_is_too_large_need_not_be_sent(headers):
    async def nothing():
        pytest.fail("nothing has to be read")
        yield

    assert play(nothing, Settings(max_body=100), headers)[0] == 413


def test_a_body_that_comes_too_slowly_is_refused():
    async def slow():
        while True:
            yield {"type": "http.request", "body": b"x", "more_body": True}
            await asyncio.sleep(0.02)

    status, sentence, got = play(slow, Settings(timeout=0.1))
    assert (status, got) == (408, [])
    assert sentence == "The body did not come within 0.1 seconds: send it again, faster."


def test_who_goes_before_the_body_is_complete_gets_nothing():
    async def gone():
        yield {"type": "http.request", "body": PART, "more_body": True}
        yield {"type": "http.disconnect"}

    assert play(gone, Settings()) == (None, None, [])


def test_the_work_of_one_who_goes_is_cancelled():
    async def gone():
        yield {"type": "http.request", "body": PART, "more_body": False}
        await asyncio.sleep(0.02)
        yield {"type": "http.disconnect"}

    cancelled = []

    async def slow(scope, receive, send):
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    assert play(gone, Settings(), app=slow) == (None, None, [])
    assert cancelled == [True]


def test_an_app_that_waits_for_the_client_to_go_is_told():
    async def gone():
        yield {"type": "http.request", "body": PART, "more_body": False}
        await asyncio.sleep(0.02)
        yield {"type": "http.request", "body": b"", "more_body": False}  # means nothing
        yield {"type": "http.disconnect"}

    cancelled = []

    async def waiting(scope, receive, send):
        await receive()
        try:
            await receive()
        finally:
            cancelled.append(True)

    play(gone, Settings(), app=waiting)
    assert cancelled == [True]


def test_errors_of_the_app_pass_through():
    async def broken(scope, receive, send):
        raise KeyError("broken")

    with pytest.raises(KeyError):
        play(lambda: parts(1), Settings(), app=broken)


def test_a_queue_must_hold_a_whole_request():
    with pytest.raises(
        OptionError, match=r"--queue 10 holds fewer texts than one request may bring \(--max-texts 64\)"
    ):
        Settings(queue=10)


@pytest.mark.parametrize("token", ["", " ", "schlüssel", "a\nb"])
def test_a_token_must_fit_into_a_header(token):
    with pytest.raises(OptionError, match="--token is empty"):
        Settings(token=token)


def test_a_token_is_not_shown():
    assert "sesame" not in repr(Settings(token="sesame"))
