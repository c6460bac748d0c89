"""Is a word mask alive? Its keep probabilities must differ between words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.encoder import Encoder
from ..interfaces.method import Method, Prediction

COLLAPSED = 0.02  # standard deviation over words below which the ranking is noise
SATURATED = 0.97  # mean above which the mask lets everything through


class Gating(Protocol):
    """A method whose gates can be drawn at random."""

    encoder: Encoder

    def classify_sampled(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, Tensor]:
        """Predict with gates drawn at random; also give the (batch, time) logits of keeping."""
        ...


def sampled_accuracy(method: Gating, batches: Sequence[Batch]) -> dict[str, float]:
    """Accuracy with gates as they are in training: far from that with expected gates, the two do not fit together."""
    right = 0
    for batch in batches:
        assert batch.labels is not None
        prediction, _ = method.classify_sampled(method.encoder.embed(batch), batch)
        right += int((prediction.logits.argmax(-1) == batch.labels).sum())
    return {"sampled_accuracy": right / sum(map(len, batches))}


def keep_statistics(method: Method, batches: Sequence[Batch]) -> dict[str, float]:
    """Smallest, mean, largest and standard deviation of the own scores over distinct tokens of the batches."""
    tokens, scores = [], []
    for batch in batches:
        weights = method(batch).token_weights
        assert weights is not None
        tokens.append(batch.tokens[batch.is_word].cpu())
        scores.append(weights[batch.is_word].detach().double().cpu())
    if not sum(map(len, tokens)):
        return {}
    _, number = torch.unique(torch.cat(tokens), return_inverse=True)
    values = torch.cat(scores)
    totals = values.new_zeros(int(number.max()) + 1).scatter_add(0, number, values)
    keep = totals / torch.bincount(number)
    return {
        "keep_min": float(keep.min()),
        "keep_mean": float(keep.mean()),
        "keep_max": float(keep.max()),
        "keep_sd": float(keep.std(unbiased=False)),
    }


def mask_warnings(health: dict[str, float], collapsed: str, saturated: str) -> list[str]:
    """Judge a mask by its statistics; the method says what to change when it has collapsed or is saturated."""
    if not health:
        return []
    if health["keep_sd"] < COLLAPSED:
        return [
            f"the word mask has collapsed: keep probabilities differ by only {health['keep_sd']:.3f} (standard "
            f"deviation) around {health['keep_mean']:.2f}, so its ranking of words is noise. {collapsed}"
        ]
    if health["keep_mean"] > SATURATED:
        return [
            f"the word mask lets everything through (mean keep probability {health['keep_mean']:.3f}), so it explains "
            f"little. {saturated}"
        ]
    return []
