import numpy as np
import pytest

from whyword.explainers.attention import Attention
from whyword.explainers.own import Own
from whyword.inference.black_box import BlackBox
from whyword.interfaces.errors import OptionError


def test_they_are_the_own_scores_of_a_model_that_attends_without_sign_or_class(lstm, documents):
    for explanation, own in zip(Attention().explain(lstm, documents), Own().explain(lstm, documents), strict=True):
        np.testing.assert_array_equal(explanation.scores, own.scores)
        assert explanation.scores.sum() == pytest.approx(1, abs=1e-5)
        assert explanation.explainer == "attention"
        assert not explanation.signed
        assert explanation.all_scores is None


def test_they_are_there_beside_contributions(contributing_on_pairs, pairs):
    weights, own = (explainer.explain(contributing_on_pairs, pairs) for explainer in (Attention(), Own()))
    scores, *_ = contributing_on_pairs.own_scores([document.words for document in pairs])
    for explanation, other, expected in zip(weights, own, scores, strict=True):
        np.testing.assert_allclose(explanation.scores, expected)
        assert not np.allclose(explanation.scores, other.scores)


def test_the_target_is_the_one_asked_for_else_the_predicted_class(lstm, documents):
    assert [e.target for e in Attention().explain(lstm, documents, [1] * len(documents))] == [1] * len(documents)
    predicted = lstm.probabilities([document.words for document in documents]).argmax(1).tolist()
    assert [e.target for e in Attention().explain(lstm, documents)] == predicted


@pytest.mark.parametrize("kind", ["gated", "plain", "contributing"])
def test_models_that_do_not_attend_are_refused(request, documents, kind):
    with pytest.raises(OptionError, match=r"no attention weights: choose own, .*\.$"):
        Attention().explain(request.getfixturevalue(kind), documents)


def test_a_black_box_is_refused(documents):
    with pytest.raises(OptionError, match="no attention weights"):
        Attention().explain(BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1)), documents)
