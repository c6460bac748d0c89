import io

import numpy as np
import pytest

from whyword.maths.stats.intervals import Estimate
from whyword.plots.score_weight import score_weight

NAMES = ("bad", "good", "neutral")


def test_every_word_is_a_dot_and_the_title_tells_the_correlation():
    attention, share, groups = np.arange(6.0), np.array([0.0, 1, 2, 3, 4, 5]), np.array([-1, 0, 0, 1, 2, 2])
    axes = score_weight(attention, share, groups, NAMES, Estimate(0.9, 0.8, 0.95)).axes[0]
    dots = np.concatenate([dots.get_offsets() for dots in axes.collections])
    assert sorted(dots[:, 0]) == attention.tolist()
    assert dots[:, 1].min() > 0  # 0 has no place on a log scale
    assert "6 words   Spearman ρ = 0.900 [0.800, 0.950]" in axes.get_title()
    assert axes.get_yscale() == "log"


@pytest.mark.parametrize("count", [0, 2])
def test_few_words_and_odd_names_can_be_drawn(count):
    figure = score_weight(np.zeros(count), np.ones(count), np.zeros(count, int), ("$x_{$", "日本", "n"), None)
    assert "no correlation" in figure.axes[0].get_title()
    figure.savefig(io.BytesIO(), format="png")
