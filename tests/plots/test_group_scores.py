import io

import numpy as np
import pytest

from whyword.plots.group_scores import group_scores

GENERATOR = np.random.default_rng(0)


def test_there_is_a_panel_per_score_and_a_box_per_group():
    groups = np.repeat([0, 1, 2, 3, -1], 10)
    figure = group_scores(GENERATOR.normal(size=(50, 3)), GENERATOR.normal(size=50), groups, ("a", "b", "c", "neutral"))
    titles = [axes.get_title() for axes in figure.axes]
    assert titles == ["polarity score for a", "polarity score for b", "polarity score for c", "attention score"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == [
        f"{name}\n(10)" for name in ("a", "b", "c", "neutral")
    ]
    assert all(len(axes.patches) == 4 for axes in figure.axes)


def test_the_line_in_a_box_is_the_median_of_its_group():
    groups, attention = np.array([0, 0, 0, 1, 1, 2]), np.array([1.0, 2.0, 9.0, 3.0, 5.0, 7.0])
    axes = group_scores(np.zeros((6, 1)), attention, groups, ("a", "b", "neutral")).axes[1]
    medians = [line.get_ydata()[0] for line in axes.lines if line.get_color() == "black" and len(line.get_xdata()) == 2]
    assert {2.0, 4.0, 7.0} <= set(medians)


@pytest.mark.parametrize("count", [0, 1])
def test_empty_groups_and_odd_names_can_be_drawn(count):
    figure = group_scores(np.zeros((count, 1)), np.zeros(count), np.zeros(count, int), ("$x_{$", "日本", "neutral"))
    figure.savefig(io.BytesIO(), format="png")
