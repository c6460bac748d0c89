"""The routes of annotations: give out texts, take decisions, say how far people agree."""

from __future__ import annotations

import asyncio
from typing import Any

from fastapi import FastAPI, Request
from starlette.responses import Response

from ...catalog import make_explainer
from ...data.annotators import marked_words
from ...data.decisions import Decision, State
from ...interfaces.classifier import is_multi_label
from ...interfaces.document import Document, Label, Marked
from ...interfaces.errors import OptionError, unknown_name
from ...views.characters import showable
from ..clients import client_of
from ..errors import JsonResponse
from ..jobs import ExplainJob
from ..routes import Service
from ..schemas import Explained, refusals
from . import schemas
from .desk import AnnotationDesk, now

ERRORS = refusals(400, 401, 404, 408, 413, 422, 503, 504)


def add_annotation_routes(app: FastAPI, service: Service, desk: AnnotationDesk) -> None:
    """Add the routes of a desk."""

    def given(body: schemas.ByAuthor, text: str) -> dict[str, Any]:
        return {"text": desk.describe(read_author(body), text), "status": desk.status()}

    async def find(body: schemas.OneText) -> None:
        async with asyncio.timeout(service.settings.timeout):
            await desk.find(body.id)

    @app.get(
        "/v1/annotations",
        summary="Say how far the annotation is, and how far people agree.",
        response_model=schemas.Status,
        responses=refusals(401),
    )
    async def status() -> Response:
        return JsonResponse(desk.status())

    @app.post(
        "/v1/annotations/next",
        summary="Give a person the next text; it is theirs for some minutes.",
        response_model=schemas.NextText,
        responses=ERRORS,
    )
    async def next_text(body: schemas.ByAuthor) -> Response:
        author = read_author(body)
        async with asyncio.timeout(service.settings.timeout):
            text = await desk.next_text(author)
        answer = {"text": None, "status": desk.status()} if text is None else given(body, text)
        waiting = text is None and desk.queue.awaited(author)
        return JsonResponse({**answer, "previous": desk.decisions.before(author, text or ""), "waiting": waiting})

    @app.post(
        "/v1/annotations/open",
        summary="Give a person a text once more, such as the one before.",
        response_model=schemas.GivenAgain,
        responses=ERRORS,
    )
    async def open_text(body: schemas.OneText) -> Response:
        await find(body)
        return JsonResponse(given(body, body.id))

    @app.post(
        "/v1/annotations/decide",
        summary="Save what a person decided about a text; it is on the disk once it is answered.",
        response_model=schemas.GivenAgain,
        responses=ERRORS,
    )
    async def decide(body: schemas.Decided) -> Response:
        await find(body)
        await desk.decide(read_decided(desk, body))
        return JsonResponse(given(body, body.id))

    @app.post(
        "/v1/annotations/undo",
        summary="Take back a person's last decision.",
        response_model=schemas.GivenAgain,
        responses=ERRORS,
    )
    async def undo(body: schemas.ByAuthor) -> Response:
        return JsonResponse(given(body, await desk.undo(read_author(body))))

    @app.post(
        "/v1/annotations/reasons",
        summary="Give the model's own scores of a text that this person has decided.",
        response_model=Explained,
        responses=ERRORS,
    )
    async def reasons(body: schemas.OneText, request: Request) -> Response:
        await find(body)
        document = desk.let_see(read_author(body), body.id)
        job = ExplainJob(desk.model, make_explainer(None, desk.model.explained))
        async with asyncio.timeout(service.settings.timeout):
            (explanation,) = await service.explaining.submit(job, [Document(document.words)], client_of(request.scope))
        return JsonResponse(explanation.to_dict())


def read_author(body: schemas.ByAuthor) -> str:
    """Read the name of a person: one line that can be shown."""
    author = " ".join(body.author.split())
    if not author or showable(author) != author:
        raise OptionError("The author is no name that can be shown: give letters, digits and spaces.")
    return author


def read_decided(desk: AnnotationDesk, body: schemas.Decided) -> Decision:
    """Check a decision against its text and the labels there are."""
    item, author = desk.item(body.id), read_author(body)
    words = item.document.words
    state: State = "skipped" if body.skip else "decided"
    if body.skip:
        return Decision(Document(words), author, now(), row=item.row, state=state)
    several = is_multi_label(desk.model.predictor)
    names = body.label if isinstance(body.label, list) else [] if body.label is None else [body.label]
    if isinstance(body.label, list) != several or (body.label is None and not several):
        wanted = "give a list of labels, perhaps an empty one" if several else "give one label"
        raise OptionError(f"The decision has {'no list of labels' if several else 'no label'}: {wanted}.")
    known = [*desk.classes, *(label for label in item.document.all_labels if label not in desk.classes)]
    chosen = tuple(dict.fromkeys(_known(name, known) for name in names))
    parts = len(words.texts)
    reason = read_marks((body.rationale, body.rationale_pair)[:parts], words.texts, "rationale")
    refused = read_marks((body.not_rationale, body.not_rationale_pair)[:parts], words.texts, "not_rationale")
    if (marked_words(words, reason) & marked_words(words, refused)).any():
        raise OptionError("A word is marked as a reason and as none: choose one.")
    document = Document(words, None if several else chosen[0], reason, labels=chosen if several else None)
    return Decision(document, author, now(), refused, item.row, state)


def _known(name: str | int, known: list[Label]) -> Label:
    names = [str(label) for label in known]
    if str(name) not in names:
        raise unknown_name(str(name), "the labels of this text", names)
    return known[names.index(str(name))]


def read_marks(parts: tuple[schemas.Spans | None, ...], texts: tuple[str, ...], name: str) -> Marked | None:
    """Read marked passages in order, each inside its text; those that touch or overlap become one."""
    if all(spans is None for spans in parts):
        return None
    marked = []
    for spans, text in zip(parts, texts, strict=True):
        merged: list[tuple[int, int]] = []
        for start, end in sorted((span[0], span[1]) for span in spans or ()):
            if not 0 <= start < end <= len(text):
                raise OptionError(
                    f"The span [{start}, {end}] of {name} does not lie in its text of {len(text):,} characters."
                )
            if merged and start <= merged[-1][1]:
                merged[-1] = merged[-1][0], max(end, merged[-1][1])
            else:
                merged.append((start, end))
        marked.append(tuple(merged))
    return tuple(marked)
