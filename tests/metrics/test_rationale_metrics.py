"""Agreement with the words a human marked, against scikit-learn."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, jaccard_score, precision_score, recall_score

from reference.spying import additive, explanation
from whyword.evaluation.measure import measure
from whyword.metrics.rationale_auprc import RationaleAuprc
from whyword.metrics.rationale_f1 import RationaleF1
from whyword.metrics.rationale_iou import RationaleIou
from whyword.metrics.rationale_precision import RationalePrecision
from whyword.metrics.rationale_recall import RationaleRecall

AT_K = (
    (RationalePrecision, precision_score),
    (RationaleRecall, recall_score),
    (RationaleF1, f1_score),
    (RationaleIou, jaccard_score),
)
PAIRS = st.lists(st.tuples(st.integers(0, 3), st.booleans()), min_size=1, max_size=12).filter(
    lambda pairs: any(marked for _, marked in pairs)
)
ALL = [*(metric() for metric, _ in AT_K), RationaleAuprc()]


def made(pairs):
    """Make an explanation of scores and marks, and give the marks back."""
    words = [f"w{i}" for i in range(len(pairs))]
    marked = [word for word, (_, gold) in zip(words, pairs, strict=True) if gold]
    return explanation(" ".join(words), [score for score, _ in pairs], marked=" ".join(marked)), [g for _, g in pairs]


def of(e, metric):
    """Measure one text; no model is asked anything."""
    (score,) = measure(additive({}), {"x": [e]}, [metric])
    return score


@settings(max_examples=30)
@given(PAIRS)
@pytest.mark.parametrize(("metric", "expected"), AT_K, ids=lambda item: getattr(item, "__name__", None))
def test_values_at_k_are_those_of_scikit_learn(metric, expected, pairs):
    e, gold = made(pairs)
    curve = of(e, metric()).curve[0]
    for k in (1, 5, 10):
        top = sorted(range(len(gold)), key=lambda i: (-e.scores[i], i))[:k]
        assert curve[k - 1] == pytest.approx(expected(gold, [i in top for i in range(len(gold))]))


@settings(max_examples=50)
@given(PAIRS)
def test_the_area_is_the_average_precision_of_scikit_learn_also_with_ties(pairs):
    e, gold = made(pairs)
    assert of(e, RationaleAuprc()).value == pytest.approx(average_precision_score(gold, e.scores))


@settings(max_examples=50)
@given(PAIRS, st.integers(0, 99))
def test_digits_that_are_rounding_change_no_value(pairs, seed):
    exact, _ = made([(score + 1, gold) for score, gold in pairs])
    moved = replace(exact, scores=exact.scores * (1 + 1e-6 * np.random.default_rng(seed).uniform(-1, 1, len(pairs))))
    for metric in ALL:
        assert of(moved, metric).value == of(exact, metric).value


def test_f1_is_averaged_over_texts_and_is_not_the_f1_of_the_averages():
    good, poor = (explanation("a b c d e f", s, marked="a") for s in (range(6, 0, -1), range(6)))
    metrics = [RationaleF1(1), RationalePrecision(1), RationaleRecall(1)]
    assert measure(additive({}), {"x": [good, poor]}, metrics)["rationale-f1", "x"].value == 0.5
    mixed = explanation("a b c d e f", range(6, 0, -1), marked="a b c")
    f1, precision, recall = (score.value for score in measure(additive({}), {"x": [good, mixed]}, metrics))
    assert f1 == pytest.approx((1 + 0.5) / 2)
    assert 2 * precision * recall / (precision + recall) == pytest.approx(0.8)


@pytest.mark.parametrize("metric", ALL, ids=lambda metric: metric.name)
@pytest.mark.parametrize("marked", [None, ""], ids=["no rationale", "nothing marked"])
def test_texts_where_nobody_marked_a_word_do_not_count(metric, marked):
    bare, known = (explanation("a b", [1.0, 0.0], marked=m) for m in (marked, "a"))
    (score,) = measure(additive({}), {"x": [bare, known]}, [metric])
    assert np.isnan(score.per_text[0])
    assert score.texts == 1
    assert score.value == of(known, metric).value


def test_they_cost_no_forward_pass():
    assert measure(additive({}), {"x": [explanation("a b", [1.0, 0.0], marked="a")]}, ALL).forward_passes == 0
