"""The texts a command is given: words on the command line, a file, or standard input."""

from __future__ import annotations

import hashlib
import json
import os.path
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from ..data.dataset import load_dataset, stream_documents
from ..data.readers.hub import PREFIX
from ..data.rows import Columns
from ..data.sources import locate, split_files
from ..data.words import split
from ..interfaces.document import Document
from ..interfaces.errors import DataError, OptionError

PLAIN = (".csv", ".tsv", ".jsonl")
ENDINGS = (*PLAIN, ".parquet", ".csv.gz", ".tsv.gz", ".jsonl.gz", ".parquet.gz")
_BLOCK = 1 << 20  # bytes


def read_inputs(inputs: list[str], columns: Columns) -> Iterator[Document]:
    """Read a file or standard input (-) if that is the only input, else take each input as a text."""
    if inputs != ["-"] and not is_file(inputs):
        if len(inputs) == 1 and os.path.isdir(inputs[0]):
            raise OptionError(f"{inputs[0]} is a folder: name one of its files, or give a text.")
        return iter([_typed(text, number) for number, text in enumerate(inputs, 1)])
    documents = stream_documents(inputs[0], columns)
    first = next(documents, None)
    if first is None:
        raise DataError(f"{'Standard input' if inputs == ['-'] else inputs[0]} holds no texts: give at least one.")
    return chain([first], documents)


def is_file(inputs: list[str]) -> bool:
    """Tell one file from texts."""
    return len(inputs) == 1 and os.path.isfile(inputs[0])  # pathlib raises where a text is too long for a path


def count_texts(inputs: list[str]) -> int | None:
    """Say about how many texts there are: rows of a Parquet file, lines of a plain one; None if nobody knows."""
    if not is_file(inputs):
        return None if inputs == ["-"] else len(inputs)
    path = Path(inputs[0])
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_metadata

        return int(read_metadata(path).num_rows)
    if path.suffix not in PLAIN:
        return None
    with path.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(partial(file.read, _BLOCK), b""))
    return lines - (path.suffix != ".jsonl")  # without the header


def fingerprint(inputs: list[str]) -> str | None:
    """Name the content of the inputs; None for standard input, which cannot be read twice."""
    if inputs == ["-"]:
        return None
    if not is_file(inputs):
        return hashlib.sha256(json.dumps(inputs).encode()).hexdigest()
    with open(inputs[0], "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _typed(text: str, number: int) -> Document:
    if text.endswith(ENDINGS) and not any(map(str.isspace, text)):
        raise OptionError(f"There is no file {text}: give the path of a data file, or a text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"Text {number} on the command line is not UTF-8: put it in a file or mend it.") from None
    return Document(split(text))


@dataclass(frozen=True)
class Corpus:
    """Documents, labelled or not, to be gone through once."""

    documents: Iterable[Document]
    name: str  # for people
    file: Path | None = None

    def count(self) -> int | None:
        """Say about how many documents there are, if that is known."""
        if self.file is not None:
            return count_texts([str(self.file)])
        return len(self.documents) if isinstance(self.documents, tuple) else None


def read_corpus(source: str, columns: Columns, data_dir: Path | None) -> Corpus:
    """Find a corpus: a file, - for standard input, or a data set, of which the test split is taken, else dev."""
    if source == "-":
        return Corpus(stream_documents(source, columns), "standard input")
    if source.partition(":")[0] != "planted" and not source.startswith(PREFIX):
        path = locate(source, data_dir)
        if path.is_file():
            return Corpus(stream_documents(path, columns), str(path), path)
        files = split_files(path)
        for split in ("test", "dev"):
            if split in files:
                name = f"the {split} split of {source}"
                return Corpus(stream_documents(files[split], columns), name, files[split])
    dataset = load_dataset(source, columns, data_dir)
    split = "test" if dataset.test else "dev"
    return Corpus(dataset.test or dataset.dev, f"the {split} split of {source}")
