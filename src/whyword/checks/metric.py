"""The contract of every metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..evaluation.measure import measure
from ..explainers.random import Random
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Metric, Score
from .contract import expect, expect_random_streams_alone, expect_untouched
from .samples import AWKWARD, EIGHT, sample_classifier

ROUNDING = 1e-5  # probabilities are float32, and the width of a batch moves their last digits


def check_metric(metric: Metric, classifier: Classifier | None = None) -> None:
    """Check the whole contract of a metric, with a small model of ours as the judge unless one is given."""
    classifier = classifier or sample_classifier()
    for clause in METRIC_CONTRACT:
        clause(metric, classifier)


def one_value_per_text(metric: Metric, classifier: Classifier) -> None:
    """Texts of one word, of none, of unknown or repeated words, of emoji, and pairs all get a value, or NaN."""
    explanations = _explanations(classifier)
    score = _score(metric, classifier, explanations)
    shape = score.per_text.shape
    expect(shape == (len(explanations),), f"{len(explanations)} texts got values of the shape {shape}.")
    if metric.points:
        wanted = (len(explanations), len(metric.points))
        got = None if score.curve is None else score.curve.shape
        expect(got == wanted, f"The curve has the shape {got}, not {wanted}.")
        expect(list(metric.points) == sorted(set(metric.points)), "The points of the curve do not rise.")
    complete = [all(_marked(explanation)) for explanation in explanations]
    defined = np.isfinite(score.per_text[complete])
    expect(bool(defined.all()), "A text of several words with a label and a rationale has no finite value.")
    expect(len(metric.meaning) > 0, "It does not say what its number means.")


def sub_texts_are_of_the_explained_words(metric: Metric, classifier: Classifier) -> None:
    """Ask about sub-texts of the text that is explained, and read as many answers."""
    for explanation in _explanations(classifier):
        subsets = metric.subsets(explanation)
        words = len(explanation.words)
        right = subsets.dtype == bool and subsets.ndim == 2 and subsets.shape[1] == words
        expect(right, f"Sub-texts of {words} words are a {subsets.dtype} table of the shape {subsets.shape}.")


def no_texts_no_values(metric: Metric, classifier: Classifier) -> None:
    """Answer no explanations by no values."""
    score = _score(metric, classifier, [])
    expect(score.per_text.shape == (0,) and np.isnan(score.value), "No explanations are not answered by no values.")


def the_same_question_gets_the_same_answer(metric: Metric, classifier: Classifier) -> None:
    """Asked twice, it gives the same values bit for bit."""
    first, second = (_score(metric, classifier, _explanations(classifier)).per_text for _ in range(2))
    expect(np.array_equal(first, second, equal_nan=True), "Asked twice, the values differ.")


def only_the_order_of_the_scores_counts(metric: Metric, classifier: Classifier) -> None:
    """Scores of another scale give the same values."""
    explanations = _explanations(classifier)
    scaled = [replace(explanation, scores=explanation.scores * 8.0) for explanation in explanations]
    same = _same(_score(metric, classifier, explanations), _score(metric, classifier, scaled))
    expect(same, "Scores times 8 change the values.")


def a_list_equals_its_texts_one_by_one(metric: Metric, classifier: Classifier) -> None:
    """Give a text the same value alone and in any company."""
    explanations = _explanations(classifier)
    together = _score(metric, classifier, explanations).per_text
    alone = np.concatenate([_score(metric, classifier, [explanation]).per_text for explanation in explanations])
    expect(np.allclose(together, alone, rtol=0, atol=ROUNDING, equal_nan=True), "Alone and in a list, values differ.")


def labels_and_rationales_are_read_only_if_needed(metric: Metric, classifier: Classifier) -> None:
    """Give the same values without labels or rationales, or say that they are needed and give none."""
    explanations = _explanations(classifier)
    known = _score(metric, classifier, explanations)
    for field, needed in (("label", metric.needs_labels), ("rationale", metric.needs_rationale)):
        bare = [replace(e, document=replace(e.document, **{field: None})) for e in explanations]  # type: ignore
        score = _score(metric, classifier, bare)
        if needed:
            expect(score.texts == 0, f"It needs a {field}, but has values for texts without one.")
        else:
            expect(_same(known, score), f"It does not say that it needs a {field}, but its values depend on it.")


def measuring_leaves_model_and_explanations_untouched(metric: Metric, classifier: Classifier) -> None:
    """Weights, modes, random streams and scores are afterwards as they were."""
    explanations = _explanations(classifier)
    before = [explanation.scores.copy() for explanation in explanations]
    if isinstance(classifier, OpenClassifier):
        with expect_untouched(classifier.method.eval(), "Measuring"), expect_random_streams_alone("Measuring"):
            _score(metric, classifier, explanations)
    else:
        _score(metric, classifier, explanations)
    same = all(np.array_equal(e.scores, scores) for e, scores in zip(explanations, before, strict=True))
    expect(same, "Measuring changed the scores of an explanation.")


METRIC_CONTRACT = (
    one_value_per_text,
    sub_texts_are_of_the_explained_words,
    no_texts_no_values,
    the_same_question_gets_the_same_answer,
    only_the_order_of_the_scores_counts,
    a_list_equals_its_texts_one_by_one,
    labels_and_rationales_are_read_only_if_needed,
    measuring_leaves_model_and_explanations_untouched,
)


def _explanations(classifier: Classifier) -> list[Explanation]:
    """Explain the awkward texts, which have no label or rationale, and others with both."""
    marked = [Document(d.words, classifier.classes[i % 2], (d.words.spans[0][:2],)) for i, d in enumerate(EIGHT)]
    return Random().explain(classifier, [*AWKWARD, *marked])


def _marked(explanation: Explanation) -> tuple[bool, bool, bool]:
    document = explanation.document
    return len(document.words) > 1, document.label is not None, document.rationale is not None


def _score(metric: Metric, classifier: Classifier, explanations: Sequence[Explanation]) -> Score:
    (score,) = measure(classifier, {"random": explanations}, [metric])
    return score


def _same(one: Score, other: Score) -> bool:
    return np.array_equal(one.per_text, other.per_text, equal_nan=True)
