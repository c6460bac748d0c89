"""How much a client may send and how slowly, how long the queue is, and how large the batches."""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..interfaces.errors import OptionError
from .errors import ClientGoneError, error_response

READ_ON = 16  # times the limit: what a client is still sending is thrown away so that it comes to read the answer
HEADER_BYTES, MOST_HEADERS = 16_384, 100  # of a request


class TooLargeError(Exception):
    """The body has more bytes than the limit."""


@dataclass(frozen=True)
class Settings:
    """Limits of requests, of the queue and of the batches."""

    queue: int = 512  # texts that may wait, of all clients together
    max_texts: int = 64  # of a request
    max_words: int = 1_000  # of a text, or of a pair together
    max_body: int = 1_000_000  # bytes of a request
    max_samples: int = 5_000  # of an explainer; as many as the lime package takes
    timeout: float = 60.0  # seconds until a body has come, and again until it is answered
    batch_wait: float = 5.0  # milliseconds a text waits for others to share its batch
    batch_texts: int = 64  # most texts of a batch
    connections: int = 512  # at a time, in all
    client_connections: int = 128  # at a time, of one address
    header_wait: float = 10.0  # seconds until the headers of a request have come; no more than the timeout
    hosts: tuple[str, ...] | None = None  # names that the server answers to; None: all
    token: str | None = field(default=None, repr=False)  # what clients must show; None: nothing

    def __post_init__(self) -> None:
        """Refuse limits that contradict each other, and waiting without end."""
        for name in ("timeout", "batch_wait"):
            if not math.isfinite(getattr(self, name)):
                raise OptionError(f"--{name.replace('_', '-')} is {getattr(self, name)}: give a number.")
        if self.queue < self.max_texts:
            raise OptionError(
                f"--queue {self.queue} holds fewer texts than one request may bring (--max-texts {self.max_texts}): "
                "raise the one or lower the other."
            )
        if self.client_connections > self.connections:
            raise OptionError(
                f"--client-connections {self.client_connections} is more than --connections {self.connections}: lower "
                "the one or raise the other."
            )
        if self.token is not None and not (self.token.isascii() and self.token.isprintable() and self.token.strip()):
            raise OptionError("--token is empty or holds characters that no header can carry: use ASCII letters.")


class Limits:
    """Reads each body whole before anything is done with it, then cancels the work of a client that disconnects."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        closing = {"Connection": "close"}
        if too_long := _headers_too_long(scope):
            await error_response(431, too_long, closing)(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self.settings.timeout):
                body = await _read(scope, receive, self.settings.max_body)
        except ClientGoneError:
            return
        except TooLargeError:
            sentence = (
                f"The body has more than {self.settings.max_body:,} bytes: send fewer or shorter texts at a time."
            )
            await error_response(413, sentence, closing)(scope, receive, send)
        except TimeoutError:
            sentence = f"The body did not come within {self.settings.timeout:g} seconds: send it again, faster."
            await error_response(408, sentence, closing)(scope, receive, send)
        else:
            await _while_connected(self.app, scope, body, receive, send)


def _headers_too_long(scope: Scope) -> str | None:
    headers = scope["headers"]
    size = sum(len(name) + len(value) for name, value in headers) + len(scope.get("raw_path") or b"")
    if len(headers) > MOST_HEADERS:
        return f"The request has {len(headers):,} headers, and at most {MOST_HEADERS} are taken: send fewer."
    if size + len(scope.get("query_string", b"")) > HEADER_BYTES:
        return f"The address and the headers have more than {HEADER_BYTES:,} bytes: send shorter ones."
    return None


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
    """Run the app on a body that is already here, and cancel it if the client disconnects."""
    sent = False

    async def wait_until_disconnected() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    async def receive_body() -> Message:
        nonlocal sent
        if sent:
            await asyncio.wait({disconnected})
            return {"type": "http.disconnect"}
        sent = True
        return {"type": "http.request", "body": body, "more_body": False}

    disconnected = asyncio.ensure_future(wait_until_disconnected())
    work = asyncio.ensure_future(app(scope, receive_body, send))
    try:
        await asyncio.wait({work, disconnected}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        disconnected.cancel()
        work.cancel()
        await asyncio.gather(work, disconnected, return_exceptions=True)
    if not work.cancelled():
        work.result()
