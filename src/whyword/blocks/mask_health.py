"""Is a word mask alive? Its keep probabilities must differ between words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import torch
from torch import Tensor

from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Prediction

COLLAPSED = 0.02  # standard deviation over words below which the ranking is noise
SATURATED = 0.97  # mean above which the mask lets everything through


class Gating(Protocol):
    """A method whose gates can be drawn at random."""

    encoder: Encoder

    def classify_sampled(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, Tensor]:
        """Predict with gates drawn at random; also give the (batch, time) logits of keeping."""
        ...


def gate_health(method: Gating, batches: Sequence[Batch]) -> dict[str, float]:
    """Spread of the keep probability over words, and accuracy with gates as they are in training, from one pass.

    Where that accuracy is far from the one with expected gates, the two do not fit together.
    """
    keep, right = [], 0
    for batch in batches:
        assert batch.labels is not None
        prediction, keep_logits = method.classify_sampled(method.encoder.embed(batch), batch)
        keep.append(keep_logits.sigmoid())
        right += int((prediction.logits.argmax(-1) == batch.labels).sum())
    return keep_statistics(batches, keep) | {"sampled_accuracy": right / sum(map(len, batches))}


def keep_statistics(batches: Sequence[Batch], keep: Sequence[Tensor]) -> dict[str, float]:
    """Smallest, mean, largest and standard deviation of (batch, time) scores over distinct tokens of the batches."""
    tokens = [batch.tokens[batch.is_word].cpu() for batch in batches]
    scores = [weights[batch.is_word].detach().double().cpu() for batch, weights in zip(batches, keep, strict=True)]
    if not sum(map(len, tokens)):
        return {}
    _, number = torch.unique(torch.cat(tokens), return_inverse=True)
    values = torch.cat(scores)
    totals = values.new_zeros(int(number.max()) + 1).scatter_add(0, number, values)
    means = totals / torch.bincount(number)
    return {
        "keep_min": float(means.min()),
        "keep_mean": float(means.mean()),
        "keep_max": float(means.max()),
        "keep_sd": float(means.std(unbiased=False)),
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
