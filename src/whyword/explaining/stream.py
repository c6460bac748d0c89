"""Explain a stream of documents with one of the explainers, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

import numpy as np

from ..catalog import make_explainer as make_explainer
from ..inference.windows import explain_in_windows
from ..interfaces.classifier import Classifier
from ..interfaces.document import Document, Label
from ..interfaces.explainer import Explainer
from ..interfaces.explanation import Explanation
from .any_model import class_number
from .cache import ExplanationCache

FIRST_CHUNK = 8  # texts explained together before it is known how many forward passes a text takes
LARGEST_CHUNK = 512  # enough to fill batches, few enough for constant memory
CHUNK_PASSES = 4_096  # forward passes of later chunks: the first answers come soon, however slow the explainer


def explain_documents(
    classifier: Classifier,
    documents: Iterable[Document],
    explainer: Explainer,
    target: Label | None = None,
    cache: ExplanationCache | None = None,
) -> Iterator[Explanation]:
    """Explain each document for the class it is predicted to be, or for the class named as target."""
    return chain.from_iterable(explain_chunks(classifier, documents, explainer, target, cache))


def explain_chunks(
    classifier: Classifier,
    documents: Iterable[Document],
    explainer: Explainer,
    target: Label | None = None,
    cache: ExplanationCache | None = None,
    texts: int = 0,
    passes: int = 0,
) -> Iterator[list[Explanation]]:
    """Explain documents as many at a time as share their batches; those that the cache knows are not explained again.

    Texts and passes are those of the chunks of an earlier run, which the documents follow: then the chunks, and with
    them every digit of the scores, are as if that run had gone on.
    """
    number = None if target is None else class_number(classifier.classes, target)
    explain = explain_in_windows if cache is None else cache.explain
    return _in_chunks(lambda chunk: explain(explainer, classifier, chunk, number), iter(documents), texts, passes)


def _in_chunks(
    explain: Callable[[Sequence[Document]], list[Explanation]], documents: Iterator[Document], texts: int, passes: int
) -> Iterator[list[Explanation]]:
    while chunk := list(islice(documents, _chunk_size(texts, passes))):
        explanations = explain(chunk)
        texts += len(chunk)
        passes += sum(explanation.forward_passes for explanation in explanations)
        yield explanations


def _chunk_size(texts: int, passes: int) -> int:
    """Choose how many texts to explain together from the forward passes that earlier ones took."""
    if not texts:
        return FIRST_CHUNK
    return max(1, min(CHUNK_PASSES * texts // max(1, passes), LARGEST_CHUNK))


def only_top(explanation: Explanation, top: int | None) -> Explanation:
    """Keep the scores of the words that speak most for the target, and set the others to 0; None keeps all."""
    if top is None:
        return explanation
    scores = np.zeros_like(explanation.scores)
    best = explanation.ranking[:top]
    scores[best] = explanation.scores[best]
    return replace(explanation, scores=scores)
