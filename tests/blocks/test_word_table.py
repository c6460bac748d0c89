import pytest
import torch

from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.blocks.word_table import word_table
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import OptionError


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_the_table_that_embed_looks_tokens_up_in(kind):
    encoder, batch = small_encoder(kind).eval(), batch_for(kind)
    assert torch.equal(word_table(encoder)(batch.tokens), encoder.embed(batch))


def test_an_encoder_without_one_is_refused_with_a_way_out():
    encoder = Bag(Bag.Config(dim=3), 5, 0)
    del encoder.embedding
    with pytest.raises(OptionError, match=r"method\.mlm=0"):
        word_table(encoder)
