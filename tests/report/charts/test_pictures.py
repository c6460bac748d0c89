from typing import NamedTuple
from xml.etree import ElementTree

from audits.audit_data import audit_data
from whyword.report.charts.axes import RANDOM, style_of, styles
from whyword.report.charts.predictions import REST, calibration, classes, confusion, scatter
from whyword.report.charts.rows import BAR_WIDTH, bar, interval

SVG = ElementTree.fromstring


class Value(NamedTuple):
    value: float | None
    low: float | None = None
    high: float | None = None


class Text(NamedTuple):
    x: float
    y: float
    gold: object
    predicted: object


def widths(svg: str) -> list[float]:
    return [float(rect.attrib["width"]) for rect in SVG(svg).iter("rect")]


def test_no_two_of_thirty_series_look_the_same() -> None:
    looks = styles([*(f"e{number}" for number in range(30)), RANDOM])
    assert len({(style.color, style.dash, style.shape) for style in looks.values()}) == 31
    assert looks[RANDOM].color == "random"


def test_a_bar_is_as_long_as_its_number() -> None:
    assert widths(bar(5, 10)) == [BAR_WIDTH / 2]
    assert widths(bar(-5, 10, signed=True)) == [BAR_WIDTH / 4]
    assert widths(bar(None, 10)) == []
    assert "<title>5</title>" in bar(5, 10)


def test_calibration_tells_each_bin() -> None:
    bins = audit_data().calibration.bins
    svg = calibration(bins)
    assert "Confidence 95%: right 95% of 155 texts." in svg
    assert len(widths(svg)) == 5
    SVG(calibration(bins[:1]))
    SVG(calibration([]))


def test_confusion_tells_counts_and_shares_also_of_empty_rows() -> None:
    svg = confusion(["no", "yes"], [[3, 1], [0, 0]])
    assert "Of true no, 3 as no, 1 as yes." in svg
    assert "75%" in svg
    SVG(svg)
    SVG(confusion(["a class of a long name", "b"] * 5, [[1] * 10] * 10))


def test_an_interval_lies_between_its_ends_and_shows_the_floor() -> None:
    svg = interval(Value(0.5, 0.4, 0.6), (0.0, 1.0), style_of(0), Value(None, 0.1, 0.2))
    assert "0.5, 95 % interval 0.4 to 0.6" in svg
    assert widths(svg) == [14.8]
    assert "limit" in interval(Value(0.5), (0.0, 1.0), style_of(0), threshold=0.3)
    assert "No value" in interval(Value(None), (0.0, 1.0), style_of(0))


def test_the_map_shows_wrong_texts_hollow_and_rare_classes_together() -> None:
    points = [Text(n, n % 7, f"c{n % 9}", "c1" if n == 0 else f"c{n % 9}") for n in range(90)]
    svg = scatter([*points, Text(float("nan"), 0.0, "c0", "c0")])
    SVG(svg)
    assert svg.count('class="thin"') == 1
    assert svg.count('class="dot"') == 89
    assert len(classes(points)) == 7
    assert REST in classes(points)
    unlabeled = [Text(0.0, 0.0, None, 1)]
    assert list(classes(unlabeled)) == ["1"]
    assert 'class="thin"' not in scatter(unlabeled)
