"""Requests made up from the OpenAPI document, right and wrong ones: none makes the server stumble."""

import socket
import threading
import time

import hypothesis
import pytest
import schemathesis
import uvicorn
from schemathesis import GenerationMode
from schemathesis.checks import (
    content_type_conformance,
    not_a_server_error,
    response_schema_conformance,
    status_code_conformance,
)

from whyword.web.app import make_app

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


@pytest.fixture(scope="module")
def api(models):
    server = uvicorn.Server(uvicorn.Config(make_app(models, log=lambda record: None), log_config=None, ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        serving = threading.Thread(target=lambda: server.run(sockets=[listener]))
        serving.start()
        while not server.started:
            time.sleep(0.01)
        yield schemathesis.openapi.from_url(f"http://127.0.0.1:{listener.getsockname()[1]}/openapi.json")
        server.should_exit = True
        serving.join()


ROUTES = [
    "POST /v1/predict",
    "POST /v1/explain",
    "GET /v1/models",
    "GET /v1/words",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
]
PROTOCOL = ["GET /v2", "GET /v2/health/live", "GET /v2/health/ready", "GET /v1/models/{name}"]
PROTOCOL += ["GET /v2/models/{name}", "GET /v2/models/{name}/ready"]
PROTOCOL += ["POST /v2/models/{name}/infer", "POST /v2/models/{name}/explain"]
PROTOCOL += ["POST /v1/models/{name}:predict", "POST /v1/models/{name}:explain"]
CAN_BE_WRONG = ROUTES[:2] + ROUTES[3:4]  # the others take nothing
MADE_UP = [(route, GenerationMode.POSITIVE) for route in ROUTES + PROTOCOL]
MADE_UP += [(route, GenerationMode.NEGATIVE) for route in CAN_BE_WRONG]


def test_all_routes_are_tried(api):
    assert sorted(result.ok().label for result in api.get_all_operations()) == sorted(ROUTES + PROTOCOL)


@pytest.mark.parametrize(("route", "mode"), MADE_UP, ids=lambda value: getattr(value, "value", value))
def test_every_answer_is_as_described_and_none_is_a_server_error(api, route, mode):
    operation = api.find_operation_by_label(route)
    statuses = set()

    @hypothesis.settings(
        max_examples=60 if route in CAN_BE_WRONG else 3,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(case=operation.as_strategy(generation_mode=mode))
    def try_one(case):
        statuses.add(case.call_and_validate(checks=CHECKS).status_code)

    try_one()
    if "{name}" not in route:  # of made-up names of models none exists
        assert (200 if mode is GenerationMode.POSITIVE else 422) in statuses
