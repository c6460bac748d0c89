"""The routes of the server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from ..interfaces.errors import OptionError
from . import logs, schemas
from .auth import TokenAuth
from .batcher import Batcher
from .documentation import documentation
from .errors import NotFoundError, refuse_politely
from .jobs import Predict, Question
from .limits import Limits
from .metrics import Metrics
from .middleware import RequestLog
from .models import ServedModel
from .requests import explanation_question, find_model, read_documents
from .responses import JsonAnswer
from .settings import Settings

PAGE = Path(__file__).parent / "page"
DESCRIPTION = "Predicts the classes of texts and tells which words decided."


def make_app(
    models: Sequence[ServedModel],
    settings: Settings | None = None,
    log: Callable[[Mapping[str, Any]], None] = logs.write,
) -> FastAPI:
    """Build the app that answers for some models; the first is the default."""
    settings = settings or Settings()
    metrics = Metrics()
    thread = ThreadPoolExecutor(1, "predict")
    on_cpu = all(model.predictor.device.type == "cpu" for model in models)
    other_thread = ThreadPoolExecutor(1, "explain") if on_cpu else thread  # not all accelerators serve two threads
    predicting = Batcher("predict", settings, metrics, thread)
    explaining = Batcher("explain", settings, metrics, other_thread)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        working = [asyncio.ensure_future(batcher.work()) for batcher in (predicting, explaining)]
        yield
        for task in working:
            task.cancel()
        await asyncio.gather(*working, return_exceptions=True)
        for executor in (thread, other_thread):
            executor.shutdown(wait=False, cancel_futures=True)

    app = FastAPI(
        title="whyword",
        version=version("whyword"),
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    refuse_politely(app, settings.timeout)
    app.add_middleware(Limits, settings=settings)
    if settings.token is not None:
        app.add_middleware(TokenAuth, token=settings.token)
    app.add_middleware(RequestLog, metrics=metrics, log=log)

    async def ask(batcher: Batcher, question: Question, asked: schemas.Asked, request: Request) -> list[Any]:
        async with asyncio.timeout(settings.timeout):
            documents = await read_documents(asked.texts, settings)
            words = sum(len(document.words) for document in documents)
            request.scope["counts"] = {"texts": len(documents), "words": words}
            return await batcher.ask(question, documents)

    @app.post(
        "/v1/predict",
        summary="Give label and probabilities of each text.",
        response_model=schemas.Predictions,
        responses=schemas.refusals(400, 401, 404, 408, 413, 422, 503, 504),
    )
    async def predict(asked: schemas.Asked, request: Request) -> Response:
        model = find_model(models, asked.model)
        predictions = await ask(predicting, Predict(model), asked, request)
        return JsonAnswer({"model": model.name, "predictions": predictions})

    @app.post(
        "/v1/explain",
        summary="Tell which words of each text speak for its class, or for another.",
        response_model=schemas.Explanations,
        responses=schemas.refusals(400, 401, 404, 408, 413, 422, 503, 504),
    )
    async def explain(asked: schemas.AskedToExplain, request: Request) -> Response:
        model = find_model(models, asked.model)
        question = explanation_question(model, asked, settings)
        explanations = [
            {**explanation.to_dict(asked.top), "signed": explanation.signed}
            for explanation in await ask(explaining, question, asked, request)
        ]
        return JsonAnswer({"model": model.name, "explainer": question.explainer.name, "explanations": explanations})

    @app.get(
        "/v1/models",
        summary="List the models, the default first.",
        response_model=schemas.Models,
        responses=schemas.refusals(401),
    )
    async def list_models() -> Response:
        return JsonAnswer({"models": [model.describe() for model in models]})

    @app.get(
        "/v1/words",
        summary="List the words that matter most to a model with a gate per word.",
        response_model=schemas.WordList,
        responses=schemas.refusals(401, 404, 422),
    )
    async def words(
        model: Annotated[schemas.Name | None, Query(description="A name from /v1/models. Left out: the first.")] = None,
        top: Annotated[int, Query(ge=1, le=10_000, description="So many words.")] = 50,
    ) -> Response:
        chosen = find_model(models, model)
        try:
            importance = await predicting.run_alone(lambda: chosen.words)
        except OptionError:
            raise NotFoundError(
                f"The model '{chosen.name}' does not score words without texts: give it a corpus with  "
                "whyword words MODEL DATA, or ask a vmask model."
            ) from None
        best = importance.top(top)
        return JsonAnswer({"model": chosen.name, "source": best.source, "words": list(best.rows())})

    @app.get("/healthz", summary="Say that the server is up.", response_model=schemas.Health)
    async def healthz() -> Response:
        return JsonAnswer({"status": "ok"})

    @app.get(
        "/metrics",
        summary="Give counts and times for Prometheus.",
        response_class=PlainTextResponse,
        responses=schemas.refusals(401),
    )
    async def show_metrics() -> Response:
        return PlainTextResponse(metrics.text(), media_type="text/plain; version=0.0.4")

    @app.get("/docs", include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(documentation(app.openapi()))

    for path, file in (("/", "index.html"), ("/style.css", "style.css"), ("/app.js", "app.js")):
        app.add_api_route(path, _giving(PAGE / file), include_in_schema=False)
    return app


def _giving(path: Path) -> Callable[[], Any]:
    async def give() -> Response:
        return FileResponse(path)

    return give
