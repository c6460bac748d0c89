"""Lines of UTF-8 files, packed or not."""

import gzip
import io
from pathlib import Path

import pytest

from whyword.data.encoding import Encoding
from whyword.data.lines import Place, read_lines, read_standard_input
from whyword.interfaces.errors import DataError

TEXT = "eins\r\nzwei é\u2028\n\ndrei"


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz", "a.GZ"])
def test_lines_end_at_line_feeds_only_and_a_byte_order_mark_is_dropped(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    data = ("\ufeff" + TEXT).encode()
    path.write_bytes(gzip.compress(data) if name.lower().endswith("gz") else data)
    assert [line.text for line in read_lines(path)] == ["eins\r\n", "zwei é\u2028\n", "\n", "drei"]


def test_an_undecodable_byte_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes("text\ncafé\n".encode("latin-1"))
    assert [line.bad_byte for line in read_lines(path)] == [None, 0xE9]
    assert list(read_lines(path, encoding=Encoding("latin-1")))[1] == ("café\n", None)


@pytest.mark.parametrize("damage", [lambda data: data[:-12], lambda data: data[:40] + b"xxxx"])
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
    assert next(lines) == ("é\n", None)
    assert next(lines).bad_byte == 0xFF


def test_a_long_file_is_not_read_ahead(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"a\n" * 100_000 + b"\xff")
    assert next(read_lines(path)).text == "a\n"


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be", "utf-32-le"])
@pytest.mark.parametrize("newline", ["\n", "\r"])
def test_lines_of_wide_letters_end_at_whole_letters(tmp_path: Path, name: str, newline: str) -> None:
    path = tmp_path / "a.txt"
    wanted = [f"Ċ਍ {number} 'ਊ{newline}" for number in range(20_000)] + ["the end"]  # with bytes that look like ends
    path.write_bytes("".join(wanted).encode(name))
    encoding = Encoding(name, newline)
    assert [line.text for line in read_lines(path, encoding=encoding)] == wanted
    start = Place(len("".join(wanted[:7]).encode(name)), 7)
    assert next(read_lines(path, start, encoding)).text == wanted[7]
