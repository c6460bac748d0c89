"""Runs in Weights & Biases, in the project WANDB_PROJECT or `whyword`; WANDB_MODE=offline keeps them here."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..interfaces.errors import MissingExtraError
from ..interfaces.logger import Logger, numbers_of, run_name


class Wandb(Logger):
    """Writes settings as the config, epochs as the history, and metrics as the summary of a run."""

    def __init__(self) -> None:
        try:
            import wandb
        except ImportError:
            raise MissingExtraError("The logger 'wandb'", "wandb") from None
        self._wandb = wandb
        self._run: Any = None
        self._epochs = 0

    def start(self, config: Mapping[str, Any]) -> None:
        """Open a run with its settings."""
        project, notes = os.environ.get("WANDB_PROJECT", "whyword"), config.get("notes")
        settings = self._wandb.Settings(silent=True)  # standard output is the command's
        self._run = self._wandb.init(
            project=project, name=run_name(config), notes=notes, config=dict(config), settings=settings
        )
        self._epochs = 0

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Write the numbers of an epoch."""
        self._epochs += 1
        self._run.log(numbers_of(record), step=self._epochs)

    def finish(self, metrics: Mapping[str, Any], folder: Path | None) -> None:
        """Write the metrics and where the model is, and close the run."""
        self._run.summary.update({**numbers_of(metrics), **({} if folder is None else {"model": str(folder)})})
        self._run.finish()

    def stop(self) -> None:
        """Close the run as one that failed."""
        self._run.finish(exit_code=1)
