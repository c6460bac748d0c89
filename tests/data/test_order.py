import pytest

from whyword.data.order import are_stars, ordered_classes, values_of
from whyword.interfaces.errors import OptionError


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((1, 10, 2), (1, 2, 10)),
        (("1", "10", "2.5", "-1"), ("-1", "1", "2.5", "10")),
        (("bad", "fair", "good"), ("bad", "fair", "good")),
        (("Very_Positive", "neutral", "very-negative"), ("very-negative", "neutral", "Very_Positive")),
        (("high", "low", "medium"), ("low", "medium", "high")),
    ],
)
def test_numbers_and_well_known_grades_have_an_order(labels: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert ordered_classes(labels) == expected


@pytest.mark.parametrize("labels", [("A", "B", "C"), ("1", "1.0", "2"), ("nan", "1", "2"), ("good", "blue")])
def test_any_other_labels_need_an_order(labels: tuple[str, ...]) -> None:
    with pytest.raises(OptionError, match=f"The labels {', '.join(labels)} are neither numbers nor grades .* --order"):
        ordered_classes(labels)


def test_a_named_order_wins_and_finds_integers_by_their_names() -> None:
    assert ordered_classes((1, 2, 3), ("3", "2", "1")) == (3, 2, 1)


@pytest.mark.parametrize(
    ("order", "what"),
    [
        (("a", "b"), "leaves out c"),
        (("a", "b", "c", "d"), "names d, which no training row has"),
        (("a", "b", "c", "a"), "names a label twice"),
    ],
)
def test_an_order_that_does_not_fit_the_labels_is_refused(order: tuple[str, ...], what: str) -> None:
    with pytest.raises(OptionError, match=what):
        ordered_classes(("a", "b", "c"), order)


def test_numbers_stand_where_they_are_and_names_by_rank() -> None:
    assert values_of(("1", "2", "5")) == (1.0, 2.0, 5.0)
    assert values_of(("bad", "fair", "good")) == (1.0, 2.0, 3.0)
    assert values_of((3, 2, 1)) == (1.0, 2.0, 3.0)


def test_stars_are_three_numbers_or_more_in_equal_steps() -> None:
    assert are_stars(("1", "2", "3"))
    assert are_stars((0, 5, 10, 15))
    assert not are_stars((0, 1))
    assert not are_stars((1, 2, 7))
    assert not are_stars(("a", "b", "c"))
