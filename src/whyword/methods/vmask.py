"""Variational word masks (VMASK): Chen & Ji, EMNLP 2020, arXiv 2010.00667."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from ..blocks.gates import Units, WordGate, gate_health, mask_warnings
from ..blocks.heads import PooledClassifier
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Objective, Phase, Prediction, task_loss
from ..interfaces.settings import check_above_zero, check_between_zero_and_one, check_from, check_share_below_one
from ..maths.tensors.gates import bernoulli_kl, rising, sample_hard_gate, sample_relaxed, staged_decay

BESIDE_PRETRAINED = 0.01  # learning rate of the gate, which starts from nothing; docs/words.md


class Vmask(PooledClassifier):
    """Learn one gate per word and charge for what it tells; open or shut at random in training, a weight afterwards."""

    own_score = "gate"

    @dataclass(frozen=True)
    class Config:
        """Settings of the mask; defaults are those of the authors' code, not of the paper, where the two differ."""

        beta: float = 1.0  # weight β of the bottleneck: where a falling one starts, a rising one ends
        beta_end: float = 0.109  # where a falling β ends
        schedule: Literal["falling", "rising", "constant"] = "falling"  # the paper says rising, the code falls
        stages: int = 10  # steps of a falling β
        prior: float = 0.5  # chance that a word is kept, before it is seen; below 0.5 favors sparse masks
        gates: Literal["hard", "soft"] = "hard"  # in training: open or shut, as the code; soft: their Eq. 18 and 19
        temperature: float = 1.0  # of the Gumbel-softmax
        width: int = 100  # hidden width of the gate; authors: LSTM 300, CNN 500, BERT 100, which costs a step too much
        per: Literal["word", "piece"] = "word"  # whether the pieces of a word share a gate
        gate_special: bool = False  # also gate the special tokens of transformers, as the authors' BERT code does
        reduction: Literal["mean", "sum", "mean_all"] = (
            "mean"  # over real tokens; sum: paper; mean_all: code, with padding
        )
        double_softmax: bool = False  # feed probabilities to the cross-entropy, as the authors' LSTM code does
        warm_start: int | None = None  # epochs of the plain classifier first; None: 2 for transformers, else 0
        gate_learning_rate: float | None = None  # None: 0.01 on transformers, at whose rate it hardly moves
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_from(self, 0, "beta", "beta_end")
            check_between_zero_and_one(self, "prior")
            check_above_zero(self, "stages", "temperature", "width", "gate_learning_rate")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.config = config
        self.gate = WordGate(encoder.embedding_dim, config.width)
        self.whole_words = encoder.token_kind == "pieces" and config.per == "word"

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors, each multiplied by the probability that it is kept."""
        units = Units(batch, self.whole_words)
        keep = units.spread(units.pool(self.gate(embedded)).sigmoid())
        return replace(super().classify(self._masked(embedded, keep, batch), batch), token_weights=keep)

    def classify_sampled(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, Tensor]:
        """Predict with gates drawn at random; also give the (batch, time) logits of keeping."""
        units = Units(batch, self.whole_words)
        logits = units.pool(self.gate(embedded))
        draw = sample_hard_gate if self.config.gates == "hard" else sample_relaxed
        gates = units.spread(draw(logits, self.config.temperature))
        return super().classify(self._masked(embedded, gates, batch), batch), units.spread(logits)

    def _masked(self, embedded: Tensor, gates: Tensor, batch: Batch) -> Tensor:
        return embedded * torch.where(self._gated(batch), gates, 1.0).unsqueeze(-1)

    def _gated(self, batch: Batch) -> Tensor:
        return batch.mask if self.config.gate_special else batch.is_word

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy of the masked text, and the bottleneck: KL from the gates to the prior."""
        assert batch.labels is not None
        prediction, keep_logits = self.classify_sampled(self.encoder.embed(batch), batch)
        logits = self.probabilities(prediction.logits) if self.config.double_softmax else prediction.logits
        bottleneck = self._reduce(bernoulli_kl(keep_logits, self.config.prior), batch)
        return {"task": task_loss(logits, batch), "bottleneck": self.beta(progress) * bottleneck}

    def _reduce(self, values: Tensor, batch: Batch) -> Tensor:
        if self.config.reduction == "mean_all":
            return values.mean()
        gated = self._gated(batch)
        total = (values * gated).sum()
        return total / len(batch) if self.config.reduction == "sum" else total / gated.sum().clamp(min=1)

    def beta(self, progress: float) -> float:
        """Weight of the bottleneck at a point of the training."""
        if self.config.schedule == "falling":
            return staged_decay(self.config.beta, self.config.beta_end, self.config.stages, progress)
        return rising(self.config.beta, progress) if self.config.schedule == "rising" else self.config.beta

    def plan(self, epochs: int) -> Sequence[Phase]:
        """Train the plain classifier first if asked to, then everything with the mask, through the whole schedule."""
        pretrained = self.encoder.token_kind == "pieces"
        rate = self.config.gate_learning_rate or (BESIDE_PRETRAINED if pretrained else None)
        learning_rates = [] if rate is None else [(self.gate, rate)]
        everything = Objective(self.losses, list(self.parameters()), learning_rates=learning_rates)
        mask = Phase("mask", epochs, [everything], run_all_epochs=self.config.schedule != "constant")
        warm = 2 if pretrained else 0
        warm = warm if self.config.warm_start is None else self.config.warm_start
        if not warm:
            return [mask]
        plain = [*self.encoder.parameters(), *self.head.parameters()]
        start = Phase("warm start", warm, [Objective(self._plain_losses, plain)], False, logits=self._plain_logits)
        return [start, mask]

    def _plain_logits(self, batch: Batch) -> Tensor:
        return super().classify(self.encoder.embed(batch), batch).logits

    def _plain_losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        assert batch.labels is not None
        return {"task": task_loss(self._plain_logits(batch), batch)}

    def vocabulary_scores(self, vectors: Tensor) -> Tensor:
        """Probability that a word is kept, a function of its vector alone: (word, embedding_dim) to (word,)."""
        keep: Tensor = self.gate(vectors).sigmoid()
        return keep

    def health(self, batches: Sequence[Batch]) -> dict[str, float]:
        """Spread of the keep probability over the words of the dev texts, and accuracy with sampled gates."""
        return gate_health(self, batches)

    def warnings(self, health: dict[str, float]) -> list[str]:
        """Say whether the mask has collapsed to its prior or lets everything through."""
        weight = "method.beta and method.beta_end" if self.config.schedule == "falling" else "method.beta"
        return mask_warnings(
            health,
            collapsed=f"Lower {weight}, raise method.gate_learning_rate, or train longer.",
            saturated=f"Raise {weight}, or set method.prior below {self.config.prior}.",
        )
