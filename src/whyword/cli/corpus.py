"""A data set given as DATA, read for its texts alone: a file as a whole, else the split that nothing learned from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..data.dataset import load_dataset, stream_documents
from ..data.readers.hub import PREFIX
from ..data.rows import Columns
from ..data.sources import locate, split_files
from ..interfaces.document import Document
from .texts import count_texts


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
