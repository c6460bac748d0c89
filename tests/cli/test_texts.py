from pathlib import Path

import pytest

from whyword.cli.texts import read_corpus, read_inputs
from whyword.data.rows import Columns
from whyword.interfaces.errors import OptionError


def test_one_file_or_folder_is_a_path_and_anything_else_are_texts(tmp_path):
    (tmp_path / "t.jsonl").write_text('{"text": "one"}\n', encoding="utf-8")
    for path in (tmp_path, tmp_path / "t.jsonl"):
        assert read_inputs([str(path)], Columns()) == Path(path)
    assert read_inputs(["a text", str(tmp_path)], Columns()) == ["a text", str(tmp_path)]
    assert read_inputs(["word " * 10_000], Columns()) == ["word " * 10_000], "too long for a path"


def test_a_file_that_is_not_there_is_no_text():
    with pytest.raises(OptionError, match=r"There is no file missing\.csv"):
        read_inputs(["missing.csv"], Columns())


def test_the_texts_of_a_corpus_are_counted_where_that_is_quick(tmp_path):
    (tmp_path / "t.csv").write_text("text\none\ntwo\n", encoding="utf-8")
    assert read_corpus(str(tmp_path / "t.csv"), Columns(), None).count() == 2
    assert read_corpus("planted:test=7", Columns(), None).count() == 7


def test_a_split_is_read_though_another_is_in_parts(tmp_path):
    for name, texts in (("train-00000-of-00002", "ab"), ("train-00001-of-00002", "cd"), ("test", "ef")):
        rows = [f"text {text},{text in 'ace'}" for text in texts]
        (tmp_path / f"{name}.csv").write_text("\n".join(["text,label", *rows, ""]))
    (tmp_path / "dev.csv").write_text("text,label\ntext g,True\n")
    corpus = read_corpus(str(tmp_path), Columns(), None)
    assert [item.words.texts[0] for item in corpus.documents] == ["text e", "text f"]
    for number in range(2):
        (tmp_path / f"test-0000{number}-of-00002.csv").write_text(f"text,label\ntext t{number},True\n")
    (tmp_path / "test.csv").unlink()
    corpus = read_corpus(str(tmp_path), Columns(), None)
    assert [item.words.texts[0] for item in corpus.documents] == ["text t0", "text t1"]
