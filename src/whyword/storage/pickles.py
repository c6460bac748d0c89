"""Weights that are pickled: to read them would run whatever is in them."""

from __future__ import annotations

from pathlib import Path

ENDINGS = ("bin", "pt", "pth", "ckpt", "pkl")


def pickled_weights(folder: Path) -> str | None:
    """Name the pickled weights of a folder that has no others; None if there are none, or no such folder."""
    if not folder.is_dir() or any(folder.glob("*.safetensors")):
        return None
    return min((path.name for ending in ENDINGS for path in folder.glob(f"*.{ending}")), default=None)
