import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from whyword.maths.stats.discriminant import linear_discriminant

GENERATOR = np.random.default_rng(0)


def test_it_answers_as_scikit_learn_does():
    classes = np.repeat([2, 5, 7], [30, 60, 90])
    points = GENERATOR.normal(size=(180, 4)) + 1.5 * GENERATOR.normal(size=(9, 4))[classes]
    asked = GENERATOR.normal(size=(200, 4)) * 2
    expected = LinearDiscriminantAnalysis().fit(points, classes).predict(asked)
    assert (linear_discriminant(points, classes, asked) == expected).mean() > 0.97  # a ridge and n against n - 3


@pytest.mark.parametrize("spread", [0.0, 1e-3])
def test_classes_apart_are_told_apart_even_if_their_points_lie_in_a_plane_or_on_one_spot(spread):
    classes = np.tile([0, 1, 2], 10)
    points = np.zeros((30, 5))
    points[:, :3] = np.eye(3)[classes] + spread * GENERATOR.normal(size=(30, 3))
    assert (linear_discriminant(points, classes, points) == classes).all()
