import pytest
import torch

from reference.trials import tiny_run, tiny_trial
from whyword.explaining.stream import explain_documents, make_explainer
from whyword.papers.evaluations.explained import Explained, metric_at, metric_curve

METRICS = {"probability-drop": {"k": 2, "longest": 3}, "mean-probability-drop": {"k": 3, "longest": 3}}
JUDGE = tiny_run("base", "judge")


@pytest.mark.parametrize("judge", [None, JUDGE], ids=["itself", "another"])
def test_the_drop_is_that_of_the_judge_when_the_top_words_are_deleted(tmp_path, judge):
    trial = tiny_trial(tmp_path, tiny_run("attention"))
    dataset = trial.dataset()
    model = trial.model(dataset).classifier
    asked = model if judge is None else trial.other(judge).model(dataset).classifier
    question = Explained("own", METRICS, sample=100, judge=judge)
    answer = question.ask(trial.model(dataset), dataset, trial)
    assert answer["texts"] == len(dataset.test)
    drops = torch.zeros(4, dtype=torch.float64)
    for own in explain_documents(model, dataset.test, make_explainer("own", model, 0)):
        for k in (1, 2, 3):
            kept = torch.ones(2, len(own.words), dtype=torch.bool)
            kept[1, own.ranking[:k].copy()] = False
            whole, rest = asked.probabilities_of_subsets(own.document.words, kept)[:, own.target].double()
            drops[k] += 100 * (whole - rest) / len(dataset.test)
    assert metric_at("probability-drop", 2)(answer)["value"] == pytest.approx(drops[2].item(), abs=1e-4)
    curve = metric_curve("probability-drop")(answer)
    assert [curve[str(k)] for k in (1, 2, 3)] == pytest.approx(drops[1:].tolist(), abs=1e-4)
    means = metric_curve("mean-probability-drop", at=(1, 3))(answer)  # E-VarM's form
    assert means == {
        "1": pytest.approx(drops[1].item() / 2, abs=1e-4),
        "3": pytest.approx(drops.sum().item() / 4, abs=1e-4),
    }
    assert set(metric_curve("probability-drop", "random")(answer)) == {"1", "2", "3"}


def test_every_model_is_asked_about_the_same_texts_and_as_many_as_the_sample(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("attention"))
    dataset = trial.dataset()
    settings = {"samples": 20}
    answer = Explained("lime", METRICS, 3, settings).ask(trial.model(dataset), dataset, trial)
    assert answer["texts"] == 3
    assert 0 < answer["passes"] <= 21


def test_what_is_not_defined_is_no_number():
    answer = {"words": {"some": {"curve": [{"at": 1.0, "value": None}, {"at": 2.0, "value": 0.5}]}}}
    assert metric_at("some", 1)(answer) == {}
    assert metric_at("some", 2)(answer) == {"value": 50.0}
    assert metric_curve("some")(answer) == {"2": 50.0}
