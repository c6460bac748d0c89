from copy import deepcopy

import numpy as np
import pytest
from captum.attr import IntegratedGradients as CaptumIntegratedGradients

from whyword.explainers.integrated_gradients import IntegratedGradients


@pytest.mark.parametrize("kind", ["lstm", "gated", "plain"])
def test_scores_are_those_of_captum(request, documents, kind):
    classifier = request.getfixturevalue(kind)
    method = classifier.method.eval()
    for explanation in IntegratedGradients(steps=20).explain(classifier, documents[:3]):
        ((_, batch),) = classifier.batches([explanation.document.words])
        embedded = method.encoder.embed(batch).detach()

        def ask(vectors, batch=batch):
            repeated = type(batch)(*(getattr(batch, name).expand(len(vectors), -1) for name in FIELDS))
            return method.classify(vectors, repeated).logits.softmax(-1)

        theirs = CaptumIntegratedGradients(ask).attribute(
            embedded, embedded * 0, target=explanation.target, n_steps=20, method="gausslegendre"
        )
        np.testing.assert_allclose(explanation.scores, theirs.sum(-1)[0].detach().numpy(), atol=1e-5)


FIELDS = ("tokens", "mask", "word_of_token", "segments")


def test_scores_add_up_to_the_rise_from_the_base_value_and_the_error_says_how_well(lstm, documents):
    for explanation in IntegratedGradients().explain(lstm, documents):
        gap = abs(explanation.scores.sum() - (explanation.probability - explanation.base_value))
        assert explanation.convergence_error == pytest.approx(gap, abs=1e-6)
        assert gap < 1e-3
        assert explanation.forward_passes == 52


def test_more_steps_come_nearer(lstm, documents):
    bent = deepcopy(lstm)  # a model far from linear
    bent.method.encoder.embedding.table.weight.data *= 30
    coarse, fine = (
        [e.convergence_error for e in IntegratedGradients(steps=n).explain(bent, documents)] for n in (1, 40)
    )
    assert max(fine) < 0.1 * max(coarse)
