"""The loggers of a run: one that fails once training has begun is left out, and the training is not lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ..interfaces.errors import OptionError, WhywordError
from ..interfaces.logger import Logger
from ..training.optimizer import Processes


class Log:
    """Passes what happens in a run on to its loggers."""

    def __init__(self, loggers: Sequence[Logger], on_event: Callable[[str], None]) -> None:
        self.loggers = list(loggers) if Processes().is_first else []
        self.on_event = on_event

    @contextmanager
    def following(self, config: Mapping[str, Any]) -> Iterator[None]:
        """Start all loggers, and stop them if what follows fails or is interrupted."""
        for number, logger in enumerate(self.loggers):
            try:
                logger.start(config)
            except Exception as error:
                for started in self.loggers[:number]:
                    started.stop()
                raise _refusal(logger, error) from error
        try:
            yield
        except BaseException:
            self._tell(lambda logger: logger.stop())
            raise

    def epoch(self, record: Mapping[str, Any]) -> None:
        """Pass on the record of an epoch."""
        self._tell(lambda logger: logger.epoch(record))

    def finish(self, metrics: Mapping[str, Any], folder: Path | None) -> None:
        """Pass on the metrics of the finished model."""
        self._tell(lambda logger: logger.finish(metrics, folder))

    def _tell(self, call: Callable[[Logger], None]) -> None:
        for logger in list(self.loggers):
            try:
                call(logger)
            except Exception as error:  # whatever somebody else's program raises
                self.loggers.remove(logger)
                self.on_event(f"Warning: {_complaint(logger, error)} The rest of the run is not logged there.")


def _refusal(logger: Logger, error: Exception) -> WhywordError:
    return (
        error if isinstance(error, WhywordError) else OptionError(f"{_complaint(logger, error)} Leave it out of log.")
    )


def _complaint(logger: Logger, error: Exception) -> str:
    reason = (str(error).splitlines() or [""])[0].rstrip(".")
    return f"The logger {type(logger).__name__} fails ({type(error).__name__}: {reason})."
