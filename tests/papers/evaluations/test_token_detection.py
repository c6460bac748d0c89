import json

import numpy as np
import pytest

from reference.trials import tiny_run, tiny_trial
from whyword.data.planted import planted
from whyword.explaining.stream import explain_documents, make_explainer
from whyword.interfaces.errors import DataError
from whyword.papers.evaluations.token_detection import TokenDetection, detection


def test_precision_recall_and_f1_are_means_over_texts_of_the_top_words_that_are_marked(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("attention"))
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = TokenDetection({}, ("positive",), (1, 3)).ask(model, dataset, trial)
    documents = [d for d in dataset.test if d.label == "positive"]
    explanations = explain_documents(model.classifier, documents, make_explainer("own", model.classifier, 0))
    found = []
    for explanation, document in zip(explanations, documents, strict=True):
        marked = set(np.flatnonzero(document.rationale_words))
        right = len(marked & set(explanation.ranking[:3].tolist()))
        precision, recall = right / 3, right / len(marked)
        found.append((precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0))
    read = detection("words")(answer)
    names = [f"positive@3 {name}" for name in ("precision", "recall", "f1")]
    assert [read[name] for name in names] == pytest.approx(100 * np.mean(found, axis=0))
    assert set(read) == {*names, *(name.replace("3", "1", 1) for name in names)}
    assert set(detection("random")(answer)) == set(read)
    assert answer["texts"] == {"positive": len(documents)}


def test_models_are_asked_about_the_texts_that_were_marked_for_their_data(tmp_path):
    folder = tmp_path / "data" / "marked"
    folder.mkdir(parents=True)
    for split, count in (("train", 4), ("test", 9)):
        documents = planted(f"seed=5,train={count},dev=2,test=2").train
        rows = [{"text": d.words.texts[0], "label": d.label, "rationale": d.rationale[0]} for d in documents]
        (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    trial = tiny_trial(tmp_path, tiny_run("attention"), data_dir=str(tmp_path / "data"))
    dataset = trial.dataset()
    question = TokenDetection({trial.source.name: "marked"}, ("positive", "negative"), (1,))
    answer = question.ask(trial.model(dataset), dataset, trial)
    assert sum(answer["texts"].values()) == 9


def test_a_class_without_marked_words_is_refused(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("attention"))
    dataset = trial.dataset()
    with pytest.raises(DataError, match="has no text of class 'neutral' with marked words"):
        TokenDetection({}, ("neutral",), (1,)).ask(trial.model(dataset), dataset, trial)
