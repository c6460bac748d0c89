"""The table of word vectors inside an encoder."""

from __future__ import annotations

from torch import nn

from ..interfaces.errors import OptionError
from ..interfaces.method import Encoder


def word_table(encoder: Encoder) -> nn.Embedding:
    """Find the table that embed looks tokens up in: the first one of the network; its rows are the token ids."""
    for part in encoder.modules():
        if isinstance(part, nn.Embedding):
            return part
    raise OptionError(
        f"The encoder '{type(encoder).__name__.lower()}' has no table of word vectors, so masked words cannot be "
        "predicted: set method.mlm=0."
    )
