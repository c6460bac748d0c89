"""From states to logits: dropout, the last layer, and the classifier that pools as its encoder does."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder, LinearEncoder, Method, Phase, Prediction, lower_layers
from .ordered import CutPoints, OrderedClasses

LEVELS = 1 << 16  # of 16 bits: a share is rounded to one of them


class Dropout(nn.Dropout):
    """As torch's; on a CPU it draws 16 bits a number, as torch's own drawing took half of the training of a bag."""

    def forward(self, states: Tensor) -> Tensor:
        """Set a share of the numbers to zero, scale up the others; in training only."""
        if states.device.type != "cpu" or not self.training or self.p in (0, 1):
            return super().forward(states)
        threshold = min(round(self.p * LEVELS), LEVELS - 1)
        drawn = torch.empty((states.numel() + 3) // 4, dtype=torch.int64).random_(-(2**63), None)
        bits = drawn.view(torch.int16)[: states.numel()].view(states.shape)
        mask = bits >= threshold - LEVELS // 2
        return states * (mask.to(states.dtype) * (LEVELS / (LEVELS - threshold)))


class Head(nn.Module):
    """Dropout on the text vector, then one linear layer."""

    def __init__(self, dim: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.linear = nn.Linear(dim, classes)
        self.cuts: CutPoints | None = None  # between the classes of an ordinal model

    def forward(self, pooled: Tensor) -> Tensor:
        """(batch, dim) to (batch, class) logits."""
        logits: Tensor = self.linear(self.dropout(pooled))
        return logits if self.cuts is None else self.cuts(logits)


class PolarityHead(nn.Module):
    """Sun & Lu's last layer: dropout on the text vector, then W without bias.

    With two classes the scores are 0 and s, so that p(+) = sigmoid(s).
    """

    def __init__(self, dim: int, classes: int, dropout: float) -> None:
        super().__init__()
        self.dropout = Dropout(dropout)
        self.linear = nn.Linear(dim, 1 if classes == 2 else classes, bias=False)
        self.cuts: CutPoints | None = None  # between the classes of an ordinal model

    def forward(self, pooled: Tensor) -> Tensor:
        """(batch, dim) to (batch, class) logits."""
        scores: Tensor = self.linear(self.dropout(pooled))
        if self.cuts is not None:
            return self.cuts(scores)  # type: ignore[no-any-return]
        return torch.cat([torch.zeros_like(scores), scores], -1) if scores.shape[-1] == 1 else scores


class PooledClassifier(Method):
    """Maximum over time for LSTM and CNN, first token for transformers, else the mean; a linear encoder sums."""

    def __init__(self, encoder: Encoder, classes: int, dropout: float) -> None:
        super().__init__()
        self.encoder = encoder
        if isinstance(encoder, LinearEncoder):
            encoder.set_classes(classes)
            self.head: nn.Module = nn.Identity()
        else:
            self.head = Head(encoder.state_dim, classes, dropout)

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors."""
        layers = self.encoder.encode(embedded, batch)
        pooled = self.encoder.summarize(layers[-1], batch)
        token_logits = layers[-1] if isinstance(self.encoder, LinearEncoder) else None
        return Prediction(
            self.head(pooled), pooled, states=layers[-1], lower=lower_layers(layers), token_logits=token_logits
        )

    def plan(self, epochs: int) -> Sequence[Phase]:
        """Train everything in one phase; a linear encoder is solved."""
        if isinstance(self.encoder, LinearEncoder):
            return [Phase("solve", 1, [], solve=self.encoder.solve)]
        return super().plan(epochs)


def set_order(method: Method, classes: int) -> None:
    """Let a method's last layers give one score, and cut points between ordered classes, before anything is learned."""
    heads = [part for part in method.modules() if isinstance(part, Head | PolarityHead)]
    if isinstance(method.encoder, LinearEncoder):
        method.encoder.set_order(classes)
        method.head = OrderedClasses()
    elif not heads:
        raise OptionError(
            f"The method {type(method).__name__} has a last layer of its own, which knows no order of classes: leave "
            "out task ordinal, or let it use whyword.methods.Head."
        )
    for head in heads:
        head.linear = nn.Linear(head.linear.in_features, 1, bias=False)  # the cut points take the place of the bias
        head.cuts = CutPoints(classes)
    method.ordered = True
