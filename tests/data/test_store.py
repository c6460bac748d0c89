"""Rows on disk are read as they were written, in bounded memory, and cut into splits as those in memory."""

import json
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whyword.data import store as module
from whyword.data.bad_rows import Record
from whyword.data.leaks import cut_leaks
from whyword.data.rows import USUAL, Columns
from whyword.data.splits import Dataset, cut_dev_and_test, hold_out
from whyword.data.store import FACTS, RowStore, StoredDocuments, open_store, write_store
from whyword.data.words import split
from whyword.interfaces.document import Document
from whyword.interfaces.errors import DataError

TEXTS = ["good film", "ein Übel", "日本語 です", "lone \ud800 surrogate", "nul \0 byte", "x" * 300, "", "never seen ☃"]


@pytest.fixture(autouse=True)
def blocks_of_three_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 3)


def records(rows: list[Record]) -> Iterator[tuple[str, Record]]:
    yield from ((f"rows.csv, row {number}", row) for number, row in enumerate(rows, 1))


def stored(folder: Path, rows: list[Record], columns: Columns = USUAL) -> RowStore:
    return write_store(folder, records(rows), columns, "rows.csv", {"source": "here"})


def rows_of(labels: str | list[str], text: str = "text {}") -> list[Record]:
    return [{"text": text.format(number), "label": label} for number, label in enumerate(labels)]


def test_documents_come_back_as_they_were(tmp_path: Path) -> None:
    rows: list[Record] = [
        {"text": text, "text_pair": f"{text} again", "label": number % 3, "w": number / 7}
        for number, text in enumerate(TEXTS)
        if text and "\ud800" not in text
    ]
    documents = StoredDocuments(stored(tmp_path, rows, Columns(weight="w")))
    expected = [Document(split(r["text"], r["text_pair"]), r["label"], None, r["w"]) for r in rows]
    assert list(documents) == expected
    assert [documents[i] for i in range(-len(rows), len(rows))] == expected * 2
    assert documents[1:5:2] == expected[1:5:2]
    assert list(documents.words) == [item.words for item in expected]
    assert documents.weights is not None
    assert documents.weights.tolist() == [r["w"] for r in rows]
    assert documents.label_counts == Counter(r["label"] for r in rows)
    assert documents.numbered([2, 1, 0]).tolist() == [2 - r["label"] for r in rows]
    with pytest.raises(IndexError):
        documents[len(rows)]


def test_a_draw_has_every_label_if_so_wanted(tmp_path: Path) -> None:
    documents = StoredDocuments(stored(tmp_path, rows_of("a" * 30 + "b" + "a" * 30 + "c")))
    drawn = [documents.draw(5, seed) for seed in range(9)]
    assert min(len(some.label_counts) for some in drawn) == 1
    for seed, some in enumerate(drawn):
        more = documents.draw(5, seed, every_label=True)
        assert set(more.label_counts) == {"a", "b", "c"}
        assert len(more) == 5 + 3 - len(some.label_counts)


def test_bad_rows_are_counted_and_the_first_are_kept(tmp_path: Path) -> None:
    rows: list[Record] = [{"text": "good", "label": "a"}, *({"text": "", "label": "a"} for _ in range(50))]
    store = stored(tmp_path, rows)
    assert (len(store), len(store.bad)) == (1, 50)
    assert str(store.bad[0]).startswith("rows.csv, row 2: the column 'text' holds no words")
    assert len(store.bad[:100]) == 20
    again = open_store(tmp_path, {"source": "here"})
    assert again is not None
    assert list(map(str, again.bad[:100])) == list(map(str, store.bad[:100]))


def test_a_store_that_is_incomplete_or_of_other_rows_is_not_taken(tmp_path: Path) -> None:
    stored(tmp_path, rows_of("abab"))
    assert open_store(tmp_path, {"source": "here"}) is not None
    assert open_store(tmp_path, {"source": "there"}) is None
    (tmp_path / FACTS).unlink()
    assert open_store(tmp_path, {"source": "here"}) is None


def test_files_cut_short_are_an_error_and_no_other_text(tmp_path: Path) -> None:
    documents = StoredDocuments(stored(tmp_path, rows_of("abab")))
    (tmp_path / "texts.bin").write_bytes(b"text")
    with pytest.raises(DataError, match="leave --resume out"):
        list(documents)


@pytest.mark.parametrize(
    ("rows", "columns", "says"),
    [
        ([{"text": "a b", "label": "x;y"}], Columns(label_separator=";"), "row 1 may have several labels"),
        ([{"text": "a b", "label": "x", "rationale": [[0, 1]]}], USUAL, "row 1 has passages that people marked"),
        ([{"text": "a", "label": "x"}, {"text": "a", "text_pair": "b", "label": "x"}], USUAL, "some have none"),
        ([{"text": "a", "label": number} for number in range(30_000)], USUAL, "more than 20,000 different labels"),
    ],
)
def test_what_cannot_be_kept_is_a_sentence(tmp_path: Path, rows: list[Record], columns: Columns, says: str) -> None:
    with pytest.raises(DataError, match=says):
        stored(tmp_path, rows, columns)


@given(st.lists(st.sampled_from("aabc"), min_size=1, max_size=60), st.integers(0, 70), st.integers(0, 2))
def test_the_same_rows_are_held_out_as_in_memory(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], wanted: int, spare: int
) -> None:
    documents = StoredDocuments(stored(tmp_path_factory.mktemp("store"), rows_of(labels)))
    parts = hold_out(documents, wanted, spare)
    assert [list(part) for part in parts] == [list(part) for part in hold_out(tuple(documents), wanted, spare)]
    again = [list(part) for part in hold_out(parts[0], wanted // 2)] if len(parts[0]) else []
    assert again == ([list(part) for part in hold_out(tuple(parts[0]), wanted // 2)] if again else [])


def test_splits_are_those_of_memory_and_no_more_rows_than_are_wanted_are_held_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    documents = StoredDocuments(stored(tmp_path, rows_of("aabcab" * 20)))
    *parts, note = cut_dev_and_test(documents, "rows.csv", together=True)
    *expected, same_note = cut_dev_and_test(tuple(documents), "rows.csv", together=True)
    assert [list(part) for part in parts] == [list(part) for part in expected]
    assert note == same_note
    monkeypatch.setattr("whyword.data.splits.MOST_HELD", 5)
    train, dev, test, _ = cut_dev_and_test(documents, "rows.csv")
    assert (len(train), len(dev), len(test)) == (110, 5, 5)
    assert [list(part) for part in cut_dev_and_test(tuple(documents), "rows.csv")[:3]] == [
        *map(list, (train, dev, test))
    ], "an audit, which reads rows into memory, must not see rows that were trained on"
    assert not {item.words for item in dev} & {item.words for item in train}


def test_leaks_are_cut_as_in_memory(tmp_path: Path) -> None:
    rows = rows_of("abcab" * 8, "Text {}")
    for number in (1, 11, 22, 33, 34, 2):
        rows[number]["text"] = "the  SAME text" if number % 2 else "the same text"
    documents = StoredDocuments(stored(tmp_path, rows))
    test = (documents[1], documents[7])
    dev = (documents[3], documents[34])
    cut = cut_leaks(Dataset("rows", documents, dev, test))
    expected = cut_leaks(Dataset("rows", tuple(documents), dev, test))
    assert list(cut.train) == list(expected.train)
    assert len(cut.train) < len(documents)
    assert cut.notes == expected.notes


def test_a_class_keeps_its_last_rows_though_they_leak(tmp_path: Path) -> None:
    documents = StoredDocuments(stored(tmp_path, [*rows_of("aaaa"), {"text": "alone", "label": "b"}]))
    judged = (documents[0], documents[4])
    cut = cut_leaks(Dataset("rows", documents, (), judged))
    expected = cut_leaks(Dataset("rows", tuple(documents), (), judged))
    assert (list(cut.train), cut.notes) == (list(expected.train), expected.notes)
    assert "still in train" in cut.notes[-1]


def test_memory_does_not_grow_with_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 100)

    def peak(count: int) -> int:
        rows = ((f"row {i}", {"text": f"{'some words ' * 20}{i % 50}", "label": "ab"[i % 2]}) for i in range(count))
        tracemalloc.start()
        documents = StoredDocuments(write_store(tmp_path / str(count), rows, USUAL, "rows", {}))
        assert sum(len(words) for words in documents.words) == 41 * count
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(100)  # what is imported and remembered once
    assert peak(2000) < 1.5 * peak(400)


def test_facts_are_plain_and_labels_keep_their_kind(tmp_path: Path) -> None:
    stored(tmp_path, [{"text": "a b", "label": 3}, {"text": "b c", "label": 1}])
    facts = json.loads((tmp_path / FACTS).read_text(encoding="utf-8"))
    assert (facts["labels"], facts["rows"]) == ([3, 1], 2)
    store = open_store(tmp_path, {"source": "here"})
    assert store is not None
    drawn = StoredDocuments(store).draw(1, 0)
    assert len(drawn) == 1
    assert drawn[0] in list(StoredDocuments(store))
    assert np.array_equal(StoredDocuments(store).with_keys([]), [])
