"""Parquet files, read in batches of rows."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from ...interfaces.errors import DataError, MissingExtraError
from ..bad_rows import Rows
from ..lines import BEGINNING, Place
from ..rows import USUAL, Columns
from ..unpack import is_packed, open_binary

_BATCH_ROWS = 1024


def read(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield each row as a dict, with its place; the first row is row 1."""
    with _opened(path) as table:
        for number, record in enumerate(_records(table, start.rows), start.rows + 1):
            yield f"{path}, row {number}", record


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each row; the rows themselves are not read."""
    with _opened(path) as table:
        count = table.metadata.num_rows
    return (Place(rows=number) for number in range(1, count + 1))


def describe(path: Path, columns: Columns = USUAL) -> tuple[str, bool]:
    """Say how a file is written, and whether that is as usual."""
    return "Parquet", True


def _records(table: Any, skipped: int) -> Iterator[dict[str, Any]]:
    """Yield the rows after those to be skipped, of which whole row groups are not read at all."""
    group = 0
    while group < table.num_row_groups and skipped >= (rows := table.metadata.row_group(group).num_rows):
        group, skipped = group + 1, skipped - rows
    for number in range(group, table.num_row_groups):  # one at a time: what is read ahead stays in memory
        for batch in table.iter_batches(_BATCH_ROWS, row_groups=[number]):
            yield from batch.slice(min(skipped, len(batch))).to_pylist()
            skipped = max(0, skipped - len(batch))


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Reading Parquet files", "parquet") from None
    try:
        with _seekable(path) as stream, pyarrow.parquet.ParquetFile(stream) as table:
            yield table
    except (pyarrow.ArrowException, EOFError, zlib.error, OSError) as error:
        raise DataError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from None


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; a packed one is unpacked on disk, since Parquet is read from its end."""
    with open_binary(path) as stream:
        if not is_packed(path):
            yield stream
            return
        with TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked)
            yield unpacked
