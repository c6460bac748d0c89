"""Output files that appear only when they are complete."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


@contextmanager
def writer(path: Path) -> Iterator[Callable[[str], object]]:
    """Write a text file beside its place and rename it at the end."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.part")
    with _open(beside, path.suffix == ".gz") as file:
        yield file.write
    beside.replace(path)


def _open(path: Path, zipped: bool) -> IO[str]:
    return gzip.open(path, "wt", encoding="utf-8") if zipped else path.open("w", encoding="utf-8")
