import numpy as np
import pytest
import torch
from scipy.optimize import approx_fprime
from scipy.sparse import csr_matrix
from torch import nn

from whyword.blocks.heads import set_order
from whyword.blocks.ordered import CutPoints
from whyword.blocks.ordered_regression import loss_and_gradient, solve_ordered
from whyword.catalog import load, names
from whyword.encoders.bag import Bag
from whyword.interfaces.errors import OptionError
from whyword.interfaces.method import Method


@pytest.mark.parametrize("classes", [2, 3, 7])
def test_cut_points_rise_whatever_is_learned_and_stand_where_they_are_placed(classes: int) -> None:
    cuts = CutPoints(classes)
    with torch.no_grad():
        for parameter in cuts.parameters():
            parameter.normal_(std=3)
    assert (cuts.values().diff() >= 0).all()
    wanted = torch.linspace(-3, 5, classes - 1)
    cuts.place(wanted)
    torch.testing.assert_close(cuts.values(), wanted)


def test_a_score_gives_the_cumulative_probabilities_of_its_distance_from_each_cut_point() -> None:
    cuts = CutPoints(4)
    cuts.place(torch.tensor([-1.0, 0.5, 2.0]))
    above = cuts(torch.tensor([[0.3]])).exp().flip(1).cumsum(1).flip(1)[0, 1:]
    torch.testing.assert_close(above, (0.3 - cuts.values()).sigmoid())


def test_a_higher_score_makes_every_higher_part_of_the_scale_more_probable() -> None:
    above = CutPoints(5)(torch.linspace(-6, 6, 50).unsqueeze(1)).exp().flip(1).cumsum(1).flip(1)[:, 1:]
    assert (above.diff(dim=0) > 0).all()


@pytest.mark.parametrize("name", sorted(set(names("methods"))))
def test_every_method_takes_an_order(name: str) -> None:
    kind = load("methods", name)
    method = kind(Bag(Bag.Config(dim=8), 20, 0), 4, kind.Config())
    set_order(method, 4)
    assert method.ordered
    assert any(isinstance(part, CutPoints) for part in method.modules())


def test_a_method_with_a_last_layer_of_its_own_is_refused() -> None:
    class Strange(Method):
        def __init__(self) -> None:
            super().__init__()
            self.encoder = Bag(Bag.Config(dim=8), 20, 0)
            self.last = nn.Linear(8, 3)

        def classify(self, embedded, batch):  # type: ignore[no-untyped-def]
            raise NotImplementedError

    with pytest.raises(OptionError, match="Strange has a last layer of its own"):
        set_order(Strange(), 3)


def _texts(generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    features = generator.normal(size=(60, 3))
    noisy = features @ [2.0, -1.0, 0.0] + generator.logistic(size=60)
    return features, np.digitize(noisy, [-1.0, 0.5, 2.0]), generator.uniform(0.5, 2, 60)


def test_the_gradient_of_the_regression_is_that_of_finite_differences() -> None:
    features, labels, counts = _texts(np.random.default_rng(0))
    packed = np.array([0.3, -0.2, 0.1, -0.7, 0.2, -0.4])
    arguments = (features, labels, 4, 0.5, counts)
    expected = approx_fprime(packed, lambda at: loss_and_gradient(at, *arguments)[0], 1e-6)
    np.testing.assert_allclose(loss_and_gradient(packed, *arguments)[1], expected, atol=1e-5)


def test_the_loss_of_the_regression_is_the_mean_surprise_of_the_classes_and_the_penalty() -> None:
    features, labels, counts = _texts(np.random.default_rng(1))
    weights, cuts = np.array([0.3, -0.2, 0.1]), np.array([-0.7, 0.5, 1.2])
    packed = np.concatenate([weights, cuts[:1], np.log(np.diff(cuts))])
    below = 1 / (1 + np.exp(-(cuts - (features @ weights)[:, None])))
    probabilities = np.diff(np.pad(below, ((0, 0), (1, 1)), constant_values=((0, 0), (0, 1))), axis=1)
    surprise = -np.log(probabilities[np.arange(60), labels])
    expected = (counts * surprise).sum() / counts.sum() + weights @ weights / (2 * 0.5 * counts.sum())
    assert loss_and_gradient(packed, features, labels, 4, 0.5, counts)[0] == pytest.approx(expected)


def test_two_ordered_classes_are_solved_as_logistic_regression_does_also_on_sparse_features() -> None:
    from sklearn.linear_model import LogisticRegression

    features, labels, counts = _texts(np.random.default_rng(2))
    fit = solve_ordered(csr_matrix(features), (labels > 1).astype(int), 2, 0.7, counts)
    peer = LogisticRegression(C=0.7, tol=1e-8).fit(features, labels > 1, sample_weight=counts)
    np.testing.assert_allclose(fit.weights, peer.coef_[0], atol=1e-3)
    np.testing.assert_allclose(-fit.cuts, peer.intercept_, atol=1e-3)
