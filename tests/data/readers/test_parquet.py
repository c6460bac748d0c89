"""Parquet files."""

import gzip
import sys
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from whyword.data.readers.parquet import read
from whyword.interfaces.errors import DataError, MissingExtraError

ROWS = [{"text": f"text {row}", "label": row % 2, "rationale": [[0, 4]]} for row in range(3000)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), path, row_group_size=700)
    return path


def test_rows_of_all_batches_come_in_order_with_their_number(path: Path) -> None:
    read_rows = list(read(path))
    assert [record for _, record in read_rows] == ROWS
    assert [where for where, _ in read_rows] == [f"{path}, row {number}" for number in range(1, 3001)]


def test_a_gzipped_file_is_unpacked(path: Path) -> None:
    packed = path.with_name("a.parquet.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert [record for _, record in read(packed)] == ROWS


def test_nulls_and_categories_come_as_plain_values(tmp_path: Path) -> None:
    column = pyarrow.array(["x", None, "y"]).dictionary_encode()
    pyarrow.parquet.write_table(pyarrow.table({"label": column}), tmp_path / "a.parquet")
    assert [record["label"] for _, record in read(tmp_path / "a.parquet")] == ["x", None, "y"]


def test_a_file_without_rows_yields_nothing(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pyarrow.table({"text": pyarrow.array([], pyarrow.string())}), tmp_path / "a.parquet")
    assert list(read(tmp_path / "a.parquet")) == []


@pytest.mark.parametrize("name", ["b.parquet", "b.parquet.gz"])
def test_what_is_no_parquet_file_is_refused(tmp_path: Path, path: Path, name: str) -> None:
    damaged = tmp_path / name
    damaged.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match=f"{name} cannot be read as Parquet"):
        list(read(damaged))


def test_without_pyarrow_the_extra_is_named(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtraError, match=r"whyword\[parquet\]"):
        list(read(path))
