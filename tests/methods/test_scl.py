"""SCL against cross-entropy and contrast taken apart."""

import pytest
import torch
from torch.nn.functional import cross_entropy

from reference.samples import random_batch
from reference.word_masks import KINDS, batch_for, small_encoder
from whyword.interfaces.errors import OptionError
from whyword.maths.tensors.distances import supervised_contrast
from whyword.methods.base import Base
from whyword.methods.scl import Scl


@pytest.mark.parametrize("kind", KINDS)
def test_it_predicts_as_the_plain_classifier_does(kind):
    model, batch = Scl(small_encoder(kind), 2, Scl.Config()).eval(), batch_for(kind)
    base = Base(model.encoder, 2, Base.Config()).eval()
    base.head.load_state_dict(model.head.state_dict())
    assert torch.equal(model(batch).logits, base(batch).logits)
    assert model.own_score is None


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.9])
def test_cross_entropy_and_contrast_share_out_the_weight(weight):
    model = Scl(small_encoder("lstm"), 3, Scl.Config(weight=weight, temperature=0.2, dropout=0.0)).double()
    batch = random_batch([3, 1, 5, 4, 2], classes=3)
    prediction, losses = model(batch), model.losses(batch, 0.0)
    torch.testing.assert_close(losses["task"], (1 - weight) * cross_entropy(prediction.logits, batch.labels))
    expected = weight * supervised_contrast(prediction.pooled, batch.labels, 0.2)
    torch.testing.assert_close(losses["contrast"], expected)
    assert list(losses) == ["task", "contrast"]


@pytest.mark.parametrize("weight", [-0.1, 1.0, float("nan")])
def test_a_weight_that_leaves_no_task_is_refused(weight):
    with pytest.raises(OptionError, match=r"scl\.weight is"):
        Scl.Config(weight=weight)
