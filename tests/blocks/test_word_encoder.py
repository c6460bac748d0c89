import pytest
import torch

from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.blocks.word_encoder import WordEmbedding, word_table
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import OptionError


def test_padding_is_zero_and_stays_zero_when_trained():
    embedding = WordEmbedding(6, 3, 2, 0.0, frozen=False)
    optimizer = torch.optim.SGD(embedding.parameters(), lr=1.0)
    embedding(torch.tensor([[1, 2, 2]])).sum().backward()
    before = embedding.table.weight.detach().clone()
    optimizer.step()
    assert (embedding.table.weight[2] == 0).all()
    torch.testing.assert_close(embedding.table.weight[1], before[1] - 1)


def test_other_vectors_start_uniform_within_a_tenth():
    table = WordEmbedding(2000, 10, 0, 0.0, frozen=False).table.weight[1:]
    assert table.abs().max() <= 0.1
    assert abs(table.var().item() - 0.2**2 / 12) < 1e-4


def test_frozen_vectors_take_no_gradient():
    assert not WordEmbedding(6, 3, 0, 0.0, frozen=True).table.weight.requires_grad
    assert WordEmbedding(6, 3, 0, 0.0, frozen=False).table.weight.requires_grad


def test_dropout_acts_in_training_only():
    embedding = WordEmbedding(50, 40, 0, 0.5, frozen=False)
    tokens = torch.arange(1, 50)[None]
    plain = embedding.table(tokens)
    dropped = embedding(tokens)
    kept = dropped != 0
    torch.testing.assert_close(dropped[kept], 2 * plain[kept])
    assert 0.4 < kept.float().mean() < 0.6  # 1960 entries: a false alarm is eight standard deviations away
    assert torch.equal(embedding.eval()(tokens), plain)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_table_that_embed_looks_tokens_up_in(kind):
    encoder, batch = small_encoder(kind).eval(), batch_for(kind)
    assert torch.equal(word_table(encoder)(batch.tokens), encoder.embed(batch))


def test_an_encoder_without_one_is_refused_with_a_way_out():
    encoder = Bag(Bag.Config(dim=3), 5, 0)
    del encoder.embedding
    with pytest.raises(OptionError, match=r"method\.mlm=0"):
        word_table(encoder)
