"""Around every request: the headers that keep browsers safe, a line in the log, a count in the metrics."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .logs import describe_bug
from .metrics import Metrics
from .responses import error_answer

ROUTES = {"/", "/app.js", "/docs", "/healthz", "/metrics", "/openapi.json", "/style.css"}
ROUTES |= {"/v1/explain", "/v1/models", "/v1/predict", "/v1/words"}
CLIENT_GONE = 499  # as nginx logs it
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}


class RequestLog:
    """Sees each request from outside, also those that others refuse."""

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Callable[[Mapping[str, Any]], None]) -> None:
        self.app = app
        self.metrics = metrics
        self.log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on; answer 500 if there is a bug."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started, status = time.perf_counter(), CLIENT_GONE

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
            if status == CLIENT_GONE:
                await error_answer(500, "This is a bug: please report it with the log of the server.")(
                    scope, receive, observed
                )
        finally:
            route = scope["path"] if scope["path"] in ROUTES else "other"
            seconds = time.perf_counter() - started
            self.metrics.request(route, status, seconds)
            facts = {"route": route, "status": status, "ms": round(1000 * seconds, 1)}
            self.log({**facts, **scope["counts"], **bug})
