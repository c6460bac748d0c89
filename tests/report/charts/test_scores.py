import itertools
import re
from typing import NamedTuple
from xml.etree import ElementTree

from whyword.report.charts.axes import style_of, styles
from whyword.report.charts.scores import BAR_WIDTH, HEIGHT, Curve, bar, curves, interval


class Point(NamedTuple):
    at: float
    value: float | None
    low: float | None = None
    high: float | None = None


def drawn(names: list[str], ends: list[float]) -> str:
    looks = styles(names)
    return curves(
        "drop",
        [
            Curve(name, looks[name], [Point(1, 0.0, -0.1, 0.1), Point(2, end)])
            for name, end in zip(names, ends, strict=True)
        ],
        "words",
    )


def labels(svg: str) -> dict[str, float]:
    found = re.findall(r'<text x="[\d.]+" y="([-\d.]+)" text-anchor="start"[^>]*>([^<]*)</text>', svg)
    return {name: float(y) for y, name in found}


def test_every_line_is_named_where_it_ends_and_names_do_not_overlap() -> None:
    names = [f"e{number}" for number in range(8)]
    places = sorted(labels(drawn(names, [0.5] * 8)).values())
    assert len(places) == 8
    assert all(after - before >= 12 for before, after in itertools.pairwise(places))
    assert places[-1] <= HEIGHT
    assert places[0] >= 0


def test_higher_lines_are_named_higher() -> None:
    places = labels(drawn(["low", "high"], [0.1, 0.9]))
    assert places["high"] < places["low"]


def test_the_description_states_the_numbers() -> None:
    assert "e0: 1: 0, 2: 0.5." in drawn(["e0"], [0.5])


def test_a_band_is_drawn_only_where_there_is_an_interval_and_few_lines() -> None:
    looks = styles(["own"])
    points = [Point(at, at / 10, 0.0, at / 5) for at in (1, 2)]
    assert "band" in curves("drop", [Curve("own", looks["own"], points)], "words")
    assert "band" not in drawn(["own"], [0.5])


def test_missing_values_leave_out_their_points() -> None:
    looks = styles(["own", "random"])
    points = [Point(1, None), Point(0.5, 0.2), Point(0.9, 0.3)]
    svg = curves(
        "drop", [Curve("own", looks["own"], points), Curve("random", looks["random"], [])], "share", percent=True
    )
    ElementTree.fromstring(svg)
    assert "50%" in svg
    assert "random" not in labels(svg)
    assert "own: 50%: 0.2, 90%: 0.3." in svg
    ElementTree.fromstring(curves("nothing", [], "words"))


class Value(NamedTuple):
    value: float | None
    low: float | None = None
    high: float | None = None


def widths(svg: str) -> list[float]:
    return [float(rect.attrib["width"]) for rect in ElementTree.fromstring(svg).iter("rect")]


def test_a_bar_is_as_long_as_its_number() -> None:
    assert widths(bar(5, 10)) == [BAR_WIDTH / 2]
    assert widths(bar(-5, 10, signed=True)) == [BAR_WIDTH / 4]
    assert widths(bar(None, 10)) == []
    assert "<title>5</title>" in bar(5, 10)


def test_an_interval_lies_between_its_ends_and_shows_the_floor() -> None:
    svg = interval(Value(0.5, 0.4, 0.6), (0.0, 1.0), style_of(0), Value(None, 0.1, 0.2))
    assert "0.5, 95 % interval 0.4 to 0.6" in svg
    assert widths(svg) == [14.8]
    assert "limit" in interval(Value(0.5), (0.0, 1.0), style_of(0), threshold=0.3)
    assert "No value" in interval(Value(None), (0.0, 1.0), style_of(0))
