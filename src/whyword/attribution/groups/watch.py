"""How far the explanation of a long text has come, and how long it will still take."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...interfaces.classifier import Classifier, Removal
from ...interfaces.document import Words

FIRST_PASSES = 4  # timed before it is said how long it will take
TOGETHER = 200_000  # words of the sub-texts that are asked about before it is said how far it has come


@dataclass(frozen=True)
class LongText:
    """How far the explanation of a text that is scored in groups has come."""

    words: int  # of the text
    passes: int  # so far
    most: int  # at most
    seconds: float  # so far
    left: float  # seconds, at most

    @property
    def begins(self) -> bool:
        """Whether only the first few passes were timed."""
        return self.passes <= FIRST_PASSES


_listener: ContextVar[Callable[[LongText], object] | None] = ContextVar("listener", default=None)


@contextmanager
def watch_long_texts(on_progress: Callable[[LongText], object]) -> Iterator[None]:
    """Have a function called with a LongText as long texts are explained in this thread: after four passes, then on."""
    token = _listener.set(on_progress)
    try:
        yield
    finally:
        _listener.reset(token)


class Watched:
    """Asks a classifier about the sub-texts of one text, some at a time, and tells who listens how long it takes."""

    def __init__(self, classifier: Classifier, words: int, most: int, share: float) -> None:
        self.passes = 0
        self.seconds = 0.0
        self._classifier = classifier
        self._words = words
        self._most = most  # passes
        self._read = 0  # words, of all passes so far
        self._share = share  # of the words that a pass keeps, as far as is known before

    def probabilities_of_many(
        self, requests: Iterable[tuple[Words, Any]], removal: Removal = "delete"
    ) -> Iterator[Any]:
        """Answer as the classifier does."""
        for words, kept in requests:
            answers: list[Any] = []
            done = 0
            while done < len(kept) or not answers:
                rows = max(FIRST_PASSES, TOGETHER // max(1, self._words)) if self.passes else FIRST_PASSES
                part = kept[done : done + rows]
                done += rows
                answers.append(self._ask(words, part, removal))
            yield _joined(answers)

    def _ask(self, words: Words, kept: Any, removal: Removal) -> Any:
        started = time.perf_counter()
        (answer,) = self._classifier.probabilities_of_many([(words, kept)], removal)
        self.seconds += time.perf_counter() - started
        self.passes += len(kept)
        self._read += int(kept.sum())
        listener = _listener.get()
        if listener is not None:
            still = max(0, self._most - self.passes) * self._share * self._words
            left = still * self.seconds / max(1, self._read)
            listener(LongText(self._words, self.passes, self._most, self.seconds, left))
        return answer


def _joined(answers: list[Any]) -> Any:
    if isinstance(answers[0], np.ndarray):
        return np.concatenate(answers)
    import torch

    return torch.cat(answers)
