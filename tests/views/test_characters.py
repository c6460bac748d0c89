import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from whyword.views.characters import columns, cut, leftward, showable, width, wrap


@given(st.text(st.characters(exclude_categories=())))
def test_nothing_but_unsafe_characters_is_replaced(text: str) -> None:
    shown = showable(text)
    assert len(shown) == len(text)
    for before, after in zip(text, shown, strict=True):
        unsafe = unicodedata.category(before) in ("Cc", "Cs") and before not in "\t\n\r"
        assert after == ("\ufffd" if unsafe or before in "\ufffe\uffff" else before)


@pytest.mark.parametrize("word", ["delight", "naïve", "e\u0301", "東京", "ＡＢ", "😀", "한국", "жук", "مرحبا"])
def test_words_take_the_columns_that_rich_counts(word: str) -> None:
    assert sum(map(columns, word)) == cell_len(word)


def lines(text: str, length: float) -> list[str]:
    return [text[start:end] for start, end in wrap(text, length)]


def test_lines_end_after_a_space_where_the_length_ends() -> None:
    assert lines("one two three", width("one two ")) == ["one two ", "three"]


def test_line_ends_of_the_text_are_kept() -> None:
    assert lines("a\n\nb\n", 100) == ["a", "", "b", ""]


def test_a_word_longer_than_the_line_is_cut_inside() -> None:
    assert lines("aaaaaaa", 3 * width("a")) == ["aaa", "aaa", "a"]


def test_chinese_text_wraps_between_any_two_characters() -> None:
    assert lines("東京很美麗", 2.0) == ["東京", "很美", "麗"]


def test_an_accent_stays_with_its_letter() -> None:
    assert lines("ae\u0301e\u0301", width("ae")) == ["ae\u0301", "e\u0301"]


@given(st.text(), st.floats(0.1, 20))
def test_wrapping_keeps_every_character_but_line_ends(text: str, length: float) -> None:
    assert "".join(lines(text, length)) == text.replace("\n", "")


@given(st.text("abc iWé", max_size=60), st.floats(1.0, 20))
def test_no_line_but_its_hanging_spaces_exceeds_the_length(text: str, length: float) -> None:
    assert all(width(line.rstrip()) <= length + 1e-9 for line in lines(text, length))


@given(st.text(), st.floats(1.5, 20))
def test_a_cut_text_fits_and_says_that_it_was_cut(text: str, length: float) -> None:
    shown = cut(text, length)
    assert width(shown) <= length
    assert shown == text or (shown.endswith("…") and text.startswith(shown[:-1]))


def test_direction_is_that_of_the_first_letter() -> None:
    assert leftward("123 مرحبا world")
    assert not leftward("hello مرحبا")
    assert not leftward("123")
