"""The pieces of a long text that were scored: groups, of which those that matter are opened, the largest first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from ...maths.stats.ties import ROUNDED_PROBABILITY
from .cuts import Run

DECIDING_DIGITS = 6  # decimals: the width of a batch moves the seventh, which must not decide what is opened


@dataclass(frozen=True, eq=False)
class Piece:
    """A group of words, or a word, with its scores."""

    run: Run
    scores: np.ndarray  # (class,)
    level: tuple[Run, ...]  # the pieces that it was scored beside, itself among them
    parent: Piece | None = None  # the group that was opened; None: the text
    std_error: float | None = None  # of the score for the target

    @property
    def words(self) -> int:
        """Count the words."""
        return self.run[1] - self.run[0]


def open_largest(
    pieces: Sequence[Piece],
    column: int,
    affordable: Callable[[Piece], bool],
    open_up: Callable[[Piece], Sequence[Piece]],
) -> list[Piece]:
    """Open the group whose score for a class is the largest, for or against it, as long as that can be afforded.

    Groups that are without effect stay closed.
    """

    def waiting(piece: Piece) -> tuple[float, int, Piece]:
        return -abs(round(float(piece.scores[column]), DECIDING_DIGITS)), piece.run[0], piece

    heap = [waiting(piece) for piece in pieces]
    heapify(heap)
    closed: list[Piece] = []
    while heap:
        size, _, piece = heappop(heap)
        if piece.words == 1 or -size <= ROUNDED_PROBABILITY or not affordable(piece):
            closed.append(piece)
            continue
        for part in open_up(piece):
            heappush(heap, waiting(part))
    return sorted(closed, key=lambda piece: piece.run)


def scores_of_words(pieces: Sequence[Piece]) -> dict[str, Any]:
    """Give the fields of an explanation: a group that was not opened is shared out evenly among its words."""
    sizes = np.array([piece.words for piece in pieces])
    errors = [piece.std_error for piece in pieces if piece.std_error is not None]
    return {
        "all_scores": np.stack([piece.scores / piece.words for piece in pieces], axis=1).repeat(sizes, axis=1),
        "std_error": (np.array(errors) / sizes).repeat(sizes) if len(errors) == len(pieces) else None,
        "grouped": (sizes > 1).repeat(sizes),
    }
