"""Whether a first row names the columns."""

from pathlib import Path

import pytest

from whyword.data.header import column_names, has_header
from whyword.interfaces.errors import DataError

BELOW = [[f"a text, number {row}", "good" if row % 2 else "bad"] for row in range(10)]


@pytest.mark.parametrize("first", [["text", "label"], ["Was ist", "Klasse"], ["v1", "v2"], ["", "label"]])
def test_names_are_names(first: list[str]) -> None:
    assert has_header([first, *BELOW])


@pytest.mark.parametrize("first", [["a text", "good"], ["a", "1"], ["one two three four five six seven", "x"]])
def test_values_that_recur_numbers_and_long_texts_are_none(first: list[str]) -> None:
    assert not has_header([first, *BELOW])


def test_a_usual_name_that_is_a_value_of_its_column_is_none() -> None:
    rows = [["question", f"what is {row}"] if row % 2 else ["comment", f"it is {row}"] for row in range(10)]
    assert not has_header(rows)


def test_columns_have_names_or_numbers() -> None:
    assert column_names([" text ", "", "label"], True, Path("a.csv")) == ("text", "2", "label")
    assert column_names(["a", "a"], False, Path("a.csv")) == ("1", "2")
    with pytest.raises(DataError, match=r"a\.csv has two columns named 'a'.* --no-header"):
        column_names(["a", "a"], True, Path("a.csv"))
