import pytest
import torch

from whyword.maths.tensors.conicity import conicity


def test_it_is_the_mean_cosine_with_the_mean_over_real_tokens():
    states, mask = torch.randn(2, 4, 3, dtype=torch.float64), torch.tensor([[True] * 4, [True, True, False, False]])
    for row, length in enumerate((4, 2)):
        middle = sum(states[row, t] for t in range(length)) / length
        cosines = [(states[row, t] @ middle / states[row, t].norm() / middle.norm()).item() for t in range(length)]
        assert conicity(states, mask)[row].item() == pytest.approx(sum(cosines) / length)


def test_states_of_one_direction_have_conicity_one_and_opposite_ones_none():
    mask = torch.ones(1, 2, dtype=torch.bool)
    assert conicity(torch.tensor([[[1.0, 2.0], [3.0, 6.0]]]), mask).item() == pytest.approx(1.0)
    assert conicity(torch.tensor([[[1.0, 0.0], [-1.0, 0.0]]]), mask).item() == pytest.approx(0.0)


def test_its_gradient_is_finite_where_states_are_zero():
    states = torch.zeros(1, 3, 2, requires_grad=True)
    conicity(states, torch.ones(1, 3, dtype=torch.bool)).sum().backward()
    assert states.grad.isfinite().all()
