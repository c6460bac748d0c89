from copy import deepcopy

import numpy as np
import pytest
import torch

from whyword.explainers.gradient import Gradient
from whyword.inference.black_box import BlackBox
from whyword.interfaces.errors import OptionError


@pytest.mark.parametrize("kind", ["lstm", "gated", "plain"])
def test_scores_are_the_derivative_of_scaling_a_word_vector(request, documents, kind):
    classifier = deepcopy(request.getfixturevalue(kind))
    method = classifier.method.eval().double()
    for explanation in Gradient().explain(classifier, documents[:2]):
        ((_, batch),) = classifier.batches([explanation.document.words])
        embedded = method.encoder.embed(batch).detach()
        step = 1e-5
        for word, score in enumerate(explanation.scores):
            scale = torch.ones(embedded.shape[1], dtype=torch.float64)
            scale[batch.word_of_token[0] == word] += step
            up = method.classify(embedded * scale[None, :, None], batch).logits.softmax(-1)
            scale[batch.word_of_token[0] == word] -= 2 * step
            down = method.classify(embedded * scale[None, :, None], batch).logits.softmax(-1)
            slope = float((up - down).detach()[0, explanation.target]) / (2 * step)
            assert score == pytest.approx(slope, abs=1e-8)


def test_two_classes_have_opposite_scores(lstm, documents):
    one, other = (Gradient().explain(lstm, documents, [target] * len(documents)) for target in (0, 1))
    for first, second in zip(one, other, strict=True):
        np.testing.assert_allclose(first.scores, -second.scores, atol=1e-6)


def test_a_black_box_is_refused(documents):
    with pytest.raises(OptionError, match="no gradients"):
        Gradient().explain(BlackBox(lambda texts: np.full((len(texts), 2), 0.5), (0, 1)), documents)
