"""Around every request: the token, the headers that keep browsers safe, a line in the log, a count in the metrics."""

from __future__ import annotations

import hmac
import time
from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .errors import error_response
from .inference_protocol import route_of
from .logs import describe_bug
from .metrics import Metrics

ROUTES = {"/", "/annotate", "/docs", "/healthz", "/metrics", "/openapi.json", "/readyz"}
ROUTES |= {"/annotate.css", "/annotate.js", "/app.js", "/highlight.js", "/keys.js", "/server.js", "/style.css"}
ROUTES |= {"/v1/annotations", *(f"/v1/annotations/{step}" for step in ("next", "open", "decide", "undo", "reasons"))}
ROUTES |= {"/v1/explain", "/v1/models", "/v1/predict", "/v1/words"}
OPEN = ("/v2", "/v2/health/live", "/v2/health/ready")  # for whoever watches over the server
DISCONNECTED = 499  # as nginx logs it
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class RequestLog:
    """Logs and counts each request, also those that are refused."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Callable[[Mapping[str, Any]], None]) -> None:
        self.app = app
        self.metrics = metrics
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer 500 if there is a bug."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), DISCONNECTED

        async def observed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        scope["counts"] = {}
        bug: dict[str, Any] = {}
        try:
            await self.app(scope, receive, observed)
        except Exception as error:
            bug = describe_bug(error)
            if status == DISCONNECTED:
                await error_response(500, "This is a bug: please report it with the log of the server.")(
                    scope, receive, observed
                )
        finally:
            route = scope["path"] if scope["path"] in ROUTES else route_of(scope["path"]) or "other"
            seconds = time.perf_counter() - started
            self.metrics.request(route, status, seconds)
            record = {"route": route, "status": status, "ms": round(1000 * seconds, 1)}
            self.log({**record, **scope["counts"], **bug})


def needs_token(path: str) -> bool:
    """Whether an address is for those who have the token: all that models say, and the counts."""
    return path == "/metrics" or (path.startswith(("/v1/", "/v2/")) and path not in OPEN)


class TokenAuth:
    """Lets everyone see the page and the health of the server, and asks for a token for the rest."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = b"Bearer " + token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and needs_token(scope["path"]):
            header = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(header, self.expected):
                sentence = "This server asks for a token: send the header  Authorization: Bearer TOKEN."
                await error_response(401, sentence, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self.app(scope, receive, send)
