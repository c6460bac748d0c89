import pytest

from whyword.report import writing


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (writing.number(-0.12345), "−0.123"),
        (writing.number(None), "–"),
        (writing.number(float("nan")), "–"),
        (writing.number(1e300), "1.000e+300"),
        (writing.signed(0.2), "+0.200"),
        (writing.interval(0.1, 0.2), "0.100 to 0.200"),
        (writing.interval(None, 0.2), ""),
        (writing.percent(0.857), "85.7%"),
        (writing.percents(0.1, None), ""),
        (writing.p_value(0.0004), "< 0.001"),
        (writing.p_value(0.04), "0.040"),
        (writing.p_value(None), "–"),
        (writing.count(12345), "12,345"),
        (writing.amount(500), "500"),
        (writing.amount(0.5), "0.500"),
        (writing.words("probability-drop"), "Probability drop"),
        (writing.sentence("so it is"), "So it is."),
        (writing.sentence("Is it?"), "Is it?"),
        (writing.sentence(None), ""),
        (writing.duration(0.42), "0.42 s"),
        (writing.duration(93.4), "93 s"),
        (writing.duration(600), "10 min"),
        (writing.duration(9000), "2.5 h"),
        (writing.duration(None), "–"),
        (writing.short("a" * 99, 5), "aaaa…"),
        (writing.short(None), "–"),
        (writing.isolated("<b>\x00"), "<bdi>&lt;b&gt;\N{REPLACEMENT CHARACTER}</bdi>"),
    ],
)
def test_values_are_written_as_a_reader_expects(written: str, expected: str) -> None:
    assert written == expected
