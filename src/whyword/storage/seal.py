"""The seal of a folder: manifest.json lists its files with size and SHA-256, so that a changed one is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ..interfaces.errors import ModelError
from ..interfaces.settings import strict_json

MANIFEST = "manifest.json"
SIGNATURE = "manifest.sig"  # of the manifest, so that it cannot be listed there
CARD = "README.md"  # for people: they and audits write into it, and no answer depends on it
FORMAT = 1  # raised when a manifest can no longer be read by older versions


@dataclass(frozen=True)
class Sealed:
    """What a file was when its folder was sealed."""

    size: int
    sha256: str


def seal(folder: Path) -> Path:
    """Write the manifest of a folder that is complete; the same files give the same manifest."""
    files = {name: {"size": (folder / name).stat().st_size, "sha256": sha256(folder / name)} for name in _names(folder)}
    text = strict_json({"format": FORMAT, "files": files}, indent=2) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    return folder / MANIFEST


def read_seal(folder: Path) -> dict[str, Sealed] | None:
    """Read the manifest; None if the folder has none, as those that older versions wrote."""
    path = folder / MANIFEST
    try:
        values = json.loads(path.read_bytes())
        if values["format"] > FORMAT:
            raise ModelError(f"{path} was written by a newer version of whyword: upgrade whyword.")
        return {_inside(name): _sealed(facts) for name, facts in values["files"].items()}
    except FileNotFoundError:
        return None
    except ModelError:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelError(
            f"{path} is damaged ({type(error).__name__}), so nobody can tell whether the model was changed: copy the "
            "folder anew."
        ) from None


def changed_file(folder: Path, name: str, sealed: Sealed) -> str | None:
    """Say how a file differs from what was sealed; None if it is the same to the last bit."""
    path = folder / name
    if not path.is_file():
        return "is missing"
    size = path.stat().st_size
    if size != sealed.size:
        return f"is damaged or was changed ({size:,} bytes instead of {sealed.size:,})"
    return None if sha256(path) == sealed.sha256 else "is damaged or was changed (its SHA-256 is another)"


def check_seal(folder: Path, reads: tuple[str, ...]) -> None:
    """Refuse a folder that has a manifest and a file, the card aside, which does not agree with it.

    What the loader reads must be listed; folders without a manifest pass.
    """
    files = read_seal(folder)
    if files is None:
        return
    for name, sealed in files.items():
        change = None if is_card(name) else changed_file(folder, name, sealed)
        if change is not None:
            raise ModelError(
                f"{folder / name} {change}: the model folder is not complete or not what was saved, so copy it anew or "
                "train the model again."
            )
    for name in reads:
        if name not in files and (folder / name).exists():
            raise ModelError(
                f"{folder / name} is not in {MANIFEST}, so it was put there later: copy the folder anew or train the "
                "model again."
            )


def is_card(name: str) -> bool:
    """Whether a file is a model card, of the folder or of one in it."""
    return PurePosixPath(name).name == CARD


def sha256(path: Path) -> str:
    """Hash a file of any size, piece by piece."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _names(folder: Path) -> Iterator[str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    names = (path.relative_to(folder).as_posix() for path in paths)
    yield from (name for name in names if name not in (MANIFEST, SIGNATURE))


def _inside(name: str) -> str:
    """Refuse a name that leads out of the folder."""
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\0" in name:
        raise ValueError(name)
    return name


def _sealed(facts: Mapping[str, Any]) -> Sealed:
    size, digest = facts["size"], facts["sha256"]
    if not isinstance(size, int) or not isinstance(digest, str):
        raise TypeError
    return Sealed(size, digest)
