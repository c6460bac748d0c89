"""Sub-texts as tensors: the words of a batch that are left out are deleted, and the text closes up."""

from __future__ import annotations

from dataclasses import replace

import torch
from torch import Tensor

from ..interfaces.document import Batch
from ..maths.tensors.subsets import random_pair


def keep_words(batch: Batch, kept: Tensor, unknown: int) -> Batch:
    """Delete the tokens of the words that are not kept, (batch, word) bool.

    Special tokens stay; a text that has no token left becomes one unknown token, as in inference/subsets.py.
    """
    stays = batch.mask & (~batch.is_word | kept.gather(1, batch.word_of_token.clamp(min=0)))
    length = stays.sum(1)
    empty = length == 0
    most = int(length.clamp(min=1).max())
    order = (~stays).to(torch.int8).argsort(dim=1, stable=True)[:, :most]
    mask = torch.arange(most, device=length.device) < length.clamp(min=1).unsqueeze(1)
    tokens = batch.tokens.gather(1, order)
    words = batch.word_of_token.gather(1, order).masked_fill(~mask | empty.unsqueeze(1), -1)
    return replace(
        batch,
        tokens=tokens.masked_fill(empty.unsqueeze(1), unknown),
        mask=mask,
        word_of_token=words,
        segments=batch.segments.gather(1, order),
        marks=None,  # those of the whole text
    )


def random_sub_texts(batch: Batch, unknown: int) -> Batch:
    """Give a random sub-text of a random half of the texts, and after all of them those of the words left out."""
    half = torch.randperm(len(batch), device=batch.tokens.device)[: (len(batch) + 1) // 2]  # a pair costs a whole text
    batch = batch.select(half)
    most = int(batch.word_of_token.max()) + 1 if batch.is_word.any() else 1
    words = batch.word_of_token.max(1).values + 1
    present = torch.arange(most, device=words.device) < words.unsqueeze(1)
    drawn = random_pair(words, present)
    twice = batch.select(torch.arange(len(batch), device=words.device).repeat(2))
    return keep_words(twice, torch.cat([drawn, present & ~drawn]), unknown)
