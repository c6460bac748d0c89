"""What is shown on standard output."""

from __future__ import annotations

from rich.console import Console


class Screen(Console):
    """A console that leaves it to us what happens when the reader of a pipe has gone."""

    def on_broken_pipe(self) -> None:
        """Raise again what rich would turn into exit code 1."""
        raise BrokenPipeError


def screen() -> Screen:
    """Open standard output; colors only where they are wanted."""
    return Screen(highlight=False)
