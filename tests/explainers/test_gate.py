import numpy as np
import pytest

from whyword.explainers.gate import Gate
from whyword.explainers.own import Own
from whyword.inference.black_box import BlackBox
from whyword.interfaces.errors import OptionError


def test_they_are_the_own_scores_of_a_model_with_gates_without_sign_or_class(gated, documents):
    for explanation, own in zip(Gate().explain(gated, documents), Own().explain(gated, documents), strict=True):
        np.testing.assert_array_equal(explanation.scores, own.scores)
        assert ((explanation.scores >= 0) & (explanation.scores <= 1)).all()
        assert explanation.explainer == "gate"
        assert not explanation.signed
        assert explanation.all_scores is None


def test_they_are_there_beside_contributions(gated_and_contributing, documents):
    gates, own = (explainer.explain(gated_and_contributing, documents) for explainer in (Gate(), Own()))
    scores, *_ = gated_and_contributing.own_scores([document.words for document in documents])
    for explanation, other, expected in zip(gates, own, scores, strict=True):
        np.testing.assert_allclose(explanation.scores, expected)
        assert not np.allclose(explanation.scores, other.scores)


@pytest.mark.parametrize("kind", ["lstm", "plain", "contributing"])
def test_models_without_gates_are_refused(request, documents, kind):
    with pytest.raises(OptionError, match=r"no gates: choose own, .*\.$"):
        Gate().explain(request.getfixturevalue(kind), documents)


def test_a_black_box_is_refused(documents):
    with pytest.raises(OptionError, match="no gates"):
        Gate().explain(BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1)), documents)
