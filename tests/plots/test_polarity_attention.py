import io

import numpy as np
import pytest

from whyword.plots.polarity_attention import NAMED, polarity_attention

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
