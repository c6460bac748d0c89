"""Packed files."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from whyword.data.unpack import inner_name, is_packed, open_binary
from whyword.interfaces.errors import DataError


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, bytes])
def test_packers_are_told_by_their_first_bytes(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(pack(b"one\ntwo\n"))
    with open_binary(path) as stream:
        assert stream.read(4) == b"one\n"
        stream.seek(4)
        assert list(stream) == [b"two\n"]
    assert is_packed(path) == (pack is not bytes)


def test_a_zip_archive_holds_one_file(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("folder/", b"")
        archive.writestr("__MACOSX/._b.tsv", b"")
        archive.writestr("folder/b.tsv", b"text\n")
    assert inner_name(path) == tmp_path / "a.tsv"
    with open_binary(path) as stream:
        assert stream.read() == b"text\n"
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("c.tsv", b"text\n")
    with pytest.raises(DataError, match=r"a\.zip holds 2 files: unpack it"):
        open_binary(path)


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.zip"
    path.write_bytes(b"text\n")
    with pytest.raises(DataError, match=r"a\.zip is cut short or is no zip file"):
        open_binary(path)
