"""Files cut into parts of so many rows, each of which can be read by itself, on whatever machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ..interfaces.document import Document
from .lines import BEGINNING, Place
from .rows import Columns, document
from .sources import places, read_records


@dataclass(frozen=True)
class Part:
    """Rows of a file that lie together."""

    number: int  # from 0 on, over all files
    file: Path
    start: Place
    rows: int


def cut(files: Iterable[Path], rows: int) -> Iterator[Part]:
    """Cut files into parts, the last of each perhaps shorter; rows are counted and not looked at."""
    number = 0
    for file in files:
        start, waiting = BEGINNING, 0
        for end in places(file):
            waiting += 1
            if waiting == rows:
                yield Part(number, file, start, rows)
                number, start, waiting = number + 1, end, 0
        if waiting:
            yield Part(number, file, start, waiting)
            number += 1


def read_part(part: Part, columns: Columns) -> Iterator[Document]:
    """Yield the documents of a part one by one; errors name their row in the whole file."""
    records = islice(read_records(part.file, part.start), part.rows)
    return (document(record, columns, where, labelled=False) for where, record in records)
