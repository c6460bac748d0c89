"""A tokenizer that does not read forbidden words: what it gives is what it would give of the text without them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ...interfaces.document import Tokenizer, Tokens, Words
from ..forbidden import ClosedUp, Forbidden


class ForbiddingTokenizer:
    """Lets another tokenizer read texts without their forbidden words; its tokens know their words in the whole text.

    Whatever is computed from tokens cannot depend on a word that has none.
    """

    def __init__(self, reader: Tokenizer, forbidden: Forbidden) -> None:
        self.reader = reader
        self.forbidden = forbidden
        self.size, self.padding, self.unknown = reader.size, reader.padding, reader.unknown
        self.mask, self.limit = reader.mask, reader.limit
        self.lowercase = bool(getattr(reader, "lowercase", True))

    def __call__(self, texts: Sequence[Words]) -> list[Tokens]:
        """Tokenize many texts at once."""
        closed = [self.forbidden.close_up(text) for text in texts]
        return [
            _in_whole_text(one, tokens)
            for one, tokens in zip(closed, self.reader([one.text for one in closed]), strict=True)
        ]

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits.

        A forbidden word goes with the word before it.
        """
        closed = [self.forbidden.close_up(text) for text in texts]
        cuts = self.reader.windows([one.text for one in closed])
        return [[_with_left_out(one, window) for window in cut] for one, cut in zip(closed, cuts, strict=True)]

    def token_strings(self) -> list[str]:
        """Name every token id."""
        return self.reader.token_strings()

    def to_json(self) -> str:
        """Write the tokenizer that reads; the forbidden words stand in the model's config.json."""
        return self.reader.to_json()


def forbid(tokenizer: Tokenizer, entries: Sequence[str]) -> Tokenizer:
    """Let a tokenizer not read the words of a list, if it names any."""
    return ForbiddingTokenizer(tokenizer, Forbidden(tuple(entries))) if entries else tokenizer


def _in_whole_text(closed: ClosedUp, tokens: Tokens) -> Tokens:
    if len(closed.places) == closed.words:
        return tokens
    owner = tokens.owner
    if owner is not None:
        owner = np.arange(closed.words)
        owner[closed.places] = closed.places[tokens.owner]
    word = np.append(closed.places, -1)[tokens.word]
    return replace(
        tokens,
        word=word,
        words=closed.words,
        truncated_words=closed.truncated(tokens.truncated_words),
        owner=owner,
    )


def _with_left_out(closed: ClosedUp, window: np.ndarray) -> np.ndarray:
    goes_with = np.maximum(np.cumsum(~closed.left_out) - 1, 0)
    return np.flatnonzero(np.isin(goes_with, window))
