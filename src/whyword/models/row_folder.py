"""The rows of a data set larger than memory, in a folder beside the model's while it is trained."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..data.dataset import Dataset, is_large, is_planted
from ..data.doctor import load_checked
from ..data.rows import USUAL, Columns
from ..interfaces.errors import OptionError, WriteError
from ..storage.atomic import writing
from ..storage.lock import owned
from ..training.optimizer import Processes
from .choose import is_begun_choice
from .train import can_resume


def row_folder(place: Path) -> Path:
    """Name the folder; each process of a run has its own."""
    rank = Processes().rank
    return place.with_name(f"{place.name}.rows{rank or ''}")


@contextmanager
def keeping_rows(place: Path, resume: bool) -> Iterator[Path]:
    """Have a folder for rows, which stays behind only if the run can be resumed."""
    folder = row_folder(place)
    with owned(folder):
        if not resume:
            shutil.rmtree(folder, ignore_errors=True)
        stays = False
        try:
            yield folder
        except (KeyboardInterrupt, WriteError):
            stays = can_resume(place) or is_begun_choice(place)
            raise
        finally:
            if not stays:
                shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def training_rows(
    source: str | Path,
    place: Path,
    columns: Columns = USUAL,
    data_dir: str | Path | None = None,
    *,
    keep_leaks: bool = False,
    fix_labels: bool = False,
    stream: bool | None = None,
    resume: bool = False,
) -> Iterator[tuple[Dataset, bool]]:
    """Load a data set for a model at a place, into memory or onto disk; and say whether its training can resume.

    Rows go onto disk as wanted or, if nothing is said, where they are too many for memory.
    """
    if stream and is_planted(source):
        raise OptionError("The embedded corpus is made in memory: leave --stream out.")
    if not stream and (stream is not None or not is_large(source, columns, data_dir)):
        yield load_checked(source, columns, data_dir, keep_leaks, fix_labels), resume
        return
    begins = row_folder(place).exists() and not (can_resume(place) or is_begun_choice(place))
    with keeping_rows(place, resume) as folder:
        with writing(folder):
            dataset = load_checked(source, columns, data_dir, keep_leaks, fix_labels, folder)
        yield dataset, resume and not begins
