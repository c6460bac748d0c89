from xml.etree import ElementTree

from report.facts import facts
from whyword.report.charts.bars import WIDTH, bar
from whyword.report.charts.calibration import calibration
from whyword.report.charts.confusion import confusion
from whyword.report.charts.intervals import interval
from whyword.report.charts.scatter import REST, classes, scatter
from whyword.report.charts.series import RANDOM, style_of, styles

SVG = ElementTree.fromstring


def widths(svg: str) -> list[float]:
    return [float(rect.attrib["width"]) for rect in SVG(svg).iter("rect")]


def test_no_two_of_thirty_series_look_the_same() -> None:
    looks = styles([*(f"e{number}" for number in range(30)), RANDOM])
    assert len({(style.color, style.dash, style.shape) for style in looks.values()}) == 31
    assert looks[RANDOM].color == "random"


def test_a_bar_is_as_long_as_its_number() -> None:
    assert widths(bar(5, 10)) == [WIDTH / 2]
    assert widths(bar(-5, 10, signed=True)) == [WIDTH / 4]
    assert widths(bar(None, 10)) == []
    assert "<title>5</title>" in bar(5, 10)


def test_calibration_tells_each_bin_and_leaves_out_empty_ones() -> None:
    bins = [*facts()["calibration"]["bins"], {"from": 0.4, "to": 0.5, "confidence": None, "accuracy": None, "texts": 0}]
    svg = calibration(bins)
    assert "Confidence 95%: right 95% of 155 texts." in svg
    assert len(widths(svg)) == 5
    SVG(calibration([]))
    SVG(calibration([{"from": None, "to": None, "confidence": 0.7, "accuracy": None, "low": None, "texts": 3}]))


def test_confusion_tells_counts_and_shares_also_of_empty_rows() -> None:
    svg = confusion(["no", "yes"], [[3, 1], [0, 0]])
    assert "Of true no, 3 as no, 1 as yes." in svg
    assert "75%" in svg
    SVG(svg)
    SVG(confusion(["a class of a long name", "b"] * 5, [[1] * 10] * 10))


def test_an_interval_lies_between_its_ends_and_shows_the_floor() -> None:
    svg = interval({"value": 0.5, "low": 0.4, "high": 0.6}, (0.0, 1.0), style_of(0), {"low": 0.1, "high": 0.2})
    assert "0.5, 95 % interval 0.4 to 0.6" in svg
    assert widths(svg) == [14.8]
    assert "limit" in interval({"value": 0.5}, (0.0, 1.0), style_of(0), threshold=0.3)
    assert "No value" in interval({"value": None}, (0.0, 1.0), style_of(0))


def test_the_map_shows_wrong_texts_hollow_and_rare_classes_together() -> None:
    points = [{"x": n, "y": n % 7, "gold": f"c{n % 9}", "predicted": f"c{n % 9}"} for n in range(90)]
    points[0] |= {"predicted": "c1"}
    svg = scatter([*points, {"x": None, "y": None, "gold": "c0", "predicted": "c0"}])
    SVG(svg)
    assert svg.count('class="thin"') == 1
    assert svg.count('class="dot"') == 89
    assert len(classes(points)) == 7
    assert REST in classes(points)
    unlabeled = [{"x": 0.0, "y": 0.0, "gold": None, "predicted": 1}]
    assert list(classes(unlabeled)) == ["1"]
    assert 'class="thin"' not in scatter(unlabeled)
