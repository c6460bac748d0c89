import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from starlette.testclient import TestClient

from whyword import TextClassifier, catalog
from whyword.catalog import make_explainer
from whyword.data.planted import planted
from whyword.data.words import split
from whyword.explaining.any_model import open_model
from whyword.explaining.stream import explain_documents
from whyword.interfaces.document import Document
from whyword.web.app import make_app
from whyword.web.jobs import PredictJob
from whyword.web.limits import Settings
from whyword.web.models import load_models

from .conftest import TEXTS


def offline_probabilities(model, texts):
    return model.predictor.probabilities([split(text) for text in texts]).numpy()


def test_predictions_are_those_of_the_model(client, models):
    answer = client.post("/v1/predict", {"texts": TEXTS[:20]}).json()
    assert answer["model"] == "vmask"
    expected = offline_probabilities(models[0], TEXTS[:20])
    got = np.array([[p["probabilities"][name] for name in ("negative", "positive")] for p in answer["predictions"]])
    np.testing.assert_allclose(got, expected, atol=1e-6)
    assert [p["label"] for p in answer["predictions"]] == [("negative", "positive")[i] for i in expected.argmax(1)]
    assert [p["probability"] for p in answer["predictions"]] == got.max(1).tolist()


def test_each_of_many_clients_gets_its_own_answer_and_they_share_batches(client_of, models):
    client = client_of(Settings(batch_wait=30))
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda text: client.post("/v1/predict", {"texts": [text]}).json(), TEXTS))
    got = [answer["predictions"][0]["probabilities"]["positive"] for answer in answers]
    np.testing.assert_allclose(got, offline_probabilities(models[0], TEXTS)[:, 1], atol=1e-6)
    batches = int(metric(client, 'whyword_batch_texts_count{queue="predict"}'))
    assert batches < len(TEXTS) / 2
    assert metric(client, 'whyword_batch_texts_sum{queue="predict"}') == len(TEXTS)


@pytest.mark.parametrize("name", [name for name in catalog.names("explainers") if name != "rationale"])  # not learned
def test_explanations_are_those_of_the_explainer(client, models, name):
    served = models[0 if name == "gate" else 1]  # vmask has gates, attention has not
    answer = client.post("/v1/explain", {"texts": TEXTS[:3], "explainer": name, "model": served.name}).json()
    assert (answer["model"], answer["explainer"]) == (served.name, name)
    classifier = served.predictor
    documents = [Document(split(text)) for text in TEXTS[:3]]
    expected = list(explain_documents(classifier, documents, make_explainer(name, classifier)))
    for got, explanation in zip(answer["explanations"], expected, strict=True):
        wanted = explanation.to_dict()
        assert got.keys() == wanted.keys()
        np.testing.assert_allclose(got["scores"], wanted["scores"], atol=1e-6)
        same = {"text", "label", "explainer", "words", "spans", "forward_passes", "truncated_words", "signed"}
        assert {key: got[key] for key in same} == json.loads(json.dumps({key: wanted[key] for key in same}))


def test_a_target_and_a_number_of_words_are_heeded(client):
    (explanation,) = client.post("/v1/explain", {"texts": TEXTS[:1], "explainer": "occlusion"}).json()["explanations"]
    other = {"positive": "negative", "negative": "positive"}[explanation["label"]]
    body = {"texts": TEXTS[:1], "explainer": "occlusion", "target": other, "top": 2}
    (turned,) = client.post("/v1/explain", body).json()["explanations"]
    assert turned["label"] == other
    assert len(turned["words"]) == 2
    strongest = sorted(explanation["scores"], key=abs)[-2:]
    np.testing.assert_allclose(sorted(-score for score in turned["scores"]), sorted(strongest), atol=1e-6)


def test_every_class_and_a_contrast_can_be_asked_for(client):
    def ask(**more):
        body = {"texts": TEXTS[:1], "explainer": "gradient", **more}
        (explanation,) = client.post("/v1/explain", body).json()["explanations"]
        return explanation

    every = ask(target="all")
    one, other = ask(target="negative"), ask(target="positive")
    np.testing.assert_allclose(every["all_scores"]["negative"], one["scores"], atol=1e-6)
    np.testing.assert_allclose(every["all_scores"]["positive"], other["scores"], atol=1e-6)
    assert set(one["speaks_for"]) == {"negative", "positive"}
    contrast = ask(target="negative", against="positive")
    assert (contrast["label"], contrast["against"]) == ("negative", "positive")
    np.testing.assert_allclose(contrast["scores"], np.subtract(one["scores"], other["scores"]), atol=1e-6)


def test_scores_of_every_class_come_with_those_of_one_where_they_cost_nothing(client):
    (explanation,) = client.post("/v1/explain", {"texts": TEXTS[:1], "explainer": "occlusion"}).json()["explanations"]
    assert list(explanation["all_scores"]) == ["negative", "positive"]
    assert explanation["all_scores"][explanation["label"]] == explanation["scores"]


def test_samples_reach_the_explainer(client):
    long = " ".join(TEXTS[:10])
    body = {"texts": [long], "explainer": "lime", "samples": 64}
    (explanation,) = client.post("/v1/explain", body).json()["explanations"]
    assert explanation["forward_passes"] == 64


def test_pairs_are_taken(client):
    answer = client.post("/v1/explain", {"texts": [["good film", "bad food"]]}).json()
    (explanation,) = answer["explanations"]
    assert (explanation["text"], explanation["text_pair"], explanation["segments"]) == (
        "good film",
        "bad food",
        [0, 0, 1, 1],
    )
    assert len(client.post("/v1/predict", {"texts": [["a", "b"], "c"]}).json()["predictions"]) == 2


def test_the_models_are_listed_with_the_explainers_that_work_for_them(client):
    listed = client.get("/v1/models").json()["models"]
    assert [(m["name"], m["method"], m["encoder"]) for m in listed] == [
        (method, method, "bag") for method in ("vmask", "attention", "base")
    ]
    assert [m["default_explainer"] for m in listed] == ["own", "own", "occlusion"]
    assert "own" in listed[0]["explainers"]
    assert "own" not in listed[2]["explainers"]
    assert listed[0]["classes"] == ["negative", "positive"]
    assert "own" in listed[0]["unsigned"]
    assert "occlusion" not in listed[0]["unsigned"]
    assert "own" not in listed[2]["unsigned"]


def test_stars_have_a_scale_and_are_explained_by_what_raises_and_lowers_them(tmp_path):
    documents = planted("ordinal,train=60,dev=0,test=0").train
    texts, stars = [d.words.texts[0] for d in documents], [d.label for d in documents]
    TextClassifier(encoder="tfidf", task="ordinal").fit(texts, stars).save(tmp_path / "stars")
    with TestClient(make_app(load_models([tmp_path / "stars"]))) as http:
        (listed,) = http.get("/v1/models").json()["models"]
        answer = http.post("/v1/explain", json={"texts": texts[:2], "target": "score"}).json()
        (prediction,) = http.post("/v1/predict", json={"texts": texts[:1]}).json()["predictions"]
    assert listed["scale"] == {str(number): number for number in range(1, 6)}
    for explanation in answer["explanations"]:
        assert explanation["target"] == "score"
        assert explanation["base_value"] + sum(explanation["scores"]) == pytest.approx(
            explanation["expected"], abs=1e-4
        )
    assert answer["explanations"][0]["expected"] == pytest.approx(prediction["expected"])


def test_only_models_of_an_order_take_the_target_score(client):
    answer = client.post("/v1/explain", {"texts": ["good"], "target": "score"})
    assert answer.status_code == 422
    assert "has an expected score" in answer.json()["error"]
    assert client.get("/v1/models").json()["models"][0]["scale"] is None


def test_words_come_from_the_gate(client, models):
    answer = client.get("/v1/words", params={"top": 3}).json()
    assert answer["source"] == "the gate of vmask"
    assert answer["words"] == list(models[0].words.top(3).rows())


def test_words_that_need_a_corpus_are_refused(client):
    answer = client.get("/v1/words", params={"model": "attention"})
    assert answer.status_code == 404
    assert answer.json()["error"].startswith("The model 'attention' does not score words without texts")


REFUSED = {
    "no texts": ({"texts": []}, 422, "'texts' is not as expected"),
    "no field": ({}, 422, "'texts' is not as expected: field required."),
    "a number": ({"texts": ["a", 3]}, 422, "Text 1 of the request is no text"),
    "a triple": ({"texts": [["a", "b", "c"]]}, 422, "Text 0 of the request is no text"),
    "a string": ({"texts": "a"}, 422, "'texts' is not as expected"),
    "a list": (["a"], 422, "The body is no JSON object"),
    "too many texts": ({"texts": ["a"] * 65}, 422, "The request holds 65 texts, and at most 64 are taken"),
    "too many words": ({"texts": ["b", "a " * 1001]}, 422, "Text 1 has 1,001 words, and at most 1,000 are taken"),
    "too long": ({"texts": ["a" * 50_001]}, 422, "Text 0 has 50,001 characters"),
    "long texts with too many words": ({"texts": ["b " * 900] * 20 + ["a " * 1001]}, 422, "Text 20 has 1,001 words"),
    "half a character": ({"texts": ["\ud800"]}, 422, "Text 0 holds half a character"),
    "unknown model": ({"texts": ["a"], "model": "vmsk"}, 404, "Did you mean 'vmask'?"),
    "unknown field": ({"texts": ["a"], "modle": "vmask"}, 422, "'modle' is no part of this request"),
    "unknown explainer": ({"texts": ["a"], "explainer": "limo"}, 422, "Did you mean 'lime'?"),
    "no own scores": ({"texts": ["a"], "model": "base", "explainer": "own"}, 422, "explainers of the model 'base'"),
    "unknown target": ({"texts": ["a"], "target": "postive"}, 422, "Did you mean 'positive'?"),
    "no target": ({"texts": ["a"], "target": True}, 422, "'target' is not as expected"),
    "weights for a class": ({"texts": ["a"], "explainer": "own", "target": "negative"}, 422, "gives weights"),
    "against nothing": ({"texts": ["a"], "explainer": "occlusion", "against": "negative"}, 422, "name that class"),
    "no setting": ({"texts": ["a"], "explainer": "own", "samples": 5}, 422, "has no settings"),
    "too many samples": ({"texts": ["a"], "explainer": "lime", "samples": 5001}, 422, "at most 5,000 are taken"),
    "too few samples": ({"texts": ["a"], "explainer": "lime", "samples": 2}, 422, "lime.samples is 2"),
    "no time": ({"texts": ["a"], "explainer": "lime", "budget": 0}, 422, "'budget' is not as expected"),
    "no words": ({"texts": ["a"], "top": 0}, 422, "'top' is not as expected"),
}


@pytest.mark.parametrize(("body", "status", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_answered_is_refused_with_a_sentence(client, body, status, sentence):
    answer = client.http.post("/v1/explain", content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    assert answer.json().keys() == {"error"}
    assert sentence in answer.json()["error"]


RAW = {
    "garbage": (b"\x00\x01{{", 422, "no valid JSON"),
    "cut": (b'{"texts": ["a', 422, "no valid JSON"),
    "invalid UTF-8": (b'{"texts": ["\xff\xfe"]}', 400, "UTF-8"),
    "NaN": (b'{"texts": ["a"], "budget": NaN, "explainer": "lime"}', 422, "'budget' is not as expected"),
    "Infinity": (b'{"texts": ["a"], "budget": 1e999, "explainer": "lime"}', 422, "'budget' is not as expected"),
    "NaN for a text": (b'{"texts": [NaN]}', 422, "Text 0 of the request is no text"),
    "only NaN": (b"NaN", 422, "no JSON object"),
    "a huge number": (b'{"texts": ["a"], "top": ' + b"9" * 5000 + b"}", 400, "no JSON that can be read"),
    "deep": (b'{"texts": ' + b"[" * 100_000, 400, "does not nest deeply"),
    "empty": (b"", 422, "no JSON object"),
    "a name of half a character": (b'{"texts": ["a"], "model": "\\ud800"}', 422, "'model' is not as expected"),
    "a field of half a character": (b'{"texts": ["a"], "\\ud800": 1}', 422, "no JSON object"),
}


@pytest.mark.parametrize(("body", "status", "sentence"), RAW.values(), ids=RAW)
def test_what_is_no_request_is_refused_with_a_sentence(client, body, status, sentence):
    answer = client.http.post("/v1/explain", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == status, answer.text
    assert sentence in answer.json()["error"]


def test_a_body_that_is_not_called_json_is_refused(client):
    answer = client.http.post("/v1/predict", content=b'{"texts": ["a"]}', headers={"Content-Type": "text/plain"})
    assert answer.status_code == 422
    assert "Content-Type: application/json" in answer.json()["error"]


def test_unknown_addresses_and_methods_have_the_same_shape_of_error(client):
    for answer, status in ((client.get("/v3"), 404), (client.get("/v1/predict"), 405)):
        assert answer.status_code == status
        assert answer.json().keys() == {"error"}


def test_texts_without_words_are_answered(client):
    answer = client.post("/v1/explain", {"texts": ["", " \n", "wonderful"]})
    assert [explanation["words"] for explanation in answer.json()["explanations"]] == [[], [], ["wonderful"]]


def test_a_late_answer_is_refused(client_of, monkeypatch):
    import time

    monkeypatch.setattr(PredictJob, "run", lambda self, documents, wanted: time.sleep(0.3))
    answer = client_of(Settings(timeout=0.1)).post("/v1/predict", {"texts": ["a"]})
    assert answer.status_code == 504
    assert "longer than 0.1 seconds" in answer.json()["error"]


def test_a_bug_is_told_without_a_traceback_and_logged_without_the_text(client, monkeypatch):
    def broken(self, documents, wanted):
        raise KeyError(documents[0].words.texts[0])

    monkeypatch.setattr(PredictJob, "run", broken)
    answer = client.post("/v1/predict", {"texts": ["secret words"]})
    assert answer.status_code == 500
    assert answer.json() == {"error": "This is a bug: please report it with the log of the server."}
    (line,) = client.log
    assert line["bug"] == "KeyError"
    assert any("broken" in place for place in line["where"])
    assert "secret" not in json.dumps(line)


def test_a_function_that_fails_is_no_fault_of_the_client():
    def fails(texts):
        if any(texts):  # of a text without words it answers, so that it can be served
            raise RuntimeError("out of order")
        return [[0.5, 0.5]] * len(texts)

    fails.classes = ["no", "yes"]
    with TestClient(make_app(load_models([open_model(fails)]), log=lambda _: None)) as http:
        answer = http.post("/v1/predict", json={"texts": ["a"]})
    assert answer.status_code == 502
    assert "(RuntimeError: out of order)" in answer.json()["error"]


def test_the_log_counts_texts_and_words_and_holds_none(client):
    client.post("/v1/explain", {"texts": ["secret words", "hidden"]})
    client.post("/v1/predict", {"texts": ["secret"], "model": "secret"})
    client.get("/secret?secret=secret")
    first, second, third = client.log
    assert (first["route"], first["status"], first["texts"], first["words"]) == ("/v1/explain", 200, 2, 3)
    assert (second["route"], second["status"]) == ("/v1/predict", 404)
    assert (third["route"], third["status"]) == ("other", 404)
    assert "secret" not in json.dumps(client.log)


def test_answers_tell_browsers_to_load_nothing_from_elsewhere_and_to_keep_nothing(client):
    for path in ("/", "/docs", "/v1/models", "/nowhere"):
        headers = client.get(path).headers
        assert headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:"
        )
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("path", "kind"), [("/", "text/html"), ("/style.css", "text/css"), ("/app.js", "text/javascript")]
)
def test_the_page_is_served(client, path, kind):
    answer = client.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith(kind)


def test_the_documentation_lists_every_route_and_links_nowhere_else(client):
    page = client.get("/docs").text
    for path in client.get("/openapi.json").json()["paths"]:
        assert f" {path}</code>" in page
    assert "http:" not in page
    assert "https:" not in page


def test_the_openapi_document_describes_the_errors_as_they_come(client):
    document = client.get("/openapi.json").json()
    assert "HTTPValidationError" not in document["components"]["schemas"]
    responses = document["paths"]["/v1/explain"]["post"]["responses"]
    assert responses["422"]["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}
    assert {"400", "401", "404", "408", "413", "422", "502", "503", "504"} < responses.keys()


def test_with_a_token_only_those_who_show_it_are_answered(client_of):
    client = client_of(Settings(token="open sesame"))
    for path in ("/v1/models", "/v1/words", "/metrics", "/v1/predict", "/v1/nowhere"):
        for headers in ({}, {"Authorization": "Bearer open"}, {"Authorization": "open sesame"}):
            answer = client.get(path, headers=headers)
            assert answer.status_code == 401
            assert answer.headers["www-authenticate"] == "Bearer"
            assert answer.json().keys() == {"error"}
    assert client.get("/v1/models", headers={"Authorization": "Bearer open sesame"}).status_code == 200
    for path in ("/healthz", "/", "/docs", "/openapi.json"):
        assert client.get(path).status_code == 200


def test_health_needs_no_model(client):
    assert client.get("/healthz").json() == {"status": "ok"}


def test_metrics_count_requests_by_route_and_status(client):
    client.get("/healthz")
    client.post("/v1/predict", {"texts": []})
    assert metric(client, 'whyword_requests_total{route="/healthz",status="200"}') == 1
    assert metric(client, 'whyword_requests_total{route="/v1/predict",status="422"}') == 1
    assert metric(client, 'whyword_request_seconds_count{route="/healthz"}') == 1
    assert metric(client, 'whyword_queue_texts{queue="predict"}') == 0


def metric(client, name: str) -> float:
    lines = [line for line in client.get("/metrics").text.splitlines() if line.startswith(name + " ")]
    (line,) = lines
    return float(line.rpartition(" ")[2])


def test_it_is_ready_while_the_queue_takes_work_and_until_it_is_told_to_leave(models):
    from whyword.web.batcher import Batcher

    leaving = []
    app = make_app(models, Settings(), lambda record: None, stopping=lambda: bool(leaving))
    routes = {"/readyz", "/v2/health/ready", "/v2/models/vmask/ready", "/v1/models/vmask"}
    http = TestClient(app)
    assert {http.get(route).status_code for route in routes} == {503}, "its queue is not at work"
    with http:
        assert {http.get(route).status_code for route in routes} == {200}
        assert http.get("/readyz").json() == {"status": "ready"}
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Batcher, "takes_work", False)
            answer = http.get("/readyz")
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
            assert answer.json() == {"error": "The server is busy: try again in a second."}
        leaving.append(True)
        assert {http.get(route).status_code for route in routes} == {503}
        assert "shutting down" in http.get("/readyz").json()["error"]
        assert http.get("/v2/health/ready").json() == {"ready": False}
        assert http.get("/healthz").status_code == 200


@pytest.mark.parametrize("path", ["/", "/docs", "/healthz", "/v1/models", "/v2/models/vmask", "/nothing"])
def test_other_names_than_its_own_are_refused_on_every_route(client_of, path):
    client = client_of(Settings(hosts=("localhost", "127.0.0.1", "testserver")))
    refused = client.get(path, headers={"Host": "evil.example:8000"})
    assert refused.status_code == 421
    assert refused.json()["error"].startswith("This server does not answer as 'evil.example':")
    assert client.get(path).status_code != 421
    assert client.log[0]["status"] == 421


def test_the_texts_of_many_clients_are_not_refused_for_those_of_one(models):
    settings = Settings(queue=64, max_texts=64)
    with TestClient(make_app(models, settings, lambda record: None), client=("192.0.2.1", 1)) as http:
        assert http.post("/v1/predict", json={"texts": TEXTS[:64]}).status_code == 200
