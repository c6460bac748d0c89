"""Tests of attention, asked of a small trained model."""

from whyword.analysis.attention_tests import TESTS, run_attention_tests
from whyword.analysis.replaced_attention import Search
from whyword.explaining.inputs import draw
from whyword.grids.source import find_source
from whyword.grids.trial import Trial
from whyword.papers.evaluations.attention_tests import AttentionTestResults, attention_test_values
from whyword.papers.tutek import SMOKE, run_of


def test_they_are_those_of_the_same_texts(tmp_path):
    trial = Trial(run_of("base", SMOKE), find_source("planted:train=60,dev=10,test=30"), 3, tmp_path)
    dataset = trial.dataset()
    model = trial.model(dataset)
    answer = AttentionTestResults(sample=5, steps=3).ask(model, dataset, trial)
    expected = run_attention_tests(model.classifier, draw(dataset.test, 5, 0), trial.seed, Search(steps=3))
    assert answer["texts"] == 5
    assert attention_test_values(answer) == {name: expected[name].value for name in TESTS}
