import math

import numpy as np
from scipy import stats

from whyword.maths.stats.student import mean_over_runs


def test_the_interval_is_that_of_scipy():
    values = [0.81, 0.84, 0.79, 0.9]
    found = mean_over_runs(values)
    low, high = stats.t.interval(0.95, 3, np.mean(values), stats.sem(values))
    np.testing.assert_allclose([found.value, found.low, found.high], [np.mean(values), low, high])


def test_one_run_has_a_mean_and_no_interval():
    found = mean_over_runs([0.5])
    assert found.value == 0.5
    assert math.isnan(found.low)


def test_undefined_runs_are_left_out():
    assert mean_over_runs([float("nan"), 1.0, 3.0]) == mean_over_runs([1.0, 3.0])
    assert math.isnan(mean_over_runs([float("nan")]).value)
