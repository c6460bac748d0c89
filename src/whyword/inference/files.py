"""Name the contents of files, so that it is seen when a model in them changes."""

from __future__ import annotations

import hashlib
from pathlib import Path


def contents_fingerprint(place: Path) -> str:
    """Name the content of a file, or of all files of a folder with their names."""
    digest = hashlib.sha256()
    files = sorted(path for path in place.rglob("*") if path.is_file()) if place.is_dir() else [place]
    for path in files:
        name = path.relative_to(place).as_posix() if place.is_dir() else ""
        with path.open("rb") as file:
            digest.update(name.encode() + b"\0" + hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()
