"""How an endpoint is asked: batches, attempts, rate and memory, against a real server on this machine."""

import time

import numpy as np
import pytest

from reference import foreign_models
from whyword.inference.endpoint import Endpoint, shown
from whyword.inference.template import Template
from whyword.interfaces.errors import ModelError, OptionError

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


def test_a_page_of_an_error_is_quoted_on_one_line():
    server = foreign_models.server(lambda *_: (404, b"<html>\n<body>Not\nfound" + b" " * 999))
    with server as (url, _), pytest.raises(ModelError) as refused:
        Endpoint(url, Template(), CLASSES, "a")(["see"])
    assert "(HTTP 404 '<html> <body>Not found'): see the URL" in str(refused.value)


def test_a_redirect_is_not_followed_as_it_would_take_the_key_elsewhere():
    with foreign_models.server(foreign_models.probabilities_by_label) as (elsewhere, taken):
        server = foreign_models.server(lambda *_: (302, b""), {"Location": elsewhere})
        with server as (url, _), pytest.raises(ModelError, match=rf"refuses .HTTP 302 to {elsewhere}"):
            Endpoint(url, Template(headers={"Authorization": "Bearer secret"}), CLASSES, "a")(["see"])
    assert not taken


def test_what_is_refused_to_one_request_is_not_waited_for_by_the_others():
    def answer(_, body):
        return (401, {}) if body["texts"] == ["a"] else (503, {})

    with foreign_models.server(answer) as (url, _):
        endpoint = Endpoint(url, Template(batch=1, parallel=2, retries=9, backoff=60), CLASSES, "a")
        started = time.monotonic()
        with pytest.raises(ModelError, match="HTTP 401"):
            endpoint(["a", "b"])
    assert time.monotonic() - started < 30  # the other would wait for a minute


def test_an_answer_that_takes_too_long_is_given_up():
    def answer(*_):
        time.sleep(0.5)
        return 200, {}

    with foreign_models.server(answer) as (url, _):
        endpoint = Endpoint(url, Template(timeout=0.05, retries=0), CLASSES, "a")
        with pytest.raises(ModelError, match="did not answer in 1 attempts"):
            endpoint(["see"])


def test_an_answer_that_comes_in_drops_is_given_up():
    def drops():
        for _ in range(20):
            time.sleep(0.05)
            yield b" "

    with foreign_models.server(lambda *_: (200, drops())) as (url, _):
        endpoint = Endpoint(url, Template(timeout=0.2, retries=0), CLASSES, "a")
        with pytest.raises(ModelError, match=r"did not answer in 1 attempts .timed out"):
            endpoint(["see"])


def test_an_answer_that_breaks_off_is_asked_for_again():
    whole = foreign_models.probabilities_by_label

    def answer(number, body):
        return whole(number, body) if number > 1 else (200, iter([b"[[0.1"]))

    with foreign_models.server(answer) as (url, requests):
        table = Endpoint(url, Template(backoff=0.001), CLASSES, "a")(["see"])
    assert len(requests) == 2
    np.testing.assert_allclose(table, foreign_models.share_of_e(["see"]))


@pytest.mark.parametrize("url", ["http://", "http://[::1", "http://127.0.0.1:99999/x", "http://127.0.0.1:port/"])
def test_a_url_that_is_none_is_refused_in_a_sentence(url):
    with pytest.raises(OptionError, match=r"^The URL of a model .*: write http://HOST:PORT/PATH\.$"):
        Endpoint(url, Template(), CLASSES, "a")


def test_a_user_in_a_url_belongs_into_a_header():
    with pytest.raises(OptionError, match="names a user") as refused:
        Endpoint("http://me:word@127.0.0.1/x", Template(), CLASSES, "a")
    assert "word@" not in str(refused.value)


def test_a_key_with_a_line_break_behind_it_is_taken_and_one_with_a_line_break_in_it_is_not_shown(monkeypatch):
    template = Template(headers={"Authorization": "Bearer ${SOME_KEY}"})
    monkeypatch.setenv("SOME_KEY", "secret\n")
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, requests):
        Endpoint(url, template, CLASSES, "a")(["see"])
    assert requests[0]["headers"]["Authorization"] == "Bearer secret"
    monkeypatch.setenv("SOME_KEY", "sec\nret")
    with pytest.raises(OptionError, match="The header Authorization of the template holds a character") as refused:
        Endpoint(url, template, CLASSES, "a")
    assert "sec" not in str(refused.value)


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
        ([[-3.2, 1.1]], r"answers '\[-3.2, 1.1\]' where .* numbers from 0 to 1"),
        ([[40, 60]], "numbers from 0 to 1"),
        ([["0.4", "0.6"]], "numbers from 0 to 1"),
        ([[True, False]], "numbers from 0 to 1"),
        ([[float("nan"), 0.5]], r"answers '\[NaN, 0.5\]'"),
        ([{"negative": None, "positive": 0.5}], "numbers from 0 to 1"),
        ([[{"label": "negative", "score": None}, {"label": "positive", "score": 1}]], "numbers from 0 to 1"),
        ([[{"label": ["negative"], "score": 0.1}, {"label": "positive", "score": 1}]], "numbers from 0 to 1"),
        ([None], "answers 'null' where"),
        ({"error": "the model is loading"}, 'but with .{"error": "the model is loading"}'),
        (b"[[0.1, ", "does not answer in JSON"),
        (b"caf\xe9", "does not answer in JSON"),
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
