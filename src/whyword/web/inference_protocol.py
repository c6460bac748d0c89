"""The routes of the Open Inference Protocol (KServe v2), and KServe's v1 routes of a model, beside whyword's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Annotated, Any, Literal

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.responses import Response

from ..interfaces.errors import OptionError, unknown_name
from ..interfaces.settings import strict_json
from . import schemas
from .errors import JsonResponse
from .jobs import PredictJob
from .models import ServedModel
from .routes import TEXT_ERRORS, Service, explain_job, find_model

VERSION = "1"  # of every model: a server has one
TEXT, PAIR = "text", "text_pair"  # names of inputs
PROBABILITIES, LABEL, LABELS, EXPLANATION = "probabilities", "label", "labels", "explanation"  # names of outputs
BINARY = "inference-header-content-length"  # header of a body with tensors as bytes
MODEL = "/v2/models/{name}"
VERSIONED = MODEL + "/versions/{number}"


class Tensor(BaseModel):
    """An input: texts, in the order of their rows."""

    model_config = ConfigDict(extra="ignore")

    name: Literal["text", "text_pair"] = Field(description="text or, for the second texts of pairs, text_pair.")
    datatype: Literal["BYTES"] = Field(description="BYTES: strings.")
    shape: list[Annotated[int, Field(ge=0)]] = Field(min_length=1, max_length=2, description="[texts] or [texts, 1].")
    data: list[Any] = Field(description="The strings, flat or nested as the shape says.")


class Wanted(BaseModel):
    """An output that is asked for."""

    model_config = ConfigDict(extra="ignore")

    name: schemas.Name


class InferenceRequest(BaseModel):
    """Texts for a model."""

    model_config = ConfigDict(extra="ignore")

    id: schemas.Name | None = Field(None, description="Sent back with the answer.")
    inputs: list[Tensor] = Field(min_length=1, max_length=2)
    outputs: list[Wanted] | None = Field(None, description="Those that are wanted. Left out: all.")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="For explain: explainer, target, against, top, samples, budget."
    )


class Instances(BaseModel):
    """Texts as KServe v1 takes them."""

    model_config = ConfigDict(extra="ignore")

    instances: list[str | schemas.Pair] = Field(min_length=1, description="Texts, or pairs of texts.")
    parameters: dict[str, Any] = Field(
        default_factory=dict, description="For explain: explainer, target, against, top, samples, budget."
    )


def add_inference_protocol(app: FastAPI, service: Service) -> None:
    """Add the routes of KServe, v2 and v1."""
    _add_health(app, service)
    _add_metadata(app, service)
    _add_inference(app, service)
    _add_instances(app, service)


def _add_health(app: FastAPI, service: Service) -> None:
    @app.get("/v2", summary="Open Inference Protocol: name the server.", response_model=None)
    async def server() -> Response:
        return JsonResponse({"name": "whyword", "version": version("whyword"), "extensions": ["explain"]})

    @app.get("/v2/health/live", summary="Open Inference Protocol: say that the server is up.", response_model=None)
    async def live() -> Response:
        return JsonResponse({"live": True})

    @app.get("/v2/health/ready", summary="Open Inference Protocol: say that all models answer.", response_model=None)
    async def ready() -> Response:
        return _readiness(service)


def _add_metadata(app: FastAPI, service: Service) -> None:
    @app.get(VERSIONED, include_in_schema=False)
    @app.get(
        MODEL,
        summary="Open Inference Protocol: say what a model takes and gives.",
        response_model=None,
        responses=schemas.refusals(401, 404, 422),
    )
    async def metadata(name: str, number: str = VERSION) -> Response:
        return JsonResponse(_metadata(_find(service, name, number)))

    @app.get(VERSIONED + "/ready", include_in_schema=False)
    @app.get(
        MODEL + "/ready",
        summary="Open Inference Protocol: say that a model answers.",
        response_model=None,
        responses=schemas.refusals(401, 404, 422),
    )
    async def model_ready(name: str, number: str = VERSION) -> Response:
        return _readiness(service, _find(service, name, number))

    @app.get(
        "/v1/models/{name}",
        summary="KServe v1: say that a model answers.",
        response_model=None,
        responses=schemas.refusals(401, 404, 422),
    )
    async def v1_ready(name: str) -> Response:
        return _readiness(service, find_model(service.models, name))


def _readiness(service: Service, model: ServedModel | None = None) -> Response:
    """Say whether the server, or a model of it, takes work; all models are loaded before it answers at all."""
    ready = service.why_not_ready() is None
    named = {} if model is None else {"name": model.name}
    return JsonResponse({**named, "ready": ready}, 200 if ready else 503)


def _add_inference(app: FastAPI, service: Service) -> None:
    @app.post(VERSIONED + "/infer", include_in_schema=False)
    @app.post(
        MODEL + "/infer",
        summary="Open Inference Protocol: give label and probabilities of each text.",
        response_model=None,
        responses=TEXT_ERRORS,
    )
    async def infer(name: str, body: InferenceRequest, request: Request, number: str = VERSION) -> Response:
        model, asked = _find(service, name, number), _asked(body, request)
        rows = await service.run(service.predicting, PredictJob(model), asked, request)
        return JsonResponse(_answer(model, body, _predicted(model, rows)))

    @app.post(VERSIONED + "/explain", include_in_schema=False)
    @app.post(
        MODEL + "/explain",
        summary="Open Inference Protocol, extended: give an explanation of each text, a JSON object as a string.",
        response_model=None,
        responses=TEXT_ERRORS,
    )
    async def explain(name: str, body: InferenceRequest, request: Request, number: str = VERSION) -> Response:
        model, asked = _find(service, name, number), _asked(body, request)
        rows = await _explain(service, model, asked, body.parameters, request)
        texts = [strict_json(row) for row in rows]
        return JsonResponse(_answer(model, body, [_output(EXPLANATION, "BYTES", [len(texts)], texts)]))


def _add_instances(app: FastAPI, service: Service) -> None:
    @app.post(
        "/v1/models/{name}:predict",
        summary="KServe v1: give label and probabilities of each text.",
        response_model=None,
        responses=TEXT_ERRORS,
    )
    async def predict(name: str, body: Instances, request: Request) -> Response:
        model = find_model(service.models, name)
        asked = schemas.Asked(texts=body.instances, model=None)
        return JsonResponse({"predictions": await service.run(service.predicting, PredictJob(model), asked, request)})

    @app.post(
        "/v1/models/{name}:explain",
        summary="KServe v1: tell which words of each text decided.",
        response_model=None,
        responses=TEXT_ERRORS,
    )
    async def explain(name: str, body: Instances, request: Request) -> Response:
        model = find_model(service.models, name)
        asked = schemas.Asked(texts=body.instances, model=None)
        return JsonResponse({"explanations": await _explain(service, model, asked, body.parameters, request)})


async def _explain(
    service: Service, model: ServedModel, asked: schemas.Asked, parameters: Mapping[str, Any], request: Request
) -> list[dict[str, Any]]:
    """Explain texts as the parameters say, which are those of /v1/explain."""
    try:
        body = schemas.AskedToExplain(texts=asked.texts, **_known(parameters))
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from None
    job = explain_job(model, body, service.settings)
    explanations = await service.run(service.explaining, job, body, request)
    for explanation in explanations:
        job.target.check(explanation)
    return [explanation.to_dict(body.top) for explanation in explanations]


def _known(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Refuse parameters that explaining does not take; those of a client library are none of ours."""
    names = set(schemas.AskedToExplain.model_fields) - {"texts", "model"}
    given = {name: value for name, value in parameters.items() if name != "binary_data_output"}
    for name in given:
        if name not in names:
            raise unknown_name(name[:40], "the parameters of explain", names)
    return given


def _find(service: Service, name: str, number: str) -> ServedModel:
    if number != VERSION:
        raise OptionError(f"There is no version '{number[:40]}' of a model: every model has the version {VERSION}.")
    return find_model(service.models, name)


def _asked(body: InferenceRequest, request: Request) -> schemas.Asked:
    """Read the texts of a request."""
    if BINARY in request.headers:
        raise OptionError("Tensors are read as JSON: let the client send no binary data (binary_data=False).")
    columns = {tensor.name: _strings(tensor) for tensor in body.inputs}
    if TEXT not in columns or len(columns) < len(body.inputs):
        raise OptionError(f"Give one input '{TEXT}' and, for pairs, one '{PAIR}'.")
    if PAIR not in columns:
        return schemas.Asked(texts=columns[TEXT], model=None)
    if len(columns[PAIR]) != len(columns[TEXT]):
        raise OptionError(f"'{TEXT}' holds {len(columns[TEXT])} texts and '{PAIR}' {len(columns[PAIR])}: give as many.")
    return schemas.Asked(texts=[list(pair) for pair in zip(columns[TEXT], columns[PAIR], strict=True)], model=None)


def _strings(tensor: Tensor) -> list[Any]:
    rows = [item for row in tensor.data for item in (row if isinstance(row, list) else [row])]
    count = tensor.shape[0]
    if tensor.shape[1:] not in ([], [1]) or count != len(rows) or not rows:
        raise OptionError(
            f"The input '{tensor.name}' has the shape {tensor.shape} and {len(rows)} values: give the shape [texts] "
            "and a string for each text, one at least."
        )
    for number, text in enumerate(rows):
        if not isinstance(text, str):
            raise OptionError(f"Text {number} of the input '{tensor.name}' is no string: give one.")
    return rows


def _predicted(model: ServedModel, rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    classes = [str(name) for name in model.predictor.classes]
    table = [row["probabilities"][name] for row in rows for name in classes]
    outputs = [
        _output(PROBABILITIES, "FP32", [len(rows), len(classes)], table),
        _output(LABEL, "BYTES", [len(rows)], [str(row["label"]) for row in rows]),
    ]
    if rows and "labels" in rows[0]:
        several = [strict_json([str(name) for name in row["labels"]]) for row in rows]
        outputs.append(_output(LABELS, "BYTES", [len(rows)], several))
    return outputs


def _output(name: str, datatype: str, shape: list[int], data: list[Any]) -> dict[str, Any]:
    return {"name": name, "datatype": datatype, "shape": shape, "data": data}


def _answer(model: ServedModel, body: InferenceRequest, outputs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Give the outputs that were asked for."""
    chosen = list(outputs)
    if body.outputs:
        by_name = {output["name"]: output for output in outputs}
        for wanted in body.outputs:
            if wanted.name not in by_name:
                raise unknown_name(wanted.name, f"the outputs of the model '{model.name}'", by_name)
        chosen = [by_name[wanted.name] for wanted in body.outputs]
    told = {} if body.id is None else {"id": body.id}
    return {"model_name": model.name, "model_version": VERSION, **told, "outputs": chosen}


def _metadata(model: ServedModel) -> dict[str, Any]:
    classes = model.predictor.classes
    several = bool(getattr(model.predictor, "multi_label", False))
    names = [LABEL, LABELS] if several else [LABEL]
    return {
        "name": model.name,
        "versions": [VERSION],
        "platform": "onnxruntime_onnx" if model.model.kind == "onnx" else f"whyword_{model.model.kind}",
        "inputs": [{"name": name, "datatype": "BYTES", "shape": [-1]} for name in (TEXT, PAIR)],
        "outputs": [
            {"name": PROBABILITIES, "datatype": "FP32", "shape": [-1, len(classes)]},
            *({"name": name, "datatype": "BYTES", "shape": [-1]} for name in names),
        ],
        "parameters": {"classes": [str(name) for name in classes], "explainers": list(model.signs)},
    }


def route_of(path: str) -> str | None:
    """Write the address of these routes without the name of a model, for the log and the counts; None for others."""
    steps = path.split("/")[1:]
    if path in ("/v2", "/v2/health/live", "/v2/health/ready"):
        return path
    if steps[:2] == ["v2", "models"] and len(steps) > 2:
        last = steps[-1] if len(steps) > 3 and steps[-1] in ("ready", "infer", "explain") else ""
        return f"{MODEL}/{last}".rstrip("/")
    if steps[:2] == ["v1", "models"] and len(steps) == 3:
        verb = steps[2].rpartition(":")[2]
        return "/v1/models/{name}" + (f":{verb}" if verb in ("predict", "explain") else "")
    return None
