from dataclasses import replace

import pytest

from reference.trials import tiny_run, tiny_trial
from whyword.analysis.vat_iterations import train_by_iteration
from whyword.models.config import make_config, overlay
from whyword.papers.evaluations.vat_iterations import GAIN, VatIterations, accuracies, silhouettes


def test_every_iteration_has_its_accuracy_and_its_picture(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("vat"))
    dataset = trial.dataset()
    answer = VatIterations(iterations=2, sample=8).ask(trial.model(dataset), dataset, trial)
    config = make_config(overlay(trial.config.to_dict(), ["method.iterations=2"]))
    found = []
    for classifier in train_by_iteration(config, dataset):
        chosen = classifier.probabilities([d.words for d in dataset.test]).argmax(1)
        right = [classifier.classes[c] == d.label for c, d in zip(chosen, dataset.test, strict=True)]
        found.append(100 * sum(right) / len(right))
    read = accuracies(answer)
    assert [read[str(i)] for i in range(3)] == pytest.approx(found)
    assert read[GAIN] == pytest.approx(found[1] - found[0])
    assert set(silhouettes(answer)) == {"0", "1", "2"}
    assert [len(points) for points in answer["points"]] == [8, 8, 8]
    assert len(answer["labels"]) == 8


def test_without_test_texts_there_are_pictures_of_dev_and_no_accuracies(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("vat"))
    dataset = replace(trial.dataset(), test=())
    answer = VatIterations(iterations=1, sample=8).ask(trial.model(dataset), dataset, trial)
    assert accuracies(answer) == {}
    assert len(answer["points"][0]) == 8


def test_the_gain_is_what_the_first_iteration_adds():
    assert accuracies({"test_accuracy": [0.5, 0.75, 0.25]}) == {"0": 50.0, "1": 75.0, "2": 25.0, GAIN: 25.0}


def test_one_class_alone_has_no_silhouette():
    assert silhouettes({"silhouette": [None, 0.5]}) == {"1": 0.5}
