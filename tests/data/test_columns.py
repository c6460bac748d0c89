"""Which columns hold the texts and the labels."""

from typing import Any

import pytest

from whyword.data.columns import recognize_columns
from whyword.data.rows import Columns
from whyword.interfaces.errors import DataError

LONG = "a rather long text with many words, the number of which is "


def rows(**columns: Any) -> list[dict[str, Any]]:
    """Make 30 rows of columns; a column is a function of the number of the row."""
    return [{name: make(number) for name, make in columns.items()} for number in range(30)]


def text(number: int) -> str:
    return f"{LONG}{number}"


def label(number: int) -> str:
    return "yes" if number % 2 else "no"


def found(columns: Columns | None = None, labelled: bool = True, **makes: Any) -> tuple[str | None, str | None]:
    result = recognize_columns(columns or Columns(), list(makes), rows(**makes), "a.csv", labelled)
    return result.text, result.label


@pytest.mark.parametrize(
    "names", [("text", "label"), ("Review", "Sentiment"), ("reviewText", "overall_rating"), ("tweet", "y"), ("a", "b")]
)
def test_usual_names_and_plain_contents_leave_no_doubt(names: tuple[str, str]) -> None:
    assert found(**{names[0]: text, names[1]: label}) == names
    assert found(**{names[1]: label, names[0]: text}) == names


def test_what_stands_beside_a_text_is_no_text() -> None:
    assert found(review_id=str, review_title=lambda n: f"title {n}", review_text=text, stars=label, votes=int) == (
        "review_text",
        "stars",
    )


def test_the_far_longer_of_two_columns_of_texts_is_the_text() -> None:
    assert found(headline=lambda n: f"news {n}", body=text, label=label) == ("body", "label")


@pytest.mark.parametrize(
    ("makes", "asked"),
    [
        (
            {"question": text, "comment": text, "label": label},
            "holds the texts is not clear: name it with --text, among",
        ),
        ({"text": text, "rating": label, "sentiment": label}, "holds the labels is not clear: name it with --label"),
        ({"a": text, "b": text, "c": label, "d": label}, "with --text and --label, among 'a', 'b', 'c', 'd'"),
        ({"text": text}, "single column"),
    ],
)
def test_doubt_is_one_sentence_that_names_the_options(makes: dict[str, Any], asked: str) -> None:
    with pytest.raises(DataError) as caught:
        found(**makes)
    assert asked in str(caught.value)


def test_columns_of_0_and_1_may_each_be_a_label() -> None:
    makes = {"text": text, "toxic": lambda n: str(n % 2), "insult": lambda n: n % 2, "votes": lambda n: n % 5}
    with pytest.raises(DataError, match=r"name them all: --label toxic,insult\.$"):
        found(**makes)


def test_columns_are_named_in_any_case_or_by_number() -> None:
    makes = {"Question": text, "Comment": text, "Label": label}
    assert found(Columns(text="comment"), **makes) == ("Comment", "Label")
    assert found(Columns(text="1", label="3"), **makes) == ("Question", "Label")
    with pytest.raises(DataError, match=r"a\.csv has no column '4' but 'Question'"):
        found(Columns(text="4"), **makes)


def test_the_columns_of_a_model_are_taken_where_a_file_has_them() -> None:
    known = Columns(known=Columns(text="comment", label="rating"))
    makes = {"text": text, "comment": text, "label": label, "rating": label}
    assert found(known, **makes) == ("comment", "rating")
    assert found(known, body=text, kind=label) == ("body", "kind")
    assert found(Columns(text="text", known=known.known), **makes) == ("text", "rating")


def test_labels_are_not_needed_where_nothing_is_learned() -> None:
    assert found(labelled=False, text=text, a=label, b=label) == ("text", None)
    assert found(labelled=False, sentiment=text) == ("sentiment", None)


def test_a_column_with_a_use_is_no_candidate_for_another() -> None:
    rows = [{"text": f"a text number {row}", "label": str(row % 2)} for row in range(12)]
    with pytest.raises(DataError, match="cannot hold both the texts and the labels"):
        recognize_columns(Columns(text="text", label="text"), ["text", "label"], rows, "a.csv", True)
    with pytest.raises(DataError, match=r"among 'text'\.$"):
        recognize_columns(Columns(text="label"), ["text", "label"], rows, "a.csv", True)
    with pytest.raises(DataError, match="has no column left for the labels"):
        recognize_columns(Columns(text="text", weight="label"), ["text", "label"], rows, "a.csv", True)
