"""Lines of a UTF-8 file or of standard input, unpacked on the way if the file is gzipped."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from ..interfaces.errors import DataError


def read_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a file with their line ends, and without a byte order mark."""
    try:
        with open_binary(path) as stream:
            yield from _decode(stream, str(path))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{path} is cut short or is no gzip file: download or pack it again.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def read_standard_input() -> Iterator[str]:
    """Yield the lines of standard input."""
    return _decode(sys.stdin.buffer, "standard input")


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading bytes, unpacked if its name ends in .gz."""
    if path.suffix.lower() == ".gz":
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, gzip.open(path)), 1 << 16))
    return path.open("rb")


def _decode(stream: BinaryIO, name: str) -> Iterator[str]:
    for number, line in enumerate(stream, 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start]
            raise DataError(
                f"{name}, line {number}: the byte 0x{byte:02x} is not UTF-8; save the file with the encoding UTF-8."
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text
