"""Explain or predict a stream of documents, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from ..inference.windows import explain_in_windows
from ..interfaces.classifier import Classifier, class_values, is_multi_label, predicted_classes, predicted_labels
from ..interfaces.document import Document, Label
from ..interfaces.explanation import Explainer, Explanation
from .cache import ExplanationCache
from .targets import Target, read_target

FIRST_CHUNK = 8  # texts explained together before it is known how many forward passes a text takes
LARGEST_CHUNK = 512  # enough to fill batches, few enough for constant memory
PREDICTED_CHUNK = 256  # texts predicted together
CHUNK_CLASSES = 100_000  # texts times classes that are explained together: of 1,000 classes, 100 texts
CHUNK_PASSES = 4_096  # forward passes of later chunks: the first answers come soon, however slow the explainer


def explain_documents(
    classifier: Classifier,
    documents: Iterable[Document],
    explainer: Explainer,
    target: Label | Target | None = None,
    cache: ExplanationCache | None = None,
) -> Iterator[Explanation]:
    """Explain each document for the class it is predicted to be, or for the class named as target."""
    return chain.from_iterable(explain_chunks(classifier, documents, explainer, target, cache))


def explain_chunks(
    classifier: Classifier,
    documents: Iterable[Document],
    explainer: Explainer,
    target: Label | Target | None = None,
    cache: ExplanationCache | None = None,
    texts: int = 0,
    passes: int = 0,
) -> Iterator[list[Explanation]]:
    """Explain documents as many at a time as share their batches; those that the cache knows are not explained again.

    Texts and passes are those of the chunks of an earlier run, which the documents follow: then the chunks, and with
    them every digit of the scores, are as if that run had continued.
    """
    chosen = (
        target
        if isinstance(target, Target)
        else read_target(classifier.classes, target, None, class_values(classifier))
    )
    remaining = iter(documents)

    explain = explain_in_windows if cache is None else cache.explain
    while chunk := list(islice(remaining, _chunk_size(texts, passes, len(classifier.classes)))):
        explanations = chosen.explain(explainer, classifier, chunk, explain)
        texts += len(chunk)
        passes += sum(explanation.forward_passes for explanation in explanations)
        yield explanations


def _chunk_size(texts: int, passes: int, classes: int) -> int:
    """Choose how many texts to explain together from the forward passes that earlier ones took."""
    if not texts:
        return FIRST_CHUNK
    return max(1, min(CHUNK_PASSES * texts // max(1, passes), LARGEST_CHUNK, CHUNK_CLASSES // classes))


def only_top(explanation: Explanation, top: int | None) -> Explanation:
    """Keep the scores of the strongest words, for or against the target, and set the others to 0; None keeps all.

    What is left no longer adds up from a base value, so that goes too.
    """
    if top is None:
        return explanation
    kept = np.zeros(len(explanation.scores), dtype=bool)
    kept[explanation.strongest[:top]] = True
    scores = np.where(kept, explanation.scores, 0.0)
    table = None if explanation.all_scores is None else np.where(kept, explanation.all_scores, 0.0)
    return replace(explanation, scores=scores, all_scores=table, base_value=None, base_values=None)


def predict_chunks(classifier: Classifier, documents: Iterable[Document]) -> Iterator[list[dict[str, Any]]]:
    """Give label and probabilities of each text as plain values."""
    remaining = iter(documents)
    while chunk := list(islice(remaining, PREDICTED_CHUNK)):
        table = classifier.probabilities([document.words for document in chunk])
        best = predicted_classes(classifier, table).tolist()
        rows = zip(chunk, table.tolist(), best, strict=True)
        yield [_prediction(classifier, *row) for row in rows]


def _prediction(classifier: Classifier, document: Document, row: Sequence[float], best: int) -> dict[str, Any]:
    texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
    return {**texts, **prediction(classifier, row, best)}


def prediction(classifier: Classifier, row: Sequence[float], best: int) -> dict[str, Any]:
    """Give the predicted class with its probability, and the probabilities of all, as plain values.

    Where a text may have several labels, they are those whose probability reaches their threshold, or one half. Where
    classes have an order, the expected score is the mean of their places on the scale.
    """
    probabilities = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
    labels = {}
    if is_multi_label(classifier):
        (chosen,) = predicted_labels(classifier, np.array([row]))
        labels = {"labels": [name for name, has in zip(classifier.classes, chosen, strict=True) if has]}
    values = class_values(classifier)
    expected = {} if values is None else {"expected": float(np.dot(row, values))}
    facts = {**labels, **expected, "probability": row[best], "probabilities": probabilities}
    return {"label": classifier.classes[best], **facts}
