import gzip
from itertools import islice

import pytest

from whyword.cli.texts import count_texts, fingerprint, read_inputs
from whyword.data.rows import Columns


def test_a_file_is_read_no_further_than_asked_for(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "one"}\n{"text": "two"}\nno json\n', encoding="utf-8")
    documents = read_inputs([str(path)], Columns())
    assert [document.words.texts[0] for document in islice(documents, 2)] == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "content", "count"),
    [
        ("t.csv", b"text\none\ntwo\n", 2),
        ("t.jsonl", b'{"text": "one"}\n{"text": "two"}\n', 2),
        ("t.jsonl.gz", gzip.compress(b"{}\n", mtime=0), None),
    ],
)
def test_texts_are_counted_where_that_is_quick(tmp_path, name, content, count):
    (tmp_path / name).write_bytes(content)
    assert count_texts([str(tmp_path / name)]) == count


def test_rows_of_parquet_are_counted_without_reading_them(tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"text": ["a", "b", "c"]}), tmp_path / "t.parquet")
    assert count_texts([str(tmp_path / "t.parquet")]) == 3


def test_standard_input_cannot_be_counted_and_texts_need_not_be_read():
    assert count_texts(["-"]) is None
    assert count_texts(["a text", "another"]) == 2


def test_inputs_are_told_apart_by_their_content(tmp_path):
    one, other = tmp_path / "one.csv", tmp_path / "other.csv"
    one.write_text("text\na\n", encoding="utf-8")
    other.write_text("text\na\n", encoding="utf-8")
    assert fingerprint([str(one)]) == fingerprint([str(other)])
    other.write_text("text\nb\n", encoding="utf-8")
    assert fingerprint([str(one)]) != fingerprint([str(other)])
    assert len({fingerprint(texts) for texts in (["a"], ["a", "b"], ["a b"], ["né"])}) == 4
    assert fingerprint(["-"]) is None
