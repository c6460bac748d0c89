import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from whyword.views.characters import columns, showable


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
