"""A recurrent encoder: each state has read the text up to its word, or from both sides."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..blocks.word_encoder import WordEncoder
from ..interfaces.document import Batch
from ..maths.masked import masked_max


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
            states = self._read(recurrent, states, batch.mask)
            layers.append(states)
        return tuple(layers)

    def _read(self, recurrent: nn.Module, states: Tensor, mask: Tensor) -> Tensor:
        if not self.bidirectional:  # padding lies to the right, where a forward LSTM has already left the text
            return recurrent(states)[0]  # type: ignore[no-any-return]
        packed = pack_padded_sequence(states, mask.sum(-1).cpu(), batch_first=True, enforce_sorted=False)
        return pad_packed_sequence(recurrent(packed)[0], batch_first=True, total_length=states.shape[1])[0]

    def summarize(self, states: Tensor, batch: Batch) -> Tensor:
        """Take the maximum over time."""
        return masked_max(states, batch.mask)
