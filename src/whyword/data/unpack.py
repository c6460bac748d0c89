"""Files as they are or packed: gzip, bzip2 and xz are told by their first bytes, zip archives by their name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, cast

from ..interfaces.errors import DataError
from ..interfaces.places import is_remote, open_bytes

PACKED = (".gz", ".bz2", ".xz", ".zip")
DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, zipfile.BadZipFile)

_OPENERS: dict[bytes, Any] = {b"\x1f\x8b": gzip.open, b"BZh": bz2.open, b"\xfd7zXZ\0": lzma.open}
_BLOCK = 1 << 16


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading bytes, unpacked."""
    if path.suffix.lower() == ".zip":
        member = zip_member(path)
        return cast(BinaryIO, zipfile.ZipFile(_openable(path)).open(member))
    opener = _opener(path)
    if opener is None:
        return open_bytes(path)
    return cast(BinaryIO, io.BufferedReader(opener(_openable(path)), _BLOCK))


def is_packed(path: Path) -> bool:
    """Whether a file must be unpacked to be read."""
    return path.suffix.lower() == ".zip" or _opener(path) is not None


def inner_name(path: Path) -> Path:
    """Give the name of what a file holds, without the ending of the packer."""
    if path.suffix.lower() not in PACKED:
        return path
    inner = path.with_suffix("")
    if path.suffix.lower() == ".zip" and not inner.suffix and path.is_file():
        return inner.with_suffix(Path(zip_member(path)).suffix)
    return inner


def zip_member(path: Path) -> str:
    """Name the only file of a zip archive."""
    try:
        with zipfile.ZipFile(_openable(path)) as archive:
            names = [name for name in archive.namelist() if name[-1] != "/" and not name.startswith("__MACOSX/")]
    except zipfile.BadZipFile:
        raise damaged(path) from None
    if len(names) != 1:
        raise DataError(f"{path} holds {len(names)} files: unpack it, or put a single one in.")
    return names[0]


def damaged(path: Path) -> DataError:
    """Make the error for a file that cannot be unpacked."""
    kind = {".bz2": "bzip2", ".xz": "xz", ".zip": "zip"}.get(path.suffix.lower(), "gzip")
    return DataError(f"{path} is cut short or is no {kind} file: download or pack it again.")


def _openable(path: Path) -> Any:
    """Give what the packers open: a path, or the file itself if it is far away."""
    return open_bytes(path) if is_remote(path) else path


def _opener(path: Path) -> Any:
    with open_bytes(path, _BLOCK) as file:
        first = file.read(6)
    return next((opener for magic, opener in _OPENERS.items() if first.startswith(magic)), None)
