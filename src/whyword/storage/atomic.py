"""Files that a killed process cannot leave half written: each is written beside its place and then renamed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a place beside the path; what is written there is renamed to the path, or gone after an error."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file in one piece."""
    with replacing(path) as beside:
        beside.write_text(text, encoding="utf-8")


def put_in_place(finished: Path, place: Path) -> None:
    """Rename a finished folder to its place; an older model there goes away only once the new one stands."""
    old = place.with_name(f".{place.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if place.exists():
        place.rename(old)
    finished.rename(place)
    shutil.rmtree(old, ignore_errors=True)
