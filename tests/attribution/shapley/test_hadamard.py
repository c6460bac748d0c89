import numpy as np
import pytest

from whyword.attribution.shapley.hadamard import hadamard


@pytest.mark.parametrize("least", range(1, 130))
def test_rows_and_columns_are_orthogonal(least):
    matrix = hadamard(least)
    order = len(matrix)
    assert np.isin(matrix, (-1, 1)).all()
    np.testing.assert_array_equal(matrix @ matrix.T, order * np.eye(order))
    np.testing.assert_array_equal(matrix.T @ matrix, order * np.eye(order))


def test_orders_are_the_smallest_that_the_construction_reaches():
    orders = [len(hadamard(least)) for least in range(1, 70)]
    assert sorted(set(orders)) == [1, 2, 4, 8, 12, 16, 20, 24, 32, 40, 44, 48, 60, 64, 68, 72]
    assert all(least <= order for least, order in enumerate(orders, 1))
    assert orders == sorted(orders)
