"""What a person would mark stands beside every explanation, whatever its explainer, and in windows of long texts."""

from dataclasses import replace

import numpy as np
import pytest

from whyword.checks.samples import maker_of_method, sample_pieces, sample_words, untrained
from whyword.data.words import split
from whyword.explainers import Occlusion, Own, Rationale
from whyword.inference.fitted import FittedClassifier
from whyword.inference.windows import explain_in_windows, part
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError

TEXTS = [Document(split(text)) for text in ("a splendid film", "dull", "the plot was thin and the cast superb")]


def carrying():
    return untrained(maker_of_method("attention", "lstm"), sample_words())


@pytest.mark.parametrize("explainer", [Own(), Occlusion(), Rationale()])
def test_every_explainer_has_it_beside_its_scores(explainer):
    classifier = carrying()
    expected = classifier.would_mark([document.words for document in TEXTS])[0]
    for explanation, marks in zip(explain_in_windows(explainer, classifier, TEXTS), expected, strict=True):
        np.testing.assert_allclose(explanation.would_mark, marks, atol=1e-6)
        assert explanation.to_dict()["would_mark"] == pytest.approx(marks.tolist(), abs=1e-6)
        assert explanation.to_dict(top=1)["would_mark"] == [pytest.approx(m, abs=1e-6) for m in _of_top(explanation)]


def _of_top(explanation):
    return [explanation.would_mark[explanation.strongest[0]]]


def test_the_words_of_a_long_text_have_the_mean_of_its_windows():
    classifier = untrained(maker_of_method("attention", "transformer"), sample_pieces())
    document = Document(split(" ".join(["the plot was thin and the cast superb"] * 8)))
    (windows,) = classifier.windows([document.words])
    assert len(windows) > 1
    parts = [part(document.words, window) for window in windows]
    total, held = np.zeros(len(document.words)), np.zeros(len(document.words))
    for window, scores in zip(windows, classifier.would_mark(parts)[0], strict=True):
        total[window] += scores
        held[window] += 1
    for explainer in (Own(), Occlusion()):
        (explanation,) = explain_in_windows(explainer, classifier, [document])
        np.testing.assert_allclose(explanation.would_mark, total / held, atol=1e-5)


def test_a_model_that_was_not_taught_it_says_so():
    classifier = carrying()
    classifier.method.rationales = None
    assert Own().explain(classifier, TEXTS)[0].would_mark is None
    for ask in (lambda: Rationale().explain(classifier, TEXTS), lambda: classifier.would_mark([])):
        with pytest.raises(OptionError, match="has not learned what people would mark"):
            ask()
    assert isinstance(classifier, FittedClassifier)


def test_a_text_without_words_has_nothing_to_mark():
    assert [len(scores) for scores in carrying().would_mark([split(""), split("dull")])[0]] == [0, 1]


def test_views_name_the_words_and_say_that_they_are_no_reason():
    (explanation,) = explain_in_windows(Own(), carrying(), TEXTS[:1])
    shown = replace(explanation, would_mark=np.array([0.1, 0.9, 0.6]))
    sentence = "A person would probably mark: splendid 90%, film 60%."
    assert sentence in shown.to_html()
    assert sentence in shown.__rich__()
    assert "splendid 90%" in shown.to_svg()
    nothing = replace(explanation, would_mark=np.zeros(3))
    assert "A person would probably mark: no word." in nothing.to_html()
    assert "A person would" not in replace(explanation, would_mark=None).to_html()
