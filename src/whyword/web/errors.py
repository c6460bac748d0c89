"""Whatever stops a request becomes a status and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request

from ..interfaces.errors import WhywordError
from .batcher import QueueFullError
from .responses import JsonAnswer, error_answer

RETRY_AFTER = "1"  # seconds


class NotFoundError(WhywordError):
    """There is nothing of that name."""


def refuse_politely(app: FastAPI, timeout: float) -> None:
    """Give every error of an app the same shape."""

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JsonAnswer:
        return error_answer(422, sentence(error.errors()))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JsonAnswer:
        sentences = {
            400: "The body is no JSON that can be read: send UTF-8 text that does not nest deeply.",
            404: "There is nothing at this address: /docs lists what there is.",
            405: "This address does not answer that method: /docs lists what there is.",
        }
        return error_answer(error.status_code, sentences.get(error.status_code, str(error.detail)), error.headers)

    @app.exception_handler(NotFoundError)
    async def _missing(_: Request, error: NotFoundError) -> JsonAnswer:
        return error_answer(404, str(error))

    @app.exception_handler(WhywordError)
    async def _mendable(_: Request, error: WhywordError) -> JsonAnswer:
        return error_answer(422, str(error))

    @app.exception_handler(QueueFullError)
    async def _full(_: Request, error: QueueFullError) -> JsonAnswer:
        return error_answer(503, "The server is busy: try again in a second.", {"Retry-After": RETRY_AFTER})

    @app.exception_handler(TimeoutError)
    async def _late(_: Request, error: TimeoutError) -> JsonAnswer:
        return error_answer(
            504, f"The answer took longer than {timeout:g} seconds: ask about fewer texts, or take fewer samples."
        )


def sentence(errors: Sequence[Any]) -> str:
    """Say what is wrong with a request, without repeating what came."""
    first = errors[0]
    place = [str(part) for part in first["loc"][1:]]
    if first["type"] == "json_invalid":
        return f"The body is no valid JSON ({first['ctx']['error']}, character {first['loc'][-1]}): mend it."
    if not place:
        return "The body is no JSON object: send one, with the header  Content-Type: application/json."
    if place[0] == "texts" and len(place) > 1:
        return f"Text {place[1]} of the request is no text: give a string, or a list of two strings for a pair."
    if first["type"] == "extra_forbidden":
        return f"'{place[0][:40]}' is no part of this request: /docs lists what is."
    message = first["msg"].rstrip(".")
    return f"'{place[0][:40]}' is not as expected: {message[0].lower()}{message[1:]}."
