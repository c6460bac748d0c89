"""Data sets of the Hugging Face hub, streamed through its `datasets` package."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...interfaces.errors import DataError, MissingExtraError
from ..bad_rows import Rows

PREFIX = "hub:"


def read(source: str) -> dict[str, Rows]:
    """Open `hub:owner/name` or `hub:owner/name/config`: for each split its rows, with their places."""
    return {split: _rows(rows, f"{source}, split {split}") for split, rows in _open(source).items()}


def size(source: str) -> int:
    """Say how many bytes the training rows have, as far as the data set says so itself."""
    rows = _open(source).get("train")
    said = getattr(getattr(rows, "info", None), "splits", None) or {}
    return int(getattr(said.get("train"), "num_bytes", None) or 0)


def _open(source: str) -> Mapping[str, Any]:
    parts = source.removeprefix(PREFIX).split("/")
    if len(parts) not in (2, 3) or not all(parts):
        raise DataError(f"'{source}' is no data set of the hub: write hub:owner/name or hub:owner/name/config.")
    try:
        import datasets
    except ImportError:
        raise MissingExtraError("Reading from the Hugging Face hub", "hub") from None
    name, config = "/".join(parts[:2]), parts[2] if len(parts) == 3 else None
    try:
        splits: Mapping[str, Any] = datasets.load_dataset(name, config, streaming=True)
    except Exception as error:  # the package and its network stack share no common ancestor
        raise _unreadable(source, error) from None
    return splits


def _rows(rows: Any, where: str) -> Rows:
    names = {column: feature.names for column, feature in (rows.features or {}).items() if hasattr(feature, "names")}
    iterator = iter(rows)
    number = 0
    while True:
        try:
            record = dict(next(iterator))
        except StopIteration:
            return
        except Exception as error:  # as above
            raise _unreadable(where, error) from None
        number += 1
        for column, classes in names.items():
            record[column] = _class_name(record.get(column), classes)
        yield f"{where}, row {number}", record


def _class_name(value: Any, classes: list[str]) -> Any:
    """Name a class; -1 is how the hub marks a row without label."""
    if not isinstance(value, int):
        return value
    return classes[value] if 0 <= value < len(classes) else None


def _unreadable(source: str, error: Exception) -> DataError:
    reason = (str(error) or type(error).__name__).splitlines()[0]
    return DataError(f"{source} cannot be read from the Hugging Face hub: {reason}")
