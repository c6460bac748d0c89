"""IBA as VMASK's baseline: words drown in noise as far as the task allows (Schulz et al., ICLR 2020; PAPERS.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor, nn

from ..blocks.gates import Units, WordGate, keep_statistics, mask_warnings
from ..blocks.heads import PooledClassifier
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Prediction, task_loss
from ..interfaces.settings import check_above_zero, check_between_zero_and_one, check_from, check_share_below_one
from ..maths.tensors.gates import kl_of_mixture

LARGEST = 5.0  # read-out is clamped to ±5, so that λ stays inside (0.007, 0.993)


class Iba(PooledClassifier):
    """A read-out per word says how much of its vector passes; the rest is noise with the vectors' own statistics."""

    own_score = "gate"
    mean: Tensor
    variance: Tensor
    seen: Tensor

    @dataclass(frozen=True)
    class Config:
        """Settings of the bottleneck; VMASK's version, trained jointly with the classifier."""

        beta: float = 0.1  # weight of the information term; VMASK does not give it; with 1 small models do not learn
        width: int = 100  # hidden width of the read-out
        per: Literal["word", "piece"] = "word"  # whether the pieces of a word share a value
        smallest_deviation: float = 0.01  # floor of the noise per dimension; authors' code
        momentum: float = 0.1  # of the running mean and variance of the word vectors
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_from(self, 0, "beta")
            check_above_zero(self, "width", "smallest_deviation")
            check_between_zero_and_one(self, "momentum")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.config = config
        self.gate = WordGate(encoder.embedding_dim, config.width)
        self.gate.output.weight.data *= 1e-3
        nn.init.constant_(self.gate.output.bias, LARGEST - 1)  # nearly everything passes at first, short of the clamp
        self.whole_words = encoder.token_kind == "pieces" and config.per == "word"
        self.register_buffer("mean", torch.zeros(encoder.embedding_dim))
        self.register_buffer("variance", torch.ones(encoder.embedding_dim))
        self.register_buffer("seen", torch.zeros((), dtype=torch.bool))

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors mixed with the mean of the noise."""
        share = self._share(embedded, batch)
        mixed = self._mix(embedded, share, self.mean, batch)
        return replace(super().classify(mixed, batch), token_weights=share)

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy of the noisy text, and the information that passes, averaged over words and dimensions."""
        assert batch.labels is not None
        embedded = self.encoder.embed(batch)
        self._observe(embedded.detach()[batch.is_word])
        deviation = self.variance.sqrt().clamp(min=self.config.smallest_deviation)
        share = self._share(embedded, batch)
        noise = self.mean + deviation * torch.randn_like(embedded)
        prediction = super().classify(self._mix(embedded, share, noise, batch), batch)
        standardized = (embedded - self.mean) / deviation
        passed = kl_of_mixture(share.unsqueeze(-1), standardized).mean(-1)  # (batch, time)
        information = (passed * batch.is_word).sum() / batch.is_word.sum().clamp(min=1)
        return {"task": task_loss(prediction.logits, batch), "information": self.config.beta * information}

    def _share(self, embedded: Tensor, batch: Batch) -> Tensor:
        units = Units(batch, self.whole_words)
        return units.spread(units.pool(self.gate(embedded)).clamp(-LARGEST, LARGEST).sigmoid())

    def _mix(self, embedded: Tensor, share: Tensor, noise: Tensor, batch: Batch) -> Tensor:
        passed = torch.where(batch.is_word, share, 1.0).unsqueeze(-1)
        return passed * embedded + (1 - passed) * noise

    def _observe(self, vectors: Tensor) -> None:
        if len(vectors) < 2:
            return
        momentum = self.config.momentum if bool(self.seen) else 1.0
        self.mean.lerp_(vectors.mean(0), momentum)
        self.variance.lerp_(vectors.var(0), momentum)
        self.seen.fill_(True)

    def vocabulary_scores(self, vectors: Tensor) -> Tensor:
        """Share of a word's vector that passes: (word, embedding_dim) to (word,)."""
        share: Tensor = self.gate(vectors).clamp(-LARGEST, LARGEST).sigmoid()
        return share

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Spread of the shares over the words of the dev texts."""
        return keep_statistics(batches, [self._share(self.encoder.embed(batch), batch) for batch in batches])

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say whether the shares are all alike or everything passes."""
        return mask_warnings(health, collapsed="Lower method.beta, or train longer.", saturated="Raise method.beta.")
