"""Sub-texts of a batch hold what sub-texts laid out from token ids hold."""

import numpy as np
import pytest
import torch

from whyword.blocks.subtexts import keep_words, random_sub_texts
from whyword.checks.samples import AWKWARD, EIGHT, sample_pieces, sample_words
from whyword.data.batching import collate
from whyword.inference.subsets import lay_out

DOCUMENTS = (*EIGHT, *AWKWARD)  # single texts and pairs, empty ones, words without a token


def read(tokenizer):
    texts = tokenizer([document.words for document in DOCUMENTS])
    labels = np.arange(len(texts))
    return texts, collate(texts, tokenizer.padding, labels)


def rows_of(batch):
    """Give what each row of a batch holds under its mask."""
    return [
        tuple(tuple(values[mask].tolist()) for values in (tokens, words, segments))
        for tokens, words, segments, mask in zip(
            batch.tokens, batch.word_of_token, batch.segments, batch.mask, strict=True
        )
    ]


@pytest.mark.parametrize("tokenizer", [sample_words(), sample_pieces()], ids=["words", "pieces"])
@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_kept_words_are_laid_out_as_for_inference(tokenizer, share):
    texts, batch = read(tokenizer)
    kept = np.random.default_rng(3).random((len(texts), max(text.words for text in texts))) < share
    sub_texts = keep_words(batch, torch.from_numpy(kept), tokenizer.unknown)
    subsets = [row[None, : text.words] for row, text in zip(kept, texts, strict=True)]
    laid_out = lay_out(texts, subsets, tokenizer.padding, tokenizer.unknown)
    expected = {}
    for numbers, rows in laid_out.batches(4096):
        expected |= dict(zip(numbers.tolist(), rows_of(rows), strict=True))
    assert rows_of(sub_texts) == [expected[int(rows[0])] for rows in laid_out.row_of_request]
    assert torch.equal(sub_texts.labels, batch.labels)
    assert sub_texts.tokens.shape[1] == int(sub_texts.mask.sum(1).max())  # no wider than it needs to be


def test_a_text_that_loses_all_its_words_is_one_unknown_token_of_no_word():
    tokenizer = sample_words()
    (text,) = tokenizer([EIGHT[0].words])
    nothing = keep_words(collate([text], tokenizer.padding), torch.zeros(1, 5, dtype=torch.bool), tokenizer.unknown)
    assert rows_of(nothing) == [((tokenizer.unknown,), (-1,), (0,))]


def test_special_tokens_stay_when_all_words_go():
    tokenizer = sample_pieces()
    (text,) = tokenizer([AWKWARD[-2].words])  # a pair
    kept = torch.zeros(1, text.words, dtype=torch.bool)
    nothing = keep_words(collate([text], tokenizer.padding), kept, tokenizer.unknown)
    special = text.word < 0
    assert rows_of(nothing) == [
        (tuple(text.ids[special].tolist()), (-1,) * int(special.sum()), tuple(text.segment[special].tolist()))
    ]


@pytest.mark.parametrize("tokenizer", [sample_words(), sample_pieces()], ids=["words", "pieces"])
def test_random_sub_texts_are_complementary_parts_of_texts_with_their_labels(tokenizer):
    texts, batch = read(tokenizer)
    drawn = random_sub_texts(batch, tokenizer.unknown)
    half = len(drawn) // 2
    assert 2 * half == len(drawn) > 0
    assert torch.equal(drawn.labels[:half], drawn.labels[half:])
    assert len(set(drawn.labels.tolist())) == half
    rows = rows_of(drawn)
    for first, second, label in zip(rows[:half], rows[half:], drawn.labels.tolist(), strict=False):
        whole = texts[label]
        parts = [{word for word in row[1] if word >= 0} for row in (first, second)]
        assert parts[0].isdisjoint(parts[1])
        assert parts[0] | parts[1] == {word for word in whole.word.tolist() if word >= 0}
        tokens = list(zip(whole.ids.tolist(), whole.word.tolist(), strict=True))
        for (ids, words, _), part in zip((first, second), parts, strict=True):
            of_words = [pair for pair in zip(ids, words, strict=True) if pair[1] >= 0]
            assert of_words == [pair for pair in tokens if pair[1] in part]


def test_texts_without_any_word_have_sub_texts_too():
    tokenizer = sample_words()
    texts = tokenizer([AWKWARD[1].words, AWKWARD[2].words])
    drawn = random_sub_texts(collate(texts, tokenizer.padding, np.zeros(2)), tokenizer.unknown)
    assert not drawn.is_word.any()
    assert drawn.mask.any(1).all()
