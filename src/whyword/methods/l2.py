"""The plain classifier with weight decay, VMASK's second baseline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..blocks.heads import PooledClassifier
from ..interfaces.method import Encoder, Objective, Phase
from ..interfaces.settings import check_share_below_one


class L2(PooledClassifier):
    """Pools as the encoder does and keeps all weights small."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the regularized classifier."""

        dropout: float = 0.2  # on the text vector; authors' VMASK code
        weight_decay: float = 1e-4  # added to the gradient of every weight by Adam; the paper tuned it, value not given

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_share_below_one(self, "dropout")

    def __init__(self, encoder: Encoder, classes: int, config: Config) -> None:
        super().__init__(encoder, classes, config.dropout)
        self.weight_decay = config.weight_decay

    def plan(self, epochs: int) -> Sequence[Phase]:
        """Train everything under weight decay."""
        return [Phase("train", epochs, [Objective(self.losses, list(self.parameters()), self.weight_decay)])]
