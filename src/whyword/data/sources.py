"""Where a data set lies, which file holds which of its splits, and files cut into parts of equal size."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache, partial
from itertools import islice
from pathlib import Path
from typing import Any

from ..interfaces.document import Document
from ..interfaces.errors import DataError
from ..interfaces.places import as_place, exists, is_url, open_bytes
from .bad_rows import SKIP, RowError, Rows, left_out, refuse
from .columns import SAMPLE, names_in, recognize_columns
from .lines import BEGINNING, Place
from .readers import delimited, excel, json_array, json_lines, parquet
from .rows import LABEL_COLUMN, TEXT_COLUMN, USUAL, Columns, document, read_texts
from .unpack import PACKED, inner_name, is_packed

VARIABLE = "WHYWORD_DATA"
SPLITS = {"train": "train", "dev": "dev", "valid": "dev", "validation": "dev", "val": "dev", "test": "test"}

_READERS: dict[str, Any] = {
    ".csv": delimited,
    ".tsv": delimited,
    ".tab": delimited,
    ".jsonl": json_lines,
    ".ndjson": json_lines,
    ".json": json_array,
    ".parquet": parquet,
    ".xlsx": excel,
}
_IN_FOLDERS = {kind for kind in _READERS if kind != ".json"}  # many programs leave notes of theirs as .json
_BLOCK = 1 << 20  # bytes
_PART = re.compile(r"(\w+)-\d+-of-(\d+)")  # as the Hugging Face hub names them
_NUMBER = re.compile(r"\d+")
KINDS = f"{', '.join(_READERS)} (also with {', '.join(PACKED)})"
ENDINGS = tuple(kind + packer for kind in _READERS for packer in ("", *PACKED))


def read_records(path: Path, start: Place = BEGINNING, columns: Columns = USUAL) -> Rows:
    """Yield the rows of a file from a place on, each with its place, by the reader that its name asks for."""
    records: Rows = _reader(path).read(path, start, columns)
    return records


def places(path: Path, columns: Columns = USUAL) -> Iterator[Place]:
    """Yield the place behind each row of a file, bad rows too."""
    ends: Iterator[Place] = _reader(path).places(path, columns)
    return ends


def find_columns(path: Path, columns: Columns, labelled: bool = False) -> Columns:
    """Find out which columns of a file hold what, once as long as it stays the same."""
    reader, facts = _reader(path), path.stat()
    return _find_columns(reader, path, facts.st_mtime_ns, facts.st_size, columns, labelled)


@lru_cache(maxsize=32)
def _find_columns(reader: Any, path: Path, changed: int, size: int, columns: Columns, labelled: bool) -> Columns:
    first = [record for _, record in islice(reader.read(path, columns=columns), SAMPLE)]
    rows = [record for record in first if not isinstance(record, RowError)]
    if not rows and not hasattr(reader, "names"):
        return columns  # what is wrong with the rows is said when they are read
    if not first:
        return columns
    names = reader.names(path, columns) if hasattr(reader, "names") else names_in(rows)
    return recognize_columns(columns, names, rows, str(path), labelled, reader is delimited)


def describe_file(path: Path, found: Columns, asked: Columns, labelled: bool) -> tuple[str, bool]:
    """Say in one line how a file is read, and whether that is as anybody would expect, or as they asked."""
    words, usual = _reader(path).describe(path, found)
    known = found.known or Columns()
    labels = ", ".join(found.labels) or found.label
    roles = [(found.text, "text"), (found.text_pair, "second text"), (labels if labelled else None, "label")]
    named = [f"{name} ({role})" for name, role in roles if name is not None]
    label_expected = not labelled or found.label in (None, LABEL_COLUMN, known.label, asked.label)
    expected = label_expected and found.text in (None, TEXT_COLUMN, known.text, asked.text)  # None: there are no rows
    *others, last = named or ["none that is known"]
    listed = f"{', '.join(others)} and {last}" if others else last
    return f"{path.name}: {words}, column{'s' if others else ''} {listed}.", usual and expected


def find_bad_rows(path: Path, columns: Columns) -> tuple[list[RowError], int]:
    """Look for rows whose text cannot be read; also give the number of all rows."""
    bad, count = [], 0
    for where, record in read_records(path, columns=columns):
        count += 1
        try:
            read_texts(record, columns, where)
        except RowError as error:
            bad.append(error)
    return bad, count


def check_rows(path: Path, columns: Columns) -> tuple[list[str], int]:
    """Refuse a file with bad rows, all of which are listed; or say how it is read, and count what is left out."""
    found = find_columns(path, columns)
    form, usual = describe_file(path, found, columns, labelled=False)
    bad, count = find_bad_rows(path, found)
    if bad and columns.on_bad_row != SKIP:
        raise refuse(bad, str(path), count)
    return [*([] if usual else [form]), *([left_out(bad, str(path), count)] if bad else [])], len(bad)


def is_dense(path: Path) -> bool:
    """Whether a file holds far more than it has bytes."""
    return path.suffix.lower() == ".parquet" or is_packed(path)


def count_rows(path: Path) -> int | None:
    """Say about how many rows a file has, where that is quick: by the footer of Parquet, by the lines else."""
    kind = path.suffix.lower()
    if kind == ".parquet":
        from pyarrow.parquet import read_metadata

        with open_bytes(path) as file:
            return int(read_metadata(file).num_rows)
    if _READERS.get(kind) not in (delimited, json_lines) or is_packed(path):
        return None
    with open_bytes(path) as file:
        lines = sum(block.count(b"\n") for block in iter(partial(file.read, _BLOCK), b""))
    return lines - (_READERS[kind] is delimited)  # without the header


def part_files(folder: Path) -> list[Path]:
    """List the data files of a folder by name; they must be of one kind, and other and hidden ones are left alone."""
    visible = (path for path in folder.iterdir() if path.name[:1] not in ("", ".", "_") and path.is_file())
    files = sorted(path for path in visible if _kind_and_stem(path)[0] in _IN_FOLDERS)
    if not files:
        raise DataError(f"{folder} holds no data files: use {KINDS}.")
    first = {_kind_and_stem(path)[0]: path for path in reversed(files)}
    if len(first) > 1:
        one, other = sorted(first.values())[:2]
        raise DataError(f"{folder} holds files of several kinds, such as {one.name} and {other.name}: keep one kind.")
    return files


def _reader(path: Path) -> Any:
    if not exists(path):
        raise DataError(f"There is no file {path}.")
    kind, _ = _kind_and_stem(path)
    if kind not in _READERS:
        hint = "; save it as .xlsx or .csv" if kind == ".xls" else ""
        raise DataError(f"{path} is of a kind that cannot be read: use {KINDS}{hint}.")
    return _READERS[kind]


def locate(source: str | Path, data_dir: str | Path | None) -> Path:
    """Find a data set: a file or folder, also by its URL, else a name under the data folder."""
    if is_url(source):
        if not exists(place := as_place(source)):
            raise DataError(f"There is no file or folder {source}: correct the URL.")
        return place
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


def split_parts(folder: Path) -> dict[str, list[Path]]:
    """Find the file of each split in a folder, or its files where they are named as train-00000-of-00003.parquet.

    A folder of no splits but of files whose names differ in numbers alone, such as part-0001.parquet, is one data set,
    which has no name.
    """
    files: dict[str, list[Path]] = {}
    parts: dict[str, list[Path]] = {}
    wanted: dict[str, int] = {}
    for path in sorted(folder.iterdir()):
        kind, stem = _kind_and_stem(path)
        split, part = SPLITS.get(stem.lower()), _PART.fullmatch(stem.lower())
        if kind not in _READERS:
            continue
        if part is not None and part[1] in SPLITS:
            parts.setdefault(SPLITS[part[1]], []).append(path)
            wanted[SPLITS[part[1]]] = int(part[2])
        elif split in files:
            raise DataError(f"{folder} has two files for its {split} split, {files[split][0].name} and {path.name}.")
        elif split is not None:
            files[split] = [path]
    for split, several in parts.items():
        if split in files:
            one, other = files[split][0].name, several[0].name
            raise DataError(f"{folder} has two sets of files for its {split} split, {one} and {other}: keep one.")
        if len(several) != wanted[split]:
            one = several[0].name
            raise DataError(f"{folder} has {len(several)} of the {wanted[split]} files of which {one} is one.")
    files |= parts
    if not files and _are_numbered(path for path in folder.iterdir() if _holds_data(path)):
        return {"": part_files(folder)}
    if "train" not in files:
        raise DataError(f"{folder} has no train file: a data set needs train.csv or another of {KINDS}.")
    return files


def _are_numbered(paths: Iterable[Path]) -> bool:
    """Whether the names of files differ in numbers alone; v1_train.csv beside v1_test.csv are no parts of a whole."""
    names = [path.name for path in paths]
    return bool(names) and all(map(_NUMBER.search, names)) and len({_NUMBER.sub("", name) for name in names}) == 1


def name_of(path: Path) -> str:
    """Name a data set after its file or folder."""
    return path.resolve().name if path.is_dir() else _kind_and_stem(path)[1]


def _kind_and_stem(path: Path) -> tuple[str, str]:
    inner = inner_name(path)
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
        if path.is_file() and _holds_data(path):
            datasets[_kind_and_stem(path)[1]] = path
        elif path.is_dir() and any(map(_holds_data, path.iterdir())):
            datasets[path.name] = path
    return datasets


def _holds_data(path: Path) -> bool:
    """Whether a file is one that is read; an archive that is not is no mistake unless it is asked for."""
    try:
        return _kind_and_stem(path)[0] in _IN_FOLDERS
    except DataError:
        return False


@dataclass(frozen=True)
class Part:
    """Rows of a file that lie together."""

    number: int  # from 0 on, over all files
    file: Path
    start: Place
    rows: int


def cut_parts(files: Iterable[Path], rows: int, columns: Columns = USUAL) -> Iterator[Part]:
    """Cut files into parts, the last of each perhaps shorter; rows are counted and not looked at."""
    number = 0
    for file in files:
        start, waiting = BEGINNING, 0
        for end in places(file, columns):
            waiting += 1
            if waiting == rows:
                yield Part(number, file, start, rows)
                number, start, waiting = number + 1, end, 0
        if waiting:
            yield Part(number, file, start, waiting)
            number += 1


def read_part(part: Part, columns: Columns) -> Iterator[Document]:
    """Yield the documents of a part one by one; errors name their row in the whole file."""
    found = find_columns(part.file, columns)
    return read_documents(islice(read_records(part.file, part.start, found), part.rows), found)


def read_documents(rows: Rows, columns: Columns, labelled: bool = False) -> Iterator[Document]:
    """Yield the documents of rows; a bad row is an error, or left out if so wanted."""
    for where, record in rows:
        try:
            made = document(record, columns, where, labelled)
        except RowError:
            if columns.on_bad_row == SKIP:
                continue
            raise
        yield made
