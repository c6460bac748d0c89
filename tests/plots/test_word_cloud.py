import io
from itertools import combinations

import numpy as np
import pytest
from matplotlib._pylab_helpers import Gcf

from whyword.interfaces.explanation import WordImportance
from whyword.plots.drawing import ruler
from whyword.plots.word_cloud import CAPTION, DPI, SIZE, word_cloud
from whyword.views.highlight import class_color, hexadecimal

GENERATOR = np.random.default_rng(0)
WORDS = tuple(f"{'abcdefghijkl'[: 3 + i % 9]}{i}" for i in range(120))
IMPORTANCE = WordImportance(WORDS, GENERATOR.random(120), GENERATOR.integers(1, 500, 120), "the gate of vmask")


def ink(figure):
    """Boxes of the words in pixels, the caption left out."""
    measure = ruler(figure)
    boxes = {}
    for text in figure.texts[:-1]:
        width, height, descent = measure(text.get_text(), text.get_fontsize())
        x, y = text.get_position()
        left, bottom = x * SIZE[0] * DPI, y * SIZE[1] * DPI - descent
        boxes[text.get_text()] = left, bottom, left + width, bottom + height
    return boxes


def test_the_top_words_are_there_apart_from_each_other_and_on_the_page():
    boxes = ink(word_cloud(IMPORTANCE, top=60))
    assert set(boxes) == set(IMPORTANCE.top(60).words)
    for one, other in combinations(boxes.values(), 2):
        assert one[0] >= other[2] or other[0] >= one[2] or one[1] >= other[3] or other[1] >= one[3]
    for left, bottom, right, top in boxes.values():
        assert left >= 0
        assert bottom >= CAPTION
        assert right <= SIZE[0] * DPI
        assert top <= SIZE[1] * DPI


def test_a_higher_score_is_larger_and_a_higher_frequency_darker():
    figure = word_cloud(WordImportance(("a", "b", "c"), np.array([0.9, 0.5, 0.7]), np.array([1, 50, 7]), "x"))
    texts = {text.get_text(): text for text in figure.texts[:-1]}
    assert texts["a"].get_fontsize() > texts["c"].get_fontsize() > texts["b"].get_fontsize()
    red = {word: int(text.get_color()[1:3], 16) for word, text in texts.items()}
    assert red["b"] < red["c"] < red["a"]


def test_the_caption_tells_the_range_and_the_source():
    caption = word_cloud(IMPORTANCE, top=5).figure.texts[-1].get_text()
    assert "the gate of vmask" in caption
    assert f"to {IMPORTANCE.scores.max():.3f}" in caption


def per_class(count, words=30):
    """Words of which each speaks for one class: the first for the first, and so on in turn."""
    scores = np.full((count, words), -0.1)
    scores[np.arange(words) % count, np.arange(words)] = np.linspace(1.0, 0.1, words)
    names = tuple(f"class {letter}" for letter in "abcdefghijklmnop"[:count])
    return WordImportance(WORDS[:words], scores.max(0), np.arange(1, words + 1), "a test", names, scores)


@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_every_class_has_a_cloud_of_its_own_color_under_its_name(count):
    figure = word_cloud(per_class(count))
    titles = {text.get_text(): text for text in figure.texts if text.get_text().startswith("speaks for ")}
    assert list(titles) == [f"speaks for class {letter}" for letter in "abcdef"[:count]]
    assert [text.get_color() for text in titles.values()] == [hexadecimal(class_color(i)) for i in range(count)]
    places = [text.get_position() for text in titles.values()]
    across = 2 if count in (2, 4) else 3
    down = -(-count // across)
    for text in figure.texts[: -count - 1]:
        x, y = text.get_position()
        title = places[WORDS.index(text.get_text()) % count]
        assert abs(x - title[0]) < 0.5 / across  # each word stands in the column of its class
        assert 0 < title[1] - y < 1 / down  # and below its name, not below the next one
    assert len(figure.texts) == 30 + count + 1


def test_the_words_of_a_class_keep_its_color_when_they_are_drawn_alone():
    figure = word_cloud(per_class(2).for_class("class b"))
    assert figure.texts[-2].get_text() == "speaks for class b"
    assert figure.texts[-2].get_color() == hexadecimal(class_color(1))
    assert {text.get_text() for text in figure.texts[:-2]} == set(WORDS[1:30:2])


def test_weights_are_gray_so_that_nobody_takes_them_for_words_of_a_class():
    for text in word_cloud(IMPORTANCE, top=20).texts[:-1]:
        assert len({text.get_color()[i : i + 2] for i in (1, 3, 5)}) == 1


def test_classes_without_words_and_too_many_classes_are_said():
    alone = WordImportance(("a",), np.array([0.5]), np.array([1]), "x", (0, 1), np.array([[0.5], [-0.5]]))
    assert "no word speaks for 1" in [text.get_text() for text in word_cloud(alone).texts]
    assert word_cloud(per_class(14)).texts[-1].get_text().endswith("the first 12 of 14 classes")


def test_the_same_values_give_the_same_picture():
    pictures = []
    for _ in range(2):
        file = io.BytesIO()
        word_cloud(IMPORTANCE, top=10).savefig(file, format="png")
        pictures.append(file.getvalue())
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("words", [(), ("one",), ("a", "b"), ("$x_{$", "🙂", "日本", "\x00", "w" * 500)])
def test_any_words_can_be_drawn(words):
    scores = np.full(len(words), 0.5)
    figure = word_cloud(WordImportance(words, scores, np.ones(len(words), dtype=int), "x"))
    figure.savefig(io.BytesIO(), format="png")
    assert len(figure.texts) == len(words) + 1


def test_drawing_leaves_the_state_of_pyplot_alone():
    word_cloud(IMPORTANCE, top=5)
    assert Gcf.get_num_fig_managers() == 0
