"""Keys, lookups and tf-idf values of n-grams against plain loops and scikit-learn."""

import itertools
from collections import Counter

import numpy as np
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfTransformer

from whyword.blocks.ngrams import ABSENT, find_keys, hash_keys, ngram_keys, occurrence_values

TEXTS = st.lists(st.lists(st.integers(4, 9), max_size=8), min_size=1, max_size=5)


def padded(texts):
    longest = max(1, *(len(text) for text in texts), 1)
    tokens = torch.zeros(len(texts), longest, dtype=torch.long)
    for row, text in enumerate(texts):
        tokens[row, : len(text)] = torch.tensor(text, dtype=torch.long)
    return tokens


@given(TEXTS)
def test_the_keys_of_a_text_are_its_words_and_its_pairs_of_neighbors(texts):
    tokens = padded(texts)
    keys = ngram_keys(tokens, tokens > 0, 2)
    for row, text in enumerate(texts):
        here = keys[row][: len(text)]
        assert here[:, 0].tolist() == text
        assert here[:-1, 1].tolist() == [(a << 32) + b for a, b in itertools.pairwise(text)]
        assert (keys[row][len(text) :] == ABSENT).all()
        assert (here[-1:, 1] == ABSENT).all()


def test_a_pair_never_leaps_over_a_token_that_is_no_word():
    tokens = torch.tensor([[5, 1, 6, 7]])
    keys = ngram_keys(tokens, tokens >= 4, 2)
    assert keys[0, :, 0].tolist() == [5, ABSENT, 6, 7]
    assert keys[0, :, 1].tolist() == [ABSENT, ABSENT, (6 << 32) + 7, ABSENT]


def test_a_key_is_found_at_its_place_and_any_other_behind_the_last():
    vocabulary = torch.tensor([4, 7, 9, 5 << 32])
    keys = torch.tensor([[9, 4, 8, ABSENT], [5 << 32, 6 << 32, 7, 0]])
    assert find_keys(keys, vocabulary).tolist() == [[2, 0, 4, 4], [3, 4, 1, 4]]
    assert find_keys(keys, vocabulary[:0]).tolist() == [[0] * 4] * 2


def test_hashing_spreads_words_and_pairs_over_all_buckets():
    words = torch.arange(4, 2_004)
    keys = torch.cat([words, (words[:100].repeat_interleave(100) << 32) | words[:100].repeat(100)])
    buckets = hash_keys(keys, 512)
    counts = torch.bincount(buckets, minlength=512)
    assert len(counts) == 512
    assert counts.max() < 3 * len(keys) / 512
    assert hash_keys(torch.tensor([ABSENT]), 512).tolist() == [ABSENT]


@settings(max_examples=50)
@given(TEXTS, st.booleans())
def test_the_values_of_all_occurrences_add_up_to_scikit_learns_tf_idf(texts, sublinear):
    rarity = np.array([0.5, 1.0, 1.5, 2.0, 3.0, 4.0])  # of the tokens 4 to 9
    weigh = TfidfTransformer(sublinear_tf=sublinear)
    weigh.fit(np.ones((1, 6)))
    weigh.idf_ = rarity
    counts = np.array([[Counter(text)[token] for token in range(4, 10)] for text in texts])
    wanted = weigh.transform(counts).toarray()
    tokens = padded(texts)
    found = find_keys(ngram_keys(tokens, tokens > 0, 1), torch.arange(4, 10))
    values = occurrence_values(found, torch.from_numpy(np.append(rarity, 0.0)), sublinear)[..., 0]
    for row, text in enumerate(texts):
        got = np.zeros(6)
        np.add.at(got, np.array(text, dtype=int) - 4, values[row, : len(text)].numpy())
        np.testing.assert_allclose(got, wanted[row], atol=1e-12)
