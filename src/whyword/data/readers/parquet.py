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
from ..lines import open_binary

_BATCH_ROWS = 1024


def read(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each row as a dict, with its place; the first row is row 1."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Reading Parquet files", "parquet") from None
    try:
        with _seekable(path) as stream, pyarrow.parquet.ParquetFile(stream) as table:
            records = (record for batch in table.iter_batches(_BATCH_ROWS) for record in batch.to_pylist())
            for number, record in enumerate(records, 1):
                yield f"{path}, row {number}", record
    except (pyarrow.ArrowException, EOFError, zlib.error, OSError) as error:
        raise DataError(f"{path} cannot be read as Parquet: {str(error).splitlines()[0]}") from None


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    """Open a file; a gzipped one is unpacked on disk, since Parquet is read from its end."""
    with open_binary(path) as stream:
        if path.suffix.lower() != ".gz":
            yield stream
            return
        with TemporaryFile() as unpacked:
            shutil.copyfileobj(stream, unpacked)
            yield unpacked
