"""Event files for TensorBoard, each run in a folder of its own under TENSORBOARD_LOGDIR or `runs`."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from ..interfaces.errors import MissingExtraError
from ..interfaces.logger import Logger, numbers_of, run_name


class Tensorboard(Logger):
    """Writes epochs and metrics as scalars, settings as a text."""

    def __init__(self) -> None:
        try:
            from tensorboardX import SummaryWriter
        except ImportError:
            raise MissingExtraError("The logger 'tensorboard'", "tensorboard") from None
        self._open = SummaryWriter
        self._writer: Any = None
        self._epochs = 0

    def start(self, config: Mapping[str, Any]) -> None:
        """Open a folder with a name and a time, and write the settings there."""
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S.%f")
        parent = Path(os.environ.get("TENSORBOARD_LOGDIR", "runs"))
        self._writer = self._open(str(parent / f"{run_name(config).replace('/', '-')}_{now}"))
        self._epochs = 0
        settings = json.dumps(config, indent=4, ensure_ascii=False)
        self._writer.add_text("settings", "\n".join(f"    {line}" for line in settings.splitlines()))

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Write the numbers of an epoch."""
        self._epochs += 1
        self._write(numbers_of(record))

    def finish(self, metrics: Mapping[str, Any], folder: Path | None) -> None:
        """Write the metrics and close the file."""
        self._write({f"model/{name}": value for name, value in numbers_of(metrics).items()})
        self._writer.close()

    def stop(self) -> None:
        """Close the file."""
        self._writer.close()

    def _write(self, numbers: Mapping[str, float]) -> None:
        for name, value in numbers.items():
            self._writer.add_scalar(name.replace(" ", "_"), value, self._epochs)
        self._writer.flush()
