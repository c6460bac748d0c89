import io
from itertools import combinations

import numpy as np
import pytest

from whyword.interfaces.explanation import WordImportance
from whyword.maths.stats.intervals import Estimate
from whyword.plots.drawing import ruler
from whyword.plots.frequency_importance import LABELLED, LETTERS, frequency_importance
from whyword.views.highlight import GRAY, class_color

GENERATOR = np.random.default_rng(0)
WORDS = tuple(f"word{i}" for i in range(400))
IMPORTANCE = WordImportance(WORDS, GENERATOR.random(400), 3000 // np.arange(1, 401), "the gate of vmask")
R, RHO = Estimate(-0.016, -0.05, 0.02), Estimate(0.017, -0.02, 0.051)


def test_every_word_is_a_dot_at_its_frequency_and_score():
    axes = frequency_importance(IMPORTANCE, R, RHO).axes[0]
    dots = axes.collections[0].get_offsets()
    order = IMPORTANCE.ranking
    assert np.allclose(dots, np.stack([IMPORTANCE.frequencies, IMPORTANCE.scores], axis=1)[order])
    assert axes.get_xscale() == "log"


def test_the_highest_and_the_most_frequent_words_are_named_without_overlaps():
    figure = frequency_importance(IMPORTANCE, R, RHO)
    measure = ruler(figure)
    names = figure.axes[0].texts
    assert {name.get_text() for name in names} == {*IMPORTANCE.top(LABELLED).words, *WORDS[:LABELLED]}
    boxes = []
    for name in names:
        width, height, descent = measure(name.get_text(), LETTERS)
        point = figure.axes[0].transData.transform(name.xy)
        left, bottom = point + np.array(name.xyann) * 100 / 72 - [0, descent]
        boxes.append((left, bottom, left + width, bottom + height))
    for one, other in combinations(boxes, 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]


def test_the_title_tells_both_correlations_with_their_intervals():
    title = frequency_importance(IMPORTANCE, R, RHO).axes[0].get_title()
    assert "r = -0.016 [-0.050, 0.020]" in title
    assert "ρ = 0.017 [-0.020, 0.051]" in title
    assert "no correlation" in frequency_importance(IMPORTANCE, None, None).axes[0].get_title()


def test_every_class_has_a_color_and_a_marker_and_a_name_in_the_legend():
    scores = np.stack([np.sin(np.arange(400)), -np.sin(np.arange(400)), np.full(400, -2.0)])
    scores[:, -1] = 0.0
    importance = WordImportance(WORDS, scores.max(0), IMPORTANCE.frequencies, "x", ("bad", "$good", "new"), scores)
    figure = frequency_importance(importance, R, RHO)
    names = [text.get_text() for text in figure.legends[0].get_texts()]
    assert names == ["speaks for bad", "speaks for $good", "most frequent"]  # no word speaks for new
    bad, _, good, _, none, _ = figure.axes[0].collections
    for dots, label, color in ((bad, "bad", class_color(0)), (good, "$good", class_color(1)), (none, None, GRAY)):
        chosen = np.array([name == label for name in importance.labels])
        expected = np.stack([importance.frequencies[chosen], importance.scores[chosen]], axis=1)
        assert np.allclose(np.array(sorted(dots.get_offsets().tolist())), sorted(expected.tolist()))
        assert np.allclose(dots.get_facecolor()[0][:3], np.array(color) / 255)
    paths = [dots.get_paths()[0].vertices.tolist() for dots in (bad, good)]
    assert paths[0] != paths[1]


@pytest.mark.parametrize("words", [(), ("one",), ("$x_{$", "🙂", "日本", "\x00", "w" * 500)])
def test_any_words_can_be_drawn(words):
    scores = np.linspace(0, 1, len(words))
    frequencies = np.arange(len(words))  # 0 among them
    figure = frequency_importance(WordImportance(words, scores, frequencies, "$x$"), None, None)
    figure.savefig(io.BytesIO(), format="png")
