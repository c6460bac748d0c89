"""The contract of every tokenizer: words to tokens, each token knowing its word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np

from .document import Tokens, Words


class Tokenizer(Protocol):
    """Turns words into the tokens an encoder reads; special tokens belong to no word."""

    size: int  # number of token ids
    padding: int
    unknown: int
    mask: int | None  # id of a mask token, where the vocabulary has one
    limit: int | None  # most tokens the encoder can read, special ones included

    def __call__(self, texts: Sequence[Words]) -> list[Tokens]:
        """Tokenize many texts at once."""
        ...

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits."""
        ...

    def token_strings(self) -> list[str]:
        """Name every token id."""
        ...

    def to_json(self) -> str:
        """Write all that is needed to rebuild the tokenizer (the model folder's tokenizer.json)."""
        ...
