"""Models of ordered classes, from training to the model folder, on stars that words raise and lower."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from whyword import TextClassifier, catalog
from whyword.catalog import make_explainer
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.explaining.stream import explain_documents, prediction
from whyword.explaining.targets import read_target
from whyword.interfaces.classifier import class_values, predicted_classes
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.maths.stats.ordered import median_classes
from whyword.maths.tensors.ordered import odds_above
from whyword.models.config import make_config, with_defaults
from whyword.models.export import export_model
from whyword.models.figures import figure_tables, warn_of
from whyword.models.folder import load_model, put_model
from whyword.models.train import train_model
from whyword.training.optimizer import Training, selection

WORTH = {"superb": 2, "good": 1, "plain": 0, "weak": -1, "awful": -2}
FILLERS = ("the", "film", "it", "was", "and", "its", "end")
GRADES = ("bad", "poor or so", "middling", "nice", "best")
SMALL = {"epochs": 2, "batch_size": 16}


def _documents(count: int, seed: int) -> tuple[Document, ...]:
    """Write texts of the stars 1 to 5, the middle one and what two words add to it."""
    generator = Random(seed)
    found = []
    for _ in range(count):
        words = generator.choices(list(WORTH), k=2)
        stars = min(5, max(1, 3 + sum(WORTH[word] for word in words)))
        text = [*words, *generator.choices(FILLERS, k=4)]
        generator.shuffle(text)
        found.append(Document(split(" ".join(text)), stars))
    return tuple(found)


DATA = Dataset("stars", _documents(300, 0), _documents(80, 1), _documents(80, 2))
TEXTS = [document.words for document in DATA.test]


def _config(encoder: Any, method: Any = "base", **training: Any) -> Any:
    return make_config({"encoder": encoder, "method": method, "training": training, "task": "ordinal"})


@pytest.mark.parametrize("method", catalog.built_in_names("methods"))
def test_every_method_learns_an_order_and_is_the_same_after_saving(method: str, tmp_path: Path) -> None:
    settings = {"k": 3} if method == "l2x" else {}
    config = _config({"name": "lstm", "dim": 16, "hidden": 16}, {"name": method, **settings}, **SMALL, calibrate=True)
    model = train_model(config, DATA)
    answers = model.classifier.probabilities(TEXTS)
    assert answers.shape == (80, 5)
    assert torch.allclose(answers.sum(1), torch.ones(80), atol=1e-5)
    gaps = odds_above(answers.double().log()).diff(dim=1)
    assert torch.allclose(gaps, gaps[0].expand_as(gaps), atol=1e-2)  # one score and the same cut points for all texts
    put_model(model, tmp_path / "model")
    loaded = load_model(tmp_path / "model")
    assert loaded.config == model.config
    assert loaded.classifier.values == (1, 2, 3, 4, 5)
    assert torch.equal(loaded.classifier.probabilities(TEXTS), answers)


@pytest.fixture(scope="module")
def tfidf() -> Any:
    values = {"encoder": {"name": "tfidf", "ngrams": 1}, "task": "ordinal"}
    return train_model(make_config(with_defaults(values)), DATA, baseline=True)


@pytest.fixture(scope="module")
def bag() -> Any:
    values = {"encoder": {"name": "bag", "dim": 16}, "task": "ordinal", "contributions": {"steps": 150, "epochs": 1}}
    return train_model(make_config(with_defaults({**values, "training": {"epochs": 12, "batch_size": 16}})), DATA)


def test_a_batch_is_answered_as_its_texts_one_by_one(bag: Any, tfidf: Any) -> None:
    for model in (bag, tfidf):
        alone = torch.cat([model.classifier.probabilities([text]) for text in TEXTS[:10]])
        torch.testing.assert_close(model.classifier.probabilities(TEXTS)[:10], alone)


def test_the_median_is_predicted_and_the_expected_score_stands_beside_it(tfidf: Any) -> None:
    classifier = tfidf.classifier
    table = classifier.probabilities(TEXTS)
    chosen = predicted_classes(classifier, table)
    assert np.array_equal(chosen, median_classes(table.double().numpy()))
    assert np.mean([classifier.classes[i] == d.label for i, d in zip(chosen, DATA.test, strict=True)]) > 0.7
    facts = prediction(classifier, table[0].tolist(), int(chosen[0]))
    assert facts["expected"] == pytest.approx(float(table[0] @ torch.arange(1.0, 6)))


@pytest.mark.parametrize("name", ["tfidf", "bag"])
def test_contributions_add_up_for_every_class_and_for_the_expected_score(name: str, request: Any) -> None:
    model = request.getfixturevalue(name)
    classifier = model.classifier
    asked = read_target(classifier.classes, "score", None, class_values(classifier))
    explanations = list(explain_documents(classifier, DATA.test, make_explainer("own", classifier), asked))
    worth: dict[str, list[float]] = {word: [] for word in WORTH}
    for explanation in explanations:
        assert explanation.of_score
        whole = explanation.base_values + explanation.all_scores.sum(1)
        np.testing.assert_allclose(whole, explanation.probabilities, atol=1e-4)
        assert explanation.base_value + explanation.scores.sum() == pytest.approx(explanation.expected, abs=1e-3)
        for word, score in zip(explanation.words, explanation.scores, strict=True):
            if word in worth:
                worth[word].append(score)
    means = [float(np.mean(worth[word])) for word in WORTH]
    assert means == sorted(means, reverse=True)
    assert means[1] > 0.1
    assert means[3] < -0.1


def test_a_score_explanation_says_what_raises_and_lowers_and_gives_way_to_a_class(tfidf: Any) -> None:
    classifier = tfidf.classifier
    document = Document(split("a superb but weak film"))
    asked = read_target(classifier.classes, "score", None, class_values(classifier))
    (one,) = explain_documents(classifier, [document], make_explainer("own", classifier), asked)
    values = one.to_dict()
    assert values["target"] == "score"
    assert values["scale"] == {"1": 1, "2": 2, "3": 3, "4": 4, "5": 5}
    assert "speaks_for" not in values
    for shown in (one.to_html(), one.to_svg(), one.__rich__()):
        assert "raises the score" in shown
        assert "lowers the score" in shown
        assert f"{one.expected:.2f}" in shown
    of_class = one.for_class(5)
    assert not of_class.of_score
    np.testing.assert_allclose(of_class.scores, one.all_scores[4])
    assert of_class.for_score().scores.tolist() == one.scores.tolist()


def test_only_a_model_with_an_order_has_an_expected_score() -> None:
    with pytest.raises(OptionError, match="Only a model whose classes have an order has an expected score"):
        read_target((1, 2, 3), "score")
    assert read_target(("score", "b"), "score").number == 0


def test_figures_stand_beside_the_median_and_say_error_and_kappa(tfidf: Any, bag: Any) -> None:
    figures = tfidf.metrics["figures"]
    assert [row["model"] for row in figures["models"]] == ["median", "this model"]
    assert figures["models"][0]["kappa"][0] == 0
    assert figures["models"][1]["absolute_error"][0] == tfidf.metrics["test_absolute_error"]
    assert figures["gain"]["low"] > 0
    assert warn_of(figures) is None
    worse = {**figures, "gain": {"over": "median", "value": -0.2, "low": -0.3, "high": -0.1}}
    assert "worse than median on test (mean absolute error +0.200" in str(warn_of(worse))
    head = [entry.text for entry in figure_tables(figures)[0][0]]
    assert head[1:] == ["accuracy", "mean absolute error", "weighted kappa"]
    assert {"dev_absolute_error"} <= set(bag.metrics)


def test_dev_decides_by_the_absolute_error_unless_classes_are_balanced() -> None:
    labels = np.array([0, 1, 2])
    assert selection(Training(select="auto"), labels, ordered=True) == "absolute-error"
    assert selection(Training(select="auto", class_weight="balanced"), labels, ordered=True) == "balanced-loss"


def test_a_model_leaves_as_onnx_with_its_contributions(bag: Any, tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    export_model(bag, "onnx", tmp_path / "onnx")
    assert (tmp_path / "onnx" / "model.onnx").exists()


@pytest.mark.parametrize(
    ("values", "what"),
    [
        ({"task": "nominal"}, "task is 'nominal': give ordinal"),
        ({"order": ["a", "b"]}, "The order of classes is for the task ordinal"),
        ({"task": "ordinal", "order": 3}, "order is 3: give the labels"),
    ],
)
def test_a_task_or_order_that_makes_no_sense_is_refused(values: dict[str, Any], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        make_config(values)


def test_an_estimator_takes_an_order_of_names() -> None:
    texts = [document.words.texts[0] for document in DATA.train]
    grades = [GRADES[int(document.label or 0) - 1] for document in DATA.train]
    with pytest.raises(OptionError, match="neither numbers nor grades"):
        TextClassifier(encoder="tfidf", task="ordinal").fit(texts, grades)
    clf = TextClassifier(encoder="tfidf", task="ordinal", order=GRADES).fit(texts, grades)
    assert clf.classes_.tolist() == list(GRADES)
    assert clf.score(texts, grades) > 0.7
    table = clf.predict_proba(texts)
    assert clf.predict(texts).tolist() == clf.classes_[median_classes(table)].tolist()
    explanation = clf.explain(texts[:1], target="score")[0]
    assert explanation.expected == pytest.approx(float(table[0] @ np.arange(1, 6)))
    with pytest.raises(OptionError, match="An expected score is neither checked"):
        clf.explain(texts[:1], target="score", check=True)
