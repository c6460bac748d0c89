"""The routes of annotations: what people decide is saved, and what cannot be right is refused with a sentence."""

import json
import threading
from itertools import count

import pytest
from starlette.testclient import TestClient

from whyword.data.words import split
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError
from whyword.storage.json_log import JsonLog, read_json_log
from whyword.web.annotating.desk import AT_ONCE, READY, AnnotationDesk, AnnotationSettings
from whyword.web.app import make_app
from whyword.web.limits import Settings
from whyword.web.models import load_models

from ..conftest import TEXTS

DOCUMENTS = [Document(split(text), "negative") for text in TEXTS[:6]]


class Desk:
    """An app with texts to mark, in this process."""

    def __init__(self, http: TestClient, desk: AnnotationDesk) -> None:
        self.http, self.desk = http, desk

    def post(self, step: str, author: str = "ann", status: int = 200, **more):
        answer = self.http.post(f"/v1/annotations/{step}", json={"author": author, **more})
        assert answer.status_code == status, answer.text
        return answer.json()

    def next(self, author: str = "ann"):
        return self.post("next", author)["text"]

    def decide(self, text, author: str = "ann", status: int = 200, **more):
        said = {"label": "positive", "rationale": [text["spans"][0]]}
        return self.post("decide", author, status, id=text["id"], **{**said, **more})

    @property
    def lines(self):
        return read_json_log(self.desk.log.path)


@pytest.fixture
def start(models, tmp_path):
    """Start apps on one file of annotations; each new one takes the file over."""
    running: list[tuple[TestClient, JsonLog]] = []

    def stop():
        for http, log in running:
            http.__exit__(None, None, None)
            log.__exit__()
        running.clear()

    def make(documents=DOCUMENTS, model=None, web=None, **settings) -> Desk:
        stop()
        log = JsonLog(tmp_path / "out.jsonl")
        settings = AnnotationSettings(**{"order": "file", **settings})
        desk = AnnotationDesk(documents, log, model or models[1], settings, "reviews.csv")
        http = TestClient(make_app(models, web or Settings(), lambda record: None, desk))
        running.append((http.__enter__(), log))
        return Desk(http, desk)

    yield make
    stop()


def test_a_decision_is_in_the_file_when_it_is_answered(start):
    desk = start()
    text = desk.next()
    assert (text["row"], text["label"], text["text"]) == (1, "negative", TEXTS[0])
    second = text["spans"][1]
    desk.decide(text, rationale=[second, text["spans"][0]], not_rationale=[text["spans"][3]])
    (line,) = desk.lines
    assert (line["text"], line["label"], line["author"], line["row"]) == (TEXTS[0], "positive", "ann", 1)
    assert line["rationale"] == [text["spans"][0], second], "in order; words that do not touch stay apart"
    assert line["not_rationale"] == [text["spans"][3]]
    assert line["time"].endswith("+00:00")
    assert desk.next()["row"] == 2


def test_the_same_decision_twice_is_one_line(start):
    desk = start()
    text = desk.next()
    desk.decide(text)
    desk.decide(text)
    assert len(desk.lines) == 1
    desk.decide(text, rationale=[])
    assert [line["rationale"] for line in desk.lines] == [[text["spans"][0]], []]


def test_two_people_get_different_texts_and_the_same_with_an_overlap(start):
    desk = start()
    assert [desk.next(name)["row"] for name in ("ann", "bo", "ann")] == [1, 2, 1]
    desk = start(overlap=2)
    assert [desk.next(name)["row"] for name in ("ann", "bo")] == [1, 1]


def test_agreement_is_shown_as_it_comes_about(start):
    desk = start(overlap=2)
    text = desk.next("ann")
    desk.decide(text, "ann")
    assert desk.http.get("/v1/annotations").json()["agreement"] == {"words": None, "labels": None, "texts": 0}
    desk.decide(text, "bo")
    answer = desk.http.get("/v1/annotations").json()
    assert answer["agreement"] == {"words": 1.0, "labels": None, "texts": 1}
    assert (answer["done"], answer["authors"], answer["file"]) == (1, {"ann": 1, "bo": 1}, "reviews.csv")
    answer = desk.decide(text, "bo", rationale=[], label="negative")["status"]["agreement"]
    words = len(text["words"])
    assert answer["words"] == pytest.approx(1 - (2 * words - 1) / (2 * words - 1), abs=1e-9), "one unit, one reason"
    assert answer["labels"] == pytest.approx(0.0)


def test_a_restart_takes_up_where_the_file_stands(start):
    desk = start()
    text = desk.next()
    desk.decide(text)
    desk.post("decide", id=desk.next()["id"], skip=True)
    desk = start()
    third = desk.next()
    assert third["row"] == 3
    assert desk.next("bo")["row"] == 2, "ann skipped it"
    back = desk.post("open", id=desk.post("open", id=third["previous"])["text"]["previous"])["text"]
    assert back["id"] == text["id"]
    assert back["decision"]["rationale"] == [text["spans"][0]]


def test_a_text_that_was_open_when_the_server_was_killed_can_be_saved_after_a_restart(start, monkeypatch):
    monkeypatch.setitem(AT_ONCE, "file", 1)
    monkeypatch.setitem(READY, "file", 1)
    desk = start()
    for _ in DOCUMENTS[1:]:
        desk.post("decide", id=desk.next()["id"], skip=True)
    text = desk.next()
    desk.desk.log.path.write_bytes(b"")
    desk = start()
    desk.decide(text)
    assert [line["row"] for line in desk.lines] == [len(DOCUMENTS)]


def test_the_last_steps_are_taken_back_one_by_one(start):
    desk = start()
    texts = []
    for _ in range(2):
        texts.append(desk.next())
        desk.decide(texts[-1])
    desk = start()
    assert desk.post("undo")["text"]["id"] == texts[1]["id"]
    assert desk.post("undo")["text"]["decision"] is None
    assert desk.next()["id"] == texts[0]["id"]
    assert desk.post("undo", status=422)["error"].startswith("There is nothing to take back")


def test_reasons_of_the_model_are_shown_after_the_decision_and_never_before(start):
    desk = start(show_reasons=True)
    text = desk.next()
    assert "mark the words first" in desk.post("reasons", status=422, id=text["id"])["error"]
    desk.decide(text)
    desk.decide(text, "bo")
    assert desk.post("reasons", id=text["id"])["explainer"] == "own"
    desk.decide(text, rationale=[])
    desk.decide(text, "bo", rationale=[])
    assert [line.get("saw_reasons", False) for line in desk.lines] == [False, False, True, False]
    desk = start()
    assert "--show-reasons" in desk.post("reasons", status=422, id=text["id"])["error"]


REFUSED = {
    "beyond the text": ({"rationale": [[0, 10_000]]}, "does not lie in its text"),
    "backwards": ({"rationale": [[5, 2]]}, "does not lie in its text"),
    "nothing": ({"rationale": [[2, 2]]}, "does not lie in its text"),
    "negative": ({"rationale": [[-1, 2]]}, "'rationale' is not as expected"),
    "huge": ({"rationale": [[0, 10**30]]}, "'rationale' is not as expected"),
    "three numbers": ({"rationale": [[0, 1, 2]]}, "'rationale' is not as expected"),
    "fractions": ({"rationale": [[0.5, 2]]}, "'rationale' is not as expected"),
    "both": ({"rationale": [[0, 5]], "not_rationale": [[1, 2]]}, "as a reason and as none"),
    "no label": ({"label": None}, "give one label"),
    "many labels": ({"label": ["positive"]}, "give one label"),
    "unknown label": ({"label": "postive"}, "Did you mean 'positive'?"),
    "no name": ({"author": " \n"}, "no name that can be shown"),
    "a name that steers": ({"author": "a\x1b[2J"}, "no name that can be shown"),
    "a long name": ({"author": "a" * 81}, "'author' is not as expected"),
    "a field that is none": ({"labels": ["positive"]}, "'labels' is no part of this request"),
}


@pytest.mark.parametrize(("change", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_right_is_refused_and_not_saved(start, change, sentence):
    desk = start()
    text = desk.next()
    body = {"author": "ann", "id": text["id"], "label": "positive", "rationale": [], **change}
    answer = desk.http.post("/v1/annotations/decide", json=body)
    assert answer.status_code == 422
    assert sentence in answer.json()["error"]
    assert desk.lines == []


def test_texts_that_do_not_exist_are_refused(start):
    desk = start()
    for step in ("open", "decide", "reasons"):
        assert "There is no text 'nothing'" in desk.post(step, status=404, id="nothing")["error"]


def test_a_giant_body_and_a_missing_token_are_refused_as_everywhere(start):
    desk = start(web=Settings(max_body=2_000, token="sesame"))
    assert desk.http.post("/v1/annotations/next", json={"author": "ann"}).status_code == 401
    assert desk.http.get("/v1/annotations").status_code == 401
    assert desk.http.get("/annotate").status_code == 200
    headers = {"Authorization": "Bearer sesame"}
    spans = {"author": "ann", "id": "x", "rationale": [[0, 1]] * 1_000}
    assert desk.http.post("/v1/annotations/decide", json=spans, headers=headers).status_code == 413


def test_labels_of_the_file_that_the_model_does_not_know_can_be_kept(start):
    desk = start([Document(split(TEXTS[0]), "mixed"), Document(split(TEXTS[1]))])
    text = desk.next()
    desk.decide(text, label="mixed")
    text = desk.next()
    assert text["label"] is None
    assert "choose from negative, positive" in desk.decide(text, status=422, label="mixed")["error"]
    assert desk.lines[0]["label"] == "mixed"


def test_pairs_have_marks_in_both_texts(start):
    desk = start([Document(split("a good film", "bad food"), "negative")])
    text = desk.next()
    assert (text["text_pair"], text["segments"]) == ("bad food", [0, 0, 0, 1, 1])
    desk.decide(text, rationale=[[2, 6]], rationale_pair=[[0, 3], [4, 8]], not_rationale_pair=None)
    (line,) = desk.lines
    assert (line["rationale"], line["rationale_pair"]) == ([[2, 6]], [[0, 3], [4, 8]])
    assert desk.post("open", id=text["id"])["text"]["decision"] == line


def test_a_text_may_have_several_labels(start, tmp_path):
    model = BlackBox(lambda texts: [[0.9, 0.2, 0.4]] * len(texts), ("x", "y", "z"), multi_label=True)
    (served,) = load_models([model])
    desk = start([Document(split("a film"), labels=("x",))], model=served)
    text = desk.next()
    assert text["label"] == ["x"]
    assert "give a list of labels" in desk.decide(text, status=422, label="x")["error"]
    desk.decide(text, label=["z", "x"])
    assert desk.lines[0]["label"] == ["z", "x"]
    desk.decide(text, label=[])
    assert desk.lines[1]["label"] == []


def test_of_a_large_file_only_what_is_needed_is_read(start):
    seen = count()
    documents = (Document(split(f"{TEXTS[0]} number {next(seen)}"), "negative") for _ in range(100_000))
    desk = start(documents)
    assert desk.next()["row"] == 1
    desk.decide(desk.next())
    assert next(seen) <= 2 * READY["file"]


def test_who_has_done_all_that_stands_ready_gets_more(start, monkeypatch):
    monkeypatch.setitem(READY, "file", 2)
    monkeypatch.setitem(READY, "uncertain", 2)
    for order in ("file", "uncertain"):
        desk = start(overlap=2, order=order)
        for _ in DOCUMENTS:
            desk.decide(desk.next())
        answer = desk.post("next")
        assert (answer["text"], answer["waiting"]) == (None, False)
        assert len(desk.lines) == len(DOCUMENTS)
        desk.desk.log.path.write_bytes(b"")


def test_a_model_that_fails_ranks_nothing_and_says_so(start):
    def broken(texts):
        raise RuntimeError("the endpoint is down\nfor good")

    (served,) = load_models([BlackBox(lambda texts: [[0.5, 0.5]] * len(texts), ("negative", "positive"))])
    object.__setattr__(served.model.classifier, "predict_proba", broken)
    desk = start(model=served, order="uncertain")
    answer = desk.post("next")
    assert answer["text"]["row"] == 1
    assert "could not rank the texts" in answer["status"]["notice"]
    assert "the endpoint is down" in answer["status"]["notice"]


def test_a_row_that_cannot_be_read_ends_the_file_with_its_sentence(start):
    def documents():
        yield DOCUMENTS[0]
        raise DataError("reviews.csv, row 2 holds nonsense: fix it.")

    desk = start(documents())
    desk.decide(desk.next())
    assert desk.post("next", status=422)["error"] == "reviews.csv, row 2 holds nonsense: fix it."


def test_many_at_once_lose_nothing(start):
    desk = start(overlap=3)
    names = ["ann", "bo", "cy"]

    def work(author):
        while text := desk.next(author):
            desk.decide(text, author)

    people = [threading.Thread(target=work, args=[name]) for name in names]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert sorted((line["author"], line["row"]) for line in desk.lines) == [
        (name, row) for name in names for row in range(1, len(DOCUMENTS) + 1)
    ]
    desk = start(overlap=3)
    assert desk.http.get("/v1/annotations").json()["done"] == len(DOCUMENTS)


def test_without_texts_to_mark_there_is_no_such_page(client):
    assert client.get("/annotate").status_code == 404
    assert client.get("/v1/annotations").status_code == 404


def test_the_log_has_the_routes_and_no_names(models, tmp_path):
    log = []
    with JsonLog(tmp_path / "out.jsonl") as lines:
        desk = AnnotationDesk(DOCUMENTS, lines, models[1], AnnotationSettings("file"))
        with TestClient(make_app(models, Settings(), log.append, desk)) as http:
            http.post("/v1/annotations/next", json={"author": "secret"})
            http.get("/annotate")
    assert [line["route"] for line in log] == ["/v1/annotations/next", "/annotate"]
    assert "secret" not in json.dumps(log)
