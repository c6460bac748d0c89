from math import nan

import numpy as np

from whyword.maths.stats.intervals import Estimate
from whyword.plots.curves import curves

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
