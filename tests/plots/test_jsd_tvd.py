import io
import math

import pytest

from whyword.plots.jsd_tvd import jsd_tvd


def point(jsd, tvd):
    return {"jsd": jsd, "tvd": tvd, "tvd_low": tvd - 0.01, "tvd_high": tvd + 0.02}


def test_each_model_is_a_line_of_its_points_in_order_of_jsd():
    curves = {"base": [point(0.5, 0.1), point(0.2, 0.05)], "tying": [point(0.3, 0.2)]}
    axes = jsd_tvd(curves, "sst2").axes[0]
    lines = [container.lines[0] for container in axes.containers]
    assert [line.get_xdata().tolist() for line in lines] == [[0.2, 0.5], [0.3]]
    assert [line.get_ydata().tolist() for line in lines] == [[0.05, 0.1], [0.2]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["base", "tying"]
    assert axes.get_xlim() == (0.0, math.log(2))


def test_intervals_are_drawn_around_the_points():
    axes = jsd_tvd({"base": [point(0.2, 0.05)]}).axes[0]
    ((low, high),) = (segment[:, 1] for segment in axes.containers[0].lines[2][0].get_segments())
    assert (low, high) == pytest.approx((0.04, 0.07))


@pytest.mark.parametrize("curves", [{}, {"$x$": []}, {str(i): [point(0.1, 0.0)] for i in range(12)}], ids=len)
def test_any_number_of_models_can_be_drawn(curves):
    jsd_tvd(curves, "$").savefig(io.BytesIO(), format="png")
