"""What an audit can see of a model as a whole: its words, its mask, and a map of the texts as it sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch

from ..analysis.tsne import flatten, text_vectors
from ..blocks.mask_health import keep_statistics
from ..explaining.words import frequency_link, importance_in
from ..inference.fitted import FittedClassifier
from ..interfaces.classifier import Classifier, OpenClassifier
from ..interfaces.document import Document
from ..interfaces.explanation import Explanation
from ..interfaces.method import Attending
from ..maths.stats.separation import separation

MOST_WORDS = 50
MOST_POINTS, FEWEST_POINTS = 500, 10
SEEN_TWICE = 2  # a word seen once says little about the word
ROUNDING = 1e-5  # by which the vectors of a text may differ, as a share of the largest, with its place in a batch


def kind_of(classifier: Classifier) -> str:
    """Say what there is to be looked at in a model."""
    if not isinstance(classifier, OpenClassifier):
        return "black box"
    if classifier.method.own_score == "gate":
        return "mask"
    return "attention" if isinstance(classifier.method, Attending) else "open"


def word_facts(classifier: Classifier, explanations: Mapping[str, Sequence[Explanation]]) -> dict[str, Any] | None:
    """Rank words at large: by the mean of the model's own scores, else by the sum of those of the first explainer."""
    name = "own" if "own" in explanations else next(iter(explanations))
    if not any(len(e.scores) for e in explanations[name]):
        return None
    found = importance_in(explanations[name], classifier, "mean" if name == "own" else "sum")
    often = found.at_least(SEEN_TWICE)
    found = often if len(often) >= MOST_WORDS else found
    rows = list(found.top(MOST_WORDS).rows())
    return {"source": found.source, "rows": rows, "correlation": frequency_link(found).to_dict()}


@torch.inference_mode()
def mask_facts(classifier: Classifier, documents: Sequence[Document]) -> dict[str, Any] | None:
    """Say whether the mask of a mask model is alive on these texts."""
    if not isinstance(classifier, OpenClassifier) or kind_of(classifier) != "mask":
        return None
    batches = [batch for _, batch in classifier.batches([document.words for document in documents])]
    method = classifier.method.eval()
    keep = [weights for batch in batches if (weights := method(batch).token_weights) is not None]
    health = keep_statistics(batches, keep)
    return {**health, "warning": " ".join(method.warnings(health)) or None}


def map_facts(classifier: Classifier, explanations: Sequence[Explanation], seed: int) -> dict[str, Any] | None:
    """Lay the vectors of the first texts out in the plane by t-SNE."""
    some = explanations[:MOST_POINTS]
    if not isinstance(classifier, FittedClassifier) or len(some) < FEWEST_POINTS:
        return None
    vectors = text_vectors(classifier, [explanation.document.words for explanation in some]).astype(np.float64)
    if min(vectors.shape) < 2 or np.ptp(vectors, axis=0).max() <= ROUNDING * np.abs(vectors).max():
        return None  # all texts are the same to the model
    gold = [explanation.document.label for explanation in some]
    labels = [classifier.classes.index(label) for label in gold if label is not None]
    apart = separation(vectors[[label is not None for label in gold]], np.array(labels, dtype=int))
    points = [
        {"x": float(x), "y": float(y), "gold": label, "predicted": e.classes[int(e.probabilities.argmax())]}
        for (x, y), label, e in zip(flatten(vectors, seed), gold, some, strict=True)
    ]
    return {
        "points": points,
        "silhouette": None if apart is None else apart.silhouette,
        "ratio": None if apart is None else apart.distance_ratio,
        "source": "t-SNE of what the last layer reads of each text",
    }
