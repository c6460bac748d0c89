import io

import numpy as np
import pytest

from whyword.maths.stats.separation import Separation
from whyword.plots.text_vectors import Panel, text_vectors

POINTS = np.random.default_rng(0).normal(size=(6, 2))
LABELS = ["b", "a", "b", "c", "a", "b"]


def test_every_text_is_a_dot_in_the_color_of_its_class_the_same_in_all_panels():
    figure = text_vectors([Panel(f"iteration {i}", POINTS + i, LABELS, None) for i in range(2)])
    for i, axes in enumerate(figure.axes):
        for dots, label in zip(axes.collections, ["a", "b", "c"], strict=True):
            np.testing.assert_allclose(dots.get_offsets(), POINTS[[word == label for word in LABELS]] + i)
    first, second = (axes.collections for axes in figure.axes)
    assert [dots.get_facecolor().tolist() for dots in first] == [dots.get_facecolor().tolist() for dots in second]
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["a", "b", "c"]


def test_the_numbers_stand_beside_each_picture():
    panels = [Panel("iteration 0", POINTS, LABELS, Separation(0.125, 1.5)), Panel("iteration 1", POINTS, LABELS, None)]
    one, other = (axes.get_title() for axes in text_vectors(panels).axes)
    assert one == "iteration 0\nsilhouette 0.12, between / within 1.50"
    assert other == "iteration 1\nno two classes to compare"


@pytest.mark.parametrize("count", [0, 1, 5])
def test_any_number_of_panels_can_be_drawn(count):
    figure = text_vectors([Panel("$x_{$", POINTS, [1, 2, 1, 2, 1, 2], None)] * count)
    assert len(figure.axes) == count
    figure.savefig(io.BytesIO(), format="png")


def test_a_panel_without_texts_can_be_drawn():
    text_vectors([Panel("nothing", np.empty((0, 2)), [], None)]).savefig(io.BytesIO(), format="png")
