import json

import numpy as np
import pytest
import torch

from reference.variants import tiny_trained, tiny_variant
from whyword.catalog import make_explainer
from whyword.data.planted import planted
from whyword.explaining.stream import explain_documents
from whyword.grids.variant import Variant, evaluation_identity
from whyword.interfaces.errors import DataError
from whyword.papers.evaluations.explanation_metrics import (
    REMOVED,
    Explained,
    Reading,
    TokenDetection,
    detection,
    draw_lines,
)
from whyword.papers.reproduction.accuracy import Accuracy
from whyword.papers.reproduction.paper import Row

METRICS = {"probability-drop": {"k": 2, "longest": 3}, "mean-probability-drop": {"k": 3, "longest": 3}}
JUDGE = tiny_variant("base", "judge")


@pytest.mark.parametrize("judge", [None, JUDGE], ids=["itself", "another"])
def test_the_drop_is_that_of_the_judge_when_the_top_words_are_deleted(tmp_path, judge):
    trained = tiny_trained(tmp_path, tiny_variant("attention"))
    dataset = trained.dataset()
    model = trained.model(dataset).classifier
    answering = model if judge is None else trained.other(judge).model(dataset).classifier
    evaluation = Explained("own", METRICS, sample=100, judge=judge, each=(1, 2))
    result = evaluation.evaluate(trained.model(dataset), dataset, trained)
    assert result["texts"] == len(dataset.test)
    drops = torch.zeros(4, dtype=torch.float64)
    for own in explain_documents(model, dataset.test, make_explainer("own", model, 0)):
        for k in (1, 2, 3):
            kept = torch.ones(2, len(own.words), dtype=torch.bool)
            kept[1, own.ranking[:k].copy()] = False
            whole, rest = answering.probabilities_of_subsets(own.document.words, kept)[:, own.target].double()
            drops[k] += 100 * (whole - rest) / len(dataset.test)
    assert Reading("probability-drop", 2)(result)["value"] == pytest.approx(drops[2].item(), abs=1e-4)
    curve = Reading("probability-drop", ())(result)
    assert [curve[str(k)] for k in (1, 2, 3)] == pytest.approx(drops[1:].tolist(), abs=1e-4)
    means = Reading("mean-probability-drop", (1, 3))(result)  # E-VarM's form
    assert means == {
        "1": pytest.approx(drops[1].item() / 2, abs=1e-4),
        "3": pytest.approx(drops.sum().item() / 4, abs=1e-4),
    }
    assert set(Reading("probability-drop", (), "random")(result)) == {"1", "2", "3"}
    told = Reading("probability-drop", 2).texts(result)["value"]
    assert len(told) == len(dataset.test)
    assert np.nanmean(told) == pytest.approx(drops[2].item(), abs=1e-2)
    assert set(Reading("probability-drop", ()).texts(result)) == {"1", "2"}


def test_every_model_is_measured_on_the_same_texts_and_as_many_as_the_sample(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("attention"))
    dataset = trained.dataset()
    settings = {"samples": 20}
    result = Explained("lime", METRICS, 3, settings).evaluate(trained.model(dataset), dataset, trained)
    assert result["texts"] == 3
    assert 0 < result["passes"] <= 21


def test_what_is_not_defined_is_no_number():
    result = {"words": {"some": {"curve": [{"at": 1.0, "value": None}, {"at": 2.0, "value": 0.5}]}}}
    assert Reading("some", 1)(result) == {}
    assert Reading("some", 2)(result) == {"value": 50.0}
    assert Reading("some", ())(result) == {"2": 50.0}
    assert Reading("other")(result) == Reading("other").texts(result) == Reading("some", 2).texts(result) == {}


def test_normalized_numbers_are_told_for_each_text_and_lie_between_worst_and_best(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("attention"))
    dataset = trained.dataset()
    evaluation = Explained("own", {**METRICS, REMOVED: {}}, sample=6)
    result = evaluation.evaluate(trained.model(dataset), dataset, trained)
    mean, texts = Reading(REMOVED)(result)["value"], Reading(REMOVED).texts(result)["value"]
    assert len(texts) == 6
    assert mean == pytest.approx(np.nanmean(texts), abs=0.01)
    assert 0 <= np.nanmin(texts) <= np.nanmax(texts) <= 100


def test_a_record_of_raw_metrics_alone_is_an_earlier_form():
    raw = Explained("own", METRICS, 5)
    (earlier,) = Explained("own", {**METRICS, REMOVED: {}}, 5, each=(5,)).earlier(JUDGE)
    assert earlier == evaluation_identity(raw) | {"revision": 1}
    assert Explained("own", {REMOVED: {}}, 5).earlier(JUDGE) == ()


def test_precision_recall_and_f1_are_means_over_texts_of_the_top_words_that_are_marked(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("attention"))
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = TokenDetection({}, ("positive",), (1, 3)).evaluate(model, dataset, trained)
    documents = [d for d in dataset.test if d.label == "positive"]
    explanations = explain_documents(model.classifier, documents, make_explainer("own", model.classifier, 0))
    found = []
    for explanation, document in zip(explanations, documents, strict=True):
        marked = set(np.flatnonzero(document.rationale_words))
        right = len(marked & set(explanation.ranking[:3].tolist()))
        precision, recall = right / 3, right / len(marked)
        found.append((precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0))
    read = detection(result, "words")
    names = [f"positive@3 {name}" for name in ("precision", "recall", "f1")]
    assert [read[name] for name in names] == pytest.approx(100 * np.mean(found, axis=0))
    assert set(read) == {*names, *(name.replace("3", "1", 1) for name in names)}
    assert set(detection(result, "random")) == set(read)
    assert result["texts"] == {"positive": len(documents)}


def test_models_are_asked_about_the_texts_that_were_marked_for_their_data(tmp_path):
    folder = tmp_path / "data" / "marked"
    folder.mkdir(parents=True)
    for split, count in (("train", 4), ("test", 9)):
        documents = planted(f"seed=5,train={count},dev=2,test=2").train
        rows = [{"text": d.words.texts[0], "label": d.label, "rationale": d.rationale[0]} for d in documents]
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    trained = tiny_trained(tmp_path, tiny_variant("attention"), data_dir=str(tmp_path / "data"))
    dataset = trained.dataset()
    evaluation = TokenDetection({trained.source.name: "marked"}, ("positive", "negative"), (1,))
    result = evaluation.evaluate(trained.model(dataset), dataset, trained)
    assert sum(result["texts"].values()) == 9


def test_a_class_without_marked_words_is_refused(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("attention"))
    dataset = trained.dataset()
    with pytest.raises(DataError, match="has no text of class 'neutral' with marked words"):
        TokenDetection({}, ("neutral",), (1,)).evaluate(trained.model(dataset), dataset, trained)


RESULTS = {
    ("sst2", "ours"): [{"1": 10.0, "2": 20.0}, {"1": 30.0, "2": 20.0}],
    ("sst2", "theirs"): [{"1": 1.0, "2": 2.0}],
    ("trec", "ours"): [{"1": 5.0, "2": 6.0}],
}


def drawn(figure):
    (axes,) = figure.axes
    return {line.get_label(): list(map(tuple, line.get_xydata())) for line in axes.lines}


def test_each_data_set_has_a_picture_with_a_line_for_each_row_of_its_means_over_seeds():
    figures = draw_lines(RESULTS, dict, "words", "share")
    assert list(figures) == ["sst2", "trec"]
    assert drawn(figures["sst2"]) == {"ours": [(1, 20), (2, 20)], "theirs": [(1, 1), (2, 2)]}
    assert drawn(figures["trec"]) == {"ours": [(1, 5), (2, 6)]}
    (axes,) = figures["sst2"].axes
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("sst2", "words", "share")


def test_rows_may_each_read_their_numbers_in_their_own_way():
    variant = Variant("variant", {})
    rows = [
        Row("ours", variant, Accuracy(), lambda result: {"1": result["1"]}),
        Row("theirs", variant, Accuracy(), lambda result: {"2": result["2"]}),
    ]
    lines = drawn(draw_lines(RESULTS, rows, "", "")["sst2"])
    assert np.allclose(lines["ours"], [(1, 20)])
    assert np.allclose(lines["theirs"], [(2, 2)])
