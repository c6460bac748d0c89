"""Weights of texts and classes, as scikit-learn has them."""

import numpy as np
import pytest
from sklearn.utils.class_weight import compute_class_weight

from whyword.checks.samples import CLASSES, EIGHT, sample_words
from whyword.data.batching import Corpus
from whyword.data.weights import class_weights, weigh
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, OptionError


def test_balanced_weights_are_scikit_learns():
    labels = np.repeat([0, 1, 2], [70, 20, 10])
    wanted = compute_class_weight("balanced", classes=np.arange(3), y=labels)
    np.testing.assert_allclose(class_weights("balanced", labels, ("a", "b", "c")), wanted)


def test_a_class_that_is_not_named_counts_one_and_an_unknown_one_is_refused():
    assert class_weights({"b": 3.0}, np.array([0, 1]), ("a", "b")).tolist() == [1.0, 3.0]
    assert class_weights({"1": 3.0}, np.array([0, 1]), (0, 1)).tolist() == [1.0, 3.0]
    with pytest.raises(OptionError, match=r"No 'spam' .*: choose from a, b"):
        class_weights({"spam": 2.0}, np.array([0, 1]), ("a", "b"))


def test_texts_and_classes_weigh_together_one_on_average():
    documents = [Document(d.words, d.label, weight=float(i)) for i, d in enumerate(EIGHT)]
    corpus = Corpus.read(documents, CLASSES, sample_words())
    weighed = weigh(corpus, documents, {"good": 2.0}, CLASSES)
    by_hand = np.array([i * (2.0 if d.label == "good" else 1.0) for i, d in enumerate(documents)])
    np.testing.assert_allclose(weighed.weights, by_hand / by_hand.mean())
    np.testing.assert_allclose(weighed.batch(np.array([3, 1])).weights, weighed.weights[[3, 1]])
    assert weigh(corpus, EIGHT, None, CLASSES).weights is None
    assert weighed.fingerprint != corpus.fingerprint


def test_weights_that_are_all_zero_are_refused():
    documents = [Document(d.words, d.label, weight=0.0) for d in EIGHT]
    with pytest.raises(DataError, match="all 0"):
        weigh(Corpus.read(documents, CLASSES, sample_words()), documents, None, CLASSES)
