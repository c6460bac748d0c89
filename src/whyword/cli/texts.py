"""The texts that a command reads: words on the command line, a file, standard input, or a data set."""

from __future__ import annotations

import os.path
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..data.dataset import load_dataset, stream_documents
from ..data.readers.hub import PREFIX
from ..data.rows import Columns
from ..data.sources import ENDINGS, check_rows, count_rows, locate, split_parts
from ..interfaces.document import Document
from ..interfaces.errors import DataError, OptionError
from ..interfaces.places import as_place, exists, is_url


def read_inputs(inputs: list[str], columns: Columns) -> Path | list[str] | Iterator[Document]:
    """Give the path if the only input is a file or a folder, the documents of standard input (-), else the texts."""
    if inputs == ["-"]:
        return _standard_input(columns)
    if len(inputs) == 1 and os.path.exists(inputs[0]):  # pathlib raises where a text is too long for a path
        return Path(inputs[0])
    if len(inputs) == 1 and is_url(inputs[0]):
        if not exists(place := as_place(inputs[0])):
            raise OptionError(f"There is no file or folder {inputs[0]}: give the URL of one, or a text.")
        return place
    for number, text in enumerate(inputs, 1):
        _check_text(text, number)
    return inputs


def open_texts(texts: Path | list[str] | Iterator[Document], columns: Columns, quiet: bool) -> Iterator[Document]:
    """Give the documents of what was read, and say how their file is read where that is not as usual."""
    from ..explaining.inputs import TextSource

    source = TextSource(texts, columns)
    documents = source.documents()
    _tell(source.notes, quiet)
    return documents


def _tell(notes: Iterable[str], quiet: bool) -> None:
    for note in () if quiet else notes:
        print(note, file=sys.stderr)


def _standard_input(columns: Columns) -> Iterator[Document]:
    documents = stream_documents("-", columns)
    first = next(documents, None)
    if first is None:
        raise DataError("Standard input holds no texts: give at least one.")
    yield first
    yield from documents


def _check_text(text: str, number: int) -> None:
    if text.endswith(ENDINGS) and not any(map(str.isspace, text)):
        raise OptionError(f"There is no file {text}: give the path of a data file, or a text.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise DataError(f"Text {number} on the command line is not UTF-8: put it in a file or fix it.") from None


@dataclass(frozen=True)
class Corpus:
    """Documents, labelled or not, to be gone through once."""

    documents: Iterable[Document]
    name: str  # for people
    file: Path | None = None

    def count(self) -> int | None:
        """Say about how many documents there are, if that is known."""
        if self.file is not None:
            return count_rows(self.file)
        return len(self.documents) if isinstance(self.documents, tuple) else None


def read_corpus(
    source: str,
    columns: Columns,
    data_dir: Path | None,
    splits: Sequence[str] = ("test", "dev"),
    quiet: bool = True,
) -> Corpus:
    """Read DATA for its texts alone: a file or standard input as a whole, of a data set the first split there is."""
    if source == "-":
        return Corpus(stream_documents(source, columns), "standard input")
    if source.partition(":")[0] != "planted" and not source.startswith(PREFIX):
        path = locate(source, data_dir)
        if path.is_file():
            _tell(check_rows(path, columns)[0], quiet)
            return Corpus(stream_documents(path, columns), str(path), path)
        files = split_parts(path)
        wanted = next((split for split in splits if split in files), "")
        if wanted and len(files[wanted]) == 1:
            (file,) = files[wanted]
            _tell(check_rows(file, columns)[0], quiet)
            return Corpus(stream_documents(file, columns), f"the {wanted} split of {source}", file)
    dataset = load_dataset(source, columns, data_dir)
    split = next(split for split in splits if getattr(dataset, split))
    return Corpus(getattr(dataset, split), f"the {split} split of {source}")
