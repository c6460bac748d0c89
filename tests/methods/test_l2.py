"""The plain classifier with weight decay."""

import copy

import torch
from torch.nn.functional import cross_entropy

from reference.samples import VOCABULARY, random_batch
from whyword.encoders.bag import Bag
from whyword.methods.l2 import L2
from whyword.training.optimizer import ObjectiveOptimizer, Processes, Training


def test_weights_move_as_under_adam_with_weight_decay():
    model = L2(Bag(Bag.Config(dim=4, dropout=0.0), VOCABULARY, 0), 2, L2.Config(dropout=0.0, weight_decay=0.3))
    twin, batch = copy.deepcopy(model), random_batch([2, 5, 3])
    (phase,) = model.plan(1)
    optimizer = ObjectiveOptimizer(phase.objectives[0], Training(clip=None), 0.1)
    adam = torch.optim.Adam(twin.parameters(), lr=0.1, weight_decay=0.3)
    for _ in range(4):
        optimizer.step(model, batch, 0.0, 1.0, Processes())
        adam.zero_grad()
        cross_entropy(twin(batch).logits, batch.labels).backward()
        adam.step()
    for ours, theirs in zip(model.parameters(), twin.parameters(), strict=True):
        torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)


def test_decay_alone_shrinks_the_norm_of_the_weights():
    def norm_after(decay):
        torch.manual_seed(0)
        model = L2(Bag(Bag.Config(dim=4), VOCABULARY, 0), 2, L2.Config(weight_decay=decay))
        optimizer = ObjectiveOptimizer(model.plan(1)[0].objectives[0], Training(), 0.05)
        for _ in range(30):
            optimizer.step(model, random_batch([2, 5, 3]), 0.0, 1.0, Processes())
        return sum(float(p.detach().pow(2).sum()) for p in model.parameters())

    assert norm_after(1.0) < 0.5 * norm_after(0.0)
