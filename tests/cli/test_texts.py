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
