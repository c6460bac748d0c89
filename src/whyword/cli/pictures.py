"""Figures become picture files: the same bytes each time, put in place when they are complete."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure

from ..storage.atomic import replacing

_DATES = {".svg": "Date", ".pdf": "CreationDate"}
DPI = 150


def save_figure(figure: Figure, output: Path) -> None:
    """Write a figure in the format that the file's name asks for."""
    output.parent.mkdir(parents=True, exist_ok=True)
    metadata = {_DATES[output.suffix]: None} if output.suffix in _DATES else {}
    with replacing(output) as beside, matplotlib.rc_context({"svg.hashsalt": "whyword", "pdf.fonttype": 42}):
        figure.savefig(beside, format=output.suffix[1:], dpi=DPI, metadata=metadata)
