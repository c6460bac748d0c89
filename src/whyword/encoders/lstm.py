"""A recurrent encoder: each state has read the text up to its word, or from both sides."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from ..blocks.word_encoder import WordEncoder
from ..interfaces.document import Batch
from ..interfaces.settings import check_above_zero, check_share_below_one
from ..maths.tensors.masked import masked_max


class Lstm(WordEncoder):
    """One or more LSTM layers."""

    @dataclass(frozen=True)
    class Config:
        """Settings of the LSTM; hidden size and depth as in VAT and VMASK."""

        dim: int = 100  # width of the word vectors; pretrained vectors bring their own
        hidden: int = 100  # width of a state, per direction
        layers: int = 1
        bidirectional: bool = False
        dropout: float = 0.2  # share of the entries of word vectors set to 0 in training
        frozen: bool = False  # keep the word vectors as they are

        def __post_init__(self) -> None:
            """Refuse settings out of range."""
            check_above_zero(self, "dim", "hidden", "layers")
            check_share_below_one(self, "dropout")

    learning_rate = 2e-3

    def __init__(self, config: Config, vocabulary: int, padding: int) -> None:
        super().__init__(config, vocabulary, padding)
        self.bidirectional = config.bidirectional
        width = config.hidden * (2 if config.bidirectional else 1)
        self.recurrent = nn.ModuleList(
            nn.LSTM(
                config.dim if layer == 0 else width, config.hidden, batch_first=True, bidirectional=config.bidirectional
            )
            for layer in range(config.layers)
        )
        for parameter in self.recurrent.parameters():
            if parameter.dim() > 1:
                nn.init.orthogonal_(parameter)
        self.layer_dims = (width,) * config.layers

    def encode(self, embedded: Tensor, batch: Batch) -> tuple[Tensor, ...]:
        """Read each layer's states from the layer below."""
        layers: list[Tensor] = []
        states = embedded
        for recurrent in self.recurrent:
            assert isinstance(recurrent, nn.LSTM)
            states = self._read(recurrent, states, batch.mask)
            layers.append(states)
        return tuple(layers)

    def _read(self, recurrent: nn.LSTM, states: Tensor, mask: Tensor) -> Tensor:
        if not self.bidirectional:  # padding lies to the right, where a forward LSTM has already left the text
            return recurrent(states)[0]  # type: ignore[no-any-return]
        forward, backward = recurrent.all_weights
        backwards = _backwards(mask)
        ahead = _run(recurrent, states, forward)
        back = _run(recurrent, states.gather(1, backwards.expand_as(states)), backward)
        return torch.cat([ahead, back.gather(1, backwards.expand_as(back))], dim=-1) * mask.unsqueeze(-1)

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Take the maximum over time."""
        return masked_max(states, batch.mask)


def _backwards(mask: Tensor) -> Tensor:
    """Give (batch, time, 1): where each text, but not its padding, has the tokens that it has from its end."""
    place = torch.arange(mask.shape[1], device=mask.device)
    mirrored = mask.sum(-1, keepdim=True) - 1 - place
    return torch.where(mirrored >= 0, mirrored, place).unsqueeze(-1)


def _run(recurrent: nn.LSTM, states: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """Read in one direction; padded texts are read much faster than packed ones."""
    start = states.new_zeros(1, states.shape[0], recurrent.hidden_size)
    read, *_ = torch.lstm(states, (start, start), tuple(weights), True, 1, 0.0, recurrent.training, False, True)
    return read
