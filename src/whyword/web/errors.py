"""JSON responses, and whatever stops a request as a status and one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from ..interfaces.errors import ModelError, WhywordError
from ..interfaces.settings import strict_json
from ..storage.json_log import NotWrittenError

RETRY_AFTER = "1"  # seconds


class NotFoundError(WhywordError):
    """There is nothing of that name."""


class QueueFullError(Exception):
    """The queue cannot take these texts."""


class ClientGoneError(Exception):
    """Every client that waited for a result has disconnected."""


class JsonResponse(Response):
    """Readable JSON of any values: lone surrogates are escaped, and NaN and infinity are null."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write the body."""
        text = strict_json(content, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")  # a lone surrogate becomes \udXXX, as JSON writes it


def error_response(status: int, sentence: str, headers: Mapping[str, str] | None = None) -> JsonResponse:
    """Refuse with one clear sentence."""
    return JsonResponse({"error": sentence}, status, headers)


def add_error_handlers(app: FastAPI, timeout: float) -> None:
    """Give every error of an app the same shape."""

    @app.exception_handler(RequestValidationError)
    async def _invalid(_: Request, error: RequestValidationError) -> JsonResponse:
        return error_response(422, sentence(error.errors()))

    @app.exception_handler(HTTPException)
    async def _http(request: Request, error: HTTPException) -> JsonResponse:
        sentences = {
            400: "The body is no JSON that can be read: send UTF-8 text that does not nest deeply.",
            404: "There is nothing at this address: /docs lists what there is.",
            405: "This address does not answer that method: /docs lists what there is.",
        }
        return error_response(error.status_code, sentences.get(error.status_code, str(error.detail)), error.headers)

    @app.exception_handler(NotFoundError)
    async def _missing(_: Request, error: NotFoundError) -> JsonResponse:
        return error_response(404, str(error))

    @app.exception_handler(WhywordError)
    async def _refused(_: Request, error: WhywordError) -> JsonResponse:
        return error_response(422, str(error))

    @app.exception_handler(ModelError)
    async def _failed(_: Request, error: ModelError) -> JsonResponse:
        return error_response(502, str(error))

    @app.exception_handler(QueueFullError)
    async def _full(_: Request, error: QueueFullError) -> JsonResponse:
        return error_response(503, "The server is busy: try again in a second.", {"Retry-After": RETRY_AFTER})

    @app.exception_handler(NotWrittenError)
    async def _not_written(_: Request, error: NotWrittenError) -> JsonResponse:
        return error_response(503, str(error), {"Retry-After": RETRY_AFTER})

    @app.exception_handler(TimeoutError)
    async def _late(_: Request, error: TimeoutError) -> JsonResponse:
        return error_response(
            504, f"The answer took longer than {timeout:g} seconds: ask about fewer texts, or take fewer samples."
        )


def sentence(errors: Sequence[Any]) -> str:
    """Say what is wrong with a request, without repeating what came."""
    first = errors[0]
    place = [str(part) for part in first["loc"][1:]]
    if first["type"] == "json_invalid":
        return f"The body is no valid JSON ({first['ctx']['error']}, character {first['loc'][-1]}): fix it."
    if not place:
        return "The body is no JSON object: send one, with the header  Content-Type: application/json."
    if place[0] == "texts" and len(place) > 1:
        return f"Text {place[1]} of the request is no text: give a string, or a list of two strings for a pair."
    if first["type"] == "extra_forbidden":
        return f"'{place[0][:40]}' is no part of this request: /docs lists what is."
    message = first["msg"].rstrip(".")
    return f"'{place[0][:40]}' is not as expected: {message[0].lower()}{message[1:]}."
