"""Tests of attention, asked of a small trained model."""

from whyword.experiments.belief import TESTS, examine_attention
from whyword.experiments.papers.tutek import SMOKE, run_of
from whyword.experiments.questions.believed import Believed, beliefs
from whyword.experiments.sampling import draw
from whyword.experiments.source import find_source
from whyword.experiments.trial import Trial
from whyword.probing.adversarial_attention import Search


def test_belief_is_that_of_the_same_texts(tmp_path):
    trial = Trial(run_of("base", SMOKE), find_source("planted:train=60,dev=10,test=30"), 3, tmp_path)
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = Believed(sample=5, steps=3).ask(model, dataset, trial)
    expected = examine_attention(model.classifier, draw(dataset.test, 5, 0), trial.seed, Search(steps=3))
    assert answer["texts"] == 5
    assert beliefs(answer) == {name: expected[name].value for name in TESTS}
