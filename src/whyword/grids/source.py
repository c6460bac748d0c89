"""A data set before it is read: where it lies, how much of it is wanted, and a fingerprint of what it holds."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..data.dataset import Dataset, load_dataset
from ..data.planted import parse
from ..data.readers.hub import PREFIX
from ..data.rows import Columns
from ..data.sources import locate, name_of, split_files
from ..data.splits import hold_out
from ..interfaces.errors import DataError


@dataclass(frozen=True)
class Source:
    """A data set that any process can load, the same each time."""

    name: str
    place: str  # as load_dataset takes it, from whatever folder
    contents: str  # equal where the files are equal, wherever they lie; of the hub only the name is known
    columns: Columns = field(default_factory=Columns)
    rows: int | None = None  # training texts at most, each class in proportion; None: all

    def load(self) -> Dataset:
        """Read it, and cut the training texts down to the rows that are wanted."""
        dataset = load_dataset(self.place, self.columns)
        if self.rows is None or self.rows >= len(dataset.train):
            return dataset
        kept, _ = hold_out(dataset.train, wanted=len(dataset.train) - self.rows)
        return replace(dataset, train=kept)


def find_source(
    data: str | Path, columns: Columns | None = None, data_dir: str | Path | None = None, rows: int | None = None
) -> Source:
    """Find a data set and look at its bytes, without reading its rows."""
    given, columns = str(data), columns or Columns()
    if given == "planted" or given.startswith("planted:"):
        name = f"planted:{parse(given.partition(':')[2]).options}".removesuffix(":")
        return Source(name, name, name, columns, rows)
    if given.startswith(PREFIX):
        return Source(given.removeprefix(PREFIX), given, given, columns, rows)
    path = locate(data, data_dir).resolve()
    files = split_files(path) if path.is_dir() else {"": path}
    contents = " ".join(f"{split}:{file_fingerprint(file)}" for split, file in files.items())
    return Source(name_of(path), str(path), contents, columns, rows)


def file_fingerprint(path: str | Path) -> str:
    """Name the bytes of a file."""
    try:
        with Path(path).expanduser().open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        raise DataError(f"There is no file {path}.") from None
