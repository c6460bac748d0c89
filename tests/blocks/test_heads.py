import math

import pytest
import torch
from scipy import stats

from reference.samples import VOCABULARY, random_batch
from whyword.blocks.heads import Dropout, Head, PolarityHead, PooledClassifier
from whyword.encoders.bag import Bag
from whyword.encoders.lstm import Lstm


@pytest.mark.parametrize("share", [0.1, 0.2, 0.5, 0.9, 0.999])
def test_each_number_goes_with_the_share_that_was_asked_for(share):
    torch.manual_seed(0)
    kept = Dropout(share)(torch.ones(1000, 1001)) > 0
    assert stats.binomtest(int(kept.sum()), kept.numel(), 1 - share).pvalue > 1e-4
    per_place = torch.stack([kept.flatten()[i::4].sum() for i in range(4)])  # four numbers share a draw
    assert (
        stats.chisquare(per_place.numpy(), [kept.sum().item() * n / kept.numel() for n in (250250,) * 4]).pvalue > 1e-4
    )


def test_neighbours_go_independently():
    torch.manual_seed(0)
    kept = (Dropout(0.5)(torch.ones(400_000)) > 0).double().view(-1, 4)
    off_diagonal = torch.corrcoef(kept.T)[~torch.eye(4, dtype=torch.bool)]
    assert off_diagonal.abs().max() < 5 / math.sqrt(100_000)  # five standard errors


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_what_stays_is_scaled_up_and_takes_the_same_gradient(dtype):
    states = torch.randn(7, 5, 3, dtype=dtype, requires_grad=True)
    dropped = Dropout(0.25)(states)
    dropped.sum().backward()
    kept = dropped != 0
    assert 0 < kept.sum() < kept.numel()
    torch.testing.assert_close(dropped[kept], states[kept] / 0.75)
    torch.testing.assert_close(states.grad, kept.to(dtype) / 0.75)


def test_a_seed_repeats_it_and_nothing_is_drawn_outside_training():
    states, dropout = torch.randn(9, 11), Dropout(0.5)
    first, second = ([torch.manual_seed(3), dropout(states)][1] for _ in range(2))
    assert torch.equal(first, second)
    before = torch.get_rng_state()
    assert dropout.eval()(states) is states
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.equal(Dropout(0.0)(states), states)
    assert not Dropout(1.0)(states).any()
    assert Dropout(0.5)(torch.ones(0, 4)).shape == (0, 4)


def test_the_head_is_an_affine_map_when_nothing_is_dropped():
    head = Head(4, 3, 0.5).double().eval()
    vectors = torch.randn(2, 4, dtype=torch.float64)
    by_hand = vectors @ head.linear.weight.T + head.linear.bias
    torch.testing.assert_close(head(vectors), by_hand)


def test_dropout_falls_on_the_text_vector():
    head = Head(4, 3, 1.0)
    assert torch.equal(head(torch.randn(2, 4)), head.linear.bias.expand(2, 3))


def test_two_classes_share_one_score_whose_sigmoid_is_the_chance_of_the_second():
    head, vectors = PolarityHead(4, 2, 0.0), torch.randn(3, 4)
    score = vectors @ head.linear.weight[0]
    torch.testing.assert_close(head(vectors).softmax(-1)[:, 1], score.sigmoid())


def test_more_classes_have_a_score_each_and_there_is_no_bias():
    head = PolarityHead(4, 3, 0.0)
    assert head(torch.zeros(2, 4)).tolist() == [[0.0] * 3] * 2
    assert [name for name, _ in head.named_parameters()] == ["linear.weight"]


def test_dropout_acts_on_the_text_vector_in_training_only():
    head, vectors = PolarityHead(1000, 2, 0.5), torch.ones(1, 1000)
    assert not torch.equal(head(vectors), head(vectors))
    assert torch.equal(head.eval()(vectors), head(vectors))


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
