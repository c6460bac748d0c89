"""Lines of a file or of standard input, unpacked and decoded on the way."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ..interfaces.errors import DataError
from .encoding import Encoding, check_encoding
from .unpack import DAMAGED, damaged, open_binary

_BLOCK = 1 << 16
UTF8 = Encoding()


class Place(NamedTuple):
    """A place between two rows of a file, by what lies before it."""

    bytes: int = 0  # unpacked
    lines: int = 0
    rows: int = 0  # as the reader of the file numbers them


BEGINNING = Place()


class Line(NamedTuple):
    """A line with its end; bytes that are not of the encoding are replaced, and the first of them is named."""

    text: str
    bad_byte: int | None = None


def read_lines(path: Path, start: Place = BEGINNING, encoding: Encoding = UTF8) -> Iterator[Line]:
    """Yield the lines of a file from a place on, with their line ends, and without a byte order mark."""
    return decode(raw_lines(path, start, encoding), start.lines, encoding)


def raw_lines(path: Path, start: Place = BEGINNING, encoding: Encoding = UTF8) -> Iterator[bytes]:
    """Yield the lines of a file from a place on as they are."""
    try:
        with open_binary(path) as stream:
            stream.seek(start.bytes)
            yield from stream if encoding.end_of_line == b"\n" else _cut(stream, encoding.end_of_line)
    except DAMAGED:
        raise damaged(path) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def read_sample(path: Path, size: int) -> bytes:
    """Give the first bytes of a file, unpacked."""
    try:
        with open_binary(path) as stream:
            return stream.read(size)
    except DAMAGED:
        raise damaged(path) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def read_standard_input(encoding: str | None = None) -> Iterator[Line]:
    """Yield the lines of standard input."""
    return decode(sys.stdin.buffer, encoding=Encoding(check_encoding(encoding or "utf-8")))


def decode(lines: Iterable[bytes], before: int = 0, encoding: Encoding = UTF8) -> Iterator[Line]:
    """Decode lines; of those that came before, only the number is known."""
    for number, line in enumerate(lines, before + 1):
        try:
            text, bad_byte = line.decode(encoding.name), None
        except UnicodeDecodeError as error:
            text, bad_byte = line.decode(encoding.name, "replace"), line[error.start]
        yield Line(text.removeprefix("\ufeff") if number == 1 else text, bad_byte)


def not_decoded(bad_byte: int, encoding: Encoding) -> str:
    """Say what is wrong with a line that was not decoded, and what helps."""
    other = "cp1252" if encoding.name == "utf-8" else "utf-8"
    return (
        f": the byte 0x{bad_byte:02x} is not {encoding.describe()}; save the file with the encoding UTF-8, or say "
        f"which one it has, such as --encoding {other}"
    )


def _cut(stream: BinaryIO, end: bytes) -> Iterator[bytes]:
    """Cut a stream behind each end of a line, which stands at a multiple of its width."""
    width, waiting = len(end), bytearray()
    looked = 0  # bytes in which there is no end
    while block := stream.read(_BLOCK):
        waiting += block
        first = 0
        while (found := waiting.find(end, looked)) >= 0:
            looked = found + width if found % width == 0 else found + 1
            if found % width == 0:
                yield bytes(waiting[first:looked])
                first = looked
        del waiting[:first]
        looked = max(0, len(waiting) - width + 1)
    if waiting:
        yield bytes(waiting)
