"""How an endpoint is asked: batches, attempts, rate and memory, against a real server on this machine."""

import time

import numpy as np
import pytest

from reference import foreign_models
from whyword.inference.endpoint import Endpoint, shown
from whyword.inference.template import Template
from whyword.interfaces.errors import ModelError

CLASSES = ("negative", "positive")


def test_texts_go_out_in_batches_and_come_back_in_order():
    texts = [f"text {'e' * number}" for number in range(7)]
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, requests):
        table = Endpoint(url, Template(batch=3), CLASSES, "a")([*texts, texts[0]])
    assert sorted(len(request["body"]["texts"]) for request in requests) == [1, 3, 3]
    np.testing.assert_allclose(table, foreign_models.share_of_e([*texts, texts[0]]))


def test_what_was_answered_is_remembered_up_to_a_bound():
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, requests):
        endpoint = Endpoint(url, Template(remembered=2), CLASSES, "a")
        endpoint(["a", "b"])
        endpoint(["b", "a"])
        assert len(requests) == 1
        endpoint(["c"])  # now b is the least recent
        endpoint(["a"])
        assert len(requests) == 2
        endpoint(["b"])
        assert len(requests) == 3


@pytest.mark.parametrize("code", [429, 500, 503])
def test_what_may_pass_is_tried_again(code):
    def answer(number, body):
        return (code, {}) if number < 3 else foreign_models.probabilities_by_label(number, body)

    with foreign_models.server(answer) as (url, requests):
        table = Endpoint(url, Template(backoff=0.001), CLASSES, "a")(["see"])
    assert len(requests) == 3
    np.testing.assert_allclose(table, foreign_models.share_of_e(["see"]))


def test_attempts_come_to_an_end():
    with foreign_models.server(lambda *_: (503, {})) as (url, requests):
        endpoint = Endpoint(url, Template(retries=2, backoff=0.001), CLASSES, "a")
        with pytest.raises(ModelError, match=r"did not answer in 3 attempts \(HTTP 503"):
            endpoint(["see"])
    assert len(requests) == 3


def test_a_refusal_is_not_asked_again():
    server = foreign_models.server(lambda *_: (401, {"error": "who are you"}))
    with server as (url, requests), pytest.raises(ModelError, match=r"refuses .HTTP 401 .*who are you"):
        Endpoint(url, Template(), CLASSES, "a")(["see"])
    assert len(requests) == 1


def test_an_answer_that_takes_too_long_is_given_up():
    def answer(*_):
        time.sleep(0.5)
        return 200, {}

    with foreign_models.server(answer) as (url, _):
        endpoint = Endpoint(url, Template(timeout=0.05, retries=0), CLASSES, "a")
        with pytest.raises(ModelError, match="did not answer in 1 attempts"):
            endpoint(["see"])


def test_requests_are_kept_apart():
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, requests):
        endpoint = Endpoint(url, Template(batch=1, rate=20), CLASSES, "a")
        started = time.monotonic()
        endpoint(["a", "b", "c", "d"])
        assert time.monotonic() - started >= 0.15  # three waits of a twentieth of a second
    assert len(requests) == 4


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (b"<html>", "does not answer in JSON"),
        ({"predictions": []}, "does not answer with a list of as many in its usual places"),
        ([[0.5, 0.2, 0.3]], "where probabilities of negative, positive are expected"),
        ({"predictions": [{"label": "x"}]}, "where probabilities of negative, positive are expected"),
    ],
)
def test_an_answer_that_is_none_is_refused_in_a_sentence(answer, sentence):
    with foreign_models.server(lambda *_: (200, answer)) as (url, _), pytest.raises(ModelError, match=sentence):
        Endpoint(url, Template(), CLASSES, "a")(["see"])


@pytest.mark.parametrize(
    ("answer", "classes"),
    [
        ([[0.5, 0.5]], (0, 1)),
        ({"predictions": [[0.1, 0.2, 0.7]]}, (0, 1, 2)),
        ({"probabilities": [{"no": 0.5, "yes": 0.5}]}, ("no", "yes")),
        ([[{"label": "no", "score": 0.1}, {"label": "yes", "score": 0.9}]], ("no", "yes")),
    ],
)
def test_the_classes_are_read_from_an_answer(answer, classes):
    with foreign_models.server(lambda *_: (200, answer)) as (url, _):
        assert Endpoint(url, Template(), None, "a").classes == classes


def test_what_may_be_secret_is_not_shown():
    assert shown("https://me:word@host.org:8443/v1/x?key=1") == "https://host.org:8443/v1/x"
