from typing import NamedTuple
from xml.etree import ElementTree

from audits.audit_data import audit_data
from whyword.report.charts.predictions import REST, calibration, classes, confusion, scatter

SVG = ElementTree.fromstring


class Text(NamedTuple):
    x: float
    y: float
    gold: object
    predicted: object


def widths(svg: str) -> list[float]:
    return [float(rect.attrib["width"]) for rect in SVG(svg).iter("rect")]


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
