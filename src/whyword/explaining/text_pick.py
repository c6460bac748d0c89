"""SP-LIME: a few texts that show together as many of the words that matter as possible (Ribeiro et al., KDD 2016)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.sparse import csr_array

from ..data.tokenizers.word_level import normalize
from ..interfaces.explanation import Explanation
from ..maths.stats.ties import ranking

STRONGEST = 10  # words of a text that count, K in the paper; without a limit, the longest texts would be picked


def pick_texts(explanations: Sequence[Explanation], count: int, lowercase: bool = True) -> list[int]:
    """Choose texts one after the other, each adding most to the importance of the words shown (their Algorithm 2).

    At least 1 − 1/e of what the best choice of so many texts would show; ties go to the earlier text.
    """
    weights = [text_weights(explanation, lowercase) for explanation in explanations]
    number = {word: column for column, word in enumerate({word: None for row in weights for word in row})}
    columns = np.array([number[word] for row in weights for word in row], dtype=np.int64)
    scores = np.array([score for row in weights for score in row.values()])
    ends = np.cumsum([0, *map(len, weights)])
    shows = csr_array((np.ones(len(columns)), columns, ends), shape=(len(weights), len(number)))
    missing = np.sqrt(np.bincount(columns, abs(scores), len(number)))  # I_j of the words that no picked text shows yet
    picked: list[int] = []
    for _ in range(min(count, len(weights))):
        gains = shows @ missing
        gains[picked] = -np.inf
        picked.append(int(ranking(gains)[0]))
        missing[shows[[picked[-1]]].indices] = 0.0
    return picked


def text_weights(explanation: Explanation, lowercase: bool = True) -> dict[str, float]:
    """Give the strongest words of a text and their scores: a row of their W.

    A repeated word has the score of its strongest occurrence: where LIME removes all of them together, they share one.
    """
    scores: dict[str, float] = {}
    for string, score in zip(explanation.words, explanation.scores.tolist(), strict=True):
        word = normalize(string, lowercase)
        scores[word] = max(scores.get(word, 0.0), score, key=abs)
    words = list(scores)
    strongest = [words[i] for i in ranking(np.abs(list(scores.values())), explanation.resolution)[:STRONGEST]]
    return {word: scores[word] for word in strongest if scores[word]}
