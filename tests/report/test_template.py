import pytest

from whyword.report import template


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (template.number(-0.12345), "−0.123"),
        (template.number(None), "–"),
        (template.number(float("nan")), "–"),
        (template.number(1e300), "1.000e+300"),
        (template.signed(0.2), "+0.200"),
        (template.interval(0.1, 0.2), "0.100 to 0.200"),
        (template.interval(None, 0.2), ""),
        (template.percent(0.857), "85.7%"),
        (template.percents(0.1, None), ""),
        (template.number(-0.0004), "0.000"),
        (template.signed(-0.0004), "+0.000"),
        (template.percent(-0.0004), "0.0%"),
        (template.p_value(0.0004), "< 0.001"),
        (template.p_value(0.04), "0.040"),
        (template.p_value(None), "–"),
        (template.count(12345), "12,345"),
        (template.amount(500), "500"),
        (template.amount(0.5), "0.500"),
        (template.words("probability-drop"), "Probability drop"),
        (template.sentence("so it is"), "So it is."),
        (template.sentence("Is it?"), "Is it?"),
        (template.sentence(None), ""),
        (template.duration(0.0042), "4.2 ms"),
        (template.duration(0.0997), "100 ms"),
        (template.duration(0.42), "0.42 s"),
        (template.duration(93.4), "93 s"),
        (template.duration(600), "10 min"),
        (template.duration(9000), "2.5 h"),
        (template.duration(None), "–"),
        (template.short("a" * 99, 5), "aaaa…"),
        (template.short(None), "–"),
        (template.isolated("<b>\x00"), "<bdi>&lt;b&gt;\N{REPLACEMENT CHARACTER}</bdi>"),
    ],
)
def test_values_are_written_as_a_reader_expects(written: str, expected: str) -> None:
    assert written == expected
