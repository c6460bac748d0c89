import numpy as np
import pytest
from scipy.stats import spearmanr

from whyword.data.words import split
from whyword.explainers import Occlusion, Own
from whyword.inference.black_box import BlackBox
from whyword.interfaces.document import Document
from whyword.interfaces.errors import OptionError
from whyword.web.annotating.usefulness import disagreement, make_usefulness, read_order, uncertainty

from ..conftest import TEXTS

DOCUMENTS = [Document(split(text)) for text in TEXTS[:12]]


def fixed(table, multi_label=False):
    table = np.array(table)
    names = tuple("abc"[: table.shape[1]])
    return BlackBox(lambda texts: table[: len(texts)], names, multi_label)


def test_the_least_certain_text_is_the_one_with_two_classes_closest():
    classifier = fixed([[0.6, 0.3, 0.1], [0.4, 0.38, 0.22], [0.9, 0.05, 0.05]])
    np.testing.assert_allclose(uncertainty(classifier, DOCUMENTS[:3]), [-0.3, -0.02, -0.85], atol=1e-6)


def test_with_several_labels_it_is_the_one_with_a_probability_close_to_its_threshold():
    classifier = fixed([[0.9, 0.1, 0.8], [0.9, 0.45, 0.1]], multi_label=True)
    np.testing.assert_allclose(uncertainty(classifier, DOCUMENTS[:2]), [-0.3, -0.05], atol=1e-6)


def test_explanations_disagree_as_far_as_their_rankings_do(models):
    classifier = models[1].explained
    own, removal = Own().explain(classifier, DOCUMENTS), Occlusion().explain(classifier, DOCUMENTS)
    expected = [-spearmanr(one.scores, other.scores).statistic for one, other in zip(own, removal, strict=True)]
    np.testing.assert_allclose(disagreement(classifier, DOCUMENTS), expected, atol=0.1)  # ties are taken up to rounding
    assert np.ptp(expected) > 0.2


def test_where_rankings_say_nothing_there_is_nothing_to_learn(models):
    assert disagreement(models[1].explained, [Document(split("wonderful"))]) == [-1.0]


def test_orders_that_cannot_be_had_are_refused(models):
    assert make_usefulness("file", models[0]) is None
    with pytest.raises(OptionError, match=r"base has none: choose uncertain\."):
        make_usefulness("disagree", models[2])
    with pytest.raises(OptionError, match="Did you mean 'uncertain'"):
        read_order("uncertian")
