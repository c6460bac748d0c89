"""Missing splits are cut the same way each time, each class in proportion."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data.splits import cut_dev, cut_dev_and_test, hold_out
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError

LABELS = st.lists(st.sampled_from("aabc"), min_size=1, max_size=80)


def documents(labels: list[str] | str) -> tuple[Document, ...]:
    return tuple(Document(split(f"text {row}"), label) for row, label in enumerate(labels))


def counts(rows: tuple[Document, ...]) -> Counter[object]:
    return Counter(row.label for row in rows)


def test_a_file_is_cut_80_10_10_in_proportion_to_its_classes() -> None:
    train, dev, test, note = cut_dev_and_test(documents("a" * 900 + "b" * 300), "reviews.csv")
    assert counts(train) == {"a": 720, "b": 240}
    assert counts(dev) == counts(test) == {"a": 90, "b": 30}
    assert note == (
        "No dev and test splits in reviews.csv: 10 % of the rows each (120 and 120 of 1200, seed 13) were held out."
    )


def test_a_tenth_of_train_becomes_dev() -> None:
    train, dev, note = cut_dev(documents("ab" * 600), "reviews")
    assert (len(train), len(dev)) == (1080, 120)
    assert note == "No dev split in reviews: 10 % of the rows (120 of 1200, seed 13) were held out."


def test_the_cut_is_the_same_each_time_but_no_plain_slice() -> None:
    rows = documents("ab" * 100)
    assert cut_dev(rows, "x") == cut_dev(rows, "x")
    assert cut_dev(rows, "x")[1] not in (rows[:20], rows[-20:])


@given(LABELS, st.integers(0, 90), st.integers(0, 2))
def test_nothing_is_lost_doubled_or_reordered_and_every_class_stays(labels: list[str], wanted: int, spare: int) -> None:
    rows = documents(labels)
    kept, held = hold_out(rows, wanted, spare)
    place = {row.words.texts: number for number, row in enumerate(rows)}
    assert sorted([*kept, *held], key=lambda row: place[row.words.texts]) == list(rows)
    for part in (kept, held):
        assert list(part) == sorted(part, key=lambda row: place[row.words.texts])
    assert set(counts(kept)) == set(labels)
    assert len(held) == max(0, min(wanted, len(rows) - len(set(labels)) - spare))


@given(LABELS, st.integers(0, 9))
def test_each_class_is_held_out_to_within_one_row_of_its_share(labels: list[str], tenths: int) -> None:
    rows = documents(labels * 10)
    wanted = tenths * len(labels)
    _, held = hold_out(rows, wanted)
    for label, count in counts(rows).items():
        assert abs(counts(held)[label] - wanted * count / len(rows)) < 1


def test_a_class_of_one_row_stays_in_train() -> None:
    train, dev, test, _ = cut_dev_and_test(documents("a" * 30 + "b"), "x.csv")
    assert counts(train)["b"] == 1
    assert "b" not in counts(dev) + counts(test)


def test_a_tiny_file_still_gets_a_dev_row_and_the_truth_about_its_share() -> None:
    train, dev, test, note = cut_dev_and_test(documents("aab"), "x.csv")
    assert (len(train), len(dev), len(test)) == (2, 1, 0)
    assert "33 % of the rows (1 of 3, seed 13)" in note
    assert "too few rows for a test split" in note


@given(LABELS.filter(lambda labels: len(labels) > len(set(labels))))
def test_dev_is_never_empty(labels: list[str]) -> None:
    assert cut_dev(documents(labels), "x")[1]
    assert cut_dev_and_test(documents(labels), "x")[1]


def test_where_every_row_has_its_own_class_nothing_can_be_cut() -> None:
    with pytest.raises(DataError, match=r"x\.csv has no dev split and too few rows \(3\)"):
        cut_dev_and_test(documents("abc"), "x.csv")
    with pytest.raises(DataError, match="too few rows"):
        cut_dev(documents("ab"), "x")
