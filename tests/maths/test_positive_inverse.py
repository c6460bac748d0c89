import numpy as np

from whyword.maths.positive_inverse import positive_inverse


def test_the_inverse_is_that_of_any_matrix():
    root = np.random.default_rng(0).normal(size=(7, 7))
    matrix = root @ root.T + np.eye(7)
    np.testing.assert_allclose(positive_inverse(matrix), np.linalg.inv(matrix), atol=1e-12)
