import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from reference.variants import tiny_trained, tiny_variant
from whyword.analysis.tsne import text_vectors
from whyword.analysis.vat_iterations import train_by_iteration
from whyword.models.config import make_config, overlay
from whyword.papers.evaluations.text_maps import (
    GAIN,
    RATIO,
    SILHOUETTE,
    TextMap,
    VatIterations,
    accuracies,
    draw_maps,
    separations,
    silhouettes,
)


def measure(folder, evaluation, method="vmask", data="planted:train=40,dev=10,test=12"):
    trained = tiny_trained(folder, tiny_variant(method), data)
    dataset = trained.dataset()
    model = trained.model(dataset)
    return json.loads(json.dumps(evaluation.evaluate(model, dataset, trained))), dataset, model


def test_the_numbers_are_those_of_the_vectors_themselves_and_the_points_one_for_each_text(tmp_path):
    result, dataset, model = measure(tmp_path, TextMap())
    vectors = text_vectors(model.classifier, [document.words for document in dataset.test])
    labels = [document.label for document in dataset.test]
    assert result["labels"] == labels
    assert np.array(result["points"]).shape == (12, 2)
    pairs = [
        (np.linalg.norm(one - other), label == another)
        for (one, label), (other, another) in combinations(zip(vectors, labels, strict=True), 2)
    ]
    within, between = (np.mean([d for d, same in pairs if same is wanted]) for wanted in (True, False))
    assert separations(result) == {
        SILHOUETTE: pytest.approx(silhouette_score(vectors, labels), abs=1e-5),
        RATIO: pytest.approx(between / within, rel=1e-5),
    }


def test_a_sample_is_the_same_for_all_models(tmp_path):
    first, *_ = measure(tmp_path, TextMap(5))
    second, *_ = measure(tmp_path, TextMap(5), "base")
    assert len(first["points"]) == 5
    assert first["labels"] == second["labels"]


def test_a_picture_has_a_panel_for_each_row_of_a_data_set():
    result = {"points": [[0, 1], [2, 3]], "labels": ["a", "b"], "silhouette": 0.25, "distance_ratio": 1.5}
    alone = {"points": [[0, 1]], "labels": ["a"], "silhouette": None, "distance_ratio": None}
    figures = draw_maps({("sst2", "MASK"): [result, alone], ("sst2", "E-VarM"): [result], ("trec", "MASK"): [alone]})
    assert [axes.get_title() for axes in figures["sst2"].axes] == [
        "MASK\nsilhouette 0.25, between / within 1.50",
        "E-VarM\nsilhouette 0.25, between / within 1.50",
    ]
    (axes,) = figures["trec"].axes
    assert "no two classes" in axes.get_title()
    assert separations(alone) == {}


def test_every_iteration_has_its_accuracy_and_its_picture(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("vat"))
    dataset = trained.dataset()
    result = VatIterations(iterations=2, sample=8).evaluate(trained.model(dataset), dataset, trained)
    config = make_config(overlay(trained.config.to_dict(), ["method.iterations=2"]))
    found = []
    for classifier in train_by_iteration(config, dataset):
        chosen = classifier.probabilities([d.words for d in dataset.test]).argmax(1)
        right = [classifier.classes[c] == d.label for c, d in zip(chosen, dataset.test, strict=True)]
        found.append(100 * sum(right) / len(right))
    read = accuracies(result)
    assert [read[str(i)] for i in range(3)] == pytest.approx(found)
    assert read[GAIN] == pytest.approx(found[1] - found[0])
    assert set(silhouettes(result)) == {"0", "1", "2"}
    assert [len(points) for points in result["points"]] == [8, 8, 8]
    assert len(result["labels"]) == 8


def test_without_test_texts_there_are_pictures_of_dev_and_no_accuracies(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("vat"))
    dataset = replace(trained.dataset(), test=())
    result = VatIterations(iterations=1, sample=8).evaluate(trained.model(dataset), dataset, trained)
    assert accuracies(result) == {}
    assert len(result["points"][0]) == 8


def test_the_gain_is_what_the_first_iteration_adds():
    assert accuracies({"test_accuracy": [0.5, 0.75, 0.25]}) == {"0": 50.0, "1": 75.0, "2": 25.0, GAIN: 25.0}


def test_one_class_alone_has_no_silhouette():
    assert silhouettes({"silhouette": [None, 0.5]}) == {"1": 0.5}
