"""What a command shows on standard output, and the pictures that it writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from ..storage.atomic import replacing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DATES = {".svg": "Date", ".pdf": "CreationDate"}
DPI = 150


class Screen(Console):
    """A console that raises when a pipe is closed, so that we decide what happens."""

    def on_broken_pipe(self) -> None:
        """Raise again what rich would turn into exit code 1."""
        raise BrokenPipeError


def screen() -> Screen:
    """Open standard output; colors only where they are wanted."""
    return Screen(highlight=False)


def tell_written(texts: int, what: str, output: Path, as_json: bool, quiet: bool) -> None:
    """Say what a file holds now: as JSON on standard output, else on standard error."""
    if as_json:
        print(json.dumps({"output": str(output), "texts": texts}))
    elif not quiet:
        print(f"Wrote {texts:,} {what if texts != 1 else what.removesuffix('s')} to {output}.", file=sys.stderr)


def save_figure(figure: Figure, output: Path) -> None:
    """Write a figure in the format that the file's name asks for: the same bytes each time, or no file at all."""
    import matplotlib

    output.parent.mkdir(parents=True, exist_ok=True)
    metadata = {_DATES[output.suffix]: None} if output.suffix in _DATES else {}
    with replacing(output) as beside, matplotlib.rc_context({"svg.hashsalt": "whyword", "pdf.fonttype": 42}):
        figure.savefig(beside, format=output.suffix[1:], dpi=DPI, metadata=metadata)
