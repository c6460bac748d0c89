"""Progress on standard error: a bar with rate and time left on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskID, TextColumn
from rich.progress import TimeRemainingColumn as TimeLeftColumn
from rich.text import Text

if TYPE_CHECKING:
    from ..training.loop import Step

T = TypeVar("T")

FIRST_LINE = 5.0  # seconds of silence where there is no terminal
NEXT_LINE = 30.0


class TrainingProgress:
    """Shows the steps of a training run and the sentences that come with it."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self.console = Console(stderr=True, highlight=False)
        self.bar = _bar(self.console, quiet)
        self.task: TaskID | None = None
        self.started = time.monotonic()
        self.tokens = 0  # of this epoch, before the first step that was seen

    def __enter__(self) -> Self:
        """Start the bar."""
        self.bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        self.bar.stop()

    def __call__(self, event: Step | str) -> None:
        """Show one step or one sentence."""
        if self.quiet:
            return
        if isinstance(event, str):
            self._say(event)
            return
        if event.step == 1 or self.task is None:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.task = self.bar.add_task(f"{event.phase} epoch {event.epoch + 1}", total=event.steps, rate="")
            self.started = time.monotonic()
            self.tokens = event.tokens
        rate = (event.tokens - self.tokens) / max(1e-3, time.monotonic() - self.started)
        self.bar.update(self.task, completed=event.step, rate=f"{rate:,.0f} tokens/s" if rate else "")
        if event.record is not None:
            self._say(_sentence(event.record))

    def _say(self, sentence: str) -> None:
        self.console.print(Text(sentence), soft_wrap=not self.console.is_terminal)


def _sentence(record: dict[str, object]) -> str:
    losses = " ".join(f"{name} {value:.3f}" for name, value in record["losses"].items())  # type: ignore[attr-defined]
    mark = " *" if record["best"] else ""
    return (
        f"{record['phase']} epoch {record['epoch']:>2}  {losses}  dev accuracy {record['dev_accuracy']:.3f}  "
        f"{record['seconds']:.1f} s{mark}"
    )


def track(
    items: Iterable[T],
    what: str,
    count: Callable[[], int | None],
    quiet: bool,
    size: Callable[[T], int] = lambda _: 1,
    before: int = 0,
) -> Iterator[T]:
    """Pass items on and show how many texts have gone by; they are counted beforehand only if it is shown.

    Size says how many texts an item holds, before how many an earlier run has done.
    """
    console = Console(stderr=True, highlight=False)
    if quiet:
        yield from items
    elif console.is_terminal:
        yield from _with_bar(items, what, count(), console, size, before)
    else:
        yield from _with_lines(items, what, count(), console, size, before)


def _with_bar(
    items: Iterable[T], what: str, total: int | None, console: Console, size: Callable[[T], int], before: int
) -> Iterator[T]:
    started, done = time.monotonic(), 0
    with _bar(console) as bar:
        task = bar.add_task(what, total=total, completed=before, rate="")
        for item in items:
            yield item
            done += size(item)
            rate = done / max(1e-3, time.monotonic() - started)
            bar.update(task, completed=before + done, rate=f"{rate:,.1f} texts/s")


def _with_lines(
    items: Iterable[T], what: str, total: int | None, console: Console, size: Callable[[T], int], before: int
) -> Iterator[T]:
    started, done = time.monotonic(), 0
    due = started + FIRST_LINE
    for item in items:
        yield item
        done += size(item)
        now = time.monotonic()
        if now >= due:
            due = now + NEXT_LINE
            rate, gone = done / (now - started), before + done
            of, left = "", ""
            if total is not None and total > gone:
                of, left = f" of {total:,}", f", {_duration((total - gone) / rate)} left"
            console.print(Text(f"{what}: {gone:,}{of} texts, {rate:,.1f} texts/s{left}"), soft_wrap=True)


def _bar(console: Console, quiet: bool = False) -> Progress:
    columns: tuple[ProgressColumn, ...] = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=None if console.width < 60 else 40),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeLeftColumn(),
    )
    return Progress(*columns, console=console, transient=True, disable=quiet or not console.is_terminal)


def _duration(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
