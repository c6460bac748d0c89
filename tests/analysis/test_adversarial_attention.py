"""The search for other attention with the same answer."""

import math

import numpy as np
import pytest
import torch

from reference.attention_models import TEXTS, decides_by_its_attention, ignores_its_attention, small_lstm
from whyword.analysis.adversarial_attention import Search, adversarial_attention, find
from whyword.analysis.replaced_attention import Reading, read
from whyword.checks.contract import expect_random_streams_alone, expect_untouched
from whyword.maths.tensors.divergences import jensen_shannon

QUICK = Search(restarts=3, steps=40, learning_rate=0.1)


def test_a_batch_is_searched_as_its_texts_are_one_by_one():
    classifier = small_lstm()
    (reading,) = read(classifier, TEXTS[:6])
    starts = torch.randn(3, 6, reading.mask.shape[1]).double()
    jsd, change = find(classifier.method, reading, starts, QUICK)
    for row in range(6):
        length = int(reading.mask[row].sum())
        only = (slice(row, row + 1), slice(0, length))
        parts = (tensor[only] for tensor in (reading.weights, reading.states, reading.mask))
        text = Reading(reading.positions[row : row + 1], *parts, reading.probabilities[row : row + 1])
        alone, alone_change = find(classifier.method, text, starts[:, only[0], only[1]], QUICK)
        torch.testing.assert_close(alone[0], jsd[row])
        torch.testing.assert_close(alone_change[0], change[row])
    assert jsd.max() > 0.05


def test_what_is_found_keeps_the_answer_and_is_no_further_than_possible():
    found = adversarial_attention(small_lstm(), TEXTS, QUICK)
    assert (found.output_change <= 0.01).all()
    assert (found.jsd <= found.furthest + 1e-9).all()
    assert (found.furthest <= math.log(2)).all()
    assert found.share == pytest.approx(found.jsd / found.furthest)


def test_more_steps_never_find_less():
    classifier = small_lstm()
    few, many = (adversarial_attention(classifier, TEXTS, Search(steps=n, learning_rate=0.1)) for n in (5, 50))
    assert (many.jsd >= few.jsd - 1e-12).all()
    assert many.jsd.mean() > few.jsd.mean()


def test_a_model_that_ignores_its_attention_is_unmasked():
    found = adversarial_attention(ignores_its_attention(), TEXTS, Search(steps=150, learning_rate=0.1))
    assert found.share.min() > 0.97
    assert found.jsd.mean() > 0.95 * found.furthest.mean()
    assert found.jsd.max() > 0.95 * math.log(2)


def test_a_model_whose_attention_decides_is_not():
    found = adversarial_attention(decides_by_its_attention(), TEXTS, Search(steps=150, learning_rate=0.1))
    assert found.furthest.min() > 0.5
    assert found.share.max() < 0.2


def test_a_text_that_can_only_be_attended_one_way_has_no_adversary():
    words = type(TEXTS[0])(("film",), (((0, 4),),))
    found = adversarial_attention(small_lstm(), [words, TEXTS[0]], QUICK)
    assert found.jsd[0] == found.furthest[0] == found.share[0] == 0.0
    assert found.jsd[1] > 0


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
    jsd, change = find(classifier.method, reading, start, Search(restarts=1, steps=0))
    assert (jsd.item(), change.item()) == pytest.approx((0.0, 0.0), abs=1e-9)
    even = torch.zeros_like(start)
    jsd, _ = find(classifier.method, reading, even, Search(restarts=1, steps=0, tolerance=1.0))
    expected = jensen_shannon(reading.weights, torch.full_like(reading.weights, 1 / reading.weights.shape[1]))
    assert jsd.item() == pytest.approx(expected.item())
    assert np.isfinite(jsd.item())
