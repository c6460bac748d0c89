"""The routes of the API: a request becomes documents and a job, its results one JSON response."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import FastAPI, Query, Request
from starlette.responses import PlainTextResponse, Response

from ..catalog import make_explainer
from ..explaining.inputs import read_texts
from ..explaining.targets import read_target
from ..interfaces.classifier import class_values
from ..interfaces.document import Document
from ..interfaces.errors import OptionError, unknown_name
from . import schemas
from .batcher import Batcher
from .clients import client_of
from .errors import RETRY_AFTER, JsonResponse, NotFoundError, error_response
from .jobs import ExplainJob, Job, PredictJob
from .limits import Settings
from .metrics import Metrics
from .models import ServedModel

CHARACTERS_PER_WORD = 50  # a text with more of them is refused before it is cut into words, which takes time
AT_ONCE = 20_000  # characters: cut into words in a few milliseconds
TEXT_ERRORS = schemas.refusals(400, 401, 404, 408, 413, 422, 502, 503, 504)


@dataclass(frozen=True)
class Service:
    """What the routes share."""

    models: Sequence[ServedModel]  # the first is the default
    settings: Settings
    metrics: Metrics
    predicting: Batcher
    explaining: Batcher
    stopping: Callable[[], bool]  # whether the server has been told to leave
    examples: Sequence[str | list[str]] = ()  # texts, or pairs, that the page offers

    def why_not_ready(self) -> str | None:
        """Say why a request that came now would not be answered; None if it would."""
        if self.stopping():
            return "The server is shutting down: ask another."
        if not (self.predicting.takes_work and self.explaining.takes_work):
            return "The server is busy: try again in a second."
        return None

    async def run(self, batcher: Batcher, job: Job, body: schemas.Asked, request: Request) -> list[Any]:
        """Run a job on the texts of a request, in the time there is."""
        async with asyncio.timeout(self.settings.timeout):
            documents = await read_documents(body.texts, self.settings)
            words = sum(len(document.words) for document in documents)
            request.scope["counts"] = {"texts": len(documents), "words": words}
            return await batcher.submit(job, documents, client_of(request.scope))


def add_text_routes(app: FastAPI, service: Service) -> None:
    """Add the routes that take texts."""

    @app.post(
        "/v1/predict",
        summary="Give label and probabilities of each text.",
        response_model=schemas.Predictions,
        responses=TEXT_ERRORS,
    )
    async def predict(body: schemas.Asked, request: Request) -> Response:
        model = find_model(service.models, body.model)
        predictions = await service.run(service.predicting, PredictJob(model), body, request)
        return JsonResponse({"model": model.name, "predictions": predictions})

    @app.post(
        "/v1/explain",
        summary="Tell which words of each text speak for its class, or for another.",
        response_model=schemas.Explanations,
        responses=TEXT_ERRORS,
    )
    async def explain(body: schemas.AskedToExplain, request: Request) -> Response:
        model = find_model(service.models, body.model)
        job = explain_job(model, body, service.settings)
        explanations = await service.run(service.explaining, job, body, request)
        for explanation in explanations:
            job.target.check(explanation)
        rows = [explanation.to_dict(body.top) for explanation in explanations]
        return JsonResponse({"model": model.name, "explainer": job.explainer.name, "explanations": rows})


def add_model_routes(app: FastAPI, service: Service) -> None:
    """Add the routes that tell about the models."""

    @app.get(
        "/v1/models",
        summary="List the models, the default first.",
        response_model=schemas.Models,
        responses=schemas.refusals(401),
    )
    async def list_models() -> Response:
        described = [model.describe() for model in service.models]
        return JsonResponse({"models": described, "examples": list(service.examples)})

    @app.get(
        "/v1/words",
        summary="List the words that matter most to a model with a gate per word.",
        response_model=schemas.WordList,
        responses=schemas.refusals(401, 404, 422),
    )
    async def words(
        model: Annotated[schemas.Name | None, Query(description="A name from /v1/models. Left out: the first.")] = None,
        top: Annotated[int, Query(ge=1, le=10_000, description="Number of words.")] = 50,
    ) -> Response:
        chosen = find_model(service.models, model)
        try:
            importance = await service.predicting.run_alone(lambda: chosen.words)
        except OptionError:
            raise NotFoundError(
                f"The model '{chosen.name}' does not score words without texts: give it a corpus with  "
                "whyword words MODEL DATA, or ask a vmask model."
            ) from None
        best = importance.top(top)
        return JsonResponse({"model": chosen.name, "source": best.source, "words": list(best.rows())})


def add_status_routes(app: FastAPI, service: Service) -> None:
    """Add the routes that tell about the server."""

    @app.get("/healthz", summary="Say that the server is up.", response_model=schemas.Health)
    async def healthz() -> Response:
        return JsonResponse({"status": "ok"})

    @app.get(
        "/readyz",
        summary="Say that the models are loaded and the queue takes work.",
        response_model=schemas.Readiness,
        responses=schemas.refusals(503),
    )
    async def readyz() -> Response:
        reason = service.why_not_ready()
        if reason is not None:
            return error_response(503, reason, {"Retry-After": RETRY_AFTER})
        return JsonResponse({"status": "ready"})

    @app.get(
        "/metrics",
        summary="Give counts and times for Prometheus.",
        response_class=PlainTextResponse,
        responses=schemas.refusals(401),
    )
    async def show_metrics() -> Response:
        return PlainTextResponse(service.metrics.text(), media_type="text/plain; version=0.0.4")


def find_model(models: Sequence[ServedModel], name: str | None) -> ServedModel:
    """Look a model up by its name; without one, take the first."""
    for model in models:
        if name in (None, model.name):
            return model
    raise NotFoundError(str(unknown_name(str(name), "models", [model.name for model in models])))


async def read_documents(texts: Sequence[str | list[str]], settings: Settings) -> list[Document]:
    """Cut texts into words, if there are not too many of either; other requests are served meanwhile."""
    if len(texts) > settings.max_texts:
        raise OptionError(
            f"The request holds {len(texts):,} texts, and at most {settings.max_texts:,} are taken: send several "
            "requests."
        )
    characters = [len(text) if isinstance(text, str) else sum(map(len, text)) for text in texts]
    for number, count in enumerate(characters):
        most = CHARACTERS_PER_WORD * settings.max_words
        if count > most:
            raise OptionError(
                f"Text {number} has {count:,} characters, and at most {most:,} are taken: shorten or divide it."
            )
    if sum(characters) <= AT_ONCE:
        return _cut(texts, settings.max_words)
    return await asyncio.to_thread(_cut, texts, settings.max_words)


def _cut(texts: Sequence[str | list[str]], max_words: int) -> list[Document]:
    documents = []
    for number, text in enumerate(texts):
        (words,) = read_texts([text])
        if len(words) > max_words:
            raise OptionError(
                f"Text {number} has {len(words):,} words, and at most {max_words:,} are taken: shorten or divide it."
            )
        documents.append(Document(words))
    return documents


def explain_job(model: ServedModel, body: schemas.AskedToExplain, settings: Settings) -> ExplainJob:
    """Check the explainer, its settings and the target."""
    if body.explainer is not None and body.explainer not in model.signs:
        raise model.without(body.explainer)
    if isinstance(body.samples, int) and body.samples > settings.max_samples:
        raise OptionError(f"samples is {body.samples:,}, and at most {settings.max_samples:,} are taken: lower it.")
    options = {"samples": body.samples, "budget": body.budget}
    values = {name: value for name, value in options.items() if value is not None}
    target = read_target(model.explained.classes, body.target, body.against, class_values(model.explained))
    return ExplainJob(model, make_explainer(body.explainer, model.explained, settings=values), target)
