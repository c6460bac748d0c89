"""Who may ask: anyone, or those who show the token."""

from __future__ import annotations

import hmac

from starlette.types import ASGIApp, Receive, Scope, Send

from .responses import error_answer


class TokenAuth:
    """Lets everyone see the page and the health of the server, and asks for a token for the rest."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self.app = app
        self.expected = b"Bearer " + token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "http" and (scope["path"].startswith("/v1/") or scope["path"] == "/metrics"):
            shown = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(shown, self.expected):
                sentence = "This server asks for a token: send the header  Authorization: Bearer TOKEN."
                await error_answer(401, sentence, {"WWW-Authenticate": "Bearer"})(scope, receive, send)
                return
        await self.app(scope, receive, send)
