"""Replaced attention, against one text at a time."""

import numpy as np
import pytest
import torch

from reference.attention_models import (
    TEXTS,
    TOKENIZER,
    decides_by_its_attention,
    ignores_its_attention,
    small_lstm,
    without_attention,
)
from reference.samples import fitted
from whyword.analysis import replaced_attention as probing
from whyword.analysis.replaced_attention import permuted_attention, swapped_attention, uniform_attention
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.encoders.lstm import Lstm
from whyword.interfaces.errors import OptionError
from whyword.maths.tensors.distances import jensen_shannon, total_variation
from whyword.methods.attention import Attention
from whyword.methods.l2x import L2x
from whyword.methods.word_regularized import WordRegularized


@torch.no_grad()
def alone(classifier, text):
    """Weights, states and probabilities of one text without padding."""
    ((_, batch),) = classifier.batches([text])
    method = classifier.method
    weights, states = method.attention_and_states(method.encoder.embed(batch), batch)
    return weights[0], states[0], method(batch).logits.softmax(-1)[0]


def classify_from(classifier, weights, states):
    vector = sum(weight * state for weight, state in zip(weights, states, strict=True))
    return classifier.method.head(vector).softmax(-1)


@torch.no_grad()
def test_uniform_attention_is_the_answer_from_the_mean_of_the_states_text_by_text():
    classifier = small_lstm()
    replaced = uniform_attention(classifier, TEXTS)
    for i, text in enumerate(TEXTS):
        weights, states, own = alone(classifier, text)
        even = torch.full_like(weights, 1 / len(weights))
        answer = classify_from(classifier, even, states)
        assert replaced.probabilities[i] == pytest.approx(answer.numpy())
        assert replaced.output_change[i] == pytest.approx(total_variation(answer, own).item(), abs=1e-12)
        assert replaced.attention_change[i] == pytest.approx(jensen_shannon(weights, even).item(), abs=1e-12)


@torch.no_grad()
def test_borrowed_attention_is_that_of_the_other_model_on_the_same_text():
    classifier, lender = small_lstm(0), small_lstm(1)
    replaced = swapped_attention(classifier, lender, TEXTS)
    for i, text in enumerate(TEXTS):
        _, states, own = alone(classifier, text)
        answer = classify_from(classifier, alone(lender, text)[0], states)
        assert replaced.output_change[i] == pytest.approx(total_variation(answer, own).item(), abs=1e-12)
    assert swapped_attention(classifier, classifier, TEXTS).output_change == pytest.approx(0.0, abs=1e-12)


def test_attention_over_other_tokens_cannot_be_borrowed():
    fewer = learn_vocabulary(TEXTS[:3])
    lender = fitted(Attention(Lstm(Lstm.Config(dim=4, hidden=4), fewer.size, 0), 2, Attention.Config()), fewer)
    with pytest.raises(OptionError, match="different tokens"):
        swapped_attention(small_lstm(), lender, TEXTS)


@torch.no_grad()
def test_the_effect_of_permuting_is_the_median_over_orders_of_a_text_s_weights(monkeypatch):
    classifier, seen = small_lstm(), []
    answer = probing.answer
    monkeypatch.setattr(probing, "answer", lambda *parts: (seen.append(parts[1]), answer(*parts))[1])
    text = max(TEXTS, key=len)
    replaced = permuted_attention(classifier, [text], permutations=20)
    weights, states, own = alone(classifier, text)
    (orders,) = seen
    assert len({tuple(order.tolist()) for order in orders[:, 0]}) == 20
    changes = []
    for order in orders[:, 0]:
        assert sorted(order.tolist()) == sorted(weights.tolist())
        changes.append(total_variation(classify_from(classifier, order, states), own).item())
    assert replaced.output_change[0] == pytest.approx(np.median(changes))


def test_permuting_moves_no_weight_onto_padding_and_is_the_same_in_parts_or_at_once(monkeypatch):
    classifier = small_lstm()
    at_once = permuted_attention(classifier, TEXTS, permutations=9)
    ((_, batch),) = classifier.batches(TEXTS)
    seen = []
    answer = probing.answer
    monkeypatch.setattr(probing, "ENTRIES", 1)
    monkeypatch.setattr(probing, "answer", lambda *parts: (seen.append(parts[1]), answer(*parts))[1])
    in_parts = permuted_attention(classifier, TEXTS, permutations=9)
    assert len(seen) == 9
    for (other,) in seen:
        assert (other[~batch.mask] == 0).all()
        torch.testing.assert_close(other.sum(-1), torch.ones(len(TEXTS)).double())
    assert in_parts.output_change == pytest.approx(at_once.output_change)
    assert permuted_attention(classifier, TEXTS, 9, seed=1).output_change != pytest.approx(at_once.output_change)


def test_a_model_that_ignores_its_attention_is_unmasked():
    classifier = ignores_its_attention()
    assert uniform_attention(classifier, TEXTS).attention_change.mean() > 0.2
    for replaced in (uniform_attention(classifier, TEXTS), permuted_attention(classifier, TEXTS)):
        assert replaced.output_change == pytest.approx(0.0, abs=1e-12)


def test_a_model_whose_attention_decides_is_not():
    classifier = decides_by_its_attention()
    for replaced in (uniform_attention(classifier, TEXTS), permuted_attention(classifier, TEXTS)):
        assert replaced.output_change.mean() > 0.2


def test_methods_without_attention_over_states_are_refused():
    selector = L2x(small_lstm().method.encoder, 2, L2x.Config())
    for classifier in (without_attention(), fitted(selector, TOKENIZER)):
        with pytest.raises(OptionError, match="does not weigh states by attention"):
            uniform_attention(classifier, TEXTS)


def test_several_heads_are_refused():
    classifier = small_lstm()
    attention_and_states = classifier.method.attention_and_states
    classifier.method.attention_and_states = lambda *given: (
        attention_and_states(*given)[0].unsqueeze(1),
        attention_and_states(*given)[1],
    )
    with pytest.raises(OptionError, match=r"method\.heads=1"):
        uniform_attention(classifier, TEXTS)


def test_a_text_of_one_word_or_none_changes_nothing():
    model = WordRegularized(small_lstm().method.encoder, 2, WordRegularized.Config(concat=True)).double().eval()
    words = [type(TEXTS[0])(("film",), (((0, 4),),)), type(TEXTS[0])(("",), ((),))]
    for replaced in (uniform_attention, permuted_attention):
        assert replaced(fitted(model, TOKENIZER), words).output_change == pytest.approx(0.0, abs=1e-12)
