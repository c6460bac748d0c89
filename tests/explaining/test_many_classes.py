"""Models of many classes: what LIME and Shapley values cost grows with the classes that are scored, not with all."""

import numpy as np
import pytest

from whyword.attribution import classes as scored_classes
from whyword.attribution.classes import MOST_SCORED, choose_classes
from whyword.data.words import split
from whyword.explainers import Lime, Shapley
from whyword.explaining.cache import ExplanationCache
from whyword.explaining.stream import explain_documents
from whyword.explaining.targets import ALL, Target
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError

COUNT = 60
SHORT, LONG = "one two five", "one two three four five six seven eight nine ten eleven twelve thirteen"
WORDS = {word: number for number, word in enumerate(LONG.split())}
WEIGHTS = np.random.default_rng(0).normal(size=(len(WORDS), COUNT))


def answers(texts, several=False):
    logits = np.array([sum((WEIGHTS[WORDS[word]] for word in text.split()), np.zeros(COUNT)) for text in texts])
    if several:
        return 1 / (1 + np.exp(3 - logits))
    powers = np.exp(logits)
    return powers / powers.sum(1, keepdims=True)


ONE = BlackBox(answers, tuple(f"class {number}" for number in range(COUNT)))
SEVERAL = BlackBox(lambda texts: answers(texts, True), ONE.classes, multi_label=True)
EXPLAINERS = [Lime(samples=200), Shapley(limit=200), Shapley(samples=4)]


@pytest.mark.parametrize("text", [SHORT, LONG])
@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_the_likeliest_are_scored_as_if_all_were(explainer, text):
    documents = [Document(split(text))]
    (few,) = explain_documents(ONE, documents, explainer)
    (every,) = explain_documents(ONE, documents, explainer, ALL)
    assert few.scored == tuple(sorted(np.argsort(-few.probabilities)[:MOST_SCORED].tolist()))
    assert every.scored is None
    assert every.all_scores.shape == (COUNT, len(text.split()))
    np.testing.assert_allclose(few.all_scores, every.all_scores[list(few.scored)], atol=1e-9)
    np.testing.assert_allclose(few.scores, every.scores)
    assert set(few.to_dict()["all_scores"]) == {few.classes[number] for number in few.scored}
    label = few.classes[few.scored[0]]
    np.testing.assert_array_equal(few.for_class(label).scores, few.all_scores[0])
    assert set(few.speaks_for) <= {None, *few.scored}


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_a_class_that_is_named_is_scored_and_one_that_is_not_says_how_to_get_it(explainer):
    documents = [Document(split(LONG))]
    unlikely = int(answers([LONG])[0].argmin())
    (named,) = explain_documents(ONE, documents, explainer, Target(unlikely))
    assert unlikely in named.scored
    (predicted,) = explain_documents(ONE, documents, explainer)
    with pytest.raises(OptionError, match=f"scored {MOST_SCORED} of {COUNT} classes: name it as target, or all"):
        predicted.for_class(ONE.classes[unlikely])
    (contrast,) = explain_documents(ONE, documents, explainer, Target(unlikely, against=predicted.target))
    (both,) = explain_documents(ONE, documents, explainer, ALL)
    expected = both.for_class(ONE.classes[unlikely], ONE.classes[predicted.target])
    np.testing.assert_allclose(contrast.scores, expected.scores, atol=1e-9)


@pytest.mark.parametrize("explainer", EXPLAINERS)
def test_every_label_that_is_predicted_is_scored_however_many_there_are(explainer, monkeypatch):
    monkeypatch.setattr(scored_classes, "MOST_SCORED", 2)
    (explanation,) = explain_documents(SEVERAL, [Document(split(LONG))], explainer)
    assert 2 < len(explanation.labels) < COUNT
    assert set(explanation.labels) <= set(explanation.scored)
    views = Target().views(explanation)
    assert {view.target for view in views} == set(explanation.labels)
    assert explanation.to_table()


def test_the_choice_is_the_target_then_labels_then_the_likeliest():
    probabilities = np.linspace(1, 0, 100)
    assert choose_classes(probabilities, 3).tolist() == list(range(20))
    assert choose_classes(probabilities, 99).tolist() == [*range(19), 99]
    assert choose_classes(probabilities, 99, (5, 99, 7)).tolist() == [5, 7, 99]
    assert len(choose_classes(probabilities, 3, "all")) == 100
    assert len(choose_classes(probabilities[:20], 3)) == 20


def test_the_cache_keeps_what_was_scored_apart_from_all(tmp_path):
    cache = ExplanationCache(tmp_path, "model")
    documents = [Document(split(SHORT))]
    first, again = (next(explain_documents(ONE, documents, Shapley(), cache=cache)) for _ in range(2))
    assert first.scored == again.scored
    np.testing.assert_array_equal(first.all_scores, again.all_scores)
    every = next(explain_documents(ONE, documents, Shapley(), ALL, cache))
    assert len(every.all_scores) == COUNT


def test_the_page_and_the_frame_hold_what_was_scored():
    (explanation,) = explain_documents(ONE, [Document(split(SHORT))], Shapley())
    columns = [name for name in explanation.to_frame().columns if name.startswith("score for ")]
    assert columns == [f"score for {ONE.classes[number]}" for number in explanation.scored]
    assert explanation.to_table().count("class ") == 10  # the likeliest of them
    assert explanation.to_html()
