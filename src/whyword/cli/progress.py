"""Progress on standard error: a bar with rate and time left on a terminal, now and then a line elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TaskID, TextColumn
from rich.progress import TimeRemainingColumn as TimeLeftColumn
from rich.text import Text

if TYPE_CHECKING:
    from ..attribution.groups.watch import LongText
    from ..explaining.parts import Progress as Written
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
        self.phase = ""  # that the bar shows
        self.first = (0.0, 0)  # time and number of the first step of the phase that was seen
        self.first_of_epoch = (0.0, 0)  # time and tokens of the first step of the epoch that was seen
        self.due = 0.0  # when the next line comes, where there is no terminal

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
        now = time.monotonic()
        done, total = event.epoch * event.steps + event.step, max(event.epochs, event.epoch + 1) * event.steps
        if self.task is None or event.phase != self.phase:
            if self.task is not None:
                self.bar.remove_task(self.task)
            self.phase, self.task = event.phase, self.bar.add_task("", total=total, completed=done, rate="")
            self.first, self.first_of_epoch, self.due = (now, done), (now, event.tokens), now + FIRST_LINE
        elif event.step == 1:
            self.first_of_epoch = (now, event.tokens)
        epoch = f" epoch {event.epoch + 1}" if event.epochs else ""
        epoch += f" of at most {event.epochs}" if event.epochs > 1 else ""
        speed = (event.tokens - self.first_of_epoch[1]) / max(1e-3, now - self.first_of_epoch[0])
        rate = f"{speed:,.0f} tokens/s" if speed else ""
        self.bar.update(self.task, description=event.phase + epoch, completed=done, total=total, rate=rate)
        if event.record is not None:
            self._say(_sentence(event.record))
        elif now >= self.due and not self.console.is_terminal:
            left = (now - self.first[0]) / max(1, done - self.first[1]) * (total - done)
            steps = (
                f"step {event.step} of {event.steps}" if event.epochs else f"{event.step:,} of {event.steps:,} texts"
            )
            self._say(f"{event.phase}{epoch}: {steps}, at most {_duration(left)} left")
            self.due = now + NEXT_LINE

    def _say(self, sentence: str) -> None:
        self.console.print(Text(sentence), soft_wrap=not self.console.is_terminal)


def _sentence(record: dict[str, Any]) -> str:
    losses = " ".join(f"{name} {value:.3f}" for name, value in record["losses"].items())
    judged = _judged(record)
    mark = " *" if record["best"] else ""
    return f"{record['phase']} epoch {record['epoch']:>2}  {losses}  {judged}  {record['seconds']:.1f} s{mark}"


def _judged(record: dict[str, Any]) -> str:
    """Say how good an epoch is; phases that leave the accuracy as it is are judged by what they teach."""
    health = record.get("health", {})
    if "explained" in health:
        return f"explained {health['explained']:.1%}"
    agreement = "agreement not measured, as hardly a dev text is marked"
    if "agreement" in health:
        agreement = f"agreement with people {health['agreement']:.3f} (random words {health['random_agreement']:.3f})"
    if record["phase"] == "rationales":
        return agreement
    accuracy = f"dev accuracy {record['dev_accuracy']:.3f}"
    return f"{accuracy}  {agreement}" if "agreement" in health else accuracy


class TextProgress:
    """Shows how many texts have gone by: a bar on a terminal, now and then a line elsewhere."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.console = Console(stderr=True, highlight=False)
        self.bar: Progress | None = None
        self.task: TaskID | None = None
        self.before: int | None = None  # texts when it began
        self.started = self.due = 0.0

    def __enter__(self) -> Self:
        """Show nothing yet."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the bar away."""
        if self.bar is not None:
            self.bar.stop()

    def __call__(self, event: Written | str) -> None:
        """Show how far a run that writes has come, or a sentence about it."""
        if isinstance(event, str):
            print(event, file=sys.stderr)
        else:
            self.show(event.texts, event.total)

    def show(self, texts: int, total: int | None) -> None:
        """Show the number of texts; rate and time left count from the first call on."""
        now = time.monotonic()
        if self.before is None:
            self.before, self.started, self.due = texts, now, now + FIRST_LINE
            if self.console.is_terminal:
                self.bar = _bar(self.console)
                self.bar.start()
                self.task = self.bar.add_task(self.what, total=total, completed=texts, rate="")
            return
        rate = (texts - self.before) / max(1e-3, now - self.started)
        if self.bar is not None and self.task is not None:
            self.bar.update(self.task, completed=texts, rate=f"{rate:,.1f} texts/s")
        elif now >= self.due:
            self.due = now + NEXT_LINE
            of, left = "", ""
            if total is not None and total > texts:
                of, left = f" of {total:,}", f", {_duration((total - texts) / rate)} left"
            self.console.print(Text(f"{self.what}: {texts:,}{of} texts, {rate:,.1f} texts/s{left}"), soft_wrap=True)


class LongTextProgress:
    """Says how long a long text will take, and then how far its forward passes have come."""

    def __init__(self, texts: TextProgress) -> None:
        self.texts = texts  # whose bar it shares
        self.due = 0.0

    def __call__(self, event: LongText) -> None:
        """Show one more part of the passes."""
        console, bar, now = self.texts.console, self.texts.bar, time.monotonic()
        if event.begins:
            sentence = (
                f"A text of {event.words:,} words, scored in groups first: at most {event.most:,} forward passes, "
                f"about {_duration(event.left)}."
            )
            console.print(Text(sentence), soft_wrap=True)
            self.due = now + FIRST_LINE
        elif event.passes < event.most and now >= self.due:
            self.due = now + (NEXT_LINE if bar is None else 0.0)
            done = f"{event.passes:,} of at most {event.most:,} forward passes, {_duration(event.left)} left"
            if bar is not None and self.texts.task is not None:
                bar.update(self.texts.task, rate=done)
            else:
                console.print(Text(done), soft_wrap=True)


def track(items: Iterable[T], what: str, count: Callable[[], int | None], quiet: bool) -> Iterator[T]:
    """Pass items on and show how many have gone by; they are counted beforehand only if it is shown."""
    if quiet:
        yield from items
        return
    total = count()
    with TextProgress(what) as progress:
        progress.show(0, total)
        for number, item in enumerate(items, 1):
            yield item
            progress.show(number, total)


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
