import io
import math
from math import nan

import numpy as np
import pytest

from whyword.maths.stats.intervals import Estimate
from whyword.plots.curves import accuracy_by_iteration, curves, jsd_tvd

LINES = {
    "ours": {2.0: Estimate(20, 18, 22), 1.0: Estimate(10, 9, 11)},
    "theirs": {1.0: Estimate(5, nan, nan), 2.0: Estimate(6, nan, nan)},
}


def test_a_line_goes_through_its_estimates_from_left_to_right():
    (axes,) = curves(LINES, "title", "across", "up").axes
    ours, theirs = axes.lines
    assert np.array_equal(ours.get_xydata(), [(1, 10), (2, 20)])
    assert np.array_equal(theirs.get_xydata(), [(1, 5), (2, 6)])
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("title", "across", "up")
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["ours", "theirs"]


def test_lines_can_be_told_apart_without_colors():
    lines = {str(number): {1.0: Estimate(number, number, number)} for number in range(12)}
    (axes,) = curves(lines, "", "", "").axes
    assert len({(line.get_color(), line.get_marker(), line.get_linestyle()) for line in axes.lines}) == 12
    assert len({line.get_marker() for line in axes.lines}) > 1


def test_the_band_is_the_interval():
    (axes,) = curves({"ours": LINES["ours"]}, "", "", "").axes
    corners = {tuple(point) for point in axes.collections[0].get_paths()[0].vertices}
    assert {(1, 9), (1, 11), (2, 18), (2, 22)} <= corners


def test_wide_bands_do_not_press_the_lines_flat():
    wide = {1.0: Estimate(50, -1e6, 1e6), 2.0: Estimate(60, -1e6, 1e6)}
    (axes,) = curves({"two seeds": wide}, "", "", "").axes
    assert axes.get_ylim() == (40, 70)
    (axes,) = curves({"one point": {1.0: Estimate(0, -1e6, 1e6)}}, "", "", "").axes
    assert axes.get_ylim() == (-1, 1)


def test_titles_are_never_read_as_mathematics_and_nothing_can_be_drawn(tmp_path):
    curves({}, "$x_", "", "").savefig(tmp_path / "none.png")
    curves(LINES, "$x_", "", "").savefig(tmp_path / "some.png")
    assert (tmp_path / "some.png").stat().st_size > (tmp_path / "none.png").stat().st_size


def test_each_name_is_a_line_from_iteration_zero_on():
    lines = {"learner": [0.90, 0.92, 0.91], "compressor": [math.nan, 0.89, 0.9]}
    axes = accuracy_by_iteration(lines, "on dev").axes[0]
    assert [line.get_label() for line in axes.lines] == list(lines)
    for line, values in zip(axes.lines, lines.values(), strict=True):
        assert list(line.get_xdata()) == [0, 1, 2]
        np.testing.assert_array_equal(line.get_ydata(), values)
    assert (axes.get_title(), axes.get_xlabel(), axes.get_ylabel()) == ("on dev", "iteration", "accuracy")


@pytest.mark.parametrize("lines", [{}, {"$x$": []}, {"one": [0.5]}], ids=["none", "empty", "one value"])
def test_any_lines_by_iteration_can_be_drawn(lines):
    accuracy_by_iteration(lines, "$x_{$").savefig(io.BytesIO(), format="png")


def point(jsd, tvd):
    return {"jsd": jsd, "tvd": tvd, "tvd_low": tvd - 0.01, "tvd_high": tvd + 0.02}


def test_each_model_is_a_line_of_its_points_in_order_of_jsd():
    models = {"base": [point(0.5, 0.1), point(0.2, 0.05)], "tying": [point(0.3, 0.2)]}
    axes = jsd_tvd(models, "sst2").axes[0]
    lines = [container.lines[0] for container in axes.containers]
    assert [line.get_xdata().tolist() for line in lines] == [[0.2, 0.5], [0.3]]
    assert [line.get_ydata().tolist() for line in lines] == [[0.05, 0.1], [0.2]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["base", "tying"]
    assert axes.get_xlim() == (0.0, math.log(2))


def test_intervals_are_drawn_around_the_points():
    axes = jsd_tvd({"base": [point(0.2, 0.05)]}).axes[0]
    ((low, high),) = (segment[:, 1] for segment in axes.containers[0].lines[2][0].get_segments())
    assert (low, high) == pytest.approx((0.04, 0.07))


@pytest.mark.parametrize("models", [{}, {"$x$": []}, {str(i): [point(0.1, 0.0)] for i in range(12)}], ids=len)
def test_any_number_of_models_can_be_drawn(models):
    jsd_tvd(models, "$").savefig(io.BytesIO(), format="png")
