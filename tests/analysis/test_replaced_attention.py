"""Replaced attention, against one text at a time; and the search for other attention with the same answer."""

import math

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
from whyword.analysis import replaced_attention
from whyword.analysis.replaced_attention import (
    Reading,
    Search,
    adversarial_attention,
    permuted_attention,
    read,
    search_batch,
    swapped_attention,
    uniform_attention,
)
from whyword.checks.contract import expect_random_streams_alone, expect_untouched
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
def test_swapped_attention_is_that_of_the_other_model_on_the_same_text():
    classifier, other_model = small_lstm(0), small_lstm(1)
    replaced = swapped_attention(classifier, other_model, TEXTS)
    for i, text in enumerate(TEXTS):
        _, states, own = alone(classifier, text)
        answer = classify_from(classifier, alone(other_model, text)[0], states)
        assert replaced.output_change[i] == pytest.approx(total_variation(answer, own).item(), abs=1e-12)
    assert swapped_attention(classifier, classifier, TEXTS).output_change == pytest.approx(0.0, abs=1e-12)


def test_attention_over_other_tokens_cannot_be_swapped_in():
    fewer = learn_vocabulary(TEXTS[:3])
    other_model = fitted(Attention(Lstm(Lstm.Config(dim=4, hidden=4), fewer.size, 0), 2, Attention.Config()), fewer)
    with pytest.raises(OptionError, match="different tokens"):
        swapped_attention(small_lstm(), other_model, TEXTS)


@torch.no_grad()
def test_the_effect_of_permuting_is_the_median_over_orders_of_a_text_s_weights(monkeypatch):
    classifier, seen = small_lstm(), []
    classify_with = replaced_attention.classify_with
    monkeypatch.setattr(
        replaced_attention, "classify_with", lambda *parts: (seen.append(parts[1]), classify_with(*parts))[1]
    )
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
    classify_with = replaced_attention.classify_with
    monkeypatch.setattr(replaced_attention, "ENTRIES", 1)
    monkeypatch.setattr(
        replaced_attention, "classify_with", lambda *parts: (seen.append(parts[1]), classify_with(*parts))[1]
    )
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
    classifier.method.attention_and_states = lambda *inputs: (
        attention_and_states(*inputs)[0].unsqueeze(1),
        attention_and_states(*inputs)[1],
    )
    with pytest.raises(OptionError, match=r"method\.heads=1"):
        uniform_attention(classifier, TEXTS)


def test_a_text_of_one_word_or_none_changes_nothing():
    model = WordRegularized(small_lstm().method.encoder, 2, WordRegularized.Config(concat=True)).double().eval()
    words = [type(TEXTS[0])(("film",), (((0, 4),),)), type(TEXTS[0])(("",), ((),))]
    for replaced in (uniform_attention, permuted_attention):
        assert replaced(fitted(model, TOKENIZER), words).output_change == pytest.approx(0.0, abs=1e-12)


QUICK = Search(restarts=3, steps=40, learning_rate=0.1)


def test_a_batch_is_searched_as_its_texts_are_one_by_one():
    classifier = small_lstm()
    (reading,) = read(classifier, TEXTS[:6])
    starts = torch.randn(3, 6, reading.mask.shape[1]).double()
    jsd, change = search_batch(classifier.method, reading, starts, QUICK)
    for row in range(6):
        length = int(reading.mask[row].sum())
        only = (slice(row, row + 1), slice(0, length))
        parts = (tensor[only] for tensor in (reading.weights, reading.states, reading.mask))
        text = Reading(reading.positions[row : row + 1], *parts, reading.probabilities[row : row + 1])
        alone, alone_change = search_batch(classifier.method, text, starts[:, only[0], only[1]], QUICK)
        torch.testing.assert_close(alone[0], jsd[row])
        torch.testing.assert_close(alone_change[0], change[row])
    assert jsd.max() > 0.05


def test_what_is_found_keeps_the_answer_and_is_no_further_than_possible():
    adversaries = adversarial_attention(small_lstm(), TEXTS, QUICK)
    assert (adversaries.output_change <= 0.01).all()
    assert (adversaries.jsd <= adversaries.furthest + 1e-9).all()
    assert (adversaries.furthest <= math.log(2)).all()
    assert adversaries.share == pytest.approx(adversaries.jsd / adversaries.furthest)


def test_more_steps_never_find_less():
    classifier = small_lstm()
    few, many = (adversarial_attention(classifier, TEXTS, Search(steps=n, learning_rate=0.1)) for n in (5, 50))
    assert (many.jsd >= few.jsd - 1e-12).all()
    assert many.jsd.mean() > few.jsd.mean()


def test_almost_any_attention_keeps_the_answer_of_a_model_that_ignores_it():
    adversaries = adversarial_attention(ignores_its_attention(), TEXTS, Search(steps=150, learning_rate=0.1))
    assert adversaries.share.min() > 0.97
    assert adversaries.jsd.mean() > 0.95 * adversaries.furthest.mean()
    assert adversaries.jsd.max() > 0.95 * math.log(2)


def test_no_other_attention_keeps_the_answer_of_a_model_that_it_decides():
    adversaries = adversarial_attention(decides_by_its_attention(), TEXTS, Search(steps=150, learning_rate=0.1))
    assert adversaries.furthest.min() > 0.5
    assert adversaries.share.max() < 0.2


def test_a_text_that_can_only_be_attended_one_way_has_no_adversary():
    words = type(TEXTS[0])(("film",), (((0, 4),),))
    adversaries = adversarial_attention(small_lstm(), [words, TEXTS[0]], QUICK)
    assert adversaries.jsd[0] == adversaries.furthest[0] == adversaries.share[0] == 0.0
    assert adversaries.jsd[1] > 0


def test_the_start_of_a_text_depends_on_its_place_and_the_seed_but_not_on_its_batch():
    classifier = small_lstm()
    many, few = adversarial_attention(classifier, TEXTS, QUICK), adversarial_attention(classifier, TEXTS[:4], QUICK)
    assert few.jsd == pytest.approx(many.jsd[:4])
    assert adversarial_attention(classifier, TEXTS, QUICK, seed=1).jsd != pytest.approx(many.jsd)


def test_searching_leaves_the_model_and_the_random_streams_alone():
    classifier = small_lstm()
    with expect_untouched(classifier.method, "Searching"), expect_random_streams_alone("Searching"):
        adversarial_attention(classifier, TEXTS[:3], QUICK)


def test_the_answer_and_the_distance_of_a_found_attention_are_what_they_are_said_to_be(monkeypatch):
    classifier = small_lstm()
    (reading,) = read(classifier, TEXTS[:1])
    start = reading.weights.log().unsqueeze(0)  # its own attention keeps the answer exactly
    jsd, change = search_batch(classifier.method, reading, start, Search(restarts=1, steps=0))
    assert (jsd.item(), change.item()) == pytest.approx((0.0, 0.0), abs=1e-9)
    even = torch.zeros_like(start)
    jsd, _ = search_batch(classifier.method, reading, even, Search(restarts=1, steps=0, tolerance=1.0))
    expected = jensen_shannon(reading.weights, torch.full_like(reading.weights, 1 / reading.weights.shape[1]))
    assert jsd.item() == pytest.approx(expected.item())
    assert np.isfinite(jsd.item())
