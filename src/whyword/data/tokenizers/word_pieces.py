"""The tokenizer of a pretrained encoder, with every piece given back to the word it came from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import tokenizers

from ...interfaces.document import Tokens, Words
from ...interfaces.errors import ModelError, OptionError
from ..windows import cut
from .hugging_face import import_transformers


class WordPieceTokenizer:
    """Cuts whole texts as the encoder was pretrained to, then finds the word of each piece by its character offsets."""

    def __init__(self, backend: tokenizers.Tokenizer) -> None:
        self._backend = backend
        facts = json.loads(backend.to_str())
        self.size = int(backend.get_vocab_size(with_added_tokens=True))
        self.padding = int(facts["padding"]["pad_id"])
        self.unknown = _unknown_id(backend, facts["model"], self.padding)
        masks = [backend.token_to_id(name) for name in ("[MASK]", "<mask>")]
        self.mask: int | None = next((number for number in masks if number is not None), None)
        self.limit: int | None = facts["truncation"]["max_length"] if facts["truncation"] else None

    @classmethod
    def from_pretrained(cls, name: str, limit: int) -> WordPieceTokenizer:
        """Load the tokenizer of a Hugging Face model name or folder; limit is the most tokens its encoder reads."""
        transformers = import_transformers(f"The encoder '{name}'")
        try:
            pretrained = transformers.AutoTokenizer.from_pretrained(name, use_fast=True, trust_remote_code=False)
        except (OSError, ValueError) as error:
            raise OptionError(
                f"The tokenizer of '{name}' could not be loaded: {str(error).splitlines()[0]} "
                "Give the name or the folder of a Hugging Face model."
            ) from error
        return cls.wrap(pretrained, name, limit)

    @classmethod
    def wrap(cls, pretrained: Any, name: str, limit: int, padding: int | None = None) -> WordPieceTokenizer:
        """Take over a tokenizer of Hugging Face; name is that of its model, padding for one without such a token."""
        if not pretrained.is_fast:
            raise ModelError(
                f"The tokenizer of '{name}' does not report character offsets, which word scores need: "
                "choose a model with a fast tokenizer."
            )
        backend = tokenizers.Tokenizer.from_str(pretrained.backend_tokenizer.to_str())
        ends = (pretrained.pad_token_id, padding, pretrained.eos_token_id, 0)  # GPT-2 and Llama have none for padding
        padding = next(number for number in ends if number is not None)
        backend.enable_padding(pad_id=padding, pad_token=backend.id_to_token(padding))
        backend.enable_truncation(min(limit, pretrained.model_max_length))
        return cls(backend)

    @classmethod
    def from_json(cls, text: str) -> WordPieceTokenizer:
        """Make the tokenizer that to_json wrote."""
        return cls(tokenizers.Tokenizer.from_str(text))

    @property
    def leads(self) -> bool:
        """Whether a text begins with a token that is no word, in which a model can gather what the text means."""
        return bool(self._backend.encode("a").special_tokens_mask[:1] == [1])

    def __call__(self, texts: Sequence[Words]) -> list[Tokens]:
        """Tokenize many texts at once."""
        return self._tokenize(texts)

    def windows(self, texts: Sequence[Words]) -> list[list[np.ndarray]]:
        """Give the numbers of the words in each overlapping window that the encoder can read; none if a text fits."""
        truncation = self._backend.truncation
        if truncation is None:
            return [[] for _ in texts]
        self._backend.no_truncation()
        whole = self._tokenize(texts, special=False)
        self._backend.enable_truncation(**truncation)
        sizes = [
            truncation["max_length"] - self._backend.num_special_tokens_to_add(len(text.texts) > 1) for text in texts
        ]
        return [
            cut(text, tokens, size) if len(tokens) > size else []
            for text, tokens, size in zip(texts, whole, sizes, strict=True)
        ]

    def _tokenize(self, texts: Sequence[Words], special: bool = True) -> list[Tokens]:
        strings = [text.texts[0] if len(text.texts) == 1 else text.texts for text in texts]
        self._backend.no_padding()
        encodings = self._backend.encode_batch(strings, add_special_tokens=special)
        self._backend.enable_padding(pad_id=self.padding, pad_token=self._backend.id_to_token(self.padding))
        cut = [_tokens(text, encoding) for text, encoding in zip(texts, encodings, strict=True)]
        return [self._nothing(text) if special and not len(text) else text for text in cut]

    def _nothing(self, text: Tokens) -> Tokens:
        """Let a text without any token, as GPT-2 reads an empty one, be one unknown token that is no word."""
        one = np.zeros(1, dtype=np.int64)
        return replace(text, ids=one + self.unknown, word=one - 1, segment=one)

    def token_strings(self) -> list[str]:
        """Name every token id."""
        return [self._backend.id_to_token(number) or "" for number in range(self.size)]

    def to_json(self) -> str:
        """Write the tokenizer in Hugging Face's own format."""
        return str(self._backend.to_str())


def _unknown_id(backend: tokenizers.Tokenizer, model: dict[str, Any], fallback: int) -> int:
    number = backend.token_to_id(model["unk_token"]) if model.get("unk_token") else model.get("unk_id")
    return fallback if number is None else int(number)


def _tokens(text: Words, encoding: tokenizers.Encoding) -> Tokens:
    offsets = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
    special = np.array(encoding.special_tokens_mask, dtype=bool)
    segment = np.array(encoding.type_ids, dtype=np.int64)
    which_text = _text_of_token(encoding, len(text.texts))
    word = np.full(len(offsets), -1, dtype=np.int64)
    owner = np.arange(len(text))
    first, truncated_words = 0, 0
    for number, spans in enumerate(text.spans):
        chosen = ~special & (which_text == number)
        places = np.array(spans, dtype=np.int64).reshape(-1, 2)
        word_of_piece = _word_of_piece(offsets[chosen], places)
        word[chosen] = np.where(word_of_piece >= 0, word_of_piece + first, -1)
        last = int(word_of_piece.max(initial=-1))
        for shared, by in _sharing(offsets[chosen], places, word_of_piece):
            owner[first + shared] = first + by
            last = max(last, shared)
        if encoding.overflowing:
            truncated_words += len(spans) - 1 - last
        first += len(spans)
    shares = bool((owner != np.arange(len(text))).any())
    ids = np.array(encoding.ids, dtype=np.int64)
    return Tokens(ids, word, segment, len(text), truncated_words, owner if shares else None)


def _sharing(offsets: np.ndarray, spans: np.ndarray, word_of_piece: np.ndarray) -> Iterator[tuple[int, int]]:
    """Give each word that has no piece of its own but a part in another word's, and that word."""
    if not len(offsets):
        return
    has_piece = np.zeros(len(spans) + 1, dtype=bool)
    has_piece[word_of_piece] = True  # -1 is the one too many
    for word in np.flatnonzero(~has_piece[:-1] & (spans[:, 0] < offsets[:, 1].max())):
        touching = (offsets[:, 0] < spans[word, 1]) & (offsets[:, 1] > spans[word, 0])
        if touching.any():
            yield int(word), int(word_of_piece[touching.argmax()])


def _text_of_token(encoding: tokenizers.Encoding, texts: int) -> np.ndarray:
    if texts == 1:
        return np.zeros(len(encoding.ids), dtype=np.int64)
    return np.array([1 if number == 1 else 0 for number in encoding.sequence_ids], dtype=np.int64)


def _word_of_piece(offsets: np.ndarray, spans: np.ndarray) -> np.ndarray:
    """Give each piece to the word that it shares most characters with, the earlier one in a tie; -1 if to none."""
    if not len(offsets) or not len(spans):
        return np.full(len(offsets), -1, dtype=np.int64)
    starts, ends = offsets[:, 0], offsets[:, 1]
    first = np.searchsorted(spans[:, 1], starts, side="right")  # the first word that ends after the piece starts
    best, best_shared = np.full(len(offsets), -1, dtype=np.int64), np.zeros(len(offsets), dtype=np.int64)
    most_words = int((np.searchsorted(spans[:, 0], ends, side="left") - first).max(initial=0))
    for step in range(most_words):  # pieces nearly always touch one word
        candidate = np.minimum(first + step, len(spans) - 1)
        shared = np.minimum(ends, spans[candidate, 1]) - np.maximum(starts, spans[candidate, 0])
        better = (shared > best_shared) & (first + step < len(spans))
        best, best_shared = np.where(better, candidate, best), np.where(better, shared, best_shared)
    return best
