"""How a model is trained, apart from what its method asks for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..interfaces.settings import check_above_zero, check_share_below_one


@dataclass(frozen=True)
class Training:
    """Settings of the training loop."""

    epochs: int | None = None  # at most; None: the encoder's own. Stops earlier when dev accuracy no longer rises
    patience: int | None = 4  # epochs without a better dev accuracy before a phase stops; None: never
    batch_size: int = 64  # texts per step
    batch_tokens: int = 16_384  # padded tokens per step at most, for long texts
    learning_rate: float | None = None  # None: the encoder's own
    optimizer: Literal["adam", "adamw", "adagrad", "sgd"] = "adam"
    schedule: Literal["constant", "linear", "cosine"] = "constant"  # of the learning rate through a phase
    warmup: float = 0.0  # share of a phase in which the learning rate rises from 0
    clip: float | None = 1.0  # largest norm of the gradient; None: no clipping

    def __post_init__(self) -> None:
        """Refuse settings out of range."""
        check_above_zero(self, "epochs", "batch_size", "batch_tokens", "learning_rate", "clip", "patience")
        check_share_below_one(self, "warmup")
