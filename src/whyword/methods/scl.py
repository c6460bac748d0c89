"""Cross-entropy with a supervised contrastive term (SCL): Gunel et al., ICLR 2021, arXiv 2011.01403."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from ..blocks.heads import PooledClassifier
from ..interfaces.document import Batch
from ..interfaces.method import Encoder, task_loss
from ..interfaces.settings import check_above_zero, check_share_below_one, refuse
from ..maths.tensors.distances import supervised_contrast


class Scl(PooledClassifier):
    """The plain classifier, whose text vectors must lie near those of their class and far from the others."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the contrastive term."""

        weight: float = 0.9  # λ of the contrastive loss, 1 − λ of the cross-entropy; the paper searches 0.1 to 0.9
        temperature: float = 0.3  # τ; the paper's choice
        dropout: float = 0.1  # on the text vector

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            if not 0 <= self.weight < 1:
                refuse(self, "weight", "a number from 0 up, below 1")
            check_above_zero(self, "temperature")
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.config = config

    def losses(self, batch: Batch, progress: float) -> dict[str, Tensor]:
        """(1 − λ) cross-entropy + λ contrast of the text vectors."""
        assert batch.labels is not None
        prediction, weight = self(batch), self.config.weight
        contrast = supervised_contrast(prediction.pooled, batch.labels, self.config.temperature)
        return {
            "task": (1 - weight) * task_loss(prediction.logits, batch),
            "contrast": weight * contrast,
        }
