"""Sub-texts laid out from token ids."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from reference.sub_texts import keep_tokens, replace_tokens
from whyword.inference import subsets as under_test
from whyword.interfaces.document import Tokens

PADDING, UNKNOWN, MASK = 0, 1, 2


@st.composite
def requests(draw):
    """Texts whose words have one or more pieces, with or without special tokens, and subsets of their words."""
    texts, kept = [], []
    for _ in range(draw(st.integers(1, 4))):
        words = draw(st.integers(0, 10))
        word = [number for number in range(words) for _ in range(draw(st.integers(0, 2)))]
        if draw(st.booleans()) or not word:
            word = [-1, *word, -1]
        ids = draw(st.lists(st.integers(3, 50), min_size=len(word), max_size=len(word)))
        segment = sorted(draw(st.lists(st.integers(0, 1), min_size=len(word), max_size=len(word))))
        texts.append(Tokens(np.array(ids), np.array(word), np.array(segment), words))
        rows = draw(st.lists(st.lists(st.booleans(), min_size=words, max_size=words), max_size=5))
        kept.append(np.array(rows, dtype=bool).reshape(len(rows), words))
    return texts, kept


def lay_out(texts, kept, budget, replacement=None):
    """Give what each row holds, as tuples, and the batches."""
    sub_texts = under_test.lay_out(texts, kept, PADDING, UNKNOWN, replacement)
    rows, batches = {}, list(sub_texts.batches(budget))
    for numbers, batch in batches:
        for number, tokens, mask, word, segment in zip(
            numbers, batch.tokens, batch.mask, batch.word_of_token, batch.segments, strict=True
        ):
            assert int(number) not in rows
            rows[int(number)] = tuple(tuple(values[mask].tolist()) for values in (tokens, word, segment))
            assert (tokens[~mask] == PADDING).all()
            assert (word[~mask] == -1).all()
            assert (segment[~mask] == 0).all()
    return sub_texts, rows, batches


@given(requests(), st.integers(1, 40))
def test_every_sub_text_holds_the_pieces_of_kept_words_and_special_tokens(given_requests, budget):
    texts, kept = given_requests
    sub_texts, rows, _ = lay_out(texts, kept, budget)
    assert sorted(rows) == list(range(sub_texts.rows))
    for text, subsets, answers in zip(texts, kept, sub_texts.row_of_request, strict=True):
        assert len(answers) == len(subsets)
        for subset, row in zip(subsets, answers, strict=True):
            left = keep_tokens(text, subset)
            expected = tuple(tuple(values.tolist()) for values in (left.ids, left.word, left.segment))
            assert rows[row] == (expected if len(left) else ((UNKNOWN,), (-1,), (0,)))


@given(requests(), st.integers(1, 40), st.sampled_from([PADDING, UNKNOWN, MASK]))
def test_with_a_replacement_every_piece_of_a_removed_word_is_replaced_where_it_stands(
    given_requests, budget, replacement
):
    texts, kept = given_requests
    sub_texts, rows, _ = lay_out(texts, kept, budget, replacement)
    assert sorted(rows) == list(range(sub_texts.rows))
    for text, subsets, answers in zip(texts, kept, sub_texts.row_of_request, strict=True):
        for subset, row in zip(subsets, answers, strict=True):
            left = replace_tokens(text, subset, replacement)
            assert rows[row] == tuple(tuple(values.tolist()) for values in (left.ids, left.word, left.segment))


@given(requests(), st.sampled_from([None, PADDING, MASK]))
def test_equal_subsets_of_a_text_are_laid_out_once(given_requests, replacement):
    texts, kept = given_requests
    sub_texts, _, _ = lay_out(texts, kept, 64, replacement)
    assert sub_texts.rows == sum(len({tuple(row) for row in subsets.tolist()}) for subsets in kept)


@given(requests(), st.integers(1, 40))
def test_no_batch_is_over_budget_and_texts_share_batches(given_requests, budget):
    texts, kept = given_requests
    sub_texts, _, batches = lay_out(texts, kept, budget)
    for _, batch in batches:
        assert batch.tokens.size <= budget or len(batch.tokens) == 1
        assert batch.mask.any(1).all()
    assert len(list(sub_texts.batches(10**6))) == (1 if sub_texts.rows else 0)


def test_more_than_eight_words_are_told_apart():
    text = Tokens(np.arange(2, 22), np.arange(20), np.zeros(20, dtype=np.int64), 20)
    kept = ~np.eye(20, dtype=bool)
    sub_texts, rows, _ = lay_out([text], [kept], 4096)
    assert sub_texts.rows == 20
    for number, row in enumerate(sub_texts.row_of_request[0]):
        assert rows[row][1] == tuple(word for word in range(20) if word != number)


def test_words_that_share_a_piece_stay_only_together():
    numbers = np.arange(3)
    text = Tokens(numbers + 10, np.array([0, 1, 3]), numbers * 0, 4, owner=np.array([0, 1, 1, 3]))
    kept = np.array([[1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 0, 1], [0, 1, 1, 0]], dtype=bool)
    sub_texts = under_test.lay_out([text], [kept], padding=0, unknown=9)
    rows = [
        sub_texts.ids[sub_texts.kept[s : s + n]].tolist()
        for s, n in zip(sub_texts.starts, sub_texts.lengths, strict=True)
    ]
    assert [rows[row] for row in sub_texts.row_of_request[0]] == [[10, 11, 12], [10, 12], [10, 12], [11]]
    assert sub_texts.rows == 3
