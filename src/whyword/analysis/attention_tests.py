"""Is this attention faithful? The tests that need no training, each text counted once, with intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..explainers.attention import Attention
from ..explainers.gradient import Gradient
from ..explainers.occlusion import Occlusion
from ..explaining.any_model import open_classifier
from ..interfaces.classifier import OpenClassifier, is_multi_label
from ..interfaces.document import Document
from ..interfaces.errors import DataError, OptionError
from ..interfaces.explanation import Explanation
from ..interfaces.metric import Score
from ..maths.stats.correlation import kendall_tau_b
from ..maths.stats.intervals import mean_interval
from .replaced_attention import Search, adversarial_attention, permuted_attention, uniform_attention

TESTS = {  # whether more of it speaks for the attention, and what it is
    "uniform": (True, "TVD of the answer when all tokens count the same"),
    "uniform-accuracy": (True, "accuracy lost when all tokens count the same"),
    "permuted": (True, "TVD of the answer, median over 100 ways to shuffle the attention"),
    "adversarial": (False, "JSD of the most different attention found that keeps the answer"),
    "adversarial-share": (False, "the same as a share of the furthest JSD the text allows"),
    "gradient": (True, "rank agreement with the size of gradient × input (tau-b)"),
    "occlusion": (True, "rank agreement with the size of the effect of leaving a word out (tau-b)"),
}


@dataclass(frozen=True)
class AttentionTests:
    """The results of the tests, one score each."""

    scores: tuple[Score, ...]

    def __getitem__(self, name: str) -> Score:
        """Give the score of a test by its name."""
        return next(score for score in self.scores if score.metric == name)

    def to_dict(self) -> dict[str, Any]:
        """Give plain values, ready for JSON."""
        return {score.metric: score.to_dict() for score in self.scores}

    def __str__(self) -> str:
        """Give a line per test."""
        return "\n".join(
            f"{score.metric:<22} {score.value:6.3f} [{score.interval[0]:.3f}, {score.interval[1]:.3f}]  {score.meaning}"
            for score in self.scores
        )


def run_attention_tests(
    model: Any,
    documents: Sequence[Document],
    seed: int = 0,
    search: Search | None = None,
    explained: Mapping[str, Sequence[Explanation]] | None = None,
) -> AttentionTests:
    """Replace the attention by even, permuted and adversarial one, and compare it with gradients and occlusion.

    `explained` holds explanations of these documents that exist already, by explainer.
    """
    classifier = open_classifier(model)
    if is_multi_label(classifier):
        raise OptionError("Attention is tested on classes that exclude each other: this model gives several labels.")
    if not documents:
        raise DataError("There are no texts to test the attention on: give at least two.")
    texts = [document.words for document in documents]
    even, permuted = uniform_attention(classifier, texts), permuted_attention(classifier, texts, seed=seed)
    adversaries = adversarial_attention(classifier, texts, search, seed)
    existing = explained or {}
    own = existing.get("attention") or Attention().explain(classifier, documents)
    targets = [explanation.target for explanation in own]
    gradient, occlusion = (
        existing.get(e.name) or e.explain(classifier, documents, targets) for e in (Gradient(), Occlusion())
    )
    values = {
        "uniform": even.output_change,
        "permuted": permuted.output_change,
        "adversarial": adversaries.jsd,
        "adversarial-share": adversaries.share,
        "gradient": _agreement(own, gradient),
        "occlusion": _agreement(own, occlusion),
    }
    if all(document.label is not None for document in documents):
        assert even.probabilities is not None
        right, right_evenly = (_right(classifier, documents, p) for p in (targets, even.probabilities.argmax(1)))
        values["uniform-accuracy"] = right - right_evenly
    return AttentionTests(
        tuple(
            Score(name, "own", values[name], mean_interval(values[name], seed), better, meaning)
            for name, (better, meaning) in TESTS.items()
            if name in values
        )
    )


def _agreement(own: Sequence[Explanation], others: Sequence[Explanation]) -> np.ndarray:
    """Kendall's tau-b of each text; attention has no sign, so it is compared with sizes; NaN where all are equal."""
    return np.array(
        [
            kendall_tau_b(mine.scores, np.abs(other.scores), (mine.resolution, other.resolution))
            for mine, other in zip(own, others, strict=True)
        ]
    )


def _right(classifier: OpenClassifier, documents: Sequence[Document], predicted: Iterable[int]) -> np.ndarray:
    """1 where a text is classified right, else 0."""
    return np.array([float(classifier.classes[p] == d.label) for p, d in zip(predicted, documents, strict=True)])
