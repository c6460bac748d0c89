"""Tokens on disk are those of the tokenizer, and batches drawn from them those of texts in memory."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from whyword.data import token_store as module
from whyword.data.batching import Corpus, shuffled, training_batches
from whyword.data.padding import by_token_budget
from whyword.data.rows import USUAL
from whyword.data.store import StoredDocuments, write_store
from whyword.data.token_store import FACTS, tokenize
from whyword.data.tokenizers.forbidding import forbid
from whyword.data.tokenizers.word_level import count_words, count_words_within, learn_vocabulary
from whyword.data.words import split
from whyword.interfaces.document import Tokens

ROWS = [
    {"text": f"the plot was {'very ' * (i % 5)}dull {i}", "text_pair": "and long" if i % 3 else "", "label": i % 2}
    for i in range(40)
]


@pytest.fixture
def documents(tmp_path: Path) -> StoredDocuments:
    rows = ((f"row {number}", row) for number, row in enumerate(ROWS))
    return StoredDocuments(write_store(tmp_path, rows, USUAL, "rows", {}))


def same(one: Tokens, other: Tokens) -> bool:
    arrays = all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("ids", "word", "segment"))
    owners = (one.owner is None) == (other.owner is None) and (
        one.owner is None or other.owner is None or np.array_equal(one.owner, other.owner)
    )
    return arrays and owners and (one.words, one.truncated_words) == (other.words, other.truncated_words)


@pytest.mark.parametrize("forbidden", [[], ["very", "plot"]])
def test_tokens_are_those_of_the_tokenizer(documents: StoredDocuments, forbidden: list[str]) -> None:
    tokenizer = forbid(learn_vocabulary(list(documents.words), min_frequency=2), forbidden)
    expected = tokenizer(list(documents.words))
    store = tokenize(documents, tokenizer)
    assert all(same(one, other) for one, other in zip(store, expected, strict=True))
    assert all(same(one, other) for one, other in zip(store[3:20:4], expected[3:20:4], strict=True))
    assert store.lengths.tolist() == [len(text) for text in expected]
    assert store.truncated == 0


def test_all_that_a_token_tells_of_is_kept() -> None:
    text = Tokens(np.array([5, 6, 7]), np.array([-1, 0, 2]), np.array([0, 0, 1]), 4, 1, np.array([0, 0, 2, 3]))
    assert same(module._tokens(np.frombuffer(module._record(text), dtype=np.int32)), text)


def test_other_texts_or_another_vocabulary_have_a_store_of_their_own(documents: StoredDocuments) -> None:
    small, large = learn_vocabulary(list(documents.words), max_size=2), learn_vocabulary(list(documents.words))
    rest, _ = documents.part(np.array([0, 5]))
    stores = [tokenize(documents, small), tokenize(documents, large), tokenize(rest, large)]
    assert len({store.code for store in stores}) == 3
    assert len(list(documents.store.folder.glob(f"tokens-*/{FACTS}"))) == 3
    assert tokenize(rest, large).code == stores[2].code
    assert len(stores[2]) == len(documents) - 2


def test_batches_are_those_of_texts_in_memory(documents: StoredDocuments) -> None:
    tokenizer = learn_vocabulary(list(documents.words))
    corpus = Corpus.read(documents, (0, 1), tokenizer)
    in_memory = Corpus.read(tuple(documents), (0, 1), tokenizer)
    assert corpus.labels.dtype == np.uint8
    for chosen in training_batches(corpus.lengths, 8, 64, [0, 0]):
        one, other = corpus.batch(chosen), in_memory.batch(chosen)
        assert one.labels is not None
        assert other.labels is not None
        for name in ("tokens", "mask", "word_of_token", "segments", "labels"):
            assert getattr(one, name).equal(getattr(other, name))
    assert corpus.fingerprint != Corpus.read(documents.part(np.array([1]))[0], (0, 1), tokenizer).fingerprint


def test_memory_does_not_grow_with_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whyword.data.store.BLOCK", 100)
    monkeypatch.setattr(module, "TOGETHER", 100)
    tokenizer = learn_vocabulary([split("some words 1 2 3 4 5 6 7 8 9")])

    def peak(count: int) -> int:
        rows = ((f"row {i}", {"text": "some words " * 20 + str(i % 10), "label": i % 2}) for i in range(count))
        documents = StoredDocuments(write_store(tmp_path / str(count), rows, USUAL, "rows", {}))
        tracemalloc.start()
        corpus = Corpus.read(documents, (0, 1), tokenizer)
        tokens = sum(int(corpus.batch(chosen).mask.sum()) for chosen in training_batches(corpus.lengths, 8, 999, [0]))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert tokens == 41 * count
        return most

    peak(100)  # what is imported and remembered once
    assert peak(1500) < 1.5 * peak(300)


def test_an_epoch_is_drawn_as_its_plain_description_says() -> None:
    lengths = np.random.default_rng(0).integers(1, 40, 1000)
    generator = np.random.default_rng([3, 1])
    order = generator.permutation(len(lengths))
    expected: list[np.ndarray] = []
    for start in range(0, 1000, 4 * 50):
        chunk = order[start : start + 4 * 50]
        expected.extend(chunk[group] for group in by_token_budget(lengths[chunk], 64, 4))
    expected = [expected[i] for i in generator.permutation(len(expected))]
    batches = training_batches(lengths, 4, 64, [3, 1])
    assert len(batches) == len(expected)
    assert all(np.array_equal(one, other) for one, other in zip(batches, expected, strict=True))
    assert [batch.tolist() for batch in batches[2:4]] == [batch.tolist() for batch in expected[2:4]]
    assert batches.order.dtype == np.int32


def test_shuffling_in_half_the_memory_is_the_permutation_of_the_generator() -> None:
    for count in (0, 1, 2, 1000):
        assert np.array_equal(shuffled(count, np.random.default_rng(1)), np.random.default_rng(1).permutation(count))


def test_words_are_counted_exactly_where_they_fit_and_within_the_bound_where_not() -> None:
    generator = np.random.default_rng(0)
    texts = [split(" ".join(f"w{n}" for n in generator.zipf(1.3, 20) % 5000)) for _ in range(500)]
    exact = count_words(texts)
    fits = count_words_within(texts, len(exact))
    assert (dict(fits.counts), fits.total, fits.too_low) == (dict(exact), exact.total(), 0)
    few = count_words_within(texts, 50)
    assert few.total == exact.total()
    assert 0 < few.too_low * 51 <= few.total
    assert len(few.counts) <= 100
    assert all(0 <= count - few.counts.get(word, 0) <= few.too_low for word, count in exact.items())
