"""The plain classifier."""

import torch

from reference.samples import VOCABULARY, random_batch
from whyword.encoders.bag import Bag
from whyword.methods.base import Base


def test_it_is_softmax_regression_on_the_pooled_vector():
    model = Base(Bag(Bag.Config(dim=4), VOCABULARY, 0), 3, Base.Config()).eval()
    batch = random_batch([2, 5], classes=3)
    rows = [model.encoder.embedding.table(batch.tokens[row, :length]).mean(0) for row, length in enumerate([2, 5])]
    probabilities = model.head.linear(torch.stack(rows)).softmax(-1)
    torch.testing.assert_close(model(batch).logits.softmax(-1), probabilities)
    nll = -sum(probabilities[row, label].log() for row, label in enumerate(batch.labels)) / 2
    torch.testing.assert_close(model.losses(batch, 0.0)["task"], nll)


def test_its_plan_trains_every_weight_without_decay():
    model = Base(Bag(Bag.Config(dim=4), VOCABULARY, 0), 2, Base.Config(dropout=0.4))
    (phase,) = model.plan(7)
    (objective,) = phase.objectives
    assert (phase.epochs, phase.eligible, objective.weight_decay) == (7, True, 0.0)
    assert [id(p) for p in objective.parameters] == [id(p) for p in model.parameters()]
    assert model.head.dropout.p == 0.4
