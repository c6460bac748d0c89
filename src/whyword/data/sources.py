"""Where a data set lies, which file holds which of its splits, and files cut into parts of equal size."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..interfaces.document import Document
from ..interfaces.errors import DataError
from .lines import BEGINNING, Place
from .readers import delimited, json_lines, parquet
from .rows import Columns, document

VARIABLE = "WHYWORD_DATA"
SPLITS = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "val": "dev", "test": "test"}

_READERS = {".csv": delimited, ".tsv": delimited, ".jsonl": json_lines, ".parquet": parquet}
_PLAIN = (".csv", ".tsv", ".jsonl")
_BLOCK = 1 << 20  # bytes
_KINDS = f"{', '.join(_READERS)} (also with .gz)"


def read_records(path: Path, start: Place = BEGINNING) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a file from a place on, each with its place, by the reader that its name asks for."""
    records: Iterator[tuple[str, dict[str, Any]]] = _reader(path).read(path, start)
    return records


def places(path: Path) -> Iterator[Place]:
    """Yield the place behind each row of a file."""
    ends: Iterator[Place] = _reader(path).places(path)
    return ends


def count_rows(path: Path) -> int | None:
    """Say about how many rows a file has, where that is quick: by the footer of Parquet, by the lines else."""
    if path.suffix == ".parquet":
        from pyarrow.parquet import read_metadata

        return int(read_metadata(path).num_rows)
    if path.suffix not in _PLAIN:
        return None
    with path.open("rb") as file:
        lines = sum(block.count(b"\n") for block in iter(partial(file.read, _BLOCK), b""))
    return lines - (path.suffix != ".jsonl")  # without the header


def part_files(folder: Path) -> list[Path]:
    """List the data files of a folder by name; they must be of one kind, and other and hidden ones are left alone."""
    visible = (path for path in folder.iterdir() if path.is_file() and path.name[0] not in "._")
    files = sorted(path for path in visible if _kind_and_stem(path)[0] in _READERS)
    if not files:
        raise DataError(f"{folder} holds no data files: use {_KINDS}.")
    first = {_kind_and_stem(path)[0]: path for path in reversed(files)}
    if len(first) > 1:
        one, other = sorted(first.values())[:2]
        raise DataError(f"{folder} holds files of several kinds, such as {one.name} and {other.name}: keep one kind.")
    return files


def _reader(path: Path) -> Any:
    if not path.exists():
        raise DataError(f"There is no file {path}.")
    kind, _ = _kind_and_stem(path)
    if kind not in _READERS:
        hint = "; write one JSON object a line and name it .jsonl" if kind == ".json" else ""
        raise DataError(f"{path} is of a kind that cannot be read: use {_KINDS}{hint}.")
    return _READERS[kind]


def locate(source: str | Path, data_dir: str | Path | None) -> Path:
    """Find a data set: a file or folder, else a name under the data folder."""
    path = Path(source).expanduser()
    if path.exists():
        return path
    folder = _data_folder(data_dir)
    if folder is None:
        raise DataError(
            f"There is no file or folder '{source}', nor is there a data folder to look for that name in: "
            f"give --data-dir or set {VARIABLE}."
        )
    known = _datasets(folder)
    if str(source) in known:
        return known[str(source)]
    nearest = get_close_matches(str(source), known, n=1)
    hint = f"; did you mean '{nearest[0]}'?" if nearest else "."
    raise DataError(
        f"There is no file or folder '{source}', nor that name in {folder}, which has "
        f"{', '.join(sorted(known)) or 'no data sets'}{hint}"
    )


def dataset_names(data_dir: str | Path | None = None) -> list[str]:
    """Name the data sets of the data folder."""
    folder = _data_folder(data_dir)
    return [] if folder is None else sorted(_datasets(folder))


def split_files(folder: Path) -> dict[str, Path]:
    """Find the file of each split in a folder; files of other names are left alone."""
    files: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        kind, stem = _kind_and_stem(path)
        split = SPLITS.get(stem.lower())
        if kind not in _READERS or split is None:
            continue
        if split in files:
            raise DataError(f"{folder} has two files for its {split} split, {files[split].name} and {path.name}.")
        files[split] = path
    if "train" not in files:
        raise DataError(f"{folder} has no train file: a data set needs train.csv or another of {_KINDS}.")
    return files


def name_of(path: Path) -> str:
    """Name a data set after its file or folder."""
    return path.resolve().name if path.is_dir() else _kind_and_stem(path)[1]


def _kind_and_stem(path: Path) -> tuple[str, str]:
    inner = path.with_suffix("") if path.suffix.lower() == ".gz" else path
    return inner.suffix.lower(), inner.stem


def _data_folder(data_dir: str | Path | None) -> Path | None:
    name = data_dir or os.environ.get(VARIABLE)
    if not name:
        return None
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise DataError(f"The data folder {folder} does not exist: correct --data-dir or {VARIABLE}.")
    return folder


def _datasets(folder: Path) -> dict[str, Path]:
    datasets: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        kind, stem = _kind_and_stem(path)
        if kind in _READERS:
            datasets[stem] = path
        elif path.is_dir() and any(_kind_and_stem(file)[0] in _READERS for file in path.iterdir()):
            datasets[path.name] = path
    return datasets


@dataclass(frozen=True)
class Part:
    """Rows of a file that lie together."""

    number: int  # from 0 on, over all files
    file: Path
    start: Place
    rows: int


def cut_parts(files: Iterable[Path], rows: int) -> Iterator[Part]:
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
