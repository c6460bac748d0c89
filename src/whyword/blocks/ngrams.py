"""Word n-grams of padded batches as 64-bit keys, looked up and counted without a loop over tokens."""

from __future__ import annotations

import torch
from torch import Tensor

ABSENT = -1  # where no n-gram begins
MIX = -7046029254386353131  # 2^64 / golden ratio, as a signed number: multiplying by it spreads keys (Knuth)


def ngram_keys(tokens: Tensor, known: Tensor, longest: int) -> Tensor:
    """Give the key of the n-gram of each length that begins at each token: (batch, time, length), length 1 or 2.

    A word's key is its token, a pair's both tokens in one number. Known, (batch, time) bool, marks the tokens that may
    be part of an n-gram; an n-gram never leaps over another token.
    """
    words = tokens.masked_fill(~known, ABSENT)
    if longest == 1:
        return words.unsqueeze(-1)
    pairs = torch.full_like(tokens, ABSENT)
    if tokens.shape[1] > 1:
        both = known[:, :-1] & known[:, 1:]
        pairs[:, :-1] = ((tokens[:, :-1] << 32) | tokens[:, 1:]).masked_fill(~both, ABSENT)
    return torch.stack([words, pairs], -1)


def hash_keys(keys: Tensor, buckets: int) -> Tensor:
    """Put keys into buckets, far fewer than there are keys; absent ones stay absent."""
    mixed = (keys ^ (keys >> 29)) * MIX
    return (((mixed >> 32) & 0x7FFFFFFF) % buckets).masked_fill(keys == ABSENT, ABSENT)


def find_keys(keys: Tensor, vocabulary: Tensor) -> Tensor:
    """Give the place of each key in a sorted vocabulary; keys that are not there get its size."""
    if not len(vocabulary):
        return torch.zeros_like(keys)
    place = torch.searchsorted(vocabulary, keys).clamp(max=len(vocabulary) - 1)
    return place.masked_fill(vocabulary[place] != keys, len(vocabulary))


def occurrence_values(found: Tensor, idf: Tensor, sublinear: bool) -> Tensor:
    """Give each occurrence of an n-gram its share of the n-gram's tf-idf value, L2-normed: (batch, time, length).

    Found are places in idf, the last of which is 0 and stands for all that is no feature. The value of an n-gram that
    occurs tf times is tf · idf, or (1 + log tf) · idf, over the norm of all of the text's; each occurrence gets an
    equal part of it.
    """
    texts, features = len(found), len(idf)
    rows = torch.arange(texts, device=found.device).view(-1, 1, 1).expand_as(found)
    distinct, which, counts = torch.unique(rows * features + found, return_inverse=True, return_counts=True)
    times = counts.to(idf.dtype)
    values = (1 + times.log() if sublinear else times) * idf[distinct % features]
    squares = idf.new_zeros(texts).index_add(0, distinct.div(features, rounding_mode="floor"), values.square())
    norm = torch.where(squares > 0, squares, 1.0).sqrt().view(-1, 1, 1)
    shares: Tensor = (values / times)[which] / norm
    return shares
