import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.report.charts.axes import styles
from whyword.report.charts.pareto import front, pareto

SVG = "{http://www.w3.org/2000/svg}"


def point(name, accuracy, interpretability, half=None):
    values = {"name": name, "method": name, "accuracy": accuracy, "interpretability": interpretability}
    if half is not None:
        for quantity in ("accuracy", "interpretability"):
            values |= {f"{quantity}_low": values[quantity] - half, f"{quantity}_high": values[quantity] + half}
    return values


def draw(points):
    svg = str(pareto(points, styles(p["name"] for p in points), "comprehensiveness"))
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def test_the_front_is_what_nothing_beats():
    points = [point("a", 0.9, 0.1), point("b", 0.8, 0.3), point("c", 0.7, 0.2), point("d", 0.9, 0.05)]
    assert [p["name"] for p in front(points)] == ["a", "b"]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(-1, 1)), min_size=1, max_size=12))
def test_every_point_is_on_the_front_or_beaten_by_one_that_is(pairs):
    points = [point(str(i), *pair) for i, pair in enumerate(pairs)]
    best = front(points)
    assert best
    for p in points:
        at_least = [
            q for q in best if q["accuracy"] >= p["accuracy"] and q["interpretability"] >= p["interpretability"]
        ]
        assert at_least


def test_more_accurate_is_higher_and_more_faithful_is_further_right():
    drawn = draw([point("low", 0.5, 0.1), point("high", 0.9, 0.4)])
    marks = [node.get("transform") for node in drawn.iter(f"{SVG}path") if node.get("class") == "dot"]
    (x1, y1), (x2, y2) = (map(float, re.match(r"translate\((\S+) (\S+)\)", mark).groups()) for mark in marks)
    assert x1 < x2
    assert y1 > y2


def test_every_point_has_its_name_and_bars_where_there_are_intervals():
    with_bars = draw([point("a", 0.5, 0.1, 0.1), point("b", 0.6, 0.2, 0.1)])
    assert sum(node.get("class") == "thin" for node in with_bars.iter(f"{SVG}path")) == 4
    assert {"a", "b"} <= {node.text for node in with_bars.iter(f"{SVG}text")}
    without = draw([point("a", 0.5, 0.1)])
    assert not any(node.get("class") == "thin" for node in without.iter(f"{SVG}path"))


@pytest.mark.parametrize("count", [2, 6, 12])
def test_names_of_separate_points_do_not_lie_on_each_other(count):
    points = [point(f"method {i}", 0.5 + 0.4 * i / count, 0.5 - 0.4 * i / count) for i in range(count)]
    names = {p["name"] for p in points}
    boxes = []
    for node in draw(points).iter(f"{SVG}text"):
        if node.text in names:
            x, y, width = float(node.get("x")), float(node.get("y")), 7 * len(node.text)
            left = x if node.get("text-anchor") == "start" else x - width
            boxes.append((left, y - 10, left + width, y))
    assert len(boxes) == count
    for i, a in enumerate(boxes):
        for b in boxes[:i]:
            assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]


def test_points_in_one_place_and_very_wide_intervals_can_be_drawn():
    drawn = draw([point("a", 0.5, 0.1, 12.0), point("b", 0.5, 0.1, 12.0), point("c" * 100, 0.5, 0.1)])
    numbers = [float(n) for node in drawn.iter(f"{SVG}path") for n in re.findall(r"-?\d+\.?\d*", node.get("d"))]
    assert all(-20 < number < 700 for number in numbers)


def test_strangers_names_are_escaped():
    evil = "<script>&"
    assert "<script>" not in str(pareto([point(evil, 0.5, 0.1)], styles([evil]), "m"))
