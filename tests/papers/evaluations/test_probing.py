"""What the states of a small trained model know."""

import pytest

from whyword.analysis.probing import word_information
from whyword.explaining.inputs import draw
from whyword.grids.source import find_source
from whyword.grids.trial import Trial
from whyword.papers.evaluations.probing import Probing, knowledge
from whyword.papers.tutek import SMOKE, run_of


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    source = find_source("planted:train=60,dev=10,test=30")
    trial = Trial(run_of("tying", SMOKE), source, 3, tmp_path_factory.mktemp("models"))
    dataset = trial.dataset()
    return trial.model(dataset), dataset, trial


def test_knowledge_is_that_of_the_test_texts(asked):
    model, dataset, _ = asked
    found = knowledge(Probing(texts=20).ask(*asked))
    information = word_information(model.classifier, draw(dataset.test, 20, 0))
    assert found["MI (nats)"] == information.information
    assert found["MI share"] == information.share
    assert found["probe"] == 100 * information.probe_accuracy
    assert found["accuracy"] == 100 * model.metrics["test_accuracy"]
    assert 0 <= found["conicity"] <= 1


def test_a_model_without_conicity_has_the_rest():
    answer = {
        "test_accuracy": 0.5,
        "conicity": None,
        "information": {"information": 1.0, "share": 0.5, "probe_accuracy": 0.1},
    }
    assert knowledge(answer) == {"accuracy": 50.0, "MI (nats)": 1.0, "MI share": 0.5, "probe": 10.0}
