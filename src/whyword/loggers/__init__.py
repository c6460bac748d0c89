"""Loggers, one file each, and what a logger of your own is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..interfaces.lazy import lazy

if TYPE_CHECKING:
    from ..interfaces.logger import Logger
    from .mlflow import Mlflow
    from .tensorboard import Tensorboard
    from .wandb import Wandb

_HOMES = {
    "Logger": "..interfaces.logger",
    "Mlflow": ".mlflow",
    "Tensorboard": ".tensorboard",
    "Wandb": ".wandb",
}

__all__ = ["Logger", "Mlflow", "Tensorboard", "Wandb"]

__getattr__, __dir__ = lazy(__name__, _HOMES)
