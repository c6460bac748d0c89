"""The contract of methods that attend: their attention can be taken away and replaced by another."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor

from .document import Batch
from .method import Prediction


@runtime_checkable
class Attending(Protocol):
    """A method whose prediction is read out of states, each weighted by the attention its token gets.

    classify(embedded, batch) is read_out(*attended(embedded, batch)).
    """

    def attention_and_states(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the (batch, time) weights, 0 on padding, and the (batch, time, dim) states that they weigh."""
        ...

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the states with these weights, whoever chose them."""
        ...
