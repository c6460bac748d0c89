"""The app: its middleware, its routes, its pages, and the threads in which models run."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from html import escape
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.responses import FileResponse, HTMLResponse, Response

from . import logs
from .batcher import Batcher, Lane
from .errors import add_error_handlers
from .hosts import AllowedHosts
from .inference_protocol import add_inference_protocol
from .limits import Limits, Settings
from .metrics import Metrics
from .middleware import RequestLog, TokenAuth
from .models import ServedModel
from .routes import Service, add_model_routes, add_status_routes, add_text_routes

if TYPE_CHECKING:
    from .annotating.desk import AnnotationDesk

PAGE = Path(__file__).parent / "page"
TRY_PAGES = {"/": "index.html"} | {
    f"/{name}": name for name in ("style.css", "app.js", "highlight.js", "keys.js", "server.js")
}
ANNOTATION_PAGES = {"/annotate": "annotate.html"} | {f"/{name}": name for name in ("annotate.css", "annotate.js")}
DESCRIPTION = "Predicts the classes of texts and tells which words decided."


def make_app(
    models: Sequence[ServedModel],
    settings: Settings | None = None,
    log: Callable[[Mapping[str, Any]], None] = logs.write,
    desk: AnnotationDesk | None = None,
    stopping: Callable[[], bool] = lambda: False,
    examples: Sequence[str | list[str]] = (),
) -> FastAPI:
    """Build the app that serves some models, the first as the default, and perhaps texts whose words people mark.

    stopping: whether the server has been told to leave. The page offers the examples, texts or pairs of texts, when it
    opens.
    """
    settings, metrics = settings or Settings(), Metrics()
    predict_lane = Lane()
    together = all(model.serves_two_threads for model in models)
    predicting = Batcher("predict", settings, metrics, predict_lane)
    explaining = Batcher("explain", settings, metrics, Lane() if together else predict_lane)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        work = [batcher.work() for batcher in (predicting, explaining)]
        work += [] if desk is None else [desk.work(explaining)]
        tasks = [asyncio.ensure_future(each) for each in work]
        yield
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    app = FastAPI(
        title="whyword",
        version=version("whyword"),
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    add_error_handlers(app, settings.timeout)
    app.add_middleware(Limits, settings=settings)
    if settings.token is not None:
        app.add_middleware(TokenAuth, token=settings.token)
    if settings.hosts is not None:
        app.add_middleware(AllowedHosts, hosts=settings.hosts)
    app.add_middleware(RequestLog, metrics=metrics, log=log)
    service = Service(models, settings, metrics, predicting, explaining, stopping, examples)
    add_text_routes(app, service)
    add_model_routes(app, service)
    add_status_routes(app, service)
    add_inference_protocol(app, service)
    pages = TRY_PAGES
    if desk is not None:
        from .annotating.routes import add_annotation_routes  # takes scipy, which a server without it may do without

        add_annotation_routes(app, service, desk)
        pages = {**TRY_PAGES, **ANNOTATION_PAGES}
    add_pages(app, pages)
    return app


def add_pages(app: FastAPI, pages: Mapping[str, str]) -> None:
    """Add pages with what they load, each the file of its address, and the list of routes."""

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(documentation(app.openapi()))

    for path, file in pages.items():
        app.add_api_route(path, _sending(PAGE / file), include_in_schema=False)


def _sending(path: Path) -> Callable[[], Any]:
    async def send() -> Response:
        return FileResponse(path)

    return send


def documentation(openapi: Mapping[str, Any]) -> str:
    """Write a page that lists the routes of an OpenAPI document; it loads nothing from other servers."""
    schemas = openapi["components"]["schemas"]
    routes = "".join(
        _route(method.upper(), path, operation, schemas)
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
    )
    title = escape(openapi["info"]["title"])
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="/style.css"></head>'
        f"<body><main><h1>{title}</h1><p>{escape(openapi['info']['description'])} "
        f'The same as an OpenAPI document: <a href="/openapi.json">/openapi.json</a>.</p>{routes}</main></body></html>'
    )


def _route(method: str, path: str, operation: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    fields = [(p["name"], p.get("description", ""), p.get("required", False)) for p in operation.get("parameters", [])]
    if body is not None:
        schema = schemas[body["$ref"].rpartition("/")[2]]
        required = schema.get("required", [])
        fields += [
            (name, value.get("description", ""), name in required) for name, value in schema["properties"].items()
        ]
    rows = "".join(
        f"<li><code>{escape(name)}</code>{' (needed)' if needed else ''}: {escape(about)}</li>"
        for name, about, needed in fields
    )
    answers = "".join(
        f"<li>{escape(code)}: {escape(answer['description'])}</li>" for code, answer in operation["responses"].items()
    )
    return (
        f"<section><h2><code>{method} {escape(path)}</code></h2><p>{escape(operation.get('summary', ''))}</p>"
        f"{'<h3>Takes</h3><ul>' + rows + '</ul>' if rows else ''}<h3>Answers</h3><ul>{answers}</ul></section>"
    )
