"""Scores of every class from answers that hold them all."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def scores_of_classes(
    scores: np.ndarray, target: int, classes: int, of_class: Callable[[int], np.ndarray], exclusive: bool = True
) -> np.ndarray:
    """Give (class, word) scores from those of the target, (word,).

    Where classes exclude each other, probabilities add up to 1, so what a word does for all classes together is 0: the
    last class needs no estimate.
    """
    table = np.zeros((classes, len(scores)))
    table[target] = scores
    others = [number for number in range(classes) if number != target]
    derived = others[-1:] if exclusive else []
    for other in others[: len(others) - len(derived)] if len(scores) else ():
        table[other] = of_class(other)
    table[derived] = -table.sum(axis=0)
    return table
