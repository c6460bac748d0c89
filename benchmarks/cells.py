"""A grid's cells: one JSON file each, written in one piece, so that a grid can be stopped and resumed."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats


def versions(*names: str) -> dict[str, str]:
    """Say what a number was measured with."""
    return {name: version(name) for name in ("whyword", "torch", *names)} | {"python": platform.python_version()}


def write_cell(record: Mapping[str, Any], place: Path) -> None:
    """Write a cell whole or not at all."""
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = place.with_suffix(".part")
    beside.write_text(json.dumps(record, indent=1))
    beside.replace(place)


def mean_and_half(values: Sequence[float]) -> tuple[float, float]:
    """Give the mean over seeds and half the width of its 95 % interval (Student's t); NaN values are left out."""
    known = np.asarray(values, dtype=float)
    known = known[~np.isnan(known)]
    mean = float(known.mean()) if len(known) else float("nan")
    half = float(stats.sem(known) * stats.t.ppf(0.975, len(known) - 1)) if len(known) > 1 else float("nan")
    return mean, half
