"""JSON lines."""

import gzip
import math
from pathlib import Path

import pytest

from whyword.data.bad_rows import RowError
from whyword.data.readers.json_lines import read


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_objects_come_with_their_line_and_blank_lines_are_skipped(tmp_path: Path, name: str) -> None:
    data = '\ufeff{"text": "é", "label": 1}\n\n  \r\n{"text": "b\\u2028"}'.encode()
    path = tmp_path / name
    path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    assert list(read(path)) == [
        (f"{path}, line 1", {"text": "é", "label": 1}),
        (f"{path}, line 4", {"text": "b\u2028"}),
    ]


def test_a_line_separator_inside_a_string_does_not_end_the_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a\u2028b\x85c"}\n', encoding="utf-8")
    assert [record for _, record in read(path)] == [{"text": "a\u2028b\x85c"}]


def test_nan_passes_so_that_the_label_check_can_name_it(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"label": NaN}')
    assert math.isnan(dict(read(path))[f"{path}, line 1"]["label"])


@pytest.mark.parametrize("line", ["{", "text", '{"a": 1} {"b": 2}', "[" * 100_000, "{'a': 1}"])
def test_bad_json_is_a_bad_row_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"a": 1}}\n{line}\n')
    _, (_, bad) = read(path)
    assert isinstance(bad, RowError)
    assert "a.jsonl, line 2 is no JSON" in str(bad)


@pytest.mark.parametrize(("line", "kind"), [("[1]", "list"), ('"a"', "str"), ("3", "int"), ("null", "NoneType")])
def test_json_that_is_no_object_is_a_bad_row(tmp_path: Path, line: str, kind: str) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(line)
    ((_, bad),) = read(path)
    assert f"line 1 holds a JSON {kind}: write one JSON object a line" in str(bad)
