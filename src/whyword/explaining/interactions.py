"""Words that act together: pairs whose joint effect is not the sum of what each does alone, such as *not good*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import torch

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.explanation import Explanation, Interaction
from ..maths.stats.ties import PROBABILITY, ranking
from .check import of_target

WORDS = 6
LEAST = 0.25  # share of the largest score, below which a pair does not stand out


def find_interactions(
    classifier: Classifier,
    explanations: Sequence[Explanation],
    words: int = WORDS,
    least: float = LEAST,
    removal: Removal = "delete",
) -> list[Explanation]:
    """Add to each explanation the pairs that stand out among its words of the largest scores, strongest first.

    What two words do together is measured where no other word is there and where all are, and averaged. That is the
    Shapley interaction index where words act together at most three by three. Six words take 44 forward passes.
    """
    chosen = [_largest(explanation, words) for explanation in explanations]
    requests = (
        (explanation.document.words, torch.from_numpy(sub_texts(positions, len(explanation.document.words))))
        for explanation, positions in zip(explanations, chosen, strict=True)
    )
    answers = classifier.probabilities_of_many(requests, removal)
    return [
        _with_interactions(explanation, positions, answer.double().numpy(), least)
        for explanation, positions, answer in zip(explanations, chosen, answers, strict=True)
    ]


def _largest(explanation: Explanation, words: int) -> np.ndarray:
    """Give the positions of the words of the largest scores, in reading order; none where there is no pair."""
    largest = np.sort(ranking(np.abs(explanation.scores), explanation.resolution)[:words])
    return largest if len(largest) > 1 else largest[:0]


def sub_texts(positions: np.ndarray, words: int) -> np.ndarray:
    """Give the empty text, each of the words and each pair of them alone, and then what each of these leaves out."""
    if not len(positions):
        return np.zeros((0, words), dtype=bool)
    groups: list[tuple[int, ...]] = [(), *((i,) for i in positions), *combinations(positions, 2)]
    kept = np.zeros((len(groups), words), dtype=bool)
    for row, group in enumerate(groups):
        kept[row, list(group)] = True
    return np.concatenate([kept, ~kept])


def _with_interactions(
    explanation: Explanation, positions: np.ndarray, answers: np.ndarray, least: float
) -> Explanation:
    found = []
    if len(positions):
        joint = joint_effects(of_target(explanation, answers), len(positions))
        smallest = max(least * float(np.abs(explanation.scores).max()), 4 * PROBABILITY)  # each is of four answers
        pairs = zip(combinations(positions.tolist(), 2), joint.tolist(), strict=True)
        found = [Interaction(first, second, score) for (first, second), score in pairs if abs(score) > smallest]
    found.sort(key=lambda interaction: -abs(interaction.score))
    passes = explanation.forward_passes + len(answers)
    return replace(explanation, interactions=tuple(found), forward_passes=passes)


def joint_effects(answers: np.ndarray, words: int) -> np.ndarray:
    """Give what each pair of words does together, (pair,), from the answers to sub_texts in their order."""
    alone, left_out = np.split(answers, 2)
    first, second = np.array(list(combinations(range(1, words + 1), 2))).T
    effects = [
        values[0] + values[1 + words :] - values[first] - values[second]  # the same with signs for both contexts
        for values in (alone, left_out)
    ]
    joint: np.ndarray = (effects[0] + effects[1]) / 2
    return joint
