from dataclasses import replace

from reference.variants import tiny_trained, tiny_variant
from whyword.papers.evaluations import accuracy
from whyword.papers.evaluations.accuracy import Accuracy


def test_the_accuracies_are_shares_of_right_answers_in_percent(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = trained.dataset()
    model = trained.model(dataset)
    result = Accuracy().evaluate(model, dataset, trained)
    for split, read in (("test", accuracy.accuracy_on_test), ("dev", accuracy.accuracy_on_dev)):
        documents = getattr(dataset, split)
        chosen = model.classifier.probabilities([d.words for d in documents]).argmax(1)
        right = [model.classifier.classes[c] == d.label for c, d in zip(chosen, documents, strict=True)]
        assert read(result) == {"value": 100 * sum(right) / len(right)}
    assert result["epochs"] == 1
    assert accuracy.epoch_seconds(result) == {"value": model.metrics["seconds"]}
    assert result["weights"] == sum(p.numel() for p in model.classifier.method.parameters())
    assert result["iterations"] is None


def test_data_without_a_test_split_have_no_test_accuracy(tmp_path):
    trained = tiny_trained(tmp_path)
    dataset = replace(trained.dataset(), test=())
    assert accuracy.accuracy_on_test(Accuracy().evaluate(trained.model(dataset), dataset, trained)) == {}


def test_vat_also_says_what_each_iteration_reached_on_dev(tmp_path):
    trained = tiny_trained(tmp_path, tiny_variant("vat", iterations=1))
    dataset = trained.dataset()
    assert len(Accuracy().evaluate(trained.model(dataset), dataset, trained)["iterations"]["learner"]) == 2
