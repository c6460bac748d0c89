"""Runs of papers that take a moment: few planted texts, narrow word vectors, one epoch."""

from pathlib import Path
from typing import Any

from whyword.grids.source import find_source
from whyword.grids.trial import Run, Trial

TEXTS = "planted:train=40,dev=10,test=12"


def tiny_run(method: str = "vmask", name: str | None = None, encoder: str = "bag", **method_settings: Any) -> Run:
    settings = {
        "method": {"name": method, **method_settings},
        "encoder": {"name": encoder, "dim": 6},
        "training": {"epochs": 1, "batch_size": 8, "learning_rate": 0.05},
    }
    return Run(name or method, settings)


def tiny_trial(folder: Path, run: Run | None = None, data: str = TEXTS, seed: int = 0, **fields: Any) -> Trial:
    return Trial(run or tiny_run(), find_source(data), seed, folder, **fields)
