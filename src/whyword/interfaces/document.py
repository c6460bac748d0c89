"""What a reader sees (words, documents), what an encoder reads (tokens, batches), and the tokenizer between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from torch import Tensor, device

Label = str | int
Span = tuple[int, int]
Marked = tuple[tuple[Span, ...], ...]  # per text: marked character spans
REASON, NO_REASON, UNKNOWN = 1, 0, -1  # what is known of a word: a person marked it, did not mark it, was not asked


@dataclass(frozen=True, slots=True)
class Words:
    """A text, or a pair of texts, cut into the words a reader sees."""

    texts: tuple[str, ...]
    spans: tuple[tuple[Span, ...], ...]  # per text: character offsets [start, end) of its words

    def __len__(self) -> int:
        """Count the words of all texts together."""
        return sum(len(spans) for spans in self.spans)

    @property
    def strings(self) -> tuple[str, ...]:
        """The words themselves, those of the second text after those of the first."""
        return tuple(
            text[start:end] for text, spans in zip(self.texts, self.spans, strict=True) for start, end in spans
        )

    @property
    def segments(self) -> tuple[int, ...]:
        """For each word, which text it stands in: 0, or 1 for the second of a pair."""
        return tuple(number for number, spans in enumerate(self.spans) for _ in spans)


@dataclass(frozen=True, slots=True)
class Document:
    """Words with the class they were given and the passages a human marked as the reason."""

    words: Words
    label: Label | None = None
    rationale: Marked | None = None  # None: nobody was asked; empty: somebody marked none
    weight: float | None = None  # how much it counts in training; None: as much as one
    labels: tuple[Label, ...] | None = None  # all of them, perhaps none, where a text may have several; then no label
    rationales: tuple[tuple[Label, Marked], ...] | None = None  # passages that were each marked for one label
    not_rationale: Marked | None = None  # passages marked as no reason; where no other is marked, only they are known

    @property
    def all_labels(self) -> tuple[Label, ...]:
        """The label, the labels, or none."""
        if self.labels is not None:
            return self.labels
        return () if self.label is None else (self.label,)

    def for_label(self, label: Label) -> Document:
        """Give the document with the passages that were marked for a label as its rationale."""
        if self.rationales is None:
            return self
        return replace(self, rationale=dict(self.rationales).get(label))

    @property
    def rationale_words(self) -> tuple[bool, ...] | None:
        """For each word, whether it overlaps a marked passage."""
        return None if self.rationale is None else _overlapping(self.words, self.rationale)

    @property
    def word_marks(self) -> tuple[int, ...] | None:
        """For each word REASON, NO_REASON or UNKNOWN; None if nothing is known of any.

        Whoever marks some words says of the others that they are none, unless all they mark is what is no reason. Of
        passages that were marked for one label each, any counts.
        """
        marked = self.rationale
        if marked is None and self.rationales:
            per_label = [spans for _, spans in self.rationales]
            marked = tuple(
                tuple(span for spans in of_text for span in spans) for of_text in zip(*per_label, strict=True)
            )
        refused = self.not_rationale if self.not_rationale is not None and any(self.not_rationale) else None
        if marked is None and refused is None:
            return None
        reasons = (False,) * len(self.words) if marked is None else _overlapping(self.words, marked)
        if refused is None or any(reasons):
            return tuple(REASON if reason else NO_REASON for reason in reasons)
        return tuple(NO_REASON if no_reason else UNKNOWN for no_reason in _overlapping(self.words, refused))


def _overlapping(words: Words, marked: Marked) -> tuple[bool, ...]:
    """For each word, whether it overlaps a marked passage."""
    return tuple(
        any(start < marked_end and marked_start < end for marked_start, marked_end in passages)
        for spans, passages in zip(words.spans, marked, strict=True)
        for start, end in spans
    )


@dataclass(frozen=True, slots=True)
class Tokens:
    """One text as an encoder reads it, special tokens included."""

    ids: np.ndarray  # (token,) int64
    word: np.ndarray  # (token,) int64: the word each token is a piece of, -1 for special tokens
    segment: np.ndarray  # (token,) int64: 0, or 1 for the second text of a pair
    words: int  # how many words the text has, read or not
    truncated_words: int = 0  # words at the end that the encoder's limit cut off
    owner: np.ndarray | None = None  # (word,) int64: itself or, of a word that shares a piece, the word that has it

    def __len__(self) -> int:
        """Count the tokens."""
        return len(self.ids)


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
        """Write all that defines this tokenizer, as in the model folder's tokenizer.json."""
        ...


@dataclass(frozen=True)
class Batch:
    """Texts padded to the longest of them."""

    tokens: Tensor  # (batch, time) long
    mask: Tensor  # (batch, time) bool: False on padding
    word_of_token: Tensor  # (batch, time) long: -1 on special tokens and padding
    segments: Tensor  # (batch, time) long
    labels: Tensor | None = None  # (batch,) long: index of the class; (batch, label) float: 1 for each that a text has
    rows: Tensor | None = None  # (batch,) long: which texts of a corpus these are, where that matters
    weights: Tensor | None = None  # (batch,) or (batch, label): how much each counts in the task; None: all the same
    owner: Tensor | None = None  # (batch, word) long: as in Tokens, to the most words of any text; None: each itself
    ignored: Tensor | None = None  # (batch, word) bool: words that are to move no answer, to the most words of any text
    marks: Tensor | None = None  # (batch, time) long: of each token's word REASON, NO_REASON or UNKNOWN; None: unknown

    def __len__(self) -> int:
        """Count the texts."""
        return self.tokens.shape[0]

    @property
    def is_word(self) -> Tensor:
        """(batch, time) bool: True on pieces of words, False on special tokens and padding."""
        return self.word_of_token >= 0

    def select(self, chosen: Tensor) -> Batch:
        """Give the chosen texts, as often as they are named."""
        return Batch(
            tokens=self.tokens[chosen],
            mask=self.mask[chosen],
            word_of_token=self.word_of_token[chosen],
            segments=self.segments[chosen],
            labels=None if self.labels is None else self.labels[chosen],
            rows=None if self.rows is None else self.rows[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            ignored=None if self.ignored is None else self.ignored[chosen],
            owner=None if self.owner is None else self.owner[chosen],
            marks=None if self.marks is None else self.marks[chosen],
        )

    def to(self, where: device | str) -> Batch:
        """Give the same batch on another device."""
        return replace(
            self,
            tokens=self.tokens.to(where),
            mask=self.mask.to(where),
            word_of_token=self.word_of_token.to(where),
            segments=self.segments.to(where),
            labels=None if self.labels is None else self.labels.to(where),
            rows=None if self.rows is None else self.rows.to(where),
            weights=None if self.weights is None else self.weights.to(where),
            ignored=None if self.ignored is None else self.ignored.to(where),
            owner=None if self.owner is None else self.owner.to(where),
            marks=None if self.marks is None else self.marks.to(where),
        )
