import numpy as np
import pytest

from whyword.attribution.shapley.inverse_root import inverse_root


def test_a_root_times_itself_is_the_inverse_and_the_matrix_stays():
    factor = np.random.default_rng(0).normal(size=(7, 7))
    matrix = factor @ factor.T + np.eye(7)
    before = matrix.copy()
    root = inverse_root(matrix)
    np.testing.assert_allclose(root.T @ root, np.linalg.inv(matrix), atol=1e-12)
    np.testing.assert_array_equal(root, np.tril(root))
    np.testing.assert_array_equal(matrix, before)


def test_what_has_no_such_root_is_refused():
    with pytest.raises(np.linalg.LinAlgError):
        inverse_root(np.array([[1.0, 2.0], [2.0, 1.0]]))
