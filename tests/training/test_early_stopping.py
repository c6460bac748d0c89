"""Which epoch is the best, and how long ago it was."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import VOCABULARY, attention_on_lstm, random_batch
from whyword.training.early_stopping import Best, DevScore, copy_weights, evaluate

SCORES = st.lists(
    st.builds(DevScore, st.sampled_from([0.5, 0.6, 0.7]), st.sampled_from([-0.1, -0.5, -2.0])), min_size=1, max_size=12
)


def test_accuracy_decides_and_among_equals_the_lower_loss():
    assert DevScore(0.8, -9.0) > DevScore(0.7, -0.1)
    assert DevScore(0.8, -0.3) > DevScore(0.8, -0.4)
    assert not DevScore(0.8, -0.3) > DevScore(0.8, -0.3)


@given(SCORES)
def test_the_best_is_the_first_of_the_highest_and_stale_counts_from_there(scores):
    best = Best(scores[0], "p", 0)
    for epoch, score in enumerate(scores[1:], 1):
        best = best.next(score, "p", epoch)
    highest = max(range(len(scores)), key=lambda i: (scores[i].accuracy, scores[i].negative_loss, -i))
    assert (best.epoch, best.score, best.epochs_since_best) == (highest, scores[highest], len(scores) - 1 - highest)


def test_evaluation_counts_every_text_once_whatever_the_batches():
    method = attention_on_lstm(VOCABULARY, dropout=0.5)
    batches = [random_batch([3, 1]), random_batch([4, 2, 2]), random_batch([1])]
    score = evaluate(method, batches, torch.device("cpu"))
    assert method.training  # dropout was off and is on again
    method.eval()
    right, losses = [], []
    for batch in batches:
        for row, label in enumerate(batch.labels):
            probabilities = method(batch).logits[row].softmax(-1).tolist()
            right.append(int(np.argmax(probabilities)) == int(label))
            losses.append(-np.log(probabilities[label]))
    assert score.accuracy == pytest.approx(sum(right) / 6)
    assert score.negative_loss == pytest.approx(-sum(losses) / 6, rel=1e-5)


def test_evaluation_draws_nothing_at_random():
    method = attention_on_lstm(VOCABULARY, dropout=0.5)
    before = torch.get_rng_state()
    evaluate(method, [random_batch([3, 1])], torch.device("cpu"))
    assert torch.equal(torch.get_rng_state(), before)


def test_copied_weights_do_not_follow_the_model():
    method = attention_on_lstm(VOCABULARY)
    copied = copy_weights(method)
    before = method.head.linear.bias.detach().clone()
    with torch.no_grad():
        method.head.linear.bias += 1
    assert torch.equal(copied["head.linear.bias"], before)
    assert copied.keys() == method.state_dict().keys()
