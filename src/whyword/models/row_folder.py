"""The rows of a data set larger than memory, in a folder beside the model's while it is trained."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..data.dataset import Dataset, is_large, is_planted
from ..data.doctor import load_checked
from ..data.rows import Columns
from ..interfaces.errors import OptionError, WriteError
from ..storage.atomic import writing
from ..storage.lock import owned
from ..training.optimizer import Processes
from .choose import is_begun_choice
from .train import can_resume


def rows_on_disk(
    source: str | Path, columns: Columns, data_dir: str | Path | None, stream: bool | None, rationales: Path | None
) -> bool:
    """Whether rows are kept on disk: as wanted, or else if they are too many for memory."""
    if stream and is_planted(source):
        raise OptionError("The embedded corpus is made in memory: leave --stream out.")
    if stream and rationales is not None:
        raise OptionError("--rationales takes all rows in memory: leave --stream out.")
    return stream or (stream is None and rationales is None and is_large(source, columns, data_dir))


def row_folder(place: Path) -> Path:
    """Name the folder; each process of a run has its own."""
    rank = Processes().rank
    return place.with_name(f"{place.name}.rows{rank or ''}")


def is_begun(place: Path) -> bool:
    """Whether a run was stopped when only its rows were there, so that training has to begin."""
    return row_folder(place).exists() and not (can_resume(place) or is_begun_choice(place))


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


def load_stored(
    source: str | Path, columns: Columns, data_dir: str | Path | None, keep_leaks: bool, fix_labels: bool, folder: Path
) -> Dataset:
    """Load a data set to train on from a folder that its rows are written to first."""
    with writing(folder):
        return load_checked(source, columns, data_dir, keep_leaks, fix_labels, folder)
