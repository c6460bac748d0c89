"""The contract of loggers: they hear of every training run when it starts, after each epoch and when it is finished."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


class Logger(ABC):
    """Tells another program how a training run goes; start after finish or stop begins another run."""

    @abstractmethod
    def start(self, config: Mapping[str, Any]) -> None:
        """Begin a run; config holds all its settings, nested, and its name and notes if it has any."""

    @abstractmethod
    def epoch(self, record: Mapping[str, Any]) -> None:
        """Take the record of an epoch, a line of training.jsonl; a run that resumes hears of all its epochs again."""

    @abstractmethod
    def finish(self, metrics: Mapping[str, Any], folder: Path | None) -> None:
        """Take the metrics of the finished model, and its folder if it was written to one."""

    def stop(self) -> None:
        """End a run that failed or was interrupted."""
        return


def run_name(config: Mapping[str, Any]) -> str:
    """Give the name of a run, or that of its method and encoder."""
    return config.get("name") or f"{config['method']['name']}-{config['encoder']['name']}"


def settings_of(config: Mapping[str, Any]) -> dict[str, str]:
    """Give each setting as section.name, those that are left out as None."""
    return {name.replace("/", "."): str(value) for name, value in _flat(config)}


def numbers_of(record: Mapping[str, Any]) -> dict[str, float]:
    """Give the numbers of a record or of metrics, those of a phase of training as phase/name."""
    phase = f"{record['phase']}/" if "losses" in record else ""
    found = {f"{phase}{name}": value for name, value in _flat(record) if isinstance(value, int | float)}
    return {name: float(value) for name, value in found.items() if name != f"{phase}epoch"}


def _flat(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}/{inner}", deeper) for inner, deeper in _flat(value))
        else:
            yield name, value
