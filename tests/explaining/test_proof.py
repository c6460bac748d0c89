import numpy as np
import pytest

from contributing import contributing, words
from whyword.explainers.occlusion import Occlusion
from whyword.explainers.own import Own
from whyword.explainers.shapley import Shapley
from whyword.explaining.cache import ExplanationCache
from whyword.explaining.check import check
from whyword.explaining.interactions import find_interactions
from whyword.explaining.proof import prove
from whyword.explaining.tolerance import refine
from whyword.interfaces.errors import OptionError
from whyword.models.fingerprint import describe_explainer

COUNT = 6
KNOWN = np.array([0.02, -0.05, 0.2, 0.0, 0.0, 0.1])


def model():
    return contributing(lambda kept: 0.3 + kept @ KNOWN + 0.2 * kept[:, 3] * kept[:, 4], COUNT, KNOWN + 0.2 / COUNT)


def test_an_explainer_of_which_nothing_is_asked_stays_the_same():
    own = Own()
    assert prove(own) is own
    assert prove(own, against="bad") is own


def test_options_do_what_their_functions_do():
    classifier, documents = model(), [words(COUNT)]
    plain = Own().explain(classifier, documents)
    (checked,) = prove(Own(), check=True).explain(classifier, documents)
    (refined,) = prove(Own(), tolerance=1e-4).explain(classifier, documents)
    (found,) = prove(Own(), interactions=True).explain(classifier, documents)
    assert checked.error == check(classifier, plain)[0].error > 0
    np.testing.assert_array_equal(refined.scores, refine(classifier, plain, 1e-4)[0].scores)
    assert found.interactions == find_interactions(classifier, plain)[0].interactions
    assert found.error is None
    assert checked.explainer == "own"


def test_a_cache_tells_proofs_and_explainers_apart(tmp_path):
    classifier, cache = model(), ExplanationCache(tmp_path, "model")
    plain, checked, again = (
        cache.explain(explainer, classifier, [words(COUNT)])[0]
        for explainer in (Own(), prove(Own(), check=True), prove(Own(), check=True))
    )
    assert plain.error is None
    assert checked.error == again.error is not None
    kinds = [describe_explainer(prove(explainer, check=True)) for explainer in (Own(), Shapley())]
    assert kinds[0] != kinds[1]


@pytest.mark.parametrize("options", [{"check": True}, {"tolerance": 0.02}, {"interactions": True}], ids=str)
def test_a_contrast_is_refused(options):
    with pytest.raises(OptionError, match="A contrast is neither checked"):
        prove(Own(), against="bad", **options)


@pytest.mark.parametrize("options", [{"check": True}, {"tolerance": 0.02}], ids=str)
def test_scores_that_do_not_add_up_are_refused(options):
    with pytest.raises(OptionError, match="'occlusion' do not add up"):
        prove(Occlusion(), **options).explain(model(), [words(COUNT)])


def test_a_tolerance_is_refused_before_anything_is_asked():
    with pytest.raises(OptionError, match=r"The tolerance is 0\.0"):
        prove(Own(), tolerance=0.0)
