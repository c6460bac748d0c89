"""CSV and TSV files."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from whyword.data.bad_rows import RowError
from whyword.data.readers.delimited import places, read
from whyword.interfaces.errors import DataError


def records(tmp_path: Path, content: str, name: str = "a.csv") -> list[tuple[str, dict[str, Any]]]:
    path = tmp_path / name
    path.write_bytes(gzip.compress(content.encode()) if name.endswith("gz") else content.encode())
    return [(where.removeprefix(f"{tmp_path}/"), record) for where, record in read(path)]


@pytest.mark.parametrize(
    ("name", "separator"), [("a.csv", ","), ("a.tsv", "\t"), ("a.csv.gz", ","), ("a.tsv.gz", "\t"), ("A.TSV", "\t")]
)
def test_rows_come_as_dicts_with_their_place(tmp_path: Path, name: str, separator: str) -> None:
    content = f"text{separator}label\r\na{separator}x\r\nb{separator}y\r\n"
    assert records(tmp_path, content, name) == [
        (f"{name}, row 2", {"text": "a", "label": "x"}),
        (f"{name}, row 3", {"text": "b", "label": "y"}),
    ]


def test_quoted_fields_may_hold_separators_quotes_and_line_breaks(tmp_path: Path) -> None:
    content = 'text,label\n"one, ""two""\nthree\r\nfour",x\nnext,y\n'
    assert [record["text"] for _, record in records(tmp_path, content)] == ['one, "two"\nthree\r\nfour', "next"]


def test_a_byte_order_mark_and_blank_lines_do_no_harm(tmp_path: Path) -> None:
    assert records(tmp_path, "\ufeff\n\ntext,label\n\na,x\n\n") == [("a.csv, row 5", {"text": "a", "label": "x"})]


@pytest.mark.parametrize("announced", ["sep=;", "SEP=;\r", '"sep=;"'])
def test_a_line_that_names_the_separator_is_no_row(tmp_path: Path, announced: str) -> None:
    wanted = [("a.csv, row 3", {"text": "a, b", "label": "x"}), ("a.csv, row 4", {"text": "c, d", "label": "y"})]
    assert records(tmp_path, f"{announced}\ntext;label\na, b;x\nc, d;y\n") == wanted
    path = tmp_path / "a.csv"
    first, second = places(path)
    assert [record for _, record in read(path, first)] == [wanted[1][1]]
    assert not list(read(path, second))


def test_a_field_of_a_megabyte_is_read(tmp_path: Path) -> None:
    assert len(records(tmp_path, "text\n" + "a" * 1_000_000)[0][1]["text"]) == 1_000_000


def test_fields_missing_at_the_end_of_a_row_are_missing_in_its_dict(tmp_path: Path) -> None:
    assert records(tmp_path, "text,label\na\n") == [("a.csv, row 2", {"text": "a"})]


@pytest.mark.parametrize("content", ["", "\n", "text,label\n"])
def test_without_rows_nothing_comes(tmp_path: Path, content: str) -> None:
    assert records(tmp_path, content) == []


def test_a_row_longer_than_the_header_is_bad_and_the_next_is_read(tmp_path: Path) -> None:
    _, (where, bad), (_, good) = records(tmp_path, "text,label\na,x\nwell, well,y\nb,y\n")
    assert isinstance(bad, RowError)
    assert where == "a.csv, row 3"
    assert "row 3 has 3 fields but the header has 2" in str(bad)
    assert good == {"text": "b", "label": "y"}


def test_empty_fields_behind_a_row_do_no_harm(tmp_path: Path) -> None:
    assert records(tmp_path, "text,label\na,x,,\n") == [("a.csv, row 2", {"text": "a", "label": "x"})]


def test_a_row_with_bad_quotes_is_bad_where_others_are_quoted_well(tmp_path: Path) -> None:
    *_, (_, bad), (_, good) = records(tmp_path, 'text,label\n"a","x"\n"c","y"\n"a"b,x\nd,y\n')
    assert isinstance(bad, RowError)
    assert "row 4 is not well-formed" in str(bad)
    assert good == {"text": "d", "label": "y"}


def test_quotes_that_never_make_a_field_are_text(tmp_path: Path) -> None:
    assert records(tmp_path, 'text,label\na,x\n"a"b,x\n')[1][1] == {"text": '"a"b', "label": "x"}


def test_a_quote_that_never_closes_cannot_be_left_out(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"row 4 is not well-formed: a quote opens there and never closes"):
        records(tmp_path, 'text,label\n"a","x"\n"c","y"\n"never closed,x\nb,y\n')


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="two columns named 'text'"):
        records(tmp_path, "text,text\na,b\n")


def test_rows_are_read_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"text\n" + b"a\n" * 100_000 + b"\xff")
    assert next(read(path))[1] == {"text": "a"}
