"""The texts a command is given: words on the command line, a file, or standard input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TypeVar

from ..data.dataset import stream_documents
from ..data.rows import Columns
from ..data.words import split
from ..interfaces.document import Document
from ..interfaces.errors import OptionError

T = TypeVar("T")
SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz")


def read_inputs(inputs: list[str], columns: Columns) -> Iterator[Document]:
    """Read a file or standard input (-) if that is the only input, else take each input as a text."""
    if inputs == ["-"] or (len(inputs) == 1 and Path(inputs[0]).is_file()):
        return stream_documents(inputs[0], columns)
    for given in inputs:
        if given.endswith(SUFFIXES):
            raise OptionError(f"There is no file {given}: give the path of a data file, or a text.")
    return (Document(split(text)) for text in inputs)


def chunks(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Cut a stream into lists."""
    iterator = iter(items)
    while chunk := list(islice(iterator, size)):
        yield chunk
