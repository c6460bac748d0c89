"""A small network that reads several layers of a token's states at once and says how much the token counts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from ..interfaces.errors import OptionError

BANDS = ("bottom", "middle", "top")


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
