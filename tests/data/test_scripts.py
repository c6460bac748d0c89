"""Scripts of texts."""

import pytest

from whyword.data.scripts import mixed_words, scripts_of
from whyword.data.words import split


@pytest.mark.parametrize(
    ("text", "scripts"),
    [
        ("plain", {"Latin"}),
        ("café № 5", {"Latin"}),
        ("суп", {"Cyrillic"}),
        ("寿司 です テスト", {"Han", "Japanese"}),
        ("σούπα soup", {"Greek", "Latin"}),
        ("한국", {"Hangul"}),
        ("12 € 😀", set()),
    ],
)
def test_scripts_are_named(text: str, scripts: set[str]) -> None:
    assert scripts_of(split(text)) == scripts


def test_words_that_mix_letters_that_look_alike_are_found() -> None:
    assert mixed_words(split("a sоup of суп and naïve café")) == ["sоup"]
    assert mixed_words(split("寿司bar")) == []
