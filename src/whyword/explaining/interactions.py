"""Words that act together: pairs whose joint effect is not the sum of what each does alone, such as *not good*."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
import torch
from scipy.special import logit

from ..interfaces.classifier import Classifier, Removal
from ..interfaces.errors import OptionError
from ..interfaces.explanation import Explanation, Interaction
from ..maths.stats.ties import PROBABILITY, ranking

WORDS = 6
LEAST = 0.25  # share of the largest score, below which a pair does not stand out
LEAST_LOG_ODDS = 1.0  # of the joint effect, alone and in the text: the odds are e times what the two words' add up to
PROBABILITY_FLOOR = 1e-4  # probabilities nearer to 0 or 1 are taken as this near: log-odds stay within 9.2

Pair = tuple[int, int]


def find_interactions(
    classifier: Classifier,
    explanations: Sequence[Explanation],
    words: int = WORDS,
    least: float = LEAST,
    removal: Removal = "delete",
) -> list[Explanation]:
    """Add to each explanation the pairs of words that stand out, strongest first.

    Looked at are the words of the largest scores, two by two, and each of them with its neighbors. What two words do
    together is measured where no other word is there and where all are, and averaged: the Shapley interaction index,
    where words act together at most three by three. A pair stands out if that is more than a share of the largest
    score, and if the log-odds agree, alone and in the text: two words that each suffice do not act together.
    """
    for explanation in explanations:
        if not explanation.signed:
            raise OptionError(
                f"'{explanation.explainer}' gives weights, which no joint effect can be compared with: choose an "
                "explainer with signed scores, such as shapley or occlusion."
            )
    chosen = [_pairs(explanation, words) for explanation in explanations]
    requests = (
        (explanation.document.words, torch.from_numpy(sub_texts(pairs, len(explanation.document.words))))
        for explanation, pairs in zip(explanations, chosen, strict=True)
    )
    answers = classifier.probabilities_of_many(requests, removal)
    return [
        _with_interactions(explanation, pairs, answer.double().numpy(), least)
        for explanation, pairs, answer in zip(explanations, chosen, answers, strict=True)
    ]


def _pairs(explanation: Explanation, words: int) -> list[Pair]:
    """Choose the pairs to look at, in reading order."""
    count = len(explanation.scores)
    largest = sorted(ranking(np.abs(explanation.scores), explanation.resolution)[:words].tolist())
    beside = {(i, i + 1) for word in largest for i in (word - 1, word) if 0 <= i < count - 1}
    return sorted(beside.union(combinations(largest, 2)))


def sub_texts(pairs: Sequence[Pair], words: int) -> np.ndarray:
    """Give the empty text, each word of a pair and each pair alone, and then what each of these leaves out."""
    if not pairs:
        return np.zeros((0, words), dtype=bool)
    groups: list[tuple[int, ...]] = [(), *((word,) for word in _words_of(pairs)), *pairs]
    kept = np.zeros((len(groups), words), dtype=bool)
    for row, group in enumerate(groups):
        kept[row, list(group)] = True
    return np.concatenate([kept, ~kept])


def _words_of(pairs: Sequence[Pair]) -> list[int]:
    return sorted({word for pair in pairs for word in pair})


def joint_effects(answers: np.ndarray, pairs: Sequence[Pair]) -> np.ndarray:
    """Give what each pair does together, (2, pair), alone and in the text, from the answers to sub_texts, (subset,)."""
    row = {word: 1 + number for number, word in enumerate(_words_of(pairs))}
    first, second = ([row[word] for word in side] for side in zip(*pairs, strict=True))
    contexts = np.stack(np.split(answers, 2))  # left out instead of alone, the same signs hold
    effects: np.ndarray = contexts[:, :1] + contexts[:, 1 + len(row) :] - contexts[:, first] - contexts[:, second]
    return effects


def _with_interactions(
    explanation: Explanation, pairs: Sequence[Pair], answers: np.ndarray, least: float
) -> Explanation:
    passes = explanation.forward_passes + len(answers)
    if not pairs:
        return replace(explanation, interactions=(), forward_passes=passes)
    probabilities = answers[:, explanation.target]
    scores = joint_effects(probabilities, pairs).mean(axis=0)
    log_odds = joint_effects(logit(np.clip(probabilities, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)), pairs)
    strength = np.where(log_odds.prod(axis=0) > 0, np.abs(log_odds).min(axis=0), 0.0)
    smallest = max(least * float(np.abs(explanation.scores).max()), 4 * PROBABILITY)  # each is of four answers
    stands_out = (np.abs(scores) > smallest) & (strength > LEAST_LOG_ODDS) & (scores * log_odds[0] > 0)
    found = [i for i in np.argsort(-strength, kind="stable") if stands_out[i]]
    interactions = tuple(Interaction(pairs[i][0], pairs[i][1], float(scores[i])) for i in found)
    return replace(explanation, interactions=interactions, forward_passes=passes)
