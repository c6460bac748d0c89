import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.maths.stats.calibration import calibration, fit_scale
from whyword.maths.stats.intervals import share_interval

TEXTS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


def arrays(texts):
    return np.array([confidence for confidence, _ in texts]), np.array([right for _, right in texts])


@given(TEXTS, st.integers(1, 15))
def test_the_error_is_that_of_a_loop_over_texts_and_bins(texts, bins):
    error = 0.0
    for number in range(bins):
        inside = [t for t in texts if number / bins < t[0] <= (number + 1) / bins or (number == 0 and t[0] == 0)]
        if inside:
            error += abs(sum(c for c, _ in inside) - sum(r for _, r in inside)) / len(texts)
    assert calibration(*arrays(texts), bins).error == pytest.approx(error)


@given(TEXTS)
def test_every_text_is_in_one_bin(texts):
    found = calibration(*arrays(texts))
    assert sum(bin.texts for bin in found.bins) == len(texts)
    assert all(bin.above - 1e-12 <= bin.confidence <= bin.up_to + 1e-12 for bin in found.bins)
    assert [bin.above for bin in found.bins] == sorted(bin.above for bin in found.bins)


def test_a_confidence_on_an_edge_belongs_to_the_bin_below():
    found = calibration(np.array([0.0, 0.5, 1.0]), np.array([False, True, True]), bins=2)
    assert [(bin.above, bin.texts) for bin in found.bins] == [(0.0, 2), (0.5, 1)]


def test_a_model_that_is_as_sure_as_it_is_right_has_no_error():
    found = calibration(np.array([0.75] * 4), np.array([True, True, True, False]))
    assert found.error == 0.0
    assert (found.bins[0].low, found.bins[0].high) == share_interval(3, 4)


def test_without_texts_there_is_nothing_to_say():
    assert calibration(np.array([]), np.array([])) is None


def test_the_scale_undoes_what_the_logits_were_multiplied_by():
    generator = np.random.default_rng(0)
    true = generator.normal(size=(4_000, 3))
    probabilities = np.exp(true) / np.exp(true).sum(1, keepdims=True)
    labels = np.array([generator.choice(3, p=row) for row in probabilities])
    assert fit_scale(3 * true, labels) == pytest.approx(1 / 3, rel=0.1)
    assert fit_scale(0.5 * true, labels) == pytest.approx(2, rel=0.1)


def test_the_scale_never_raises_the_log_loss_and_stays_finite_where_all_is_right():
    logits = np.array([[0.0, 1.0], [1.0, 0.0]] * 50)
    labels = np.array([1, 0] * 50)
    assert 1 < fit_scale(logits, labels) < 10
    assert fit_scale(logits[:40], labels[:40]) == 1.0  # too few texts
    for seed in range(5):
        generator = np.random.default_rng(seed)
        logits, labels = generator.normal(size=(80, 2)), generator.integers(0, 2, 80)
        losses = [
            -np.log(np.exp(s * logits)[np.arange(80), labels] / np.exp(s * logits).sum(1)).mean()
            for s in (1.0, fit_scale(logits, labels))
        ]
        assert losses[1] <= losses[0] + 1e-12
