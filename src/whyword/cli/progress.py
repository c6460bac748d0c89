"""Progress on standard error: a bar with rate and time left on a terminal, a line per epoch elsewhere."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

if TYPE_CHECKING:
    from ..training.loop import Step

T = TypeVar("T")


class TrainingProgress:
    """Shows the steps of a training run and the sentences that come with it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False)
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=self.console,
            transient=True,
            disable=quiet or not self.console.is_terminal,
        )
        self.task: TaskID | None = None
        self.started = time.monotonic()

    def __enter__(self) -> Self:
        """Start the bar."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.bar.stop()

    def __call__(self, news: Step | str) -> None:
        """Show one step or one sentence."""
        if self.quiet:
            return
        if isinstance(news, str):
            self.console.print(Text(news))
            return
        if news.step == 1 or self.task is None:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.task = self.bar.add_task(f"{news.phase} epoch {news.epoch + 1}", total=news.steps, rate="")
            self.started = time.monotonic()
        rate = news.tokens / max(1e-3, time.monotonic() - self.started)
        self.bar.update(self.task, completed=news.step, rate=f"{rate:,.0f} tokens/s")
        if news.record is not None:
            self.console.print(Text(_sentence(news.record)))


def _sentence(record: dict[str, object]) -> str:
    losses = " ".join(f"{name} {value:.3f}" for name, value in record["losses"].items())  # type: ignore[attr-defined]
    mark = " *" if record["best"] else ""
    return (
        f"{record['phase']} epoch {record['epoch']:>2}  {losses}  dev accuracy {record['dev_accuracy']:.3f}  "
        f"{record['seconds']:.1f} s{mark}"
    )


def track(items: Iterable[T], what: str, total: int | None, quiet: bool) -> Iterator[T]:
    """Pass items on and show how many have gone by."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal) as bar:
        yield from bar.track(items, total=total, description=what)
