"""Models of several labels a text, from training to the model folder, with every method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.multiclass import OneVsRestClassifier

from whyword import catalog
from whyword.data.labels import labels, numbered
from whyword.data.planted import planted
from whyword.interfaces.classifier import predicted_labels
from whyword.interfaces.document import Batch
from whyword.interfaces.method import task_loss
from whyword.models.config import make_config
from whyword.models.folder import load_model, put_model
from whyword.models.train import train_model

DATA = planted("multilabel,train=160,dev=60,test=40")
SMALL = {"epochs": 2, "batch_size": 16}


def test_the_task_is_the_mean_binary_cross_entropy_and_its_gradient() -> None:
    logits = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    gold, weights = torch.rand(5, 3) < 0.5, torch.rand(5, 3, dtype=torch.float64)
    none = torch.zeros(5, 1, dtype=torch.long)
    batch = Batch(none, none.bool(), none, none, gold.float(), weights=weights)
    (gradient,) = torch.autograd.grad(task_loss(logits, batch), logits)
    assert torch.allclose(gradient, weights * (logits.sigmoid() - gold.double()) / gold.numel())


@pytest.mark.parametrize("method", catalog.built_in_names("methods"))
def test_every_method_learns_several_labels_and_is_the_same_after_saving(method: str, tmp_path: Path) -> None:
    settings = {"k": 3} if method == "l2x" else {}
    encoder = {"name": "lstm", "dim": 16, "hidden": 16}
    config = make_config({"method": {"name": method, **settings}, "encoder": encoder, "training": SMALL})
    model = train_model(config, DATA)
    texts = [document.words for document in DATA.test]
    answers = model.classifier.probabilities(texts)
    assert answers.shape == (40, 5)
    assert not torch.allclose(answers.sum(1), torch.ones(40), atol=0.01)
    put_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model").classifier
    assert loaded.multi_label
    assert torch.equal(loaded.probabilities(texts), answers)
    assert np.array_equal(predicted_labels(loaded, answers), predicted_labels(model.classifier, answers))


def test_tfidf_is_one_against_the_rest_as_scikit_learn_has_it() -> None:
    config = make_config({"encoder": {"name": "tfidf", "penalty": 2.0, "ngrams": 1}, "training": {"threshold": 0.5}})
    model = train_model(config, DATA)
    words = [" ".join(document.words.strings).lower() for document in (*DATA.train, *DATA.test)]
    read = TfidfVectorizer(token_pattern=r"\S+", sublinear_tf=True).fit(words[: len(DATA.train)])
    other = OneVsRestClassifier(LogisticRegression(C=2.0, max_iter=1000))
    other.fit(read.transform(words[: len(DATA.train)]), numbered(DATA.train, labels(DATA.train)))
    expected = other.predict_proba(read.transform(words[len(DATA.train) :]))
    answers = model.classifier.probabilities([document.words for document in DATA.test]).numpy()
    assert answers == pytest.approx(expected, abs=2e-3)


def test_contributions_add_up_for_every_label(tmp_path: Path) -> None:
    head = {"texts": 60, "least_texts": 60, "pairs": 2, "epochs": 1, "steps": 4}
    encoder = {"name": "lstm", "dim": 16, "hidden": 16}
    model = train_model(make_config({"encoder": encoder, "training": SMALL, "contributions": head}), DATA)
    found = model.classifier.contributions([document.words for document in DATA.test])
    for scores, answer in zip(found.scores, found.probabilities.double().numpy(), strict=True):
        assert found.base + scores.sum(1) == pytest.approx(answer, abs=1e-5)
    put_model(model, tmp_path / "model")
    again = load_model(tmp_path / "model").classifier.contributions([document.words for document in DATA.test])
    assert all(np.array_equal(one, other) for one, other in zip(found.scores, again.scores, strict=True))


def test_a_text_of_no_known_word_has_each_label_as_often_as_in_training() -> None:
    config = make_config({"encoder": {"name": "lstm", "dim": 8, "hidden": 8}, "training": {"epochs": 1}})
    classifier = train_model(config, DATA).classifier
    answer = classifier.probabilities([DATA.test[0].words.__class__(("qwx",), (((0, 3),),))])[0].numpy()
    assert answer == pytest.approx(numbered(DATA.train, classifier.classes).mean(0), abs=1e-5)


def test_a_threshold_for_all_labels_is_taken_as_it_is() -> None:
    config = make_config({"encoder": "tfidf", "training": {"threshold": 0.3}})
    assert train_model(config, DATA).classifier.thresholds.tolist() == [0.3] * 5
