"""Encode, pool as the encoder does, one linear layer."""

import torch

from reference.samples import VOCABULARY, random_batch
from whyword.blocks.pooled_classifier import PooledClassifier
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm


def test_it_classifies_the_vector_the_encoder_pools():
    batch = random_batch([3, 1, 4])
    for encoder in (Bag(Bag.Config(dim=4), VOCABULARY, 0), Lstm(Lstm.Config(dim=4, hidden=5), VOCABULARY, 0)):
        model = PooledClassifier(encoder, 3, 0.5).eval()
        prediction = model(batch)
        pooled = encoder.summarize(encoder.encode(encoder.embed(batch), batch)[-1], batch)
        assert torch.equal(prediction.pooled, pooled)
        assert torch.equal(prediction.logits, model.head.linear(pooled))
        assert prediction.token_weights is None
        assert model.own_score is None
