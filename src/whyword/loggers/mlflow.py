"""Runs in MLflow, at MLFLOW_TRACKING_URI, in the experiment MLFLOW_EXPERIMENT_NAME or `whyword`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..interfaces.errors import MissingExtraError
from ..interfaces.logger import Logger, numbers_of, run_name, settings_of

LONGEST = 500  # characters of a setting that every version of MLflow takes
FILES = ("README.md", "config.json", "metrics.json", "training.jsonl")  # of the model folder; the weights stay there


class Mlflow(Logger):
    """Writes settings as parameters, epochs as metrics, and the model card as an artifact."""

    def __init__(self) -> None:
        try:
            from mlflow import MlflowClient
        except ImportError:
            raise MissingExtraError("The logger 'mlflow'", "mlflow") from None
        self._client = MlflowClient
        self._run = ""
        self._epochs = 0

    def start(self, config: Mapping[str, Any]) -> None:
        """Create a run with its settings."""
        from mlflow.entities import Param

        client = self._client()
        name = os.environ.get("MLFLOW_EXPERIMENT_NAME", "whyword")
        known = client.get_experiment_by_name(name)
        experiment = client.create_experiment(name) if known is None else known.experiment_id
        tags = {"mlflow.note.content": config["notes"]} if config.get("notes") else {}
        run = client.create_run(experiment, run_name=run_name(config), tags=tags)
        self._run, self._epochs = run.info.run_id, 0
        client.log_batch(self._run, params=[Param(key, text[:LONGEST]) for key, text in settings_of(config).items()])

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Write the numbers of an epoch; the step is the number of epochs so far."""
        self._epochs += 1
        self._write(numbers_of(record))

    def finish(self, metrics: Mapping[str, Any], folder: Path | None) -> None:
        """Write the metrics and the small files of the model folder."""
        self._write(numbers_of(metrics))
        for name in FILES if folder is not None else ():
            self._client().log_artifact(self._run, str(folder / name))  # type: ignore[operator]
        self._client().set_terminated(self._run)

    def stop(self) -> None:
        """Mark the run as failed."""
        self._client().set_terminated(self._run, "FAILED")

    def _write(self, numbers: Mapping[str, float]) -> None:
        from mlflow.entities import Metric
        from mlflow.utils.time import get_current_time_millis

        now = get_current_time_millis()
        values = [Metric(name.replace(":", " "), value, now, self._epochs) for name, value in numbers.items()]
        self._client().log_batch(self._run, metrics=values)
