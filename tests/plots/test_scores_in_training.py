import io

import numpy as np

from whyword.plots.scores_in_training import scores_in_training


def test_a_line_per_group_follows_the_epochs_and_gaps_stay_gaps():
    epochs = [
        {"overlap": 1.0, "polarity_class_0": -1.0, "attention_neutral": 0.5},
        {"overlap": 2.0, "polarity_class_0": -2.0},
    ]
    figure = scores_in_training(epochs, ("$x_{$", "good", "neutral"))
    polarity, attention, overlap = figure.axes
    assert polarity.lines[0].get_ydata().tolist() == [-1.0, -2.0]
    np.testing.assert_array_equal(attention.lines[2].get_ydata(), [0.5, np.nan])
    assert overlap.lines[0].get_ydata().tolist() == [1.0, 2.0]
    assert overlap.lines[0].get_xdata().tolist() == [1, 2]
    figure.savefig(io.BytesIO(), format="png")
