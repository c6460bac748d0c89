from dataclasses import replace

from reference.trials import tiny_run, tiny_trial
from whyword.papers.evaluations import accuracy
from whyword.papers.evaluations.accuracy import Accuracy


def test_the_accuracies_are_shares_of_right_answers_in_percent(tmp_path):
    trial = tiny_trial(tmp_path)
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = Accuracy().ask(model, dataset, trial)
    for split, read in (("test", accuracy.accuracy_on_test), ("dev", accuracy.accuracy_on_dev)):
        documents = getattr(dataset, split)
        chosen = model.classifier.probabilities([d.words for d in documents]).argmax(1)
        right = [model.classifier.classes[c] == d.label for c, d in zip(chosen, documents, strict=True)]
        assert read(answer) == {"value": 100 * sum(right) / len(right)}
    assert answer["epochs"] == 1
    assert accuracy.epoch_seconds(answer) == {"value": model.metrics["seconds"]}
    assert answer["weights"] == sum(p.numel() for p in model.classifier.method.parameters())
    assert answer["iterations"] is None


def test_data_without_a_test_split_have_no_test_accuracy(tmp_path):
    trial = tiny_trial(tmp_path)
    dataset = replace(trial.dataset(), test=())
    assert accuracy.accuracy_on_test(Accuracy().ask(trial.model(dataset), dataset, trial)) == {}


def test_vat_also_says_what_each_iteration_reached_on_dev(tmp_path):
    trial = tiny_trial(tmp_path, tiny_run("vat", iterations=1))
    dataset = trial.dataset()
    assert len(Accuracy().ask(trial.model(dataset), dataset, trial)["iterations"]["learner"]) == 2
