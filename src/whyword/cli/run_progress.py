"""Progress over the runs of a grid: a line for each that is done, and a bar with the time left on a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.text import Text

from ..grids.runner import RunRecord
from ..interfaces.errors import WriteError
from ..views.characters import showable
from .exits import stop


def follow(new: Iterable[RunRecord], records: dict[str, RunRecord], jobs: int, folder: Path, quiet: bool) -> None:
    """Add new records to those that were there and show each; where it is interrupted, say where they are."""
    if records and len(records) < jobs:
        note(f"{len(records)} of {jobs} runs are recorded already.", quiet)
    try:
        for record in _shown(new, jobs - len(records), quiet):
            records[record.name] = record
    except (KeyboardInterrupt, WriteError) as stopped:
        stopped.add_note(f"What was done is recorded in {folder}; the same command resumes.")
        raise


def _shown(records: Iterable[RunRecord], total: int, quiet: bool) -> Iterator[RunRecord]:
    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("runs"), BarColumn(40), MofNCompleteColumn(), TextColumn("{task.description}"))
    started = time.monotonic()
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        task = bar.add_task("", total=total)
        for done, record in enumerate(records, 1):
            left = duration((time.monotonic() - started) / done * (total - done))
            if not quiet:
                where = f"  ({done} of {total}, {left} left)" if done < total else f"  ({done} of {total})"
                console.print(Text(_sentence(record) + where), soft_wrap=not console.is_terminal)
            bar.update(task, completed=done, description=f"{left} left")
            yield record


def note(sentence: str, quiet: bool) -> None:
    """Say something beside the result."""
    if not quiet:
        console = Console(stderr=True, highlight=False)
        console.print(Text(showable(sentence)), soft_wrap=not console.is_terminal)


def judge(failures: Sequence[RunRecord], total: int) -> None:
    """Leave with a code that tells of what failed, if anything did."""
    if not failures:
        return
    sys.stdout.flush()
    bugs = [record for record in failures if record.bug]
    count = f"{len(failures)} of {total} runs failed, and are tried again when the command is."
    if bugs:
        print("".join(bugs[0].trace), file=sys.stderr)
        stop(f"{count} This is a bug: please report it with the lines above.", 1)
    stop(f"{count} {failures[0].name}: {failures[0].failed}", 2)


def duration(seconds: float) -> str:
    """Write a time in the unit that suits it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _sentence(record: RunRecord) -> str:
    who = showable(f"{record.dataset} {record.variant} {record.evaluation} seed {record.seed}")
    if record.failed is not None:
        return f"{who}: failed. {showable(record.failed)}"
    accuracy = f"accuracy {record.result['accuracy']:.1%}, " if "accuracy" in record.result else ""
    return f"{who}: {accuracy}{duration(record.wall_seconds)}"
