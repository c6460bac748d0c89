"""Text vectors as the last layer reads them, and as points."""

import numpy as np
import pytest
import torch

from reference.samples import attention_on_lstm, fitted
from whyword.analysis.tsne import flatten, panel, text_vectors
from whyword.data.dataset import load_dataset
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.inference.fitted import FittedClassifier
from whyword.maths.stats.separation import separation

DOCUMENTS = load_dataset("planted:train=30,dev=1,test=1").train
TOKENIZER = learn_vocabulary([document.words for document in DOCUMENTS])


def model():
    return FittedClassifier(attention_on_lstm(TOKENIZER.size, dropout=0.5), TOKENIZER, ("negative", "positive"))


def test_each_row_is_what_the_last_layer_reads_of_that_text():
    classifier = model()
    texts = [document.words for document in DOCUMENTS]
    vectors = text_vectors(classifier, texts)
    logits = classifier.method.head.linear(torch.from_numpy(vectors)).softmax(-1)
    torch.testing.assert_close(logits, classifier.probabilities(texts))


def test_no_texts_have_no_vectors():
    assert len(text_vectors(fitted(attention_on_lstm(TOKENIZER.size), TOKENIZER), [])) == 0


@pytest.mark.parametrize("count", [0, 1, 3, 4, 30])
def test_any_number_of_texts_becomes_points_and_the_same_seed_the_same_ones(count):
    vectors = np.random.default_rng(0).normal(size=(count, 4)).astype(np.float32)
    points = flatten(vectors, seed=1)
    assert points.shape == (count, 2)
    np.testing.assert_array_equal(points, flatten(vectors, seed=1))


def test_a_panel_has_the_numbers_of_the_vectors_not_of_the_points():
    classifier = model()
    picture = panel(classifier, DOCUMENTS, "before training")
    vectors = text_vectors(classifier, [document.words for document in DOCUMENTS])
    assert picture.separation == separation(vectors, np.array([document.label for document in DOCUMENTS]))
    assert (picture.title, len(picture.points), len(picture.labels)) == ("before training", 30, 30)
