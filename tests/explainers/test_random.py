import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kstest

from whyword.data.words import split
from whyword.explainers.random import Random
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document

CLOSED = BlackBox(lambda texts: np.full((len(texts), 3), 1 / 3), ("a", "b", "c"))


def scores(texts, seed=0, classifier=CLOSED, targets=None):
    documents = [Document(split(*text)) if isinstance(text, tuple) else Document(split(text)) for text in texts]
    return [e.scores.tolist() for e in Random(seed).explain(classifier, documents, targets)]


@given(st.lists(st.text(max_size=20), max_size=5), st.integers(0, 2**32))
def test_scores_are_a_function_of_seed_and_text_alone(texts, seed):
    together = scores(texts, seed)
    assert together == [scores([text], seed)[0] for text in texts]
    assert together[::-1] == scores(texts[::-1], seed)


def test_the_model_and_the_target_do_not_matter(lstm):
    assert scores(["a superb film"], classifier=lstm) == scores(["a superb film"], targets=[2])


def test_another_seed_text_or_pair_has_other_scores():
    first = scores(["a superb film"])
    assert first != scores(["a superb film"], seed=1)
    assert first != scores(["a superb plot"])
    assert first != scores([("a superb", "film")])


def test_scores_are_uniform():
    (drawn,) = scores(["word " * 5000])
    assert kstest(drawn, "uniform").pvalue > 1e-3  # the seed is fixed; one seed in a thousand would fail


def test_a_target_is_honoured_and_is_the_predicted_class_otherwise(lstm, documents):
    predicted = lstm.probabilities([document.words for document in documents]).argmax(1).tolist()
    assert [e.target for e in Random().explain(lstm, documents)] == predicted
    assert {e.label for e in Random().explain(lstm, documents, [1] * len(documents))} == {lstm.classes[1]}


def test_empty_texts_have_no_scores():
    assert scores(["", "one"])[0] == []
    assert len(scores(["", "one"])[1]) == 1


@pytest.mark.parametrize("seed", [0, 5])
def test_an_explanation_knows_its_seed(seed):
    (explanation,) = Random(seed).explain(CLOSED, [Document(split("a text"))])
    assert (explanation.seed, explanation.explainer, explanation.signed) == (seed, "random", False)
