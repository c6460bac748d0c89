"""A run that is not done yet, kept in a folder beside the model's place."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from ..interfaces.errors import OptionError
from ..storage.atomic import write_text
from ..storage.tensors import read_snapshot, write_snapshot
from ..training.loop import TrainingRun
from ..training.optimizer import Processes
from .config import RunConfig
from .folder import TrainedModel, check_place, put_model

CHECKPOINT_SECONDS = 30.0  # at most this much work is lost when a run is killed
SETTINGS = "run.json"


def unfinished_folder(place: Path) -> Path:
    """Name the folder in which a run is kept until its model can be put in its place."""
    return place.with_name(f"{place.name}.training")


def is_begun(place: Path) -> bool:
    """Whether there is a run to go on with."""
    return (unfinished_folder(place) / SETTINGS).exists()


def changed_since(file: Path, now: Mapping[str, Any]) -> list[str]:
    """Name what is no longer as it was written to a file."""
    before = json.loads(file.read_text(encoding="utf-8"))
    return sorted(name for name, value in json.loads(json.dumps(now)).items() if value != before.get(name))


class Unfinished:
    """The folder beside the model's place in which a run is kept until it is done."""

    def __init__(self, place: Path, config: RunConfig, resume: bool) -> None:
        check_place(place)
        self.place = place
        self.folder = unfinished_folder(place)
        self.config = config
        self.resume = resume
        self.last_kept = time.monotonic()
        if resume and not is_begun(place):
            raise OptionError(f"There is no unfinished run at {self.folder}: leave --resume out to start one.")
        if Processes().is_first:
            if not resume:
                shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True, exist_ok=True)

    def take_up(self, run: TrainingRun, on_event: Callable[[str], None]) -> None:
        """Go on where the last process was stopped, if it was with these settings."""
        settings = self.folder / SETTINGS
        now = {**self.config.to_dict(), "texts": run.train.fingerprint}
        if self.resume:
            changed = changed_since(settings, now)
            if changed:
                raise OptionError(
                    f"The unfinished run at {self.folder} had other settings ({', '.join(changed)}): give the same "
                    "ones, or leave --resume out to start again."
                )
            snapshot = read_snapshot(self.folder)
            if snapshot is not None:
                run.restore(*snapshot)
                on_event(f"Resumed after {len(run.history)} epochs and {run.position.step} steps.")
        if run.processes.is_first:
            write_text(settings, json.dumps(now, indent=2))

    def keep(self, run: TrainingRun, at_once: bool) -> None:
        """Write a snapshot at once, or only when the last one is old."""
        if not at_once and time.monotonic() - self.last_kept < CHECKPOINT_SECONDS:
            return
        write_snapshot(self.folder, *run.snapshot())
        write_text(self.folder / "training.jsonl", "".join(json.dumps(record) + "\n" for record in run.history))
        self.last_kept = time.monotonic()

    def finish(self, model: TrainedModel) -> None:
        """Write the finished model and put it in its place."""
        put_model(model, self.place)
        shutil.rmtree(self.folder, ignore_errors=True)
