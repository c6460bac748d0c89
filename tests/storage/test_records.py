import csv
import json

import pytest

from whyword.storage import records


def write(path, rows):
    with records.record_writer(path, path.name) as write_one:
        for row in rows:
            write_one(row)


def test_parquet_is_written_in_row_groups(tmp_path, monkeypatch):
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(records, "ROW_GROUP", 4)
    rows = [{"text": str(i), "label": i, "scores": [i / 2], "base_value": None, "words": []} for i in range(10)]
    write(tmp_path / "t.parquet", rows)
    file = parquet.ParquetFile(tmp_path / "t.parquet")
    assert [file.metadata.row_group(i).num_rows for i in range(file.num_row_groups)] == [4, 4, 2]
    assert file.read().to_pylist() == rows


def test_a_column_that_starts_empty_has_its_type_from_its_name(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [
        {"words": [], "spans": [], "scores": [], "base_value": None, "seed": None},
        {"words": ["a"], "spans": [[0, 1]], "scores": [0.5], "base_value": 0.25, "seed": 3},
    ]
    write(tmp_path / "t.parquet", rows)
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == rows


def test_a_column_that_the_first_record_lacks_is_written_too(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = [{"text": "long", "base_value": None}, {"text": "short", "base_value": 0.5, "tied": [True, False]}]
    write(tmp_path / "t.parquet", rows)
    assert parquet.read_table(tmp_path / "t.parquet").to_pylist() == [{**rows[0], "tied": None}, rows[1]]


def test_csv_gives_each_entry_of_a_mapping_a_column(tmp_path):
    write(tmp_path / "t.csv", [{"text": 'a, "b"\nc', "p": {"x": 1, "y": 2}}, {"text": "d", "p": {"x": 3, "y": 4}}])
    with (tmp_path / "t.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file)) == [["text", "p.x", "p.y"], ['a, "b"\nc', "1", "2"], ["d", "3", "4"]]


def test_json_lines_keep_letters_readable(tmp_path):
    write(tmp_path / "t.jsonl", [{"text": "né 好\n"}])
    line = (tmp_path / "t.jsonl").read_text(encoding="utf-8")
    assert line == '{"text": "né 好\\n"}\n'
    assert json.loads(line) == {"text": "né 好\n"}


def test_parquet_holds_every_class_and_what_acts_together(tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    pair = {"words": ["not", "good"], "spans": [[0, 3], [4, 8]], "score": 0.3, "speaks_for": None}
    scores = {"no": [0.1, -0.2], "yes": [-0.1, 0.2]}
    rows = [
        {"signed": True, "speaks_for": [None, None], "all_scores": {"no": [], "yes": []}},
        {"signed": True, "speaks_for": ["no", "yes"], "all_scores": scores, "interactions": [pair]},
    ]
    write(tmp_path / "out.parquet", rows)
    first, second = parquet.read_table(tmp_path / "out.parquet").to_pylist()
    assert first["signed"] is True
    assert (first["speaks_for"], dict(first["all_scores"])) == ([None, None], {"no": [], "yes": []})
    assert (second["speaks_for"], dict(second["all_scores"])) == (["no", "yes"], scores)
    assert second["interactions"] == [{**pair, "segments": None}]
