"""Which connections may stay open: so many in all and of each client, and none that only waits for long."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from ..interfaces.errors import OptionError
from .clients import UNKNOWN, name_of
from .errors import RETRY_AFTER, JsonResponse
from .limits import Settings

BACKLOG = 64  # connections that the system may hold, and that are accepted at a time
OTHER_FILES = 128  # open files besides connections: models, libraries, the log
LOOK = 0.5  # seconds between two looks for connections whose time is over
FULL = "The server has as many connections as it takes: try again in a second."
NO_HTTP = "This is no HTTP/1.1 request that can be read, or its headers are too long."

logger = logging.getLogger(__name__)


class Gate:
    """Knows the connections of a process, and closes those that wait for longest where there are too many."""

    def __init__(self, settings: Settings, processes: int = 1) -> None:
        """Take a share of the limits, where several processes answer on one port."""
        self.settings = settings
        self.most = -(-settings.connections // processes)
        self.most_of_client = -(-settings.client_connections // processes)
        self._open: dict[Connection, None] = {}  # the oldest first
        self._looking: asyncio.TimerHandle | None = None

    def protocol(self, *arguments: Any, **options: Any) -> Connection:
        """Make what reads a new connection, as uvicorn asks for it."""
        return Connection(self, *arguments, **options)

    def admit(self, new: Connection) -> bool:
        """Let a connection in, if need be in the place of one that is in no request."""
        same = [one for one in self._open if one.name == new.name]
        if len(same) >= self.most_of_client:
            if not self._make_room(same):
                return False
        elif len(self._open) >= self.most and not self._make_room(self._of_the_greediest()):
            return False
        self._open[new] = None
        if self._looking is None:
            self._looking = new.loop.call_later(LOOK, self._look)
        return True

    def forget(self, connection: Connection) -> None:
        """Note that a connection is closed."""
        self._open.pop(connection, None)

    def _make_room(self, candidates: list[Connection]) -> bool:
        waiting = [one for one in candidates if not one.in_request]
        if not waiting:
            return False
        oldest = min(waiting, key=lambda one: one.since)
        logger.warning("too many connections: those that wait for longest are closed")
        oldest.end()
        return True

    def _of_the_greediest(self) -> list[Connection]:
        """List the connections of the client that has the most waiting."""
        waiting = Counter(one.name for one in self._open if not one.in_request)
        greediest = waiting.most_common(1)[0][0] if waiting else None
        return [one for one in self._open if one.name == greediest]

    def _look(self) -> None:
        """End the connections whose time is over, and look again as long as there are any."""
        self._looking = None
        for connection in [one for one in self._open if one.is_late]:
            connection.end()
        if self._open:
            self._looking = next(iter(self._open)).loop.call_later(LOOK, self._look)


class Connection(H11Protocol):
    """A connection as uvicorn serves it, that is let in by a gate and has a time for everything."""

    def __init__(self, gate: Gate, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.gate = gate
        self.name = UNKNOWN
        self.since = self.loop.time()  # when it connected, began a request or got the answer

    @property
    def in_request(self) -> bool:
        """Whether a request is being answered, its body perhaps still to come."""
        return self.cycle is not None and not self.cycle.response_complete

    @property
    def is_late(self) -> bool:
        """Whether the client, or the answer, took more time than there is."""
        settings = self.gate.settings
        if self.in_request:
            allowed = 3 * settings.timeout  # to send the body, to compute and to read the answer
        elif self.transport.get_write_buffer_size():
            allowed = settings.timeout  # to read the rest of the answer
        else:
            allowed = min(settings.header_wait, settings.timeout)
        return self.loop.time() - self.since > allowed

    def end(self) -> None:
        """Close it at once."""
        self.gate.forget(self)
        self.transport.abort()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin, unless there are too many connections."""
        super().connection_made(transport)
        self.name = UNKNOWN if self.client is None else name_of(self.client[0])
        if not self.gate.admit(self):
            self._refuse(503, FULL)

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.gate.forget(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a connection that is being closed is not read."""
        if self.transport.is_closing():
            return
        before = self.cycle
        super().data_received(data)
        if self.cycle is not before:
            self.since = self.loop.time()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self.since = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no HTTP."""
        self._refuse(400, NO_HTTP)

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer without an app, and close."""
        retry = {"Retry-After": RETRY_AFTER} if status == 503 else {}
        response = JsonResponse({"error": sentence}, status, {"Connection": "close", **retry})
        head = b"".join(b"%b: %b\r\n" % header for header in response.raw_headers)
        self.transport.write(b"HTTP/1.1 %d \r\n%b\r\n%b" % (status, head, bytes(response.body)))
        self.transport.close()


def allow_open_files(settings: Settings, processes: int = 1) -> None:
    """Let the process have a file for each connection, or say that the system does not."""
    try:
        import resource
    except ImportError:  # Windows, where sockets are no files
        return
    share = -(-settings.connections // processes)
    needed = share + 4 * BACKLOG + OTHER_FILES  # a few times the backlog is on its way through the loop
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY or needed <= soft:
        return
    if hard != resource.RLIM_INFINITY and needed > hard:
        raise OptionError(
            f"--connections {settings.connections} takes {needed:,} open files in a process, and this system allows "
            f"{hard:,}: raise that limit (ulimit -n), or lower --connections by {(needed - hard) * processes:,}."
        )
    resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
