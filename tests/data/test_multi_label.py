"""Texts that may have several labels: read from lists, separators and columns, held out, planted."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from whyword.data.dataset import load_dataset, stream_documents
from whyword.data.label_splits import choose_rows
from whyword.data.labels import labels, merge_spellings, numbered
from whyword.data.planted import planted
from whyword.data.rows import Columns
from whyword.data.weights import class_weights
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError, OptionError

ROWS = [("a rude waiter", ["people"]), ("cold food , rude staff", ["food", "people"]), ("we came in may", [])]


def write(path: Path, lines: list[str]) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def read(path: Path, columns: Columns) -> list[tuple[str, ...] | None]:
    return [document.labels for document in stream_documents(path, columns, labelled=True)]


EXPECTED = [("people",), ("food", "people"), ()]


def test_a_column_of_lists_is_seen_as_several_labels(tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", [json.dumps({"text": text, "labels": found}) for text, found in ROWS * 4])
    assert read(file, Columns()) == EXPECTED * 4


def test_lists_are_read_from_csv_as_json(tmp_path: Path) -> None:
    quoted = [json.dumps(found).replace('"', '""') for _, found in ROWS]
    lines = ["text,label", *(f'"{text}","{found}"' for (text, _), found in zip(ROWS, quoted, strict=True))]
    assert read(write(tmp_path / "a.csv", lines), Columns()) == EXPECTED


def test_labels_are_cut_at_the_separator_and_an_empty_field_is_no_label(tmp_path: Path) -> None:
    lines = ["text;tags".replace(";", "\t"), *(f"{text}\t{'; '.join(found)}" for text, found in ROWS)]
    assert read(write(tmp_path / "a.tsv", lines), Columns(label="tags", label_separator=";")) == EXPECTED


def test_one_column_per_label(tmp_path: Path) -> None:
    lines = ["text,food,people", "a rude waiter,0,1", '"cold food , rude staff",1,true', "we came in may,0,"]
    assert read(write(tmp_path / "a.csv", lines), Columns(label="food,people")) == EXPECTED


def test_a_column_of_a_label_that_holds_neither_0_nor_1_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", ["text,food,people", "a rude waiter,0,2"])
    with pytest.raises(DataError, match="'people' of a label must hold 0 or 1, but '2' came"):
        read(file, Columns(label="food,people"))


def test_a_label_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    file = write(tmp_path / "a.csv", ["text,food,people", "a rude waiter,0,1"])
    with pytest.raises(DataError, match="no column 'place'"):
        read(file, Columns(label="food,place"))


def test_an_empty_separator_is_refused() -> None:
    with pytest.raises(OptionError, match="--label-separator is empty"):
        Columns(label_separator="")


def test_rationales_may_be_marked_for_a_label(tmp_path: Path) -> None:
    row = {"text": "cold food", "labels": ["food"], "rationale": {"food": [[0, 4]]}}
    (document,) = stream_documents(write(tmp_path / "a.jsonl", [json.dumps(row)]), Columns(), labelled=True)
    assert document.for_label("food").rationale_words == (True, False)
    assert document.for_label("people").rationale_words is None


def test_a_single_file_is_cut_with_every_label_in_proportion(tmp_path: Path) -> None:
    sets = [["a"], ["a", "b"], [], ["b", "c"], ["c"]]
    lines = [json.dumps({"text": f"words number {i}", "labels": sets[i % 5]}) for i in range(200)]
    dataset = load_dataset(write(tmp_path / "a.jsonl", lines))
    assert (len(dataset.train), len(dataset.dev), len(dataset.test)) == (160, 20, 20)
    counts = Counter(label for document in dataset.dev for label in document.all_labels)
    assert all(7 <= counts[label] <= 9 for label in "abc")


def test_labels_that_often_stand_together_are_held_out_in_proportion() -> None:
    generator = np.random.default_rng(0)
    table = generator.random((2000, 4)) < 0.4
    documents = [Document(split("x"), labels=tuple(np.flatnonzero(row).tolist())) for row in table]
    held = sorted(choose_rows(documents, 200, seed=1))
    assert len(held) == 200
    assert table[held].mean(0) == pytest.approx(table.mean(0), abs=0.05)


def test_every_label_keeps_a_row_where_rows_are_held_out() -> None:
    documents = [Document(split("x"), labels=("rare", "b"))] + [Document(split("x"), labels=("b",))] * 9
    assert 0 not in choose_rows(documents, 5, seed=1)
    assert len(choose_rows(documents, 5, seed=1)) == 5


def test_numbers_are_an_indicator_matrix_as_of_scikit_learn() -> None:
    from sklearn.preprocessing import MultiLabelBinarizer

    documents = [Document(split(text), labels=tuple(found)) for text, found in ROWS]
    expected = MultiLabelBinarizer().fit_transform([found for _, found in ROWS])
    assert (numbered(documents, labels(documents)) == expected).all()


def test_balanced_weights_are_those_of_scikit_learn_for_each_label() -> None:
    from sklearn.utils.class_weight import compute_class_weight

    table = np.random.default_rng(0).random((50, 3)) < 0.3
    weights = class_weights("balanced", table, ("a", "b", "c"))
    assert weights is not None
    for number in range(3):
        expected = compute_class_weight("balanced", classes=np.array([False, True]), y=table[:, number])
        assert weights[:, number] == pytest.approx(expected)


def test_spellings_of_a_label_are_merged_within_a_set() -> None:
    documents = (*[Document(split("x"), labels=("Food",))] * 2, Document(split("x"), labels=("food", "Food")))
    merged, _ = merge_spellings({"train": documents})
    assert merged["train"][2].labels == ("Food",)


@pytest.mark.parametrize("difficulty", ["easy", "medium", "hard"])
def test_planted_reasons_are_words_of_the_label(difficulty: str) -> None:
    dataset = planted(f"multilabel,{difficulty},train=200,dev=20,test=20")
    assert labels(dataset.train) == ("device", "food", "people", "place", "story")
    assert any(not document.labels for document in dataset.train)
    for document in dataset.train:
        assert tuple(label for label, _ in document.rationales or ()) == document.labels
        for label in document.all_labels:
            assert any(document.for_label(label).rationale_words or ())
