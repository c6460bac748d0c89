"""Excel workbooks."""

import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from whyword.data.bad_rows import RowError
from whyword.data.readers.excel import describe, places, read
from whyword.data.rows import Columns
from whyword.interfaces.errors import DataError, MissingExtraError

openpyxl = pytest.importorskip("openpyxl")


def write(path: Path, *sheets: list[Any]) -> Path:
    book = openpyxl.Workbook()
    for number, rows in enumerate(sheets):
        sheet = book.active if number == 0 else book.create_sheet()
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def test_cells_are_text_as_a_csv_file_has_them(tmp_path: Path) -> None:
    row = ("a", 1, 2.0, 2.5, True, datetime(2024, 5, 6), None, "end")
    path = write(tmp_path / "a.xlsx", [tuple("tuvwxyzl"), row])
    assert list(dict(read(path)).values()) == [
        dict(zip("tuvwxyzl", ("a", "1", "2", "2.5", "TRUE", "2024-05-06T00:00:00", "", "end"), strict=True))
    ]


def test_a_title_on_a_sheet_of_notes_is_no_table(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [("made in May",)], [("text", "label"), ("a", "x")], [("text",), ("b",)])
    assert [record for _, record in read(path)] == [{"text": "a", "label": "x"}]


def test_the_first_sheet_with_rows_is_read_and_named(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [], [("text", "label"), ("a", "x")])
    assert [where.rpartition(", ")[2] for where, _ in read(path)] == ["row 2"]
    assert describe(path) == ("sheet 'Sheet1' (there are 1 more)", False)


def test_empty_rows_are_passed_over_and_wide_ones_are_bad(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [("text", "label"), ("a", "x"), (None, None), ("b", "y", "more")])
    (_, good), (where, bad) = read(path)
    assert good == {"text": "a", "label": "x"}
    assert isinstance(bad, RowError)
    assert where.endswith("row 4")
    assert [place.rows for place in places(path)] == [2, 4]


def test_without_a_header_columns_are_numbered(tmp_path: Path) -> None:
    path = write(tmp_path / "a.xlsx", [("a", 1), ("b", 2)])
    assert [record for _, record in read(path)] == [{"1": "a", "2": "1"}, {"1": "b", "2": "2"}]
    assert next(read(path, columns=Columns(header=True)))[1] == {"a": "b", "1": "2"}


def test_an_empty_workbook_has_no_rows(tmp_path: Path) -> None:
    assert list(read(write(tmp_path / "a.xlsx", []))) == []


def test_what_is_no_workbook_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.xlsx").write_bytes(b"text,label\n")
    with pytest.raises(DataError, match=r"a\.xlsx cannot be read as Excel"):
        list(read(tmp_path / "a.xlsx"))


def test_without_the_extra_its_name_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.xlsx", [("text",), ("a",)])
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingExtraError, match=r"whyword\[excel\]"):
        list(read(path))
