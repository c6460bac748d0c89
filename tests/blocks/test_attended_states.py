import pytest
import torch

from reference.samples import VOCABULARY, attention_on_lstm, random_batch
from whyword.blocks.attended_states import states_health, states_warnings
from whyword.maths.tensors.distances import conicity


@torch.no_grad()
def test_health_is_the_mean_conicity_over_all_texts():
    model, batches = attention_on_lstm(VOCABULARY).eval(), [random_batch([3, 1, 5]), random_batch([4])]
    of_texts = []
    for batch in batches:
        states = model.encoder.encode(model.encoder.embed(batch), batch)[-1]
        of_texts += conicity(states, batch.mask).tolist()
    assert len(of_texts) == 4
    assert states_health(model, model.encoder, batches) == pytest.approx({"conicity": sum(of_texts) / 4})


def test_states_that_are_all_alike_are_warned_about():
    (warning,) = states_warnings({"conicity": 0.97}, "Do this.")
    assert "0.97" in warning
    assert warning.endswith("Do this.")
    assert states_warnings({"conicity": 0.5}, "") == states_warnings({}, "") == []
