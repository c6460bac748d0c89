"""Attention over the states of a text, the classifier that attends, and whether its weights can matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch
from torch import Tensor, nn

from ..interfaces.document import Batch
from ..interfaces.method import Attending, Encoder, Method, Prediction, lower_layers
from ..maths.tensors.distances import conicity
from ..maths.tensors.masked import masked_softmax

ALIKE = 0.95  # conicity above which the states of a text are nearly one


class AdditiveAttention(nn.Module):
    """e_t = v · tanh(W h_t) / λ (Bahdanau et al. 2015 without a query; VAT).

    Several heads share W and have a v each (Lin et al. 2017); the weight of a token is their mean.
    """

    def __init__(self, state_dim: int, width: int, scale: float, heads: int = 1) -> None:
        super().__init__()
        self.scale = scale  # λ
        self.hidden = nn.Linear(state_dim, width, bias=False)
        self.query = nn.Linear(width, heads, bias=False)

    def scores(self, states: Tensor) -> Tensor:
        """(batch, time, dim) to (batch, time) before the softmax; with several heads (batch, time, head)."""
        scores: Tensor = self.query(torch.tanh(self.hidden(states))).squeeze(-1) / self.scale
        return scores

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, time) weights, 0 where mask is False."""
        if self.query.out_features > 1:
            return self.by_head(states, mask).mean(1)
        return masked_softmax(self.scores(states), mask)

    def by_head(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, head, time) weights of every head."""
        scores = self.scores(states).view(*mask.shape, -1).transpose(1, 2)
        return masked_softmax(scores, mask.unsqueeze(1))


class DotProductAttention(nn.Module):
    """e_t = h_t · v / λ with a learned query v (Sun & Lu 2020, their DP; λ = √dim is the usual scaling)."""

    def __init__(self, state_dim: int, scale: float) -> None:
        super().__init__()
        self.scale = scale  # λ
        self.query = nn.Parameter(torch.randn(state_dim))

    def scores(self, states: Tensor) -> Tensor:
        """(batch, time, dim) to (batch, time) before the softmax."""
        return states @ self.query / self.scale

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(batch, time) weights, 0 where mask is False."""
        return masked_softmax(self.scores(states), mask)


def attend(weights: Tensor, states: Tensor) -> Tensor:
    """Weighted sum of the states: (batch, time), (batch, time, dim) to (batch, dim)."""
    return torch.einsum("bt,btd->bd", weights, states)


class Attentive(Method):
    """A method that attends (interfaces/attending.py); its weights are the explanation."""

    own_score = "share"
    attention: nn.Module
    head: nn.Module

    def classify(self, embedded: Tensor, batch: Batch) -> Prediction:
        """Predict from word vectors; special tokens of transformers take part in the attention."""
        layers = self.encoder.encode(embedded, batch)
        weights = self.attention(layers[-1], batch.mask)
        return replace(self.classify_from(weights, layers[-1]), lower=lower_layers(layers))

    def attention_and_states(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
        """Give the weights, and the states that they weigh."""
        states = self.encoder.encode(embedded, batch)[-1]
        return self.attention(states, batch.mask), states

    def classify_from(self, weights: Tensor, states: Tensor) -> Prediction:
        """Predict from the weighted sum of the states."""
        pooled = attend(weights, states)
        return Prediction(self.head(pooled), pooled, weights, states)


def states_health(method: Attending, encoder: Encoder, batches: Sequence[Batch]) -> dict[str, float]:
    """Measure the conicity of the attended states, averaged over texts."""
    total = 0.0
    for batch in batches:
        _, states = method.attention_and_states(encoder.embed(batch), batch)
        total += float(conicity(states, batch.mask).sum())
    return {"conicity": total / max(1, sum(map(len, batches)))}


def states_warnings(health: dict[str, float], remedy: str) -> list[str]:
    """Say whether the states are too much alike for attention to matter; the method says what to change."""
    if health.get("conicity", 0.0) <= ALIKE:
        return []
    return [
        f"the states of a text are nearly the same (conicity {health['conicity']:.2f}, where 1 is one direction), so "
        f"where the attention goes hardly matters. {remedy}"
    ]


def affine_layer(encoder: Encoder) -> nn.Linear | None:
    """Give the linear layer that is all such an encoder has after its word vectors; None for other encoders."""
    layer = getattr(encoder, "layer", None)
    return layer if isinstance(layer, nn.Linear) else None


def plain_query(attention: nn.Module) -> Tensor | None:
    """Give V, (dim,); for additive attention its leading term MᵀV, as tanh(x) ≈ x; None for other kinds."""
    if isinstance(attention, DotProductAttention):
        return attention.query
    if isinstance(attention, AdditiveAttention) and attention.query.weight.shape[0] == 1:
        return attention.query.weight[0] @ attention.hidden.weight
    return None


def in_word_space(weights: Tensor, encoder: Encoder) -> Tensor:
    """Let weights on states, (…, dim), act on word vectors if the encoder is affine (W' = MᵀW); else leave them."""
    layer = affine_layer(encoder)
    return weights if layer is None else weights @ layer.weight


def query_overlap(query: Tensor, polarity: Tensor, encoder: Encoder) -> Tensor:
    """V·W, or V'·W' of an affine encoder: (score, dim) to (score,)."""
    return in_word_space(polarity, encoder) @ in_word_space(query, encoder)
