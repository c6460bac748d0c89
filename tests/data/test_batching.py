"""Batches: every text once, budgets kept, little padding, the same seed the same batches."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from reference.samples import sample
from whyword.data.batching import POOL, Corpus, collate, training_batches
from whyword.data.padding import by_token_budget
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.interfaces.document import Document, Tokens

LENGTHS = st.lists(st.integers(1, 60), max_size=120).map(lambda values: np.array(values, dtype=np.int64))
BUDGET, SIZE = st.integers(1, 300), st.integers(1, 20)


def padding_share(lengths, batches):
    padded = sum(len(batch) * int(lengths[batch].max()) for batch in batches)
    return 1 - int(lengths.sum()) / padded


@given(LENGTHS, BUDGET, st.none() | SIZE)
def test_every_position_is_in_one_group_and_groups_go_from_long_to_short(lengths, budget, most):
    groups = list(by_token_budget(lengths, budget, most))
    order = [int(i) for group in groups for i in group]
    assert sorted(order) == list(range(len(lengths)))
    assert order == sorted(range(len(lengths)), key=lambda i: -lengths[i])  # stable


@given(LENGTHS, BUDGET, SIZE)
def test_no_group_is_over_budget_unless_one_text_alone_is(lengths, budget, most):
    for group in by_token_budget(lengths, budget, most):
        assert len(group) <= most
        assert len(group) == 1 or len(group) * lengths[group].max() <= budget


@given(LENGTHS, BUDGET)
def test_groups_are_as_large_as_the_budget_allows(lengths, budget):
    groups = list(by_token_budget(lengths, budget))
    for group in groups[:-1]:
        assert (len(group) + 1) * lengths[group].max() > budget


@given(LENGTHS, SIZE, BUDGET, st.integers(0, 9))
def test_an_epoch_has_every_text_exactly_once_within_both_budgets(lengths, size, budget, epoch):
    batches = training_batches(lengths, size, budget, [3, 0, epoch])
    assert sorted(int(i) for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= size
        assert len(batch) == 1 or len(batch) * lengths[batch].max() <= budget


@given(LENGTHS, SIZE, BUDGET)
def test_the_same_seed_gives_the_same_batches(lengths, size, budget):
    first, second = (training_batches(lengths, size, budget, [5, 1, 2]) for _ in range(2))
    assert [batch.tolist() for batch in first] == [batch.tolist() for batch in second]


def test_epochs_phases_and_seeds_are_shuffled_differently():
    lengths = np.random.default_rng(0).integers(1, 60, 500)
    orders = {
        tuple(int(i) for batch in training_batches(lengths, 16, 4096, seed) for i in batch)
        for seed in ([0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0])
    }
    assert len(orders) == 4


def test_texts_do_not_keep_the_same_company():
    lengths = np.full(400, 7)
    first, second = (training_batches(lengths, 10, 4096, [0, 0, epoch]) for epoch in range(2))
    together = {frozenset((int(a), int(b))) for batch in first for a in batch for b in batch if a < b}
    again = {frozenset((int(a), int(b))) for batch in second for a in batch for b in batch if a < b}
    assert len(together & again) / len(again) < 0.1  # 9 of 399 neighbors by chance: 2 %


def test_long_texts_do_not_all_come_first():
    lengths = np.arange(1, 1001)
    batches = training_batches(lengths, 10, 10**6, [0, 0, 0])
    middle = [lengths[batch].mean() for batch in batches]
    assert abs(np.corrcoef(np.arange(len(middle)), middle)[0, 1]) < 0.4  # 100 batches: four standard deviations


@pytest.mark.parametrize("size", [8, 64])
def test_padding_is_a_small_share_of_mixed_lengths(size):
    lengths = np.random.default_rng(0).lognormal(3, 1, size * POOL * 2 + 17).astype(np.int64).clip(1, 400)
    batches = training_batches(lengths, size, 16_384, [0, 0, 0])
    at_random = np.array_split(np.random.default_rng(0).permutation(len(lengths)), len(lengths) // size)
    assert padding_share(lengths, batches) < 0.15
    assert padding_share(lengths, at_random) > 0.5  # what sorting within pools saves


@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=1, max_size=5), st.integers(0, 9))
def test_a_padded_batch_holds_each_text_then_filler(rows, padding):
    texts = []
    for ids in rows:
        values = np.array(ids, dtype=np.int64)
        texts.append(Tokens(values, values + 10, values % 2, len(ids)))
    batch = collate(texts, padding, np.arange(len(rows)))
    longest = max(len(ids) for ids in rows)
    assert batch.labels.tolist() == list(range(len(rows)))
    for row, ids in enumerate(rows):
        fill = longest - len(ids)
        assert batch.tokens[row].tolist() == ids + [padding] * fill
        assert batch.mask[row].tolist() == [True] * len(ids) + [False] * fill
        assert batch.word_of_token[row].tolist() == [i + 10 for i in ids] + [-1] * fill
        assert batch.segments[row].tolist() == [i % 2 for i in ids] + [0] * fill
    assert torch.equal(batch.is_word, batch.mask)
    assert all(table.dtype == torch.int64 for table in (batch.tokens, batch.word_of_token, batch.segments))


def test_a_batch_without_labels_has_none():
    assert collate([Tokens(np.array([1]), np.array([0]), np.array([0]), 1)], 0).labels is None


def test_labels_become_the_numbers_of_their_classes():
    documents = [Document(split("one two"), "b"), Document(split("three"), "a"), Document(split(""), "b")]
    corpus = Corpus.read(documents, ("a", "b"), learn_vocabulary([d.words for d in documents]))
    assert corpus.labels.tolist() == [1, 0, 1]
    assert corpus.lengths.tolist() == [2, 1, 1]
    assert len(corpus) == 3


def test_a_batch_holds_the_chosen_texts_in_the_order_they_were_chosen():
    corpus = sample().train
    chosen = np.array([7, 2, 11])
    batch = corpus.batch(chosen)
    for row, number in enumerate(chosen):
        ids = corpus.texts[number].ids
        assert batch.tokens[row, : len(ids)].tolist() == ids.tolist()
        assert batch.labels[row] == corpus.labels[number]


def test_all_batches_together_hold_every_text_once():
    corpus = sample().train
    batches = corpus.batches(64)
    seen = sorted(
        (tuple(row[mask].tolist()), int(label))
        for batch in batches
        for row, mask, label in zip(batch.tokens, batch.mask, batch.labels, strict=True)
    )
    expected = sorted((tuple(t.ids.tolist()), int(label)) for t, label in zip(corpus.texts, corpus.labels, strict=True))
    assert seen == expected
    assert all(batch.tokens.numel() <= 64 or len(batch) == 1 for batch in batches)
