"""The reader's loss and scores, against their formulas."""

import numpy as np
import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from whyword.blocks.rationales import RationaleReader, add_reader
from whyword.checks.contract import pad_more
from whyword.checks.samples import CLASSES, maker_of_method, sample_batch, sample_pieces, tokenizer_for
from whyword.data.batching import Corpus, token_marks
from whyword.data.words import split
from whyword.interfaces.document import NO_REASON, REASON, UNKNOWN, Document
from whyword.methods.base import Base

FEATURES = 5


def marked_batch():
    words = split("a splendid film indeed")
    documents = [Document(words, "good", (((2, 10),),)), Document(split("dull"), "bad")]
    return Corpus.read(documents, CLASSES, sample_pieces()).batch(np.array([0, 1]))


def reader():
    torch.manual_seed(1)
    return RationaleReader(FEATURES, None, RationaleReader.Config(width=4, hidden=4)).eval()


def test_marks_of_words_are_those_of_their_pieces_and_unknown_elsewhere():
    batch = marked_batch()
    pieces = batch.word_of_token[0] == 1
    assert set(batch.marks[0][pieces].tolist()) == {REASON}
    assert set(batch.marks[0][batch.is_word[0] & ~pieces].tolist()) == {NO_REASON}
    assert set(batch.marks[0][~batch.is_word[0]].tolist()) == {UNKNOWN}
    assert set(batch.marks[1].tolist()) == {UNKNOWN}
    assert token_marks(batch, [None, None]) is None


def test_the_loss_is_the_mean_cross_entropy_of_the_known_tokens():
    batch, head = marked_batch(), reader()
    features = torch.randn(*batch.tokens.shape, FEATURES)
    words = batch.is_word[0]
    wanted = (batch.word_of_token[0][words] == 1).float()
    each = [network(head.standardize(features), batch)[0][words] for network in head.networks]
    assert len(each) == RationaleReader.Config().networks > 1
    losses = torch.stack([binary_cross_entropy_with_logits(odds, wanted) for odds in each])
    assert losses.std() > 0, "the networks differ"
    torch.testing.assert_close(head.loss(features, batch), losses.mean())
    torch.testing.assert_close(head.log_odds(features, batch)[0][words], torch.stack(each).mean(0))


@pytest.mark.parametrize("encoder", ["lstm", "cnn", "bag", "affine", "transformer"])
def test_padding_and_neighbors_in_a_batch_change_no_score(encoder):
    tokenizer = tokenizer_for(encoder)
    torch.manual_seed(0)
    method = maker_of_method("base", encoder)(tokenizer, len(CLASSES)).eval()
    add_reader(method, RationaleReader.Config(width=4, hidden=4))
    method.eval()
    assert isinstance(method, Base)
    batch = sample_batch(tokenizer)
    with torch.inference_mode():
        scores = method.explain(batch).would_mark
        padded = method.explain(pad_more(batch, 3, tokenizer.padding)).would_mark
        alone = method.explain(batch.select(torch.tensor([2]))).would_mark
    torch.testing.assert_close(padded, scores)
    torch.testing.assert_close(alone[0], scores[2, : alone.shape[1]])
