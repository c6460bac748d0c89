"""Sub-texts of many texts, built from token ids that are computed once: nothing is re-tokenized or padded twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..data.padding import Padded, by_token_budget
from ..interfaces.classifier import REMOVALS, Removal
from ..interfaces.document import Tokenizer, Tokens
from ..interfaces.errors import OptionError, unknown_name
from ..maths.arrays.rows import distinct_rows


@dataclass(frozen=True)
class SubTexts:
    """Distinct sub-texts as rows of token positions, laid end to end."""

    ids: np.ndarray  # (token,) of all texts together, one filler token last; then the replaced copies, if any
    word: np.ndarray  # (token,)
    segment: np.ndarray  # (token,)
    kept: np.ndarray  # (kept token,) position in the arrays above, row after row
    starts: np.ndarray  # (row,) where each row begins in kept
    lengths: np.ndarray  # (row,)
    row_of_request: list[np.ndarray]  # per text: (subset,) the row that answers it
    padding: int

    @property
    def rows(self) -> int:
        """Count the distinct sub-texts."""
        return len(self.lengths)

    def batches(self, budget: int, fewest_rows: int = 1) -> Iterator[tuple[np.ndarray, Padded]]:
        """Give padded batches of rows of similar length, each with the numbers of its rows."""
        for rows in by_token_budget(self.lengths, budget, fewest_texts=fewest_rows):
            columns = np.arange(self.lengths[rows[0]])  # the first of a batch is the longest
            mask = columns < self.lengths[rows, None]
            where = self.kept[np.minimum(self.starts[rows, None] + columns, len(self.kept) - 1)]
            yield (
                rows,
                Padded(
                    tokens=np.where(mask, self.ids[where], self.padding),
                    mask=mask,
                    word_of_token=np.where(mask, self.word[where], -1),
                    segments=np.where(mask, self.segment[where], 0),
                ),
            )


def lay_out(
    texts: Sequence[Tokens], kept: Sequence[np.ndarray], padding: int, unknown: int, replacement: int | None = None
) -> SubTexts:
    """Lay out the sub-texts that keep the marked words, (subset, word) bool per text; equal ones are laid out once.

    The tokens of the other words are deleted, or replaced by the replacement. Special tokens always stay. Words that
    share a piece stay only together. A sub-text of no token at all becomes one unknown token that belongs to no word.
    """
    ids, word, segment = (
        np.concatenate([*(getattr(text, name) for text in texts), [filler]])
        for name, filler in (("ids", unknown), ("word", -1), ("segment", 0))
    )
    positions: list[np.ndarray] = []
    lengths: list[np.ndarray] = []
    row_of_request: list[np.ndarray] = []
    first_token, first_row = 0, 0
    for text, subsets in zip(texts, kept, strict=True):
        distinct, inverse = distinct_rows(_together(subsets, text.owner))
        stays = np.concatenate([distinct, np.ones((len(distinct), 1), dtype=bool)], axis=1)[:, text.word]
        where = np.arange(first_token, first_token + len(text))
        if replacement is not None:
            positions.append(np.where(stays, where, where + len(ids)).ravel())  # the copies stand behind the originals
            lengths.append(np.full(len(distinct), len(text)))
        else:
            if not (text.word < 0).any():
                stays = np.concatenate([stays, np.logical_not(stays.any(axis=1, keepdims=True))], axis=1)
                where = np.append(where, len(ids) - 1)
            positions.append(where[np.nonzero(stays)[1]])
            lengths.append(stays.sum(axis=1))
        row_of_request.append(first_row + inverse)
        first_token, first_row = first_token + len(text), first_row + len(distinct)
    if replacement is not None:
        ids = np.concatenate([ids, np.full_like(ids, replacement)])
        word, segment = np.tile(word, 2), np.tile(segment, 2)
    all_lengths = np.concatenate(lengths)
    return SubTexts(
        ids=ids,
        word=word,
        segment=segment,
        kept=np.concatenate(positions),
        starts=np.cumsum(all_lengths) - all_lengths,
        lengths=all_lengths,
        row_of_request=row_of_request,
        padding=padding,
    )


def replacement_of(tokenizer: Tokenizer, removal: Removal) -> int | None:
    """Give the token that stands for a removed one; None where removed tokens are deleted."""
    tokens = {"delete": None, "pad": tokenizer.padding, "unknown": tokenizer.unknown, "mask": tokenizer.mask}
    if removal not in tokens:
        raise unknown_name(removal, "the ways to remove words", list(REMOVALS))
    if removal == "mask" and tokenizer.mask is None:
        raise OptionError("This model has no mask token: choose removal delete, pad or unknown.")
    return tokens[removal]


def _together(kept: np.ndarray, owner: np.ndarray | None) -> np.ndarray:
    """Take out, with a word, all that share a piece with it: (subset, word) bool both."""
    if owner is None:
        return kept
    together = kept.copy()
    sharing = np.flatnonzero(owner != np.arange(len(owner)))
    for word in sharing:
        together[:, owner[word]] &= kept[:, word]
    together[:, sharing] = together[:, owner[sharing]]
    return together
