import itertools

from hypothesis import given
from hypothesis import strategies as st

from whyword.report.charts.axes import RANDOM, Scale, label_of, picture, round_numbers, spread, styles, text

NUMBERS = st.floats(-1e6, 1e6)


@given(NUMBERS, st.floats(1e-6, 1e6), st.integers(2, 10))
def test_ticks_are_few_and_evenly_spaced_within_the_scale(low: float, width: float, most: int) -> None:
    ticks = round_numbers(low, low + width, most)
    assert 1 <= len(ticks) <= most
    assert all(low - 1e-6 * width - 1e-9 <= tick <= low + width * (1 + 1e-6) + 1e-9 for tick in ticks)
    steps = [after - before for before, after in itertools.pairwise(ticks)]
    assert all(abs(step - steps[0]) <= 1e-6 * abs(steps[0]) + 1e-9 for step in steps)


def test_ticks_are_at_round_numbers() -> None:
    assert round_numbers(-0.03, 0.47, 6) == [0.0, 0.1, 0.2, 0.3, 0.4]
    assert round_numbers(0, 1, 6) == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert round_numbers(3, 3) == [3]


def test_a_scale_reaches_both_ends_and_holds_what_lies_outside() -> None:
    scale = Scale(0, 10, 100, 200)
    assert [scale(value) for value in (0, 5, 10, 99, -99)] == [100, 150, 200, 200, 100]
    assert Scale(1, 1, 0, 10)(1) == 5


def test_spread_ignores_what_is_missing() -> None:
    low, high = spread([None, 0.0, 1.0, float("nan")])
    assert low < 0 < 1 < high
    assert spread([None]) == (0.0, 1.0)
    low, high = spread([0.0])
    assert low < 0 < high


def test_labels_have_a_true_minus_and_no_needless_digits() -> None:
    assert label_of(-0.5) == "−0.5"
    assert label_of(0.05, percent=True) == "5%"


def test_a_picture_tells_its_title_and_numbers_to_those_who_listen_and_escapes_them() -> None:
    svg = picture(10, 10, "<a>", "b & c\x00", [text(0, 0, "</text><script>")])
    assert 'role="img"' in svg
    assert "<title>&lt;a&gt;</title><desc>b &amp; c\N{REPLACEMENT CHARACTER}</desc>" in svg
    assert "<script>" not in svg


def test_no_two_of_thirty_series_look_the_same() -> None:
    looks = styles([*(f"e{number}" for number in range(30)), RANDOM])
    assert len({(style.color, style.dash, style.shape) for style in looks.values()}) == 31
    assert looks[RANDOM].color == "random"
