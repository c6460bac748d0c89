import re
from xml.etree import ElementTree

import pytest

from whyword.audits.data import RankRow
from whyword.report.charts.axes import styles
from whyword.report.charts.ranking import Ranked, ranking

SVG = "{http://www.w3.org/2000/svg}"


def draw(*rows, floor=0.1, near=0.9):
    looks = styles(name for name, _, _ in rows)
    made = [
        Ranked(
            name,
            looks[name],
            RankRow(name, share, share and share - 0.1, share and share + 0.1, 9, passes, 0.0, 0.0),
            passes,
        )
        for name, share, passes in rows
    ]
    svg = str(ranking(made, floor, near, "Ranking"))
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def places(drawn):
    marks = [node.get("transform") for node in drawn.iter(f"{SVG}path") if node.get("class") == "dot"]
    return [tuple(map(float, re.match(r"translate\((\S+) (\S+)\)", mark).groups())) for mark in marks]


def test_more_faithful_is_higher_and_ten_times_the_cost_is_one_step_to_the_right():
    (x1, y1), (x2, y2), (x3, y3) = places(draw(("own", 0.5, 1), ("occlusion", 0.9, 10), ("lime", 1.0, 100)))
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.2)
    assert x1 < x2
    assert y1 > y2 > y3


def test_every_explainer_is_named_and_the_floor_is_too():
    drawn = draw(("own", 0.5, 1), ("lime", 1.0, 700))
    assert {"own", "lime", "random words", "1,000"} <= {node.text for node in drawn.iter(f"{SVG}text")}
    assert "own: 50 % at 1 passes" in drawn.find(f"{SVG}desc").text
    bare = draw(("own", 0.5, 1), floor=None, near=None)
    assert "random words" not in {node.text for node in bare.iter(f"{SVG}text")}


def test_who_has_no_share_is_left_out():
    assert places(draw(("own", None, 1), floor=None)) == []


def test_an_explainer_that_makes_the_answer_surer_stays_inside():
    ((_, y),) = places(draw(("own", -0.4, 1)))
    assert y < 330
