"""Lines of a UTF-8 file or of standard input, unpacked on the way if the file is gzipped."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from ..interfaces.errors import DataError


class Place(NamedTuple):
    """A place between two rows of a file, by what lies before it."""

    bytes: int = 0  # unpacked
    lines: int = 0
    rows: int = 0  # as the reader of the file numbers them


BEGINNING = Place()


def read_lines(path: Path, start: Place = BEGINNING) -> Iterator[str]:
    """Yield the lines of a file from a place on, with their line ends, and without a byte order mark."""
    return decode(raw_lines(path, start), str(path), start.lines)


def raw_lines(path: Path, start: Place = BEGINNING) -> Iterator[bytes]:
    """Yield the lines of a file from a place on as they are."""
    try:
        with open_binary(path) as stream:
            stream.seek(start.bytes)
            yield from stream
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError(f"{path} is cut short or is no gzip file: download or pack it again.") from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def read_standard_input() -> Iterator[str]:
    """Yield the lines of standard input."""
    return decode(sys.stdin.buffer, "standard input")


def open_binary(path: Path) -> BinaryIO:
    """Open a file for reading bytes, unpacked if its name ends in .gz."""
    if path.suffix.lower() == ".gz":
        return cast(BinaryIO, io.BufferedReader(cast(io.RawIOBase, gzip.open(path)), 1 << 16))
    return path.open("rb")


def decode(lines: Iterable[bytes], name: str, before: int = 0) -> Iterator[str]:
    """Read lines as UTF-8; the name and how many lines came before are for the error."""
    for number, line in enumerate(lines, before + 1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte = line[error.start]
            raise DataError(
                f"{name}, line {number}: the byte 0x{byte:02x} is not UTF-8; save the file with the encoding UTF-8."
            ) from None
        yield text.removeprefix("\ufeff") if number == 1 else text
