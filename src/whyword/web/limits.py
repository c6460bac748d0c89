"""How much a client may send, and how slowly; the work of one who has gone is dropped."""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .responses import error_answer
from .settings import Settings

READ_ON = 16  # times the limit: what a client is still sending is thrown away so that it comes to read the answer


class ClientGoneError(Exception):
    """The connection was closed before the body was complete."""


class TooLargeError(Exception):
    """The body has more bytes than the limit."""


class Limits:
    """Reads each body whole before anything is done with it, then watches whether the client stays."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        closing = {"Connection": "close"}
        try:
            async with asyncio.timeout(self.settings.timeout):
                body = await _read(scope, receive, self.settings.max_body)
        except ClientGoneError:
            return
        except TooLargeError:
            sentence = (
                f"The body has more than {self.settings.max_body:,} bytes: send fewer or shorter texts at a time."
            )
            await error_answer(413, sentence, closing)(scope, receive, send)
        except TimeoutError:
            sentence = f"The body did not come within {self.settings.timeout:g} seconds: send it again, faster."
            await error_answer(408, sentence, closing)(scope, receive, send)
        else:
            await _while_connected(self.app, scope, body, receive, send)


async def _read(scope: Scope, receive: Receive, most: int) -> bytes:
    """Read the body, counting as it comes, since not every client says its length."""
    headers = dict(scope["headers"])
    declared = headers.get(b"content-length", b"")
    length = int(declared) if declared.isdigit() else 0
    if length > READ_ON * most or (length > most and b"expect" in headers):
        raise TooLargeError
    parts: list[bytes] = []
    size, more = 0, True
    while more and size <= READ_ON * most:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        part = message.get("body", b"")
        size, more = size + len(part), message.get("more_body", False)
        if size <= most:
            parts.append(part)
    if size > most:
        raise TooLargeError
    return b"".join(parts)


async def _while_connected(app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
    """Run the app on a body that is already here, and cancel it if the client goes."""
    given = False

    async def wait_until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def give() -> Message:
        nonlocal given
        if given:
            await asyncio.wait({gone})
            return {"type": "http.disconnect"}
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    gone = asyncio.ensure_future(wait_until_gone())
    work = asyncio.ensure_future(app(scope, give, send))
    try:
        await asyncio.wait({work, gone}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        gone.cancel()
        work.cancel()
        await asyncio.gather(work, gone, return_exceptions=True)
    if not work.cancelled():
        work.result()
