"""How far what a model attends to is what it decides by: V and W of Sun & Lu, whatever lies before the attention."""

from __future__ import annotations

from torch import Tensor, nn

from ..interfaces.method import Encoder
from .attention import AdditiveAttention, DotProductAttention


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
