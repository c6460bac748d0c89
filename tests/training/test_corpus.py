"""Texts and labels of one split."""

import numpy as np

from reference.samples import sample
from whyword.data.tokenizers.word_level import learn_vocabulary
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.training.corpus import Corpus


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
