import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from whyword.maths.stats.average_precision import average_precision
from whyword.maths.stats.ties import tied_ranks


@pytest.mark.parametrize("seed", range(10))
def test_it_is_scikit_learns_with_and_without_ties(seed):
    generator = np.random.default_rng(seed)
    scores = generator.integers(0, 4, 12).astype(float)
    wanted = generator.random(12) < 0.4
    wanted[0] = True
    assert average_precision(tied_ranks(scores), wanted) == pytest.approx(average_precision_score(wanted, scores))
