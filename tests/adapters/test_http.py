"""Models behind HTTP, asked through a real server on this machine."""

import json

import pytest
from starlette.testclient import TestClient

from reference import foreign_models
from whyword import TextClassifier, audit, explain
from whyword.explaining.any_model import open_model
from whyword.interfaces.adapter import Access
from whyword.interfaces.errors import ModelError, OptionError

TEXTS = foreign_models.TEXTS[:3]


def template(tmp_path, **settings):
    file = tmp_path / "template.json"
    file.write_text(json.dumps(settings), encoding="utf-8")
    return file


def test_an_endpoint_is_explained_as_the_function_behind_it():
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, _):
        explained = explain(url, TEXTS, "occlusion")
    for one, other in zip(explained, explain(foreign_models.share_of_e, TEXTS, "occlusion"), strict=True):
        assert one.scores.tolist() == pytest.approx(other.scores.tolist())
        assert one.classes == ("negative", "positive")


def test_an_endpoint_is_audited():
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, _):
        found = audit(url, TEXTS, explainers=["occlusion"], metrics=["comprehensiveness"], draws=2)
    assert found.data.model.kind == "black box"
    assert found.data.model.name == url


def test_another_whyword_server_can_be_asked_as_it_is():
    from whyword.web.app import make_app
    from whyword.web.models import load_models

    texts, labels = foreign_models.TEXTS, foreign_models.LABELS
    model = TextClassifier("attention", "bag", epochs=2, contributions=False).fit(texts, labels)
    with TestClient(make_app(load_models([open_model(model)]), log=lambda _: None)) as client:

        def pass_on(_, body):
            answer = client.post("/v1/predict", json=body)
            return answer.status_code, answer.json()

        with foreign_models.server(pass_on) as (url, _):
            explained = explain(url, TEXTS[:1], "occlusion")
    expected = model.explain(TEXTS[:1], "occlusion")[0]
    assert explained[0].classes == expected.classes
    assert explained[0].probability == pytest.approx(expected.probability, abs=1e-5)


def test_a_language_model_is_asked_by_a_template(tmp_path, monkeypatch):
    """Its answer is the log-probabilities of the first tokens, as OpenAI's servers give them."""
    monkeypatch.setenv("SOME_KEY", "secret")
    asking = {"model": "m", "messages": [{"role": "user", "content": "Positive or negative? $text"}], "logprobs": True}
    path = "choices.0.logprobs.content.0.top_logprobs"
    headers = {"Authorization": "Bearer ${SOME_KEY}"}
    file = template(tmp_path, request=asking, response=path, headers=headers, classes=["negative", "positive"])

    def answer(_, body):
        assert body["messages"][0]["content"].startswith("Positive or negative? ")
        tokens = [{"token": " Pos", "logprob": -0.5}, {"token": "neg", "logprob": -1.5}, {"token": "I", "logprob": -3}]
        return 200, {"choices": [{"logprobs": {"content": [{"top_logprobs": tokens}]}}]}

    with foreign_models.server(answer) as (url, requests):
        (explanation,) = explain(open_model(url, Access(template=file)), TEXTS[:1], "occlusion")
    assert explanation.label == "positive"
    assert explanation.probability == pytest.approx(1 / (1 + 2.718281828**-1))
    assert requests[0]["headers"]["Authorization"] == "Bearer secret"
    assert len(requests) == len({json.dumps(request["body"]) for request in requests})  # none is asked twice


def test_a_label_alone_is_certain(tmp_path):
    file = template(tmp_path, request={"q": "$text"}, response="answer", classes=["no", "yes"])
    with foreign_models.server(lambda _, body: (200, {"answer": "Yes." if "e" in body["q"] else "no"})) as (url, _):
        classifier = open_model(url, Access(template=file)).classifier
        (explanation,) = explain(classifier, ["one tin"], "occlusion")
    assert explanation.probabilities.tolist() == [0.0, 1.0]
    assert explanation.scores.tolist() == [1.0, 0.0]


def test_pairs_go_out_as_pairs(tmp_path):
    with foreign_models.server(foreign_models.probabilities_by_label) as (url, requests):
        explain(url, [("one", "three")], "random")
    assert requests[-1]["body"] == {"texts": [["one", "three"]]}
    file = template(tmp_path, request={"a": "$text", "b": "<$text_pair>"}, response="p")
    with foreign_models.server(lambda *_: (200, {"p": [0.5, 0.5]})) as (url, requests):
        access = Access(template=file, example=("one", "three"))
        explain(open_model(url, access), [("one", "three")], "random")
    assert requests[-1]["body"] == {"a": "one", "b": "<three>"}


def test_secrets_of_a_url_are_not_shown(tmp_path):
    access = Access(classes=("a", "b"), template=template(tmp_path, retries=0))
    with pytest.raises(ModelError) as refused:
        explain(open_model("http://127.0.0.1:9/x?key=secret", access), ["t"], "occlusion")
    assert "http://127.0.0.1:9/x " in str(refused.value)
    assert "secret" not in str(refused.value)


def test_a_template_that_cannot_work_is_refused(tmp_path):
    with pytest.raises(OptionError, match="cannot be read"):
        open_model("http://127.0.0.1:9", Access(template=tmp_path / "none.json"))
    with pytest.raises(OptionError, match="No 'requests' in the settings of the template"):
        open_model("http://127.0.0.1:9", Access(template=template(tmp_path, requests={})))
    with pytest.raises(OptionError, match="holds no text"):
        open_model("http://127.0.0.1:9", Access(template=template(tmp_path, request={"q": "?"})))
    with pytest.raises(OptionError, match='sets batch to "many": give a whole number'):
        open_model("http://127.0.0.1:9", Access(template=template(tmp_path, batch="many")))
    with pytest.raises(OptionError, match="batch"):
        open_model("http://127.0.0.1:9", Access(template=template(tmp_path, batch=0)))
    with pytest.raises(OptionError, match="must be strings by name"):
        open_model("http://127.0.0.1:9", Access(template=template(tmp_path, headers={"x": 1})))
    file = template(tmp_path, headers={"x": "${NOT_SET_ANYWHERE}"})
    with pytest.raises(OptionError, match="environment variable NOT_SET_ANYWHERE"):
        open_model("http://127.0.0.1:9", Access(template=file))
