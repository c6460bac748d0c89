"""Gates: small networks that say how much a token counts, and whether a mask made of them is alive."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from ..interfaces.document import Batch
from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder, Prediction, count_right

BANDS = ("bottom", "middle", "top")


class WordGate(nn.Module):
    """One hidden layer, one number per token: Linear, tanh, Linear (VMASK's inference network)."""

    def __init__(self, embedding_dim: int, width: int, bias: bool = True) -> None:
        super().__init__()
        self.hidden = nn.Linear(embedding_dim, width)
        self.output = nn.Linear(width, 1, bias=bias)

    def forward(self, embedded: Tensor) -> Tensor:
        """(…, embedding_dim) to (…)."""
        logits: Tensor = self.output(torch.tanh(self.hidden(embedded))).squeeze(-1)
        return logits


class Units:
    """What gets one gate: each word with all its pieces, or each token by itself."""

    def __init__(self, batch: Batch, whole_words: bool) -> None:
        self.index: Tensor | None = None  # (batch, time): the unit of each token; None: tokens are the units
        if whole_words:
            words = int(batch.word_of_token.max().clamp(min=-1)) + 1 if batch.word_of_token.numel() else 0
            alone = words + torch.arange(batch.tokens.shape[1], device=batch.tokens.device)
            self.index = torch.where(batch.is_word, batch.word_of_token, alone)
            self.count = words + batch.tokens.shape[1]

    def pool(self, values: Tensor) -> Tensor:
        """Average over the tokens of a unit: (batch, time) to (batch, unit)."""
        if self.index is None:
            return values
        return values.new_zeros(len(values), self.count).scatter_add(1, self.index, values) / self.sizes(values)

    def sizes(self, like: Tensor) -> Tensor:
        """Count the tokens of each unit, at least 1: (batch, time) to (batch, unit)."""
        if self.index is None:
            return torch.ones_like(like)
        return like.new_zeros(len(like), self.count).scatter_add(1, self.index, torch.ones_like(like)).clamp(min=1)

    def spread(self, values: Tensor) -> Tensor:
        """Give every token the value of its unit: (batch, unit) to (batch, time)."""
        return values if self.index is None else values.gather(1, self.index)


class LayerGate(nn.Module):
    """Hidden layers of tanh on the layers side by side, one number per token (E-VarM's g_φ)."""

    def __init__(self, dims: Sequence[int], widths: Sequence[int]) -> None:
        super().__init__()
        self.dims = list(dims)
        self.first = nn.Linear(sum(dims), widths[0])
        self.hidden = nn.ModuleList(nn.Linear(below, above) for below, above in pairwise(widths))
        self.output = nn.Linear(widths[-1], 1)

    def forward(self, layers: Sequence[Tensor]) -> Tensor:
        """(…, dim) per layer to (…); they are never copied side by side, which for BERT would be 10,000 wide."""
        hidden: Tensor = self.first.bias
        for states, weight in zip(layers, self.first.weight.split(self.dims, dim=1), strict=True):
            hidden = hidden + linear(states, weight)
        for layer in self.hidden:
            hidden = layer(torch.tanh(hidden))
        logits: Tensor = self.output(torch.tanh(hidden)).squeeze(-1)
        return logits


def chosen_layers(layers: str | tuple[int, ...], count: int) -> tuple[int, ...]:
    """Give the numbers of the layers meant, 0 for the word vectors; bands are thirds of the layers above them."""
    if layers == "all":
        return tuple(range(count + 1))
    if isinstance(layers, str):
        if count < len(BANDS):
            raise OptionError(
                f"method.gate_layers is {layers}, but {count} layer(s) have no thirds: give all, or numbers from 0, "
                f"the word vectors, to {count}."
            )
        band = BANDS.index(layers)
        return tuple(range(1 + count * band // 3, 1 + count * (band + 1) // 3))
    if not layers or len(set(layers)) < len(layers) or not all(0 <= layer <= count for layer in layers):
        raise OptionError(
            f"method.gate_layers is {','.join(map(str, layers))}: give all, bottom, middle, top, or different numbers "
            f"from 0, the word vectors, to {count}."
        )
    return layers


COLLAPSED = 0.02  # standard deviation over words below which the ranking is noise
SATURATED = 0.97  # mean above which the mask lets everything through


class Gating(Protocol):
    """A method whose gates can be drawn at random."""

    encoder: Encoder

    def classify_sampled(self, embedded: Tensor, batch: Batch) -> tuple[Prediction, Tensor]:
        """Predict with gates drawn at random; also give the (batch, time) logits of keeping."""
        ...


def gate_health(method: Gating, batches: Sequence[Batch]) -> dict[str, float]:
    """Spread of the keep probability over words, and accuracy with gates as they are in training, from one pass.

    Where that accuracy is far from the one with expected gates, the two do not fit together.
    """
    keep, right = [], 0
    for batch in batches:
        assert batch.labels is not None
        prediction, keep_logits = method.classify_sampled(method.encoder.embed(batch), batch)
        keep.append(keep_logits.sigmoid())
        right += count_right(prediction.logits, batch.labels)
    return keep_statistics(batches, keep) | {"sampled_accuracy": right / sum(map(len, batches))}


def keep_statistics(batches: Sequence[Batch], keep: Sequence[Tensor]) -> dict[str, float]:
    """Smallest, mean, largest and standard deviation of (batch, time) scores over distinct tokens of the batches."""
    tokens = [batch.tokens[batch.is_word].cpu() for batch in batches]
    scores = [weights[batch.is_word].detach().double().cpu() for batch, weights in zip(batches, keep, strict=True)]
    if not sum(map(len, tokens)):
        return {}
    _, number = torch.unique(torch.cat(tokens), return_inverse=True)
    values = torch.cat(scores)
    totals = values.new_zeros(int(number.max()) + 1).scatter_add(0, number, values)
    means = totals / torch.bincount(number)
    return {
        "keep_min": float(means.min()),
        "keep_mean": float(means.mean()),
        "keep_max": float(means.max()),
        "keep_sd": float(means.std(unbiased=False)),
    }


def mask_warnings(health: dict[str, float], collapsed: str, saturated: str) -> list[str]:
    """Judge a mask by its statistics; the method says what to change when it has collapsed or is saturated."""
    if not health:
        return []
    if health["keep_sd"] < COLLAPSED:
        return [
            f"the word mask has collapsed: keep probabilities differ by only {health['keep_sd']:.3f} (standard "
            f"deviation) around {health['keep_mean']:.2f}, so its ranking of words is noise. {collapsed}"
        ]
    if health["keep_mean"] > SATURATED:
        return [
            f"the word mask lets everything through (mean keep probability {health['keep_mean']:.3f}), so it explains "
            f"little. {saturated}"
        ]
    return []
