import pytest

from whyword.views import svg, terminal
from whyword.views.colors import BLUE, ORANGE, Color, blend, hexadecimal, hue, opacity, underline

STRENGTHS = [sign * step / 20 for step in range(21) for sign in (1, -1)]
PAGES: dict[str, tuple[Color, Color]] = {  # ink, ground
    "a bare page": ((0, 0, 0), (255, 255, 255)),
    "a bare dark page": ((255, 255, 255), (18, 18, 18)),
    "Jupyter": ((33, 33, 33), (255, 255, 255)),
    "Jupyter in dark": ((224, 224, 224), (17, 17, 17)),
    "VS Code": ((59, 59, 59), (255, 255, 255)),
    "VS Code in dark": ((204, 204, 204), (31, 31, 31)),
    "Colab in dark": ((227, 227, 227), (56, 56, 56)),
    "the picture": (svg.INK[0], svg.PAGE[0]),
    "the picture in dark": (svg.INK[1], svg.PAGE[1]),
}


def luminance(color: Color) -> float:
    """Relative luminance as WCAG 2 defines it."""
    red, green, blue = (
        share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in (c / 255 for c in color)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Color, other: Color) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_measured_as_wcag_does() -> None:
    assert contrast((0, 0, 0), (255, 255, 255)) == pytest.approx(21)
    assert contrast((118, 118, 118), (255, 255, 255)) == pytest.approx(4.54, abs=0.005)  # the well-known #767676


@pytest.mark.parametrize("page", PAGES)
def test_text_on_paint_keeps_a_contrast_of_four_and_a_half(page: str) -> None:
    ink, ground = PAGES[page]
    for strength in STRENGTHS:
        assert contrast(ink, blend(hue(strength), opacity(strength), ground)) >= 4.5


def test_painted_words_in_a_terminal_keep_a_contrast_of_four_and_a_half() -> None:
    for strength in STRENGTHS:
        ground = blend(hue(strength), abs(strength), terminal.GRAY)
        assert contrast(terminal.INK, ground) >= 4.5
        assert terminal.style(strength).endswith(f"{hexadecimal(terminal.INK)} on {hexadecimal(ground)}")


def test_bars_in_a_terminal_stand_out_on_black_and_on_white() -> None:
    for color in (BLUE, ORANGE):
        assert contrast(color, (0, 0, 0)) >= 3
        assert contrast(color, (255, 255, 255)) >= 3


def test_stronger_words_have_thicker_paint_and_thicker_lines() -> None:
    rising = [step / 100 for step in range(101)]
    assert [opacity(strength) for strength in rising] == sorted({opacity(strength) for strength in rising})
    assert [underline(strength) for strength in (0.0, 0.3, 0.4, 0.6, 0.7, 1.0)] == [0, 0, 1, 1, 2, 2]
    assert all(opacity(s) == opacity(-s) and underline(s) == underline(-s) for s in rising)


def test_the_sign_decides_between_blue_and_orange() -> None:
    assert hue(0.2) == BLUE
    assert hue(-0.2) == ORANGE
