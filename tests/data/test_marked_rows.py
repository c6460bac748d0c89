"""A file of marked words beside the data."""

import json

import pytest

from whyword.data.dataset import load_dataset
from whyword.data.marked_rows import add_marks
from whyword.data.planted import planted
from whyword.data.splits import Dataset
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError


def dataset():
    rows = [Document(split(f"text number {i}"), "good" if i % 2 else "bad") for i in range(8)]
    return Dataset("some", tuple(rows[:4]), tuple(rows[4:6]), tuple(rows[6:]))


def write(path, *rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_texts_of_train_and_dev_get_the_marks_of_the_line_with_the_same_text(tmp_path):
    marks = write(
        tmp_path / "marks.jsonl",
        {"text": "text number 1", "rationale": [[0, 4]], "author": "ann", "time": "now"},
        {"text": "text number 4", "label": "bad", "rationale": []},
        {"text": "text number 6", "label": "bad", "rationale": [[0, 4]]},
    )
    before = dataset()
    after = add_marks(before, marks)
    assert after.train[1].word_marks == (1, 0, 0)
    assert [d.word_marks for d in after.train if d is not after.train[1]] == [None] * 3
    assert after.dev[0].word_marks == (0, 0, 0)
    assert after.test == before.test
    (note,) = after.notes
    assert "1 training and 1 dev texts have marks" in note
    assert "1 texts of test were left as they are" in note


def test_a_label_that_a_person_corrected_counts_and_is_told(tmp_path):
    after = add_marks(dataset(), write(tmp_path / "m.jsonl", {"text": "text number 1", "label": "bad"}))
    assert after.train[1].label == "bad"
    assert "1 labels were corrected" in after.notes[-1]


def test_other_labelled_rows_are_learned_from_too_and_those_without_a_label_are_told(tmp_path):
    marks = write(
        tmp_path / "marks.jsonl",
        {"text": "something new", "label": "good", "rationale": [[0, 9]]},
        {"text": "something else", "rationale": [[0, 9]]},
    )
    after = add_marks(dataset(), marks)
    assert len(after.train) == 5
    assert after.train[-1].label == "good"
    assert after.train[-1].word_marks == (1, 0)
    assert "1 labelled rows joined the training texts" in after.notes[-1]
    assert "1 match no text and have no label" in after.notes[-1]
    assert "line 2" in after.notes[-1]


def test_what_several_people_marked_is_taken_together(tmp_path):
    marks = write(
        tmp_path / "marks.jsonl",
        {"text": "text number 1", "rationale": [[0, 4]], "author": "ann"},
        {"text": "text number 1", "rationale": [[5, 11]], "author": "bob"},
        {"text": "text number 2", "not_rationale": [[0, 4]], "author": "bob"},
    )
    after = add_marks(dataset(), marks)
    assert after.train[1].word_marks == (1, 1, 0)
    assert after.train[2].word_marks == (0, -1, -1)


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"text": "text number 1", "rationale": [[0, 99]]}, "line 1: the span .* does not lie in its text"),
        ({"text": "text number 1", "not_rationale": "yes"}, "line 1: the column 'not_rationale' must be a list"),
        ({"text": "new", "label": "odd"}, "line 1 has the label 'odd'"),
        ({"label": "good"}, "has no column 'text'"),
    ],
)
def test_a_line_that_cannot_be_used_is_named(tmp_path, row, complaint):
    with pytest.raises(DataError, match=complaint):
        add_marks(dataset(), write(tmp_path / "marks.jsonl", row))


def test_a_file_that_is_not_there_or_is_empty_is_refused(tmp_path):
    with pytest.raises(DataError, match="There is no file"):
        add_marks(dataset(), tmp_path / "none.jsonl")
    (tmp_path / "empty.jsonl").write_text("")
    with pytest.raises(DataError, match="no rows"):
        add_marks(dataset(), tmp_path / "empty.jsonl")


def test_rows_of_labels_that_a_text_may_have_several_of(tmp_path):
    whole = planted("multilabel,train=30,dev=10,test=0")
    text = whole.train[3].words.texts[0]
    after = add_marks(whole, write(tmp_path / "m.jsonl", {"text": text, "rationale": [[0, 3]]}))
    assert after.train[3].labels == whole.train[3].labels
    assert after.train[3].word_marks.count(1) == 1


def test_a_file_of_marked_rows_is_a_data_set_by_itself(tmp_path):
    rows = [
        {"text": f"some text {i}", "label": "ab"[i % 2], "rationale": [], "not_rationale": [[0, 4]]} for i in range(30)
    ]
    train = load_dataset(write(tmp_path / "rows.jsonl", *rows)).train
    assert {document.word_marks for document in train} == {(0, -1, -1)}


def test_the_last_line_of_an_author_counts_and_what_was_skipped_or_taken_back_does_not(tmp_path):
    first, second, third = (f"text number {i}" for i in (0, 1, 2))
    marks = write(
        tmp_path / "marks.jsonl",
        {"text": first, "rationale": [[0, 4]], "author": "ann"},
        {"text": first, "rationale": [[5, 11]], "author": "ben"},
        {"text": first, "rationale": [[12, 13]], "author": "ann"},
        {"text": second, "rationale": [[0, 4]], "author": "ann"},
        {"text": second, "undo": True, "author": "ann"},
        {"text": third, "skipped": True, "author": "ben"},
        {"text": "of no split", "skipped": True, "author": "ben"},
    )
    after = add_marks(dataset(), marks)
    assert [d.word_marks for d in after.train] == [(0, 1, 1), None, None, None]
    assert after.notes[-1] == f"{marks}: 1 training and 0 dev texts have marks."
