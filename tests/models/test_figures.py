"""A model beside the majority and the baseline, and what is said where it is no better."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import f1_score

from whyword.data.dataset import load_dataset
from whyword.models.card import model_card
from whyword.models.config import make_config
from whyword.models.figures import figure_tables, measure_figures, warn_of
from whyword.models.folder import load_model
from whyword.models.train import train_model
from whyword.report.tables import plain


@cache
def corpus():
    return load_dataset("planted:train=800,dev=40,test=300")


@cache
def trained(encoder, epochs=1):
    values = {"encoder": {"name": encoder}, "training": {"epochs": epochs}}
    return train_model(make_config(values), corpus(), baseline=True)


def test_majority_baseline_and_model_stand_side_by_side():
    figures = trained("bag").metrics["figures"]
    assert [row["model"] for row in figures["models"]] == ["majority", "TF-IDF", "this model"]
    assert figures["split"] == "test"
    baseline = train_model(make_config({"encoder": "tfidf"}), corpus())
    assert figures["models"][1]["accuracy"][0] == pytest.approx(baseline.metrics["test_accuracy"])
    assert figures["models"][2]["accuracy"][0] == pytest.approx(trained("bag").metrics["test_accuracy"])
    for row in figures["models"]:
        for value, low, high in (row["accuracy"], row["macro_f1"]):
            assert low <= value <= high


def test_the_figures_of_the_model_are_those_of_its_predictions():
    model, figures = trained("bag"), trained("bag").metrics["figures"]
    predicted = model.classifier.probabilities([document.words for document in corpus().test]).argmax(1).numpy()
    labels = np.array([model.classifier.classes.index(document.label) for document in corpus().test])
    assert figures["models"][-1]["macro_f1"][0] == pytest.approx(f1_score(labels, predicted, average="macro"))
    for number, row in enumerate(figures["classes"]):
        assert row["texts"] == int((labels == number).sum())
        assert row["recall"][0] == pytest.approx((predicted[labels == number] == number).mean())


def test_a_model_that_is_no_better_than_the_baseline_is_warned_of_with_what_to_do():
    said = []
    train_model(
        make_config({"encoder": "bag", "training": {"epochs": 1, "learning_rate": 1e-9}}),
        corpus(),
        on_event=said.append,
        baseline=True,
    )
    (warning,) = [event for event in said if isinstance(event, str) and "TF-IDF on test" in event]
    assert warning.startswith("Warning: ")
    assert "--encoder tfidf" in warning
    assert warning.endswith(".")


def test_the_baseline_itself_is_held_against_the_majority_and_is_better():
    figures = trained("tfidf").metrics["figures"]
    assert [row["model"] for row in figures["models"]] == ["majority", "this model"]
    assert figures["gain"]["over"] == "majority"
    assert warn_of(figures) is None


def test_without_a_test_split_dev_is_measured_and_the_table_says_so():
    figures = measure_figures(trained("tfidf").classifier, replace(corpus(), test=()), False, None)
    assert figures["split"] == "dev"
    models, classes = map(plain, figure_tables(figures))
    assert models.startswith("on 40 dev texts")
    assert "majority" in models
    assert "recall" in classes


def test_of_many_classes_the_table_shows_those_where_most_goes_wrong():
    def row(number):
        return {"label": f"c{number}", "texts": 50, "precision": None, "recall": [number / 50, 0.0, 1.0]}

    figures = {**trained("tfidf").metrics["figures"], "classes": [row(number) for number in range(49, -1, -1)]}
    lines = plain(figure_tables(figures)[1]).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == [f"c{number}" for number in range(20)]
    assert lines[-1].startswith("and 30 with fewer missed texts")


def test_the_card_shows_the_figures_and_the_folder_keeps_them(tmp_path):
    folder = tmp_path / "model"
    train_model(make_config({"encoder": "tfidf"}), corpus(), folder=folder, baseline=False)
    loaded = load_model(folder)
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "## How good it is" in card
    assert "| this model |" in card
    assert card == model_card(
        {
            **loaded.config.to_dict(),
            "whyword": card.split("whyword ")[1].split(". ")[0],
            "labels": list(loaded.classifier.classes),
        },
        loaded.metrics,
        loaded.history,
    )


def test_nobody_who_does_not_ask_gets_figures():
    assert "figures" not in train_model(make_config({"encoder": "tfidf"}), corpus()).metrics
