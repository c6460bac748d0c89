"""The contract of every explainer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from ..data.words import split
from ..inference.black_box import BlackBox
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.errors import WhywordError
from ..interfaces.explanation import Explainer, Explanation
from .contract import expect, expect_random_streams_alone, expect_untouched
from .samples import AWKWARD, EIGHT, sample_classifier

DOCUMENTS = (*AWKWARD, *EIGHT[:3])
ROUNDING = 1e-4  # of the largest score: probabilities are float32, and the width of a batch moves their last digits


def check_explainer(explainer: Explainer, classifier: Classifier | None = None) -> None:
    """Check the whole contract of an explainer, on a model that has all it could look at unless one is given."""
    classifier = classifier or sample_classifier()
    for clause in EXPLAINER_CONTRACT:
        clause(explainer, classifier)


def one_finite_score_per_word(explainer: Explainer, classifier: Classifier) -> None:
    """Texts of one word, of none, of unknown or repeated words, of emoji, and pairs all get a score per word."""
    explanations = explainer.explain(classifier, DOCUMENTS)
    expect(len(explanations) == len(DOCUMENTS), f"{len(DOCUMENTS)} texts got {len(explanations)} explanations.")
    for explanation, document in zip(explanations, DOCUMENTS, strict=True):
        expect(explanation.document is document, "Explanations do not come in the order of their documents.")
        _expect_finite(explanation)


def no_texts_no_explanations(explainer: Explainer, classifier: Classifier) -> None:
    """Answer an empty list by an empty list."""
    expect(explainer.explain(classifier, []) == [], "An empty list of texts is not answered by an empty list.")


def the_target_is_honored(explainer: Explainer, classifier: Classifier) -> None:
    """Scores speak for the class that was asked for, else for the predicted one; signed ones differ by class."""
    documents, classes = DOCUMENTS[-3:], range(len(classifier.classes))
    truth = classifier.probabilities([document.words for document in documents]).double().numpy()
    for explanation, row in zip(explainer.explain(classifier, documents), truth, strict=True):
        expect(explanation.target == row.argmax(), f"The target is {explanation.target}, not the predicted class.")
    tables = [explainer.explain(classifier, documents, [target] * len(documents)) for target in classes]
    for target, explanations in enumerate(tables):
        for explanation, row in zip(explanations, truth, strict=True):
            expect(explanation.target == target, f"The target is {explanation.target}, but {target} was asked for.")
            expect(explanation.classes == classifier.classes, "The classes are not those of the model.")
            near = np.allclose(explanation.probabilities, row, atol=1e-5)
            expect(near, "The probabilities of an explanation are not those the model gives to the text.")
    for one, other in zip(tables[0], tables[1], strict=True):
        differ = not np.array_equal(one.scores, other.scores)
        expect(
            differ or not one.signed, "Signed scores are the same for two classes: they do not speak for the target."
        )


def the_same_question_gets_the_same_answer(explainer: Explainer, classifier: Classifier) -> None:
    """All randomness comes from the explainer's own seed: asked twice, it gives the same scores bit for bit."""
    for first, second in zip(*(explainer.explain(classifier, DOCUMENTS) for _ in range(2)), strict=True):
        same = np.array_equal(first.scores, second.scores)
        expect(same, f"Asked twice, the scores of {first.words} differ by {_gap(first, second):.2g}.")


def a_list_equals_its_texts_one_by_one(explainer: Explainer, classifier: Classifier) -> None:
    """Give a text the same scores alone and in any company."""
    for document, together in zip(DOCUMENTS, explainer.explain(classifier, DOCUMENTS), strict=True):
        (alone,) = explainer.explain(classifier, [document], [together.target])
        near = _gap(alone, together) <= ROUNDING * max(0.01, np.abs(together.scores).max(initial=0.0))
        expect(near, f"Alone and in a list, the scores of {together.words} differ by {_gap(alone, together):.2g}.")


def explanations_bear_the_name_of_their_explainer(explainer: Explainer, classifier: Classifier) -> None:
    """Show the name that the explainer has, also one that it was given; so two settings of it can be told apart."""
    renamed = replace(explainer, name="another-name")  # type: ignore[type-var]
    for each in (explainer, renamed):
        (explanation,) = each.explain(classifier, DOCUMENTS[:1])
        expect(
            explanation.explainer == each.name,
            f"The explanation is said to be by '{explanation.explainer}', but the explainer's name is '{each.name}'.",
        )


def forward_passes_are_counted(explainer: Explainer, classifier: Classifier) -> None:
    """Every explanation says what it cost."""
    for explanation in explainer.explain(classifier, DOCUMENTS):
        expect(explanation.forward_passes > 0, f"The explanation of {explanation.words} counts no forward pass.")
        expect(explanation.seconds >= 0, f"The explanation of {explanation.words} took {explanation.seconds} seconds.")


def explaining_leaves_the_model_untouched(explainer: Explainer, classifier: Classifier) -> None:
    """Weights, gradients, modes and random streams are afterwards as they were."""
    if not isinstance(classifier, OpenClassifier):
        return
    method = classifier.method.eval()
    classifier.probabilities([DOCUMENTS[0].words])  # some libraries set themselves up when first called
    for number, parameter in enumerate(method.parameters()):
        parameter.grad = torch.full_like(parameter, 0.5) if number % 2 else None
    try:
        with expect_untouched(method, "Explaining"), expect_random_streams_alone("Explaining"):
            explainer.explain(classifier, DOCUMENTS)
    finally:
        method.zero_grad(set_to_none=True)


def a_black_box_is_served_or_refused_in_a_sentence(explainer: Explainer, classifier: Classifier) -> None:
    """Serve any function unless an open model is needed, and then say so."""

    def predict_proba(texts: Sequence[Any]) -> np.ndarray:
        words = [split(text) if isinstance(text, str) else split(*text) for text in texts]
        return classifier.probabilities(words).numpy()

    box = BlackBox(predict_proba, classifier.classes)
    try:
        explanations = explainer.explain(box, DOCUMENTS)
    except WhywordError as refusal:
        expect(explainer.needs_open, f"A black box is refused although needs_open is False: {refusal}")
        return
    expect(not explainer.needs_open, "A black box is served although needs_open is True.")
    for explanation in explanations:
        _expect_finite(explanation)


EXPLAINER_CONTRACT = (
    one_finite_score_per_word,
    no_texts_no_explanations,
    the_target_is_honored,
    the_same_question_gets_the_same_answer,
    a_list_equals_its_texts_one_by_one,
    explanations_bear_the_name_of_their_explainer,
    forward_passes_are_counted,
    explaining_leaves_the_model_untouched,
    a_black_box_is_served_or_refused_in_a_sentence,
)


def _expect_finite(explanation: Explanation) -> None:
    document: Document = explanation.document
    shape, words = explanation.scores.shape, document.words.strings
    expect(shape == (len(words),), f"The {len(words)} words of {words} got scores of the shape {shape}.")
    expect(bool(np.isfinite(explanation.scores).all()), f"Some scores of {words} are NaN or infinite.")


def _gap(one: Explanation, other: Explanation) -> float:
    return float(np.abs(one.scores - other.scores).max(initial=0.0))
