"""The table of words and labels."""

from __future__ import annotations

from whyword.views.word_table import render


def test_a_cell_per_word_and_label_is_painted_by_its_share_of_the_largest() -> None:
    page = render(["rude", "<b>"], ["people"], [[0.5], [-0.25]])
    assert page.count("<td") == 2
    assert "+0.500" in page
    assert "-0.250" in page
    assert "0.80)" in page
    assert "0.40)" in page
    assert "&lt;b&gt;" in page


def test_a_table_of_nothing_is_a_table() -> None:
    assert "<table" in render([], ["people"], [])
