import io

import numpy as np
import pytest

from whyword.maths.stats.intervals import Estimate
from whyword.plots.word_groups import (
    NAMED,
    group_scores,
    polarity_attention,
    score_weight,
    scores_in_training,
    update_terms,
)

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


NAMES = ("bad", "good", "neutral")


def test_every_word_of_a_group_is_a_dot_and_the_most_attended_ones_are_named():
    generator = np.random.default_rng(0)
    leaning, attention, groups = generator.normal(size=60), generator.normal(size=60), np.arange(60) % 4 - 1
    words = tuple(f"w{i}" for i in range(60))
    axes = polarity_attention(words, leaning, attention, groups, NAMES).axes[0]
    dots = np.concatenate([dots.get_offsets() for dots in axes.collections])
    assert {tuple(dot) for dot in dots} == {(leaning[i], attention[i]) for i in range(60) if groups[i] >= 0}
    best = {
        words[i]
        for group in (0, 1)
        for i in sorted(np.flatnonzero(groups == group), key=lambda i: -attention[i])[:NAMED]
    }
    named = {text.get_text() for text in axes.texts}
    assert named <= best
    assert len(named) > NAMED / 2


@pytest.mark.parametrize("words", [(), ("$x_{$", "🙂")])
def test_any_words_can_be_drawn(words):
    values = np.arange(len(words), dtype=float)
    figure = polarity_attention(words, values, values, np.zeros(len(words), int), ("$x_{$", "日本", "neutral"))
    figure.savefig(io.BytesIO(), format="png")


def test_every_word_has_its_weight_and_the_title_tells_the_correlation():
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


TERMS = {name: (-i, i, 0.1) for i, name in enumerate(["A", "B", "C", "D", "E", "F", "A_layer", "D_layer"], start=1)}


def test_terms_of_polarity_and_attention_have_a_panel_each_and_a_bar_per_group():
    figure = update_terms(TERMS, ("$x_{$", "good", "neutral"))
    polarity, attention = figure.axes
    assert [label.get_text() for label in polarity.get_xticklabels()] == ["A", "A\nlayer", "B", "C"]
    assert [label.get_text() for label in attention.get_xticklabels()] == ["D", "D\nlayer", "E", "F"]
    assert sorted(bar.get_height() for bar in polarity.patches) == sorted(
        height for name in ("A", "A_layer", "B", "C") for height in TERMS[name]
    )
    figure.savefig(io.BytesIO(), format="png")
