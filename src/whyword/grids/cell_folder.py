"""A folder of cells: each is run once and written in one piece, so that a grid can be killed and started again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol, TypeVar

from ..parallel import parallel_map
from ..storage.atomic import write_text
from .cells import FORMAT, Record, failed_record


class Named(Protocol):
    """Work whose record has a name."""

    @property
    def name(self) -> str:
        """A name that changes with anything that decides the record."""

    @property
    def identity(self) -> Record:
        """What the record says of the work itself."""


N = TypeVar("N", bound=Named)


def finished_cells(
    cells: Iterable[Named], folder: Path | None, on_event: Callable[[str], None] = lambda _: None
) -> dict[str, Record]:
    """Give the records that are there already, by the names of their cells; those that failed are to be run again."""
    found = {}
    for name in [] if folder is None else [cell.name for cell in cells]:
        assert folder is not None
        place = folder / f"{name}.json"
        if not place.exists():
            continue
        record = _read(place, name)
        if record is None:
            on_event(f"{place} is damaged, so its cell is run again.")
        elif "failed" not in record:
            found[name] = record
    return found


def run_cells(
    cells: Sequence[N],
    work: Callable[[N], Record],
    folder: Path | None = None,
    engine: str = "local",
    workers: int = 1,
    address: str | None = None,
) -> Iterator[Record]:
    """Run cells and yield their records as they are done, each written to the folder before anybody hears of it.

    Only this process writes, so one that is killed leaves whole cells behind and nobody who still works on others.
    """
    outcomes = parallel_map(work, cells, engine, workers, address) if cells else ()
    for cell, outcome in outcomes:
        record = failed_record(cell.identity, outcome) if isinstance(outcome, Exception) else outcome
        if folder is not None:
            keep_cell(record, folder)
        yield record


def keep_cell(record: Record, folder: Path) -> None:
    """Write a record to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / f"{record['cell']}.json", _written(record))


def _written(record: Record) -> str:
    """Write a line for each name: short enough for people, and without a line per number."""
    lines = (f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}" for name, value in record.items())
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _read(place: Path, name: str) -> Record | None:
    try:
        record = json.loads(place.read_text(encoding="utf-8"))
    except ValueError:
        return None
    sound = isinstance(record, dict) and record.get("format") == FORMAT and record.get("cell") == name
    return record if sound and any(name in record for name in ("failed", "accuracy", "answer")) else None
