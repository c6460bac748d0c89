"""How much texts and classes count in training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import numpy as np

from ..interfaces.document import Document, Label
from ..interfaces.errors import DataError, unknown_name
from .batching import Corpus
from .store import StoredDocuments

ClassWeight = Literal["balanced"] | Mapping[str, float] | None


def class_weights(wanted: ClassWeight, labels: np.ndarray, classes: Sequence[Label]) -> np.ndarray | None:
    """Give the weight of each class: balanced ones as scikit-learn has them, texts / (classes · texts of the class).

    A class that is not named in a table counts one. Where a text may have several labels, each is a task of two
    classes: (absent or present, label) weights, a table has those of presence.
    """
    if wanted is None:
        return None
    if labels.ndim == 2 and wanted == "balanced":
        present = labels.sum(0)
        counts = np.stack([len(labels) - present, present])
        balanced: np.ndarray = len(labels) / (2 * np.maximum(counts, 1))
        return balanced
    if wanted == "balanced":
        counts = np.bincount(labels, minlength=len(classes))
        return len(labels) / (len(classes) * np.maximum(counts, 1))
    assert not isinstance(wanted, str)
    names = [str(label) for label in classes]
    for name in wanted:
        if name not in names:
            raise unknown_name(name, "the classes of class_weight", names)
    weights = np.array([float(wanted.get(name, 1.0)) for name in names])
    return np.stack([np.ones(len(names)), weights]) if labels.ndim == 2 else weights


def weigh(corpus: Corpus, documents: Sequence[Document], wanted: ClassWeight, classes: Sequence[Label]) -> Corpus:
    """Let each text count as much as its own weight times that of its class."""
    of_texts = None
    if isinstance(documents, StoredDocuments):
        of_texts = documents.weights
    elif any(document.weight is not None for document in documents):
        of_texts = np.array([1.0 if document.weight is None else document.weight for document in documents])
    weighed = corpus.weighted(of_texts, class_weights(wanted, corpus.labels, classes))
    if weighed.weights is not None and not weighed.weights.any():
        raise DataError("The weights of the training texts are all 0: give some text a weight above 0.")
    return weighed
