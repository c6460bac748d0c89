"""Label and probabilities of a stream of documents, a bounded number of them at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from ..interfaces.classifier import Classifier
from ..interfaces.document import Document

CHUNK = 256  # texts predicted together: enough to fill batches, few enough for constant memory


def predict_chunks(classifier: Classifier, documents: Iterable[Document]) -> Iterator[list[dict[str, Any]]]:
    """Give label and probabilities of each text as plain values."""
    waiting = iter(documents)
    while chunk := list(islice(waiting, CHUNK)):
        table = classifier.probabilities([document.words for document in chunk]).tolist()
        yield [_prediction(classifier, document, row) for document, row in zip(chunk, table, strict=True)]


def _prediction(classifier: Classifier, document: Document, row: list[float]) -> dict[str, Any]:
    best = max(range(len(row)), key=row.__getitem__)
    named = {str(name): p for name, p in zip(classifier.classes, row, strict=True)}
    texts = dict(zip(("text", "text_pair"), document.words.texts, strict=False))
    return {**texts, "label": classifier.classes[best], "probability": row[best], "probabilities": named}
