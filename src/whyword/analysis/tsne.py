"""The vectors that stand for whole texts, laid out in the plane, and how far apart the classes are among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from ..explaining.any_model import open_classifier
from ..interfaces.document import Document, Words
from ..maths.stats.separation import separation
from ..plots.text_vectors import Panel

PERPLEXITY = 30.0  # of t-SNE, the usual value; fewer texts lower it
FEWEST = 4  # texts that t-SNE can be asked about


@torch.inference_mode()
def text_vectors(model: Any, texts: Sequence[Words]) -> np.ndarray:
    """Give (text, dim): what the last layer reads of each text."""
    classifier = open_classifier(model)
    classifier.method.eval()
    rows: list[np.ndarray] = [np.empty(0)] * len(texts)
    for chosen, batch in classifier.batches(texts):
        for i, vector in zip(chosen, classifier.method(batch).pooled.cpu().numpy(), strict=True):
            rows[i] = vector
    return np.stack(rows) if rows else np.empty((0, 0))


def flatten(vectors: np.ndarray, seed: int = 0) -> np.ndarray:
    """Lay (text, dim) vectors out in the plane by t-SNE, (text, 2); below four texts by their first two entries."""
    from sklearn.manifold import TSNE

    if len(vectors) < FEWEST:
        return np.pad(vectors, ((0, 0), (0, 2)))[:, :2]
    perplexity = min(PERPLEXITY, (len(vectors) - 1) / 3)
    points: np.ndarray = TSNE(perplexity=perplexity, init="pca", random_state=seed).fit_transform(vectors)
    return points


def panel(model: Any, documents: Sequence[Document], title: str, seed: int = 0) -> Panel:
    """Lay labeled texts out in the plane as the model sees them, for `plots.text_vectors`."""
    classifier = open_classifier(model)
    labels = [document.label for document in documents if document.label is not None]
    vectors = text_vectors(classifier, [document.words for document in documents if document.label is not None])
    apart = separation(vectors, np.array([classifier.classes.index(label) for label in labels], dtype=np.int64))
    return Panel(title, flatten(vectors, seed), labels, apart)
