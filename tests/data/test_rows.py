"""Records become documents, or an error that names the row."""

from typing import Any

import pytest

from whyword.data.rows import Columns, document
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError

WHERE = "reviews.csv, row 17"


def make(columns: Columns | None = None, labelled: bool = True, **record: Any) -> Document:
    return document(record, columns or Columns(), WHERE, labelled)


def refused(columns: Columns | None = None, **record: Any) -> str:
    with pytest.raises(DataError) as caught:
        make(columns, **record)
    message = str(caught.value)
    assert message.startswith(WHERE)
    assert "\n" not in message
    return message


@pytest.mark.parametrize("label", ["positive", 0, 1, -3, "0"])
def test_a_label_comes_back_as_it_went_in(label: str | int) -> None:
    made = make(text="It's good.", label=label)
    assert made.words.strings == ("It", "'s", "good", ".")
    assert made.label == label
    assert type(made.label) is type(label)
    assert made.rationale is None


def test_other_columns_can_be_named() -> None:
    columns = Columns(text="review", label="stars", text_pair="reply", rationale="why")
    made = make(columns, review="so good", reply="thanks", stars=5, why=[[3, 7]], text="not this", why_pair=[[0, 6]])
    assert made.words.texts == ("so good", "thanks")
    assert made.label == 5
    assert made.rationale == (((3, 7),), ((0, 6),))
    assert made.rationale_words == (False, True, True)


def test_a_second_text_is_read_where_the_file_has_one() -> None:
    assert make(text="a", text_pair="b", label="x").words.texts == ("a", "b")


@pytest.mark.parametrize("labelled", [True, False])
def test_a_missing_text_column_is_named_with_the_nearest_one(labelled: bool) -> None:
    with pytest.raises(DataError, match=r"no column 'text' but 'txt', 'label'; did you mean 'txt'\?"):
        document({"txt": "a", "label": "x"}, Columns(), WHERE, labelled)


def test_a_missing_label_column_is_named_with_those_there_are() -> None:
    assert "no column 'label' but 'text', 'stars'." in refused(text="a", stars=3)
    assert "no column 'b'" in refused(Columns(text_pair="b"), text="a", label="x")


@pytest.mark.parametrize("text", [None, 3, 2.5, float("nan"), ["a"], b"a", True])
def test_a_text_that_is_no_text_is_refused(text: Any) -> None:
    assert f"'text' must hold text, but {text!r} came" in refused(text=text, label="x")


@pytest.mark.parametrize("text", ["", "  \t\n", "\u200b\u00a0"])
def test_a_text_of_no_words_cannot_be_learned_from_but_can_be_predicted(text: str) -> None:
    assert "holds no words" in refused(text=text, label="x")
    assert len(make(labelled=False, text=text).words) == 0


def test_half_a_character_is_refused() -> None:
    assert "lone surrogate" in refused(text="a\ud83d", label="x")
    assert "lone surrogate" in refused(text="a", label="\ud83d")


@pytest.mark.parametrize("label", [None, "", "  ", float("nan")])
def test_a_row_without_label_is_refused(label: Any) -> None:
    assert "has no label" in refused(text="a", label=label)


@pytest.mark.parametrize("label", [1.5, ["x"], {"x": 1}, b"x"])
def test_a_label_of_another_type_is_refused(label: Any) -> None:
    message = refused(text="a", label=label)
    assert repr(label) in message
    assert type(label).__name__ in message


@pytest.mark.parametrize(
    ("label", "kept"),
    [("x", "x"), (3, 3), (None, None), ("", None), (True, "true"), (False, "false"), (1.5, None), (float("nan"), None)],
)
def test_what_is_only_predicted_keeps_a_label_if_it_has_one(label: Any, kept: Any) -> None:
    assert make(labelled=False, text="a", label=label).label == kept
    assert make(labelled=False, text="a").label is None


@pytest.mark.parametrize("spans", [[[0, 2], [3, 5]], "[[0, 2], [3, 5]]", [(0, 2), (3, 5)]])
def test_a_rationale_is_a_list_of_spans_or_its_json(spans: Any) -> None:
    assert make(text="so good", label="x", rationale=spans).rationale == (((0, 2), (3, 5)),)


@pytest.mark.parametrize(("value", "expected"), [(None, None), ("", None), ([], ((),)), ("[]", ((),))])
def test_no_rationale_differs_from_an_empty_one(value: Any, expected: Any) -> None:
    assert make(text="so good", label="x", rationale=value).rationale == expected


def test_either_text_of_a_pair_may_have_the_rationale() -> None:
    assert make(text="a", text_pair="b", label="x", rationale=[[0, 1]]).rationale == (((0, 1),), ())
    assert make(text="a", text_pair="b", label="x", rationale_pair=[[0, 1]]).rationale == ((), ((0, 1),))
    assert make(text="a", label="x", rationale_pair=[[0, 1]]).rationale is None


@pytest.mark.parametrize(
    "value", ["because", 3, [1, 2], [[1]], [[0, 1, 2]], [["a", "b"]], [[0, 1.5]], [[False, True]], "{}"]
)
def test_a_malformed_rationale_is_refused(value: Any) -> None:
    assert "'rationale' must be a list of [start, end] character spans" in refused(
        text="so good", label="x", rationale=value
    )


@pytest.mark.parametrize("span", [[-1, 2], [0, 8], [3, 3], [5, 3], [7, 9]])
def test_a_rationale_outside_the_text_is_refused(span: list[int]) -> None:
    assert f"span {span} in 'rationale' does not lie in its text of 7 characters" in refused(
        text="so good", label="x", rationale=[span]
    )


def test_a_rationale_is_not_read_where_nothing_is_learned() -> None:
    assert make(labelled=False, text="a", rationale="because").rationale is None


def test_long_values_are_shortened_in_errors() -> None:
    assert len(refused(text="a", label=["x" * 1000])) < 200
