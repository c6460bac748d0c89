import json
from itertools import combinations

import numpy as np
import pytest
from sklearn.metrics import silhouette_score

from reference.trials import tiny_run, tiny_trial
from whyword.analysis.tsne import text_vectors
from whyword.papers.evaluations.text_map import RATIO, SILHOUETTE, TextMap, maps_by_dataset, separations


def ask(folder, question, method="vmask", data="planted:train=40,dev=10,test=12"):
    trial = tiny_trial(folder, tiny_run(method), data)
    dataset = trial.dataset()
    model = trial.model(dataset)
    return json.loads(json.dumps(question.ask(model, dataset, trial))), dataset, model


def test_the_numbers_are_those_of_the_vectors_themselves_and_the_points_one_for_each_text(tmp_path):
    answer, dataset, model = ask(tmp_path, TextMap())
    vectors = text_vectors(model.classifier, [document.words for document in dataset.test])
    labels = [document.label for document in dataset.test]
    assert answer["labels"] == labels
    assert np.array(answer["points"]).shape == (12, 2)
    pairs = [
        (np.linalg.norm(one - other), label == another)
        for (one, label), (other, another) in combinations(zip(vectors, labels, strict=True), 2)
    ]
    within, between = (np.mean([d for d, same in pairs if same is wanted]) for wanted in (True, False))
    assert separations(answer) == {
        SILHOUETTE: pytest.approx(silhouette_score(vectors, labels), abs=1e-5),
        RATIO: pytest.approx(between / within, rel=1e-5),
    }


def test_a_sample_is_the_same_for_all_models(tmp_path):
    first, *_ = ask(tmp_path, TextMap(5))
    second, *_ = ask(tmp_path, TextMap(5), "base")
    assert len(first["points"]) == 5
    assert first["labels"] == second["labels"]


def test_a_picture_has_a_panel_for_each_row_of_a_data_set():
    answer = {"points": [[0, 1], [2, 3]], "labels": ["a", "b"], "silhouette": 0.25, "distance_ratio": 1.5}
    alone = {"points": [[0, 1]], "labels": ["a"], "silhouette": None, "distance_ratio": None}
    figures = maps_by_dataset(
        {("sst2", "MASK"): [answer, alone], ("sst2", "E-VarM"): [answer], ("trec", "MASK"): [alone]}
    )
    assert [axes.get_title() for axes in figures["sst2"].axes] == [
        "MASK\nsilhouette 0.25, between / within 1.50",
        "E-VarM\nsilhouette 0.25, between / within 1.50",
    ]
    (axes,) = figures["trec"].axes
    assert "no two classes" in axes.get_title()
    assert separations(alone) == {}
