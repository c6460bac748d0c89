"""Lines of UTF-8 files, packed or not."""

import gzip
import io
from pathlib import Path

import pytest

from whyword.data.lines import read_lines, read_standard_input
from whyword.interfaces.errors import DataError

TEXT = "eins\r\nzwei é\u2028\n\ndrei"


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.GZ"])
def test_lines_end_at_line_feeds_only_and_a_byte_order_mark_is_dropped(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    data = ("\ufeff" + TEXT).encode()
    path.write_bytes(gzip.compress(data) if name.lower().endswith("gz") else data)
    assert list(read_lines(path)) == ["eins\r\n", "zwei é\u2028\n", "\n", "drei"]


def test_an_undecodable_byte_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("text\ncafé\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"latin\.csv, line 2: the byte 0xe9 is not UTF-8"):
        list(read_lines(path))


@pytest.mark.parametrize(
    "damage", [lambda data: data[:-12], lambda data: b"text\na\n", lambda data: data[:40] + b"xxxx"]
)
def test_a_damaged_gzip_file_is_refused(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(damage(gzip.compress(bytes(range(32, 127)) * 50)))  # type: ignore[operator]
    with pytest.raises(DataError, match=r"a\.csv\.gz is cut short or is no gzip file"):
        list(read_lines(path))


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be read: Is a directory"):
        list(read_lines(tmp_path))


def test_standard_input_is_read_as_utf8(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é\n\xff".encode() + b"\xff"), encoding="ascii"))
    lines = read_standard_input()
    assert next(lines) == "é\n"
    with pytest.raises(DataError, match="standard input, line 2: the byte 0xff"):
        next(lines)


def test_a_long_file_is_not_read_ahead(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" * 100_000 + b"\xff")
    assert next(read_lines(path)) == "a\n"
