import numpy as np
import pytest

from whyword.attribution.classes import scores_of_classes


@pytest.mark.parametrize("target", [0, 1, 2])
def test_the_classes_cancel_and_all_but_the_last_are_estimated(target):
    truth = np.array([[0.1, 0.2], [-0.3, 0.4], [0.2, -0.6]])
    asked = []

    def of_class(number):
        asked.append(number)
        return truth[number]

    np.testing.assert_allclose(scores_of_classes(truth[target], target, 3, of_class), truth, atol=1e-12)
    assert len(asked) == 1


def test_a_text_without_words_needs_no_estimate():
    assert scores_of_classes(np.zeros(0), 1, 4, lambda number: pytest.fail("asked")).shape == (4, 0)


def test_labels_that_do_not_exclude_each_other_are_all_estimated():
    table = scores_of_classes(np.array([1.0, 2.0]), 1, 3, lambda number: np.full(2, number), exclusive=False)
    np.testing.assert_array_equal(table, [[0, 0], [1, 2], [2, 2]])
