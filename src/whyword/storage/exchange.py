"""A finished folder takes the place of an older one, which stays until then, whenever the process or the power ends."""

from __future__ import annotations

import ctypes
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from .atomic import sync, writing
from .lock import OwnedError, owned

AT_FDCWD = -100  # names of renameat2, see its manual page
RENAME_EXCHANGE = 2


def put_in_place(finished: Path, place: Path) -> None:
    """Put a finished folder in its place; an older one there goes away only once the new one stands.

    Linux exchanges the two at once. Elsewhere, and on disks that cannot, the older folder is renamed first: a process
    that is killed between the two leaves it there under that name, and `restore` renames it back.
    """
    old = old_folder(place)
    with writing(place):
        _sync_tree(finished)
        restore(place)
        shutil.rmtree(old, ignore_errors=True)
        if not place.exists():
            finished.rename(place)
        elif _exchange(finished, place):
            old = finished
        else:
            place.rename(old)
            finished.rename(place)
        sync(place.parent)
    shutil.rmtree(old, ignore_errors=True)


def restore(place: Path) -> bool:
    """Bring back the older folder that a killed process had renamed; True if there was one."""
    if place.exists() or not old_folder(place).exists():
        return False
    with suppress(OSError, OwnedError), owned(place):  # else somebody is about to put the new one there
        old_folder(place).rename(place)
    return place.exists()


def old_folder(place: Path) -> Path:
    """Name what an older folder is called while it is replaced."""
    return place.with_name(f".{place.name}.old")


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders in one step; False where the system or the disk cannot."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None) if os.name == "posix" else None
    if rename is None:
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)


def _sync_tree(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):  # what is in a folder before the folder
        sync(path)
    sync(folder)


@contextmanager
def replacing_folder(place: Path) -> Iterator[Path]:
    """Give an empty folder beside the place; filled, it takes the place, and after an error it is gone."""
    beside = place.with_name(f".{place.name}.new")
    with owned(place), writing(place):
        shutil.rmtree(beside, ignore_errors=True)
        beside.mkdir(parents=True)
        try:
            yield beside
            put_in_place(beside, place)
        finally:
            shutil.rmtree(beside, ignore_errors=True)
