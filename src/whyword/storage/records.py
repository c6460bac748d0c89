"""One record per text as JSON lines, CSV or Parquet, written in a stream."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from ..interfaces.errors import MissingExtraError, OptionError
from ..interfaces.places import exists, is_remote
from ..interfaces.settings import strict_json
from .atomic import replacing, writing

Record = Mapping[str, Any]
Write = Callable[[Record], object]

ROW_GROUP = 1024  # records of a Parquet file written at a time


def check_output(output: Path, endings: Sequence[str], inputs: Sequence[str | Path] = ()) -> None:
    """Refuse a file of another kind, a folder, and the file that is being read."""
    if not output.name.endswith(tuple(endings)):
        raise OptionError(f"The output {output} must end in {', '.join(endings[:-1])} or {endings[-1]}.")
    if exists(output) and output.is_dir():
        raise OptionError(f"The output {output} is a folder: name a file.")
    if len(inputs) == 1 and _same(inputs[0], output):
        raise OptionError(f"The output {output} is the file that is read: name another one.")
    check_format(output.name)


def _same(path: str | Path, output: Path) -> bool:
    if is_remote(output):
        return str(path) == str(output)
    try:
        return Path(path).samefile(output)
    except (OSError, ValueError):
        return False  # there is no such file, or it is a text and no path at all


def write_records(records: Iterable[Record], output: Path) -> int:
    """Write records in one piece, in the format that the ending of the file's name asks for; give their number."""
    with writing(output):
        output.parent.mkdir(parents=True, exist_ok=True)
    with replacing(output) as beside:
        return fill(records, beside, output.name)


def fill(records: Iterable[Record], path: Path, name: str) -> int:
    """Write records to a path in the format that the ending of a name asks for; give their number."""
    count = 0
    with record_writer(path, name) as write:
        for record in records:
            write(record)
            count += 1
    return count


def check_format(name: str) -> None:
    """Refuse a Parquet file where it cannot be written."""
    if name.endswith(".parquet"):
        _import_parquet()


def _import_parquet() -> tuple[Any, Any]:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("Writing Parquet files", "parquet") from None
    return pyarrow, pyarrow.parquet


def record_writer(path: Path, name: str) -> AbstractContextManager[Write]:
    """Open a file for records, in the format that the ending of a name asks for."""
    if name.endswith(".parquet"):
        return _parquet(path)
    if name.endswith(".csv"):
        return _csv(path)
    return _json_lines(path, name.endswith(".gz"))


@contextmanager
def _json_lines(path: Path, zipped: bool) -> Iterator[Write]:
    with gzip.open(path, "wt", encoding="utf-8") if zipped else path.open("w", encoding="utf-8") as file:
        yield lambda record: file.write(strict_json(record) + "\n")


@contextmanager
def _csv(path: Path) -> Iterator[Write]:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)

        def write(record: Record) -> None:
            flat = dict(_flat(record))
            if file.tell() == 0:
                writer.writerow(flat)
            writer.writerow(flat.values())

        yield write


def _flat(record: Record) -> Iterator[tuple[str, Any]]:
    """Give a column to each entry of a mapping inside a record."""
    for name, value in record.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}.{key}", entry) for key, entry in value.items())
        else:
            yield name, value


@contextmanager
def _parquet(path: Path) -> Iterator[Write]:
    pyarrow, parquet = _import_parquet()
    waiting: list[Record] = []
    file: Any = None

    def flush() -> None:
        nonlocal file
        if file is None:
            examples: dict[str, Any] = {}
            for record in waiting:  # not all records have all columns
                examples |= {name: value for name, value in record.items() if examples.get(name) is None}
            fields = [pyarrow.field(name, _arrow_type(name, value)) for name, value in examples.items()]
            file = parquet.ParquetWriter(path, pyarrow.schema(fields))
        rows = [
            {name: list(value.items()) if isinstance(value, Mapping) else value for name, value in record.items()}
            for record in waiting
        ]
        file.write_table(pyarrow.Table.from_pylist(rows, file.schema))
        waiting.clear()

    def write(record: Record) -> None:
        waiting.append(record)
        if len(waiting) == ROW_GROUP:
            flush()

    try:
        yield write
    finally:
        if waiting:
            flush()
        if file is not None:
            file.close()


def _arrow_type(name: str, value: Any) -> Any:
    """Name the type of a column after a value of its first records, and after its name where that is empty."""
    import pyarrow

    if isinstance(value, Mapping):
        number = pyarrow.float64()
        return pyarrow.map_(pyarrow.string(), pyarrow.list_(number) if name == "all_scores" else number)
    if isinstance(value, list):
        return pyarrow.list_(_item_type(name))
    if isinstance(value, bool):
        return pyarrow.bool_()
    if isinstance(value, str):
        return pyarrow.string()
    return pyarrow.int64() if isinstance(value, int) or name == "seed" else pyarrow.float64()


def _item_type(name: str) -> Any:
    """Name the type of the items of a column of lists."""
    import pyarrow

    spans = pyarrow.list_(pyarrow.int64())
    types = {"words": pyarrow.string(), "spans": spans, "segments": pyarrow.int64(), "speaks_for": pyarrow.string()}
    pair = {name: pyarrow.list_(types[name]) for name in ("words", "spans", "segments")}
    types["interactions"] = pyarrow.struct({**pair, "score": pyarrow.float64(), "speaks_for": pyarrow.string()})
    types["tied"] = types["grouped"] = pyarrow.bool_()
    return types.get(name, pyarrow.float64())
