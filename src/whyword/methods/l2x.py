"""L2X as VMASK's baseline: a selector keeps k words of each text (Chen et al., ICML 2018; PAPERS.md)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import torch
from torch import Tensor

from ..blocks.gates import Units, WordGate
from ..blocks.heads import PooledClassifier
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, Prediction, task_loss
from ..interfaces.settings import check_above_zero, check_share_below_one
from ..maths.tensors.masked import hard_k_hot, masked_softmax, sample_k_hot


class L2x(PooledClassifier):
    """Selector and classifier are trained together on the labels; the classifier sees only the selected words."""

    own_score = "share"

    @dataclass(frozen=True)
    class Config:
        """Settings of the selector; VMASK's paper gives neither k nor the temperature."""

        k: int = 5  # words kept
        temperature: float = 0.5  # of the Gumbel-softmax
        width: int = 100  # hidden width of the selector
        per: Literal["word", "piece"] = "word"  # whether the pieces of a word are selected together
        dropout: float = 0.2  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "k", "temperature", "width")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.config = config
        self.gate = WordGate(encoder.embedding_dim, config.width, bias=False)  # a shift would change no selection
        self.whole_words = encoder.token_kind == "pieces" and config.per == "word"

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from the k words of the highest score."""
        units = Units(batch, self.whole_words)
        logits, real = self._scores(embedded, batch, units)
        kept = units.spread(hard_k_hot(logits, real, self.config.k).to(embedded.dtype))
        share = masked_softmax(logits, real | ~real.any(-1, keepdim=True)) / units.sizes(embedded[..., 0])
        return replace(self._classify_kept(embedded, kept, batch), token_weights=units.spread(share) * batch.is_word)

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """Cross-entropy of the text with a relaxed selection of k words."""
        assert batch.labels is not None
        units = Units(batch, self.whole_words)
        embedded = self.encoder.embed(batch)
        logits, real = self._scores(embedded, batch, units)
        safe = real | ~real.any(-1, keepdim=True)  # a text of no words: choose among its special tokens
        kept = units.spread(sample_k_hot(logits, safe, self.config.k, self.config.temperature))
        return {"task": task_loss(self._classify_kept(embedded, kept, batch).logits, batch)}

    def _scores(self, embedded: Tensor, batch: Batch, units: Units) -> tuple[Tensor, Tensor]:
        """Give the selection logits of the units, and which of them are words."""
        return units.pool(self.gate(embedded)), units.pool(batch.is_word.to(embedded.dtype)) > 0

    def _classify_kept(self, embedded: Tensor, kept: Tensor, batch: Batch) -> Prediction:
        return super().classify(embedded * torch.where(batch.is_word, kept, 1.0).unsqueeze(-1), batch)

    def vocabulary_scores(self, vectors: Tensor) -> Tensor:
        """Squash the selection score of each word to (0, 1): (word, embedding_dim) to (word,)."""
        scores: Tensor = self.gate(vectors).sigmoid()
        return scores
