import io
import math

import numpy as np
import pytest

from whyword.plots.accuracy_by_iteration import accuracy_by_iteration


def test_each_name_is_a_line_from_iteration_zero_on():
    curves = {"learner": [0.90, 0.92, 0.91], "compressor": [math.nan, 0.89, 0.9]}
    axes = accuracy_by_iteration(curves, "on dev").axes[0]
    assert [line.get_label() for line in axes.lines] == list(curves)
    for line, values in zip(axes.lines, curves.values(), strict=True):
        assert list(line.get_xdata()) == [0, 1, 2]
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("on dev", "iteration", "accuracy")


@pytest.mark.parametrize("curves", [{}, {"$x$": []}, {"one": [0.5]}], ids=["none", "empty", "one value"])
def test_any_curves_can_be_drawn(curves):
    accuracy_by_iteration(curves, "$x_{$").savefig(io.BytesIO(), format="png")
