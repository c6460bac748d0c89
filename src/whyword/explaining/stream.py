"""Explain or predict a stream of documents, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice
from typing import Any

import numpy as np

from ..inference.windows import explain_in_windows
from ..interfaces.classifier import Classifier
from ..interfaces.document import Document, Label
from ..interfaces.explanation import Explainer, Explanation
from .cache import ExplanationCache
from .targets import Target, read_target

FIRST_CHUNK = 8  # texts explained together before it is known how many forward passes a text takes
LARGEST_CHUNK = 512  # enough to fill batches, few enough for constant memory
PREDICTED_CHUNK = 256  # texts predicted together
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
    chosen = target if isinstance(target, Target) else read_target(classifier.classes, target)
    remaining = iter(documents)

    def explain(chunk: Sequence[Document], number: int | None) -> list[Explanation]:
        if cache is None:
            return explain_in_windows(explainer, classifier, chunk, number)
        return cache.explain(explainer, classifier, chunk, number)

    while chunk := list(islice(remaining, _chunk_size(texts, passes))):
        explanations = chosen.explain(explain, chunk)
        texts += len(chunk)
        passes += sum(explanation.forward_passes for explanation in explanations)
        yield explanations


def _chunk_size(texts: int, passes: int) -> int:
    """Choose how many texts to explain together from the forward passes that earlier ones took."""
    if not texts:
        return FIRST_CHUNK
    return max(1, min(CHUNK_PASSES * texts // max(1, passes), LARGEST_CHUNK))


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
        table = classifier.probabilities([document.words for document in chunk]).tolist()
        yield [_prediction(classifier, document, row) for document, row in zip(chunk, table, strict=True)]


def _prediction(classifier: Classifier, document: Document, row: list[float]) -> dict[str, Any]:
    best = max(range(len(row)), key=row.__getitem__)
    probabilities = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
    texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
    return {**texts, "label": classifier.classes[best], "probability": row[best], "probabilities": probabilities}
